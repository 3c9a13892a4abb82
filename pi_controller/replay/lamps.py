"""What the panel's lamps showed beside a picture. Pure."""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from pi_controller.core.panel.view import BLINK_HALF_NS, PanelView, panel_at, view_of
from pi_controller.protocol.picture import Picture

NS_PER_MS = 1_000_000


class LampsView(Struct, kw_only=True):
    """Levels of the panel's lamps."""

    sun: bool
    moon: bool
    pause: bool


class ReplayLine(Struct, kw_only=True):
    """One picture with its moment since the game's first line. `lamps` are as at the picture and half a blink
    later: where these differ, they take turns. What may be done then (`allowed`) is left out."""

    since_ms: int
    picture: Picture
    lamps: tuple[LampsView, LampsView]


def lines_of(pictures: Iterable[tuple[int, Picture]]) -> Iterator[ReplayLine]:
    """One for each picture."""
    view: PanelView | None = None
    for since_ns, picture in pictures:
        view = view_of(picture, offset_ns=0, before=view)
        lamps = (_lamps(view, view.as_of_ns), _lamps(view, view.as_of_ns + BLINK_HALF_NS))
        yield ReplayLine(since_ms=since_ns // NS_PER_MS, picture=replace(picture, allowed={}), lamps=lamps)


def _lamps(view: PanelView, now_ns: int) -> LampsView:
    shown = panel_at(view, now_ns)
    return LampsView(sun=shown.sun, moon=shown.moon, pause=shown.pause_lamp)
