"""Two halls with one game over a real Mosquitto: what goes through, and what happens when something breaks."""

import contextlib
import json
import socket
from pathlib import Path

import msgspec

from pi_controller.links.lease import LeaseClaim
from pi_controller.links.payloads import ROOT, Status, hall_and_name
from pi_controller.protocol.picture import Picture
from tests.links.published import wrong
from tests.patience import DEADLINE_S
from tests.system.broker import HOST, Broker, cable, mosquitto
from tests.system.halls import Hall, follows, hall, two_halls, unlinked
from tests.system.listener import Listener
from tests.system.other_leader import SESSION, OtherLeader

__all__ = ["mosquitto"]

CLAIM = {"board": "A1", "side": "sun"}


def boards(picture: Picture) -> list[str | None]:
    return [claim.board for claim in picture.claims]


LEADERS = {"picture", "beat", "health", "tables", "status", "lease", "answer", "result"}
FOLLOWERS = {"health", "tables", "status", "ask", "claim", "press", "pause"}


def as_published(heard: "Listener", wanted: dict[str, set[str]]) -> None:
    """Everything that was heard is as docs/mqtt.schema.json says, and each of these topics was."""
    names: dict[str, set[str]] = {hall: set() for hall in wanted}
    while names != wanted:
        name, payload, retain = heard.messages.get(timeout=DEADLINE_S)
        assert wrong(name, payload, retain=retain) == []
        of = hall_and_name(name)
        assert of is not None
        names[of[0]].add(of[1])


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
        claims = boards(leader.picture())
        assert follower.client.command("pause").accepted
        assert leader.until(lambda picture: picture.paused).pause_reasons == ["director"]
        assert boards(leader.picture()) == claims, "a director's pause is nobody's claim"
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


def refused(hall: Hall) -> Picture:
    """It does not lead, says so as a fault, and no play goes on there unless somebody insists."""

    def told(picture: Picture) -> bool:
        items = picture.health.items
        why = [item.level for item in items if item.key in ("link.another_leads", "link.same_name")]
        return picture.link is not None and picture.link.state == "refused" and why == ["fault"]

    return hall.until(told)


def test_who_leads_besides_the_leader_is_refused_and_stays_so_when_that_one_is_gone_for_a_while(
    tmp_path: Path, mosquitto: Broker
) -> None:
    """Another hall, and a spare with the leader's own name; both play for themselves before they are heard."""
    with (
        two_halls(tmp_path, mosquitto.port) as (leader, follower),
        hall(tmp_path, "west", "leader", mosquitto.port) as second,
    ):
        assert "link.another_leads" in unlinked(refused(second))
        against = second.client.command("start")
        assert [reason.key for reason in against.reason_keys] == ["link.another_leads"]
        with (
            contextlib.closing(Listener(mosquitto.port, "controller/main/status")) as status,
            hall(tmp_path / "spare", "main", "leader", mosquitto.port) as spare,
        ):
            states(status, "online")
            assert "link.same_name" in unlinked(refused(spare))
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


def test_a_ghost_of_a_leader_stands_in_nobodys_way(tmp_path: Path, mosquitto: Broker) -> None:
    """A broker that still says that it leads, as after a power cut of the computer that has both; also to that one
    itself, and when somebody has had the broker keep its claim."""
    dead = Status(
        state="online", hall="main", role="leader", leads=True, term=1, controller="before", id="before"
    )
    claim = LeaseClaim(
        hall="main", controller="before", run="before", state="leading", progress="playing", term=1
    )
    with contextlib.closing(OtherLeader(mosquitto.port, leads=False)) as before:
        before.publish("status", msgspec.json.encode(dead))
        before.publish("lease", msgspec.json.encode(claim))
    with hall(tmp_path, "main", "leader", mosquitto.port) as leader:
        leader.until_link("leading")
        with contextlib.closing(Listener(mosquitto.port, "controller/main/status")) as status:
            leader.kill("links")
            states(status, "offline")
            leader.start("links")
            states(status, "online")
            leader.until_link("leading")
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
        own = msgspec.to_builtins(follower.until_link("looking")) | {"session": SESSION}
        leader.publish("picture", json.dumps(own | {"phase": "feast"}).encode())
        shown = follower.until(lambda picture: "link.unread" in unlinked(picture))
        assert any("same version" in text for text in shown.health.messages)
        assert shown.phase == "ready"
        newer = own | {"phase": "ended", "weather": "rain"}
        leader.publish("picture", json.dumps(newer).encode())
        follower.until(lambda picture: picture.phase == "ended" and follows(picture, but=("link.unread",)))


def test_a_leader_that_does_not_say_when_its_core_lived_lives_by_its_beats(
    tmp_path: Path, mosquitto: Broker
) -> None:
    with (
        hall(tmp_path, "east", "follower", mosquitto.port) as follower,
        contextlib.closing(OtherLeader(mosquitto.port, core_told=False)) as leader,
    ):
        own = msgspec.to_builtins(follower.until_link("looking")) | {
            "session": SESSION,
            "phase": "ended",
            "as_of_us": 1,
        }
        leader.publish("picture", json.dumps(own).encode())
        follower.until(lambda picture: picture.phase == "ended" and unlinked(picture) == ["link.lost"])
        for session, heard in (("a stranger", False), (SESSION, True)):
            beat = {"version": 1, "beat": 1, "session": session, "as_of_ms": 1}
            leader.publish("beat", json.dumps(beat).encode(), retain=False)
            if heard:
                follower.until(lambda picture: picture.phase == "ended" and not unlinked(picture))
            else:
                assert "link.lost" in unlinked(follower.picture())


def test_a_hall_of_an_older_release_is_told(tmp_path: Path, mosquitto: Broker) -> None:
    """It cannot take part: it knows no lease. Its deeds count for nothing, and the leader says why."""
    status = {
        "version": 1,
        "state": "online",
        "hall": "old",
        "role": "follower",
        "term": 0,
        "since_ms": 1,
        "id": "o",
    }
    claim = {"key": "k1", "do": "claim", "board": "A1", "side": "sun", "at_us": 5}
    with (
        contextlib.closing(Listener(mosquitto.port, "controller/old/#")) as follower,
        hall(tmp_path, "main", "leader", mosquitto.port) as leader,
    ):
        leader.until_link("leading")
        follower.publish("controller/old/status", json.dumps(status))
        follower.publish("controller/old/claim", json.dumps(claim))
        shown = leader.until(lambda picture: "link.unread" in unlinked(picture))
        assert shown.link is not None
        assert shown.link.halls == []
        assert shown.claims == []


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
