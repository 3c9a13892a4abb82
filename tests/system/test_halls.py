"""Two halls with one game over a real Mosquitto: what goes through, and what happens when something breaks."""

import contextlib
import json
from pathlib import Path

import msgspec
import pytest

from pi_controller.cli.main import main
from pi_controller.links.lease import LeaseClaim
from pi_controller.links.payloads import ROOT, Status, hall_and_name
from pi_controller.protocol.picture import Picture
from tests.links.published import wrong
from tests.matrix import further
from tests.patience import DEADLINE_S
from tests.protocol.pictures import picture
from tests.system.broker import Broker, Cable, cable, mosquitto
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


def test_a_follower_shows_the_leaders_game_and_hands_up_presses_and_claims_whatever_breaks(
    tmp_path: Path, mosquitto: Broker
) -> None:
    with (
        contextlib.closing(Listener(mosquitto.port, f"{ROOT}/#")) as heard,
        cable(mosquitto.port) as wire,
        two_halls(tmp_path, mosquitto.port, followers_port=wire.port) as (leader, follower),
    ):
        shows_and_hands_up(leader, follower)
        as_published(heard, {"main": LEADERS, "east": FOLLOWERS})
        a_cut_link_is_used_again_and_a_killed_links_process_takes_up_what_waits(leader, follower, wire)
        a_killed_broker_stops_the_follower_and_loses_nothing(leader, follower, mosquitto)
        who_is_killed_and_renamed_meanwhile_is_no_hall_that_is_missed(leader, follower)
        with hall(tmp_path, "west", "leader", mosquitto.port) as second:
            who_leads_besides_the_leader_is_refused(tmp_path, leader, follower, second)
            a_leader_that_was_killed_is_old_and_comes_back_paused_and_a_claim_counts_once(leader, follower)
            assert second.link().state == "refused", "also while the leader was gone"
            assert follower.until_following().game_id == leader.picture().game_id


def shows_and_hands_up(leader: Hall, follower: Hall) -> None:
    theirs, here = leader.picture(), follower.picture()
    for name in ("phase", "round", "dice", "side"):
        assert getattr(here, name) == getattr(theirs, name), name
    over_us = follower.clock.right_us(here.as_of_us) + here.remaining_us
    over_us -= leader.clock.right_us(theirs.as_of_us) + theirs.remaining_us
    assert here.link is not None
    assert here.link.error_ms is not None
    # The same computer: on a quiet one below 5 ms, see docs/figures.md; a busy one makes the error large.
    assert 0 <= over_us <= 20_000 + 2_000 * here.link.error_ms
    assert follower.client.command("claim", CLAIM).accepted
    assert boards(leader.picture()) == ["east/A1"]
    follower.press()
    assert leader.until(lambda picture: picture.paused).pause_reasons == ["button"]
    assert follower.until(lambda picture: picture.paused).pause_reasons == ["button"]
    resume(leader, follower)
    claims = boards(leader.picture())
    assert follower.client.command("pause").accepted
    assert leader.until(lambda picture: picture.paused).pause_reasons == ["director"]
    assert boards(leader.picture()) == claims, "a director's pause is nobody's claim"
    resume(leader, follower)
    refusal = follower.client.command("skip")
    assert refusal.reasons == ['The hall "main" directs this game: give this command there.']


def a_cut_link_is_used_again_and_a_killed_links_process_takes_up_what_waits(
    leader: Hall, follower: Hall, wire: Cable
) -> None:
    before = boards(leader.picture())
    wire.cut()
    follower.until(lambda picture: picture.paused)
    follower.claim_unheard(CLAIM | {"board": "A2"})
    leader.until(lambda picture: "link.halls_away" in unlinked(picture))
    assert leader.picture().running
    wire.mend()
    assert follower.until(lambda picture: picture.running).round == leader.picture().round
    leader.until(lambda picture: boards(picture) == [*before, "east/A2"])
    leader.until(lambda picture: not unlinked(picture))

    follower.kill("links")
    follower.until(lambda picture: picture.paused)
    follower.claim_unheard(CLAIM | {"board": "A3"})
    follower.start("links")
    follower.until(lambda picture: picture.running and boards(picture) == [*before, "east/A2", "east/A3"])
    assert boards(leader.picture()) == [*before, "east/A2", "east/A3"]


