"""What a broker still shows of a leader that is dead: old from the start, never live."""

import contextlib
from pathlib import Path

import msgspec
import pytest

from pi_controller.links.payloads import Status
from pi_controller.protocol.picture import Picture
from tests.system.broker import Broker, mosquitto
from tests.system.halls import Hall, follows, hall, two_halls, unlinked
from tests.system.other_leader import OtherLeader

__all__ = ["mosquitto"]


def old_from_the_start(follower: Hall) -> Picture:
    """The leader's round, lost; nothing that it showed on the way there ran."""
    seen: list[Picture] = []

    def lost(picture: Picture) -> bool:
        seen.append(picture)
        return picture.phase == "round" and picture.link is not None and picture.link.state == "lost"

    shown = follower.until(lost)
    assert [picture for picture in seen if picture.running] == []
    assert "link.lost" in unlinked(shown)
    return shown


def test_a_leader_whose_core_is_dead_is_old_for_a_follower_that_is_started(
    tmp_path: Path, mosquitto: Broker
) -> None:
    with two_halls(tmp_path, mosquitto.port) as (leader, follower):
        leader.kill("core")
        follower.until(lambda picture: picture.paused)
        follower.kill("core")
        follower.start("core")
        old_from_the_start(follower)
        follower.kill("core", "links")
        follower.start("core", "links")
        old_from_the_start(follower)
        leader.kill("links")
        follower.kill("core", "links")
        follower.start("core", "links")
        old_from_the_start(follower)
        leader.start("core", "links")
        follower.until(lambda picture: "recovery" in picture.pause_reasons and follows(picture))


@pytest.mark.parametrize("state", ["online", "offline"])
def test_nobody_at_all_behind_what_is_retained(tmp_path: Path, mosquitto: Broker, state: str) -> None:
    """As after a power cut of the leader beside a broker that keeps everything on its disk."""
    with hall(tmp_path, "west", "leader", mosquitto.port) as model:
        model.until_link("leading")
        assert model.client.command("start").accepted
        picture = model.until(lambda picture: picture.running)
        model.end("links")
    dead = Status(
        state=state,  # type: ignore[arg-type]
        hall="main",
        role="leader",
        leads=state == "online",
        term=9,
        controller="before",
        id="before",
    )
    with contextlib.closing(OtherLeader(mosquitto.port, leads=False)) as before:
        before.publish("status", msgspec.json.encode(dead))
        before.publish("picture", msgspec.json.encode(picture))
    with hall(tmp_path, "east", "follower", mosquitto.port) as follower:
        shown = old_from_the_start(follower)
    assert shown.remaining_us == picture.remaining_us
