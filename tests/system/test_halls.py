"""Two halls with one game over a real Mosquitto: what goes through, and what happens when something breaks."""

import contextlib
import json
import socket
from pathlib import Path

import msgspec

from pi_controller.links.payloads import ROOT, Status, hall_of
from pi_controller.protocol.picture import Picture
from tests.links.published import wrong
from tests.patience import DEADLINE_S
from tests.system.broker import HOST, Broker, cable, mosquitto
from tests.system.halls import hall, two_halls, unlinked
from tests.system.listener import Listener
from tests.system.other_leader import OtherLeader
from tests.system.programs import told

__all__ = ["mosquitto"]

CLAIM = {"board": "A1", "side": "sun"}


def boards(picture: Picture) -> list[str | None]:
    return [claim.board for claim in picture.claims]


LEADERS = {"picture", "beat", "health", "tables", "status", "check"}
FOLLOWERS = {"health", "tables", "status", "ask", "answer", "claim", "press", "result"}


def as_published(heard: "Listener", wanted: dict[str, set[str]]) -> None:
    """Everything that was heard is as docs/mqtt.schema.json says, and each of these topics was."""
    names: dict[str, set[str]] = {hall: set() for hall in wanted}
    while names != wanted:
        name, payload, retain = heard.messages.get(timeout=DEADLINE_S)
        assert wrong(name, payload, retain=retain) == []
        names[hall_of(name)].add(name.split("/")[2])


def test_a_follower_shows_the_leaders_game_and_hands_up_presses_and_claims(
    tmp_path: Path, mosquitto: Broker
) -> None:
    with (
        contextlib.closing(Listener(mosquitto.port, f"{ROOT}/#")) as heard,
        two_halls(tmp_path, mosquitto.port) as (leader, follower),
    ):
        theirs, here = leader.picture(), follower.picture()
        assert (here.phase, here.round, here.dice, here.side) == (
            theirs.phase,
            theirs.round,
            theirs.dice,
            theirs.side,
        )
        over_us = follower.clock.right_us(here.as_of_us) + here.remaining_us
        over_us -= leader.clock.right_us(theirs.as_of_us) + theirs.remaining_us
        assert 0 <= over_us <= 20_000  # the same computer: on a quiet one below 5 ms, see docs/figures.md
        assert follower.client.command("claim", CLAIM).accepted
        assert boards(leader.picture()) == ["east/A1"]
        follower.press()
        assert leader.until(lambda picture: picture.paused).pause_reasons == ["button"]
        assert follower.until(lambda picture: picture.paused).pause_reasons == ["button"]
        assert leader.client.command("resume", {"override": True}).accepted
        follower.until(lambda picture: picture.running)
        refusal = follower.client.command("skip")
        assert refusal.reasons == ['The hall "main" directs this game: give this command there.']
        as_published(heard, {"main": LEADERS, "east": FOLLOWERS})


def test_a_killed_broker_stops_the_follower_and_loses_nothing(tmp_path: Path, mosquitto: Broker) -> None:
    with two_halls(tmp_path, mosquitto.port) as (leader, follower):
        mosquitto.kill()
        still = follower.until(lambda picture: picture.paused)
        assert (still.pause_reasons, still.running) == (["fault"], False)
        assert "No link to the leading hall" in " ".join(still.health.messages)
        follower.claim_unheard(CLAIM)
        follower.press()
        assert follower.until(lambda picture: bool(picture.link and picture.link.stopped)).paused
        mosquitto.start()
        assert leader.until(lambda picture: picture.paused and bool(picture.claims)).phase == "round"
        follower.until(lambda picture: boards(picture)[:1] == ["east/A1"])
        assert boards(leader.picture()).count("east/A1") == 1


