"""Two brokers with the bridge of docs/mqtt.md: the leader at one, the follower at the other."""

import contextlib
import re
from pathlib import Path

from tests.system.broker import HOST, Broker, broker, cable, mosquitto
from tests.system.halls import follows, hall, unlinked
from tests.system.listener import Listener
from tests.system.programs import ROOT

__all__ = ["mosquitto"]

CLAIM = {"board": "A1", "side": "sun"}


def bridge(port: int) -> str:
    """The lines of the page, to the broker at this port; a broker of these tests has the first one already."""
    (lines,) = re.findall(
        r"```\nset_tcp_nodelay true\n(connection .*?)```", (ROOT / "docs/mqtt.md").read_text(), re.DOTALL
    )
    found, count = re.subn(r"(?m)^address .*$", f"address {HOST}:{port}", lines)
    assert count == 1
    return found


def test_a_game_goes_over_a_bridge(tmp_path: Path, mosquitto: Broker) -> None:
    with (
        cable(mosquitto.port) as wire,
        broker(tmp_path / "far", bridge(wire.port)) as far,
        hall(tmp_path, "main", "leader", mosquitto.port) as leader,
        hall(tmp_path, "east", "follower", far.port) as follower,
        contextlib.closing(Listener(far.port, "controller/main/status")) as told,
    ):
        leader.until_link("leading")
        follower.until_following()
        assert leader.client.command("start").accepted
        follower.until(lambda picture: picture.running)
        assert follower.client.command("claim", CLAIM).accepted
        follower.press()
        leader.until(lambda picture: picture.pause_reasons == ["button"])
        assert leader.client.command("resume", {"override": True}).accepted
        follower.until(lambda picture: picture.running)

        wire.end_all()
        lost = follower.until(lambda picture: picture.paused)
        assert unlinked(lost) == ["link.lost"]
        leader.until(lambda picture: "link.halls_away" in unlinked(picture))
        follower.claim_unheard(CLAIM | {"board": "A2"})
        wire.mend()
        leader.until(lambda picture: [claim.board for claim in picture.claims] == ["east/A1", "east/A2"])
        follower.until(lambda picture: picture.running and follows(picture))
        leader.until(lambda picture: not unlinked(picture))

        leader.kill("links")
        while told.next("controller/main/status")["state"] != "offline":
            pass
