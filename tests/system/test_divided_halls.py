"""Two that both lead a game when their networks find each other: two brokers with a bridge that was cut."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.protocol.picture import Picture
from tests.system.broker import HOST, Broker, Cable, broker, cable, mosquitto
from tests.system.halls import Hall, hall, paired, unlinked

__all__ = ["mosquitto"]


def bridge(port: int) -> str:
    """Between the broker of `annex` and `west` and that of the others."""
    mine = "".join(f"topic controller/{name}/# out 1\n" for name in ("annex", "west"))
    theirs = "".join(f"topic controller/{name}/# in 1\n" for name in ("main", "east"))
    return (
        f"connection far\naddress {HOST}:{port}\nbridge_protocol_version mqttv50\ncleansession true\n"
        f"keepalive_interval 5\nrestart_timeout 1\nnotifications false\n{mine}{theirs}"
    )


@contextlib.contextmanager
def two_games(folder: Path, near: Broker) -> Iterator[tuple[Cable, Hall, Hall, Hall, Hall]]:
    """`main` leads `east`, and beyond a cut `annex` leads `west`; both play."""
    with contextlib.ExitStack() as stack:
        wire = stack.enter_context(cable(near.port))
        wire.cut()
        paired(folder, "main", "annex")
        far = stack.enter_context(broker(folder / "far", bridge(wire.port)))
        ports = {"main": near.port, "east": near.port, "annex": far.port, "west": far.port}
        roles = {"main": "leader", "annex": "leader", "east": "follower", "west": "follower"}
        halls = {
            name: stack.enter_context(hall(folder, name, roles[name], port)) for name, port in ports.items()
        }
        for leader, follower in (("main", "east"), ("annex", "west")):
            halls[leader].until_link("leading")
            halls[follower].until_following()
            assert halls[leader].client.command("start").accepted
            halls[follower].until(lambda picture: picture.running)
        yield wire, halls["main"], halls["east"], halls["annex"], halls["west"]


def game(picture: Picture) -> str:
    return picture.game_id


def test_both_stand_still_as_a_fault_until_a_person_decides(tmp_path: Path, mosquitto: Broker) -> None:
    with two_games(tmp_path, mosquitto) as (wire, main, east, annex, west):
        wire.mend()
        for leader, follower in ((main, east), (annex, west)):
            shown = leader.until_link("divided")
            assert (shown.running, "link.divided" in unlinked(shown)) == (False, True)
            follower.until(lambda picture: picture.paused)
            assert game(follower.picture()) == game(shown), "each keeps its own followers"
            refused = leader.client.command("resume")
            assert [reason.key for reason in refused.reason_keys] == ["link.divided"]
        played = game(annex.picture())
        annex.settle(lead=True, hall="annex")
        assert game(annex.until_link("leading")) == played
        shown = main.until_link("refused")
        assert "link.another_leads" in unlinked(shown)
        for follower in (east, west):
            follower.until(lambda picture: game(picture) == played and picture.link.leader == "annex")
        assert annex.client.command("resume", {"override": True}).accepted
        for follower in (east, west):
            follower.until(lambda picture: picture.running)
        annex.kill("links")
        annex.until_link("lost")
        annex.start("links")
        assert annex.until_link("leading").link.term == 2, "also for a links process that is started anew"
        assert main.link().state == "refused"


@pytest.mark.matrix  # what it decides: tests/links/test_lease.py
def test_the_one_that_gives_way_leaves_the_game_to_the_other(tmp_path: Path, mosquitto: Broker) -> None:
    with two_games(tmp_path, mosquitto) as (wire, main, east, annex, west):
        wire.mend()
        for leader in (main, annex):
            leader.until_link("divided")
        annex.settle(lead=False, hall="main")
        annex.until_link("refused")
        shown = main.until_link("leading")
        for follower in (east, west):
            follower.until(lambda picture: game(picture) == game(shown))