def test_a_cut_link_is_used_again_and_a_killed_links_process_takes_up_what_waits(
    tmp_path: Path, mosquitto: Broker
) -> None:
    with (
        cable(mosquitto.port) as wire,
        two_halls(tmp_path, mosquitto.port, followers_port=wire.port) as (leader, follower),
    ):
        wire.cut()
        follower.until(lambda picture: picture.paused)
        follower.claim_unheard(CLAIM)
        leader.until(lambda picture: "link.halls_away" in unlinked(picture))
        assert leader.picture().running
        wire.mend()
        assert follower.until(lambda picture: picture.running).round == leader.picture().round
        leader.until(lambda picture: boards(picture) == ["east/A1"])
        leader.until(lambda picture: not unlinked(picture))

        follower.kill("links")
        follower.until(lambda picture: picture.paused)
        follower.claim_unheard(CLAIM | {"board": "A2"})
        follower.start("links")
        follower.until(lambda picture: picture.running and boards(picture) == ["east/A1", "east/A2"])
        assert boards(leader.picture()) == ["east/A1", "east/A2"]


def test_a_leader_that_was_killed_comes_back_paused_and_a_claim_counts_once(
    tmp_path: Path, mosquitto: Broker
) -> None:
    with two_halls(tmp_path, mosquitto.port) as (leader, follower):
        other = {"board": "B7", "side": leader.picture().side}
        assert leader.client.command("claim", other).accepted  # so round 1 is on the disk
        leader.kill("core", "links")
        follower.until(lambda picture: picture.paused)
        follower.claim_unheard(CLAIM)
        leader.start("core", "links")
        shown = follower.until(lambda picture: picture.paused and "recovery" in picture.pause_reasons)
        assert shown.round == 1
        leader.until(lambda picture: boards(picture) == ["B7", "east/A1"])
        follower.until(lambda picture: boards(picture) == ["B7", "east/A1"])


def states(listener: "Listener", *wanted: str) -> None:
    """Read what a hall tells of itself, until these states have followed each other."""
    for state in wanted:
        while json.loads(listener.messages.get(timeout=DEADLINE_S)[1])["state"] != state:
            pass


def test_who_leads_besides_the_leader_is_refused_and_stays_so_when_that_one_is_gone_for_a_while(
    tmp_path: Path, mosquitto: Broker
) -> None:
    """Another hall, and a spare with the leader's own name."""
    with (
        two_halls(tmp_path, mosquitto.port) as (leader, follower),
        hall(tmp_path, "west", "leader", mosquitto.port) as second,
    ):
        (sentence,) = told(second.until_link("refused"))
        assert sentence.startswith('The hall "main" leads already (term 1): this one publishes nothing.')
        with (
            contextlib.closing(Listener(mosquitto.port, "controller/main/status")) as status,
            hall(tmp_path / "spare", "main", "leader", mosquitto.port) as spare,
        ):
            states(status, "online")
            assert 'Another controller calls itself "main"' in told(spare.until_link("refused"))[0]
            spare.kill("links")
            states(status, "offline", "online")
        assert leader.link().state == "leading"
        assert follower.link().leader == "main"
        assert follower.picture().running

        leader.kill("core", "links")
        follower.until(lambda picture: picture.paused)
        leader.start("core", "links")
        leader.until_link("leading")
        assert second.link().state == "refused"
        assert follower.until_following().game_id == leader.picture().game_id


def test_a_leader_that_is_dead_or_was_stopped_stands_in_nobodys_way(
    tmp_path: Path, mosquitto: Broker
) -> None:
    """Dead with the broker that still says that it leads: as after a power cut of the computer that has both."""
    dead = Status(state="online", hall="main", role="leader", term=1, since_ms=1, id="before")
    with contextlib.closing(OtherLeader(mosquitto.port, answers=False)) as before:
        before.publish("status", msgspec.json.encode(dead))
    with hall(tmp_path, "main", "leader", mosquitto.port) as leader:
        leader.until_link("leading")
        with contextlib.closing(Listener(mosquitto.port, "controller/main/status")) as status:
            states(status, "online")
            leader.end("links")
            states(status, "offline")
    with hall(tmp_path, "west", "leader", mosquitto.port) as other:
        other.until_link("leading")