def a_killed_broker_stops_the_follower_and_loses_nothing(
    leader: Hall, follower: Hall, mosquitto: Broker
) -> None:
    mosquitto.kill()
    still = follower.until(lambda picture: picture.paused)
    assert (still.pause_reasons, still.running) == (["fault"], False)
    assert "Lost contact with the leading hall" in " ".join(still.health.messages)
    follower.claim_unheard(CLAIM | {"board": "A4"})
    follower.press()
    assert follower.until(lambda picture: bool(picture.link and picture.link.stopped)).paused
    mosquitto.start()
    assert leader.until(lambda picture: picture.paused and "east/A4" in boards(picture)).phase == "round"
    follower.until(lambda picture: "east/A4" in boards(picture))
    assert boards(leader.picture()).count("east/A4") == 1
    resume(leader, follower)


def a_leader_that_was_killed_is_old_and_comes_back_paused_and_a_claim_counts_once(
    leader: Hall, follower: Hall
) -> None:
    leader.until(lambda picture: picture.saved_seq == picture.seq)
    before = boards(leader.picture())
    leader.kill("core")
    follower.until(lambda picture: picture.paused)
    for killed in (("core",), ("core", "links")):
        follower.kill(*killed)
        follower.start(*killed)
        old_from_the_start(follower)
    leader.kill("links")
    follower.claim_unheard(CLAIM | {"board": "A5"})
    leader.start("core", "links")
    shown = follower.until(lambda picture: "recovery" in picture.pause_reasons and follows(picture))
    assert (shown.paused, shown.round) == (True, 1)
    leader.until(lambda picture: boards(picture) == [*before, "annex/A5"])
    follower.until(lambda picture: boards(picture) == [*before, "annex/A5"])


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


def resume(leader: Hall, follower: Hall) -> None:
    assert leader.client.command("resume", {"override": True}).accepted
    follower.until(lambda picture: picture.running)


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


def who_leads_besides_the_leader_is_refused(folder: Path, leader: Hall, follower: Hall, second: Hall) -> None:
    """Another hall, and a spare with the leader's own name; both play for themselves before they are heard."""
    assert "link.another_leads" in unlinked(refused(second))
    against = second.client.command("start")
    assert [reason.key for reason in against.reason_keys] == ["link.another_leads"]
    with (
        contextlib.closing(Listener(leader.port, "controller/main/status")) as status,
        hall(folder / "spare", "main", "leader", leader.port) as spare,
    ):
        states(status, "online")
        assert "link.same_name" in unlinked(refused(spare))
        spare.kill("links")
        states(status, "offline", "online")
    assert leader.link().state == "leading"
    assert follower.link().leader == "main"
    assert follower.picture().running


def who_is_killed_and_renamed_meanwhile_is_no_hall_that_is_missed(leader: Hall, follower: Hall) -> None:
    follower.kill("links", "core")
    leader.until(lambda picture: "link.halls_away" in unlinked(picture))
    follower.name = "annex"
    follower.settings.write_text(follower.settings.read_text().replace('"east"', '"annex"'))
    follower.start("core", "links")
    shown = leader.until(lambda picture: [one.hall for one in picture.link.halls] == ["annex"])
    assert unlinked(shown) == []
    given = (f"--settings={leader.settings}", f"--state-dir={leader.state_dir}")
    assert main(["links", "forget", "annex", *given]) == 3, "it is there"
    follower.until(lambda picture: picture.running)


@pytest.mark.parametrize("state", ["online", *further("offline")])
def test_nobody_at_all_behind_what_is_retained(tmp_path: Path, mosquitto: Broker, state: str) -> None:
    """As after a power cut of the leader beside a broker that keeps everything on its disk."""
    dead = Status(
        state=state,  # type: ignore[arg-type]
        hall="main",
        role="leader",
        leads=state == "online",
        term=9,
        controller="before",
        id="before",
    )
    shown_last = picture(phase="round", running=True)
    with contextlib.closing(OtherLeader(mosquitto.port, leads=False)) as before:
        before.publish("status", msgspec.json.encode(dead))
        before.publish("picture", msgspec.json.encode(shown_last))
    with hall(tmp_path, "east", "follower", mosquitto.port) as follower:
        assert old_from_the_start(follower).remaining_us == shown_last["remaining_us"]


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
        a_hall_of_an_older_release_is_told(leader, mosquitto)
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


def a_hall_of_an_older_release_is_told(leader: Hall, mosquitto: Broker) -> None:
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
    with contextlib.closing(Listener(mosquitto.port, "controller/old/#")) as follower:
        follower.publish("controller/old/status", json.dumps(status))
        follower.publish("controller/old/claim", json.dumps(claim))
        shown = leader.until(lambda picture: "link.unread" in unlinked(picture))
    assert shown.link is not None
    assert (shown.link.halls, shown.claims) == ([], [])
