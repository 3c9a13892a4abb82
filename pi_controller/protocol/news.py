"""What a stream brings, line by line, after its first answer."""

from msgspec import Struct

from pi_controller.protocol.halls import AnyUplink
from pi_controller.protocol.picture import Beat, Picture
from pi_controller.protocol.probe_results import TestNews
from pi_controller.protocol.simulated import PanelPicture
from pi_controller.protocol.tables import TablesSnapshot


class BeatNews(Struct, kw_only=True):
    beat: Beat


class PanelNews(Struct, kw_only=True):
    panel: PanelPicture


class UplinkNews(Struct, kw_only=True):
    uplink: AnyUplink


class TestLine(Struct, kw_only=True):
    __test__ = False

    test: TestNews


class News(Struct, kw_only=True):
    """Any line of a stream; what it does not carry is None."""

    picture: Picture | None = None
    beat: Beat | None = None
    panel: PanelPicture | None = None
    tables: TablesSnapshot | None = None
    test: TestNews | None = None
    uplink: AnyUplink | None = None