def test_a_follower_of_another_version_says_what_it_does_not_understand(
    tmp_path: Path, mosquitto: Broker
) -> None:
    with (
        hall(tmp_path, "east", "follower", mosquitto.port) as follower,
        contextlib.closing(OtherLeader(mosquitto.port)) as leader,
    ):
        own = msgspec.to_builtins(follower.until_link("looking"))
        leader.publish("picture", json.dumps(own | {"phase": "feast"}).encode())
        shown = follower.until(
            lambda picture: any("same version" in text for text in picture.health.messages)
        )
        assert shown.phase == "ready"
        newer = own | {"phase": "ended", "weather": "rain"}
        leader.publish("picture", json.dumps(newer).encode())
        follower.until(lambda picture: picture.phase == "ended" and not unlinked(picture))


def test_an_older_leader_lives_by_its_beats(tmp_path: Path, mosquitto: Broker) -> None:
    with (
        hall(tmp_path, "east", "follower", mosquitto.port) as follower,
        contextlib.closing(OtherLeader(mosquitto.port, older=True)) as leader,
    ):
        own = msgspec.to_builtins(follower.until_link("looking"))
        older = {name: value for name, value in own.items() if name != "link"} | {"phase": "ended"}
        leader.publish("picture", json.dumps(older).encode())
        follower.until(lambda picture: picture.phase == "ended" and unlinked(picture) == ["link.lost"])
        leader.publish("beat", b'{"version":1,"beat":1,"session":"x","as_of_ms":1}', retain=False)
        follower.until(lambda picture: picture.phase == "ended" and not unlinked(picture))


def test_an_older_follower_is_heard(tmp_path: Path, mosquitto: Broker) -> None:
    """It has no boards, no version of its software and no second copy, and says things nobody knows."""
    status = {
        "version": 1,
        "state": "online",
        "hall": "old",
        "role": "follower",
        "term": 0,
        "since_ms": 1,
        "id": "o",
    }
    claim = {"key": "k1", "do": "claim", "board": "A1", "side": "sun", "weather": "rain"}
    with (
        contextlib.closing(Listener(mosquitto.port, "controller/old/#")) as follower,
        hall(tmp_path, "main", "leader", mosquitto.port) as leader,
    ):
        leader.until_link("leading")
        assert leader.client.command("start").accepted
        leader.until(lambda picture: picture.running)
        follower.publish("controller/old/status", json.dumps(status))
        shown = leader.until(lambda picture: picture.link is not None and bool(picture.link.halls))
        assert shown.link is not None
        (one,) = shown.link.halls
        assert (one.hall, one.online, one.boards) == ("old", True, 0)
        follower.publish("controller/old/ask", '{"sent_us": 5, "weather": "rain"}')
        answer = follower.next("controller/old/answer")
        assert (answer["sent_us"], answer["hall"], "parts" in answer) == (5, "main", False)
        follower.publish("controller/old/claim", json.dumps(claim | {"at_us": answer["answered_us"]}))
        assert follower.next("controller/old/result") == {"key": "k1", "accepted": True}
        assert boards(leader.picture()) == ["old/A1"]


def test_show_control_hears_of_each_change(tmp_path: Path, mosquitto: Broker) -> None:
    """A desk over OSC, and Home Assistant's device at the broker."""
    with (
        contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as desk,
        contextlib.closing(Listener(mosquitto.port, "homeassistant/#")) as heard,
    ):
        desk.bind((HOST, 0))
        desk.settimeout(DEADLINE_S)
        osc = f'home_assistant = true\nosc = ["{HOST}:{desk.getsockname()[1]}"]\n'
        with hall(tmp_path, "main", "leader", mosquitto.port, osc) as leader:
            leader.until_link("leading")
            assert leader.client.command("start").accepted
            while b"/controller/main/phase\0\0,s\0\0round" not in desk.recv(1024):
                pass
            name, payload, _ = heard.messages.get(timeout=DEADLINE_S)
            assert name == "homeassistant/device/pi_controller_main/config"
            assert "components" in json.loads(payload)
