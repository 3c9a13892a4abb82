"""A core that shows the game of another one, on clocks that differ."""

from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from pi_controller.core.following import LEADER_SILENT_NS, Follower
from pi_controller.core.game_loop.pending import Answer
from pi_controller.core.hardware_test.testing import game_under_way
from pi_controller.protocol.commands import BODIES
from pi_controller.protocol.messages import AskFollow, AskLink, AskUplinkDone
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.sentences import SentenceView
from pi_controller.roster.model import Board, Roster, Row
from tests.core.hall import Hall, accepted
from tests.core.hand import MS, S, settle
from tests.matrix import paired

AHEAD_NS = 500 * S
"""The leader's computer was switched on so much earlier."""


@dataclass(eq=False)
class Client:
    """Who watches the outbox."""

    lines: list[dict[str, Any]] = field(default_factory=list)
    on_close: list[Any] = field(default_factory=list)

    def send(self, line: bytes) -> None:
        self.lines.append(msgspec.json.decode(line))


class Person:
    """Waits at a page for an answer."""

    gone = False


class TwoHalls:
    """The leader plays; the follower hears of it when a test says so."""

    def __init__(self) -> None:
        self.leader, self.here = Hall(), Hall(languages=("de", "en"))
        self.leader.timers.now_ns += AHEAD_NS
        self.leader.loop.time = type(self.leader.loop.time)(self.leader.timers.now_ns, 0, 1.0)
        self.leader.play()
        self.here.begin()
        self.follower = Follower(hall="east", loop=self.here.loop, timers=self.here.timers)
        self.here.loop.follow(self.follower)
        self.up = Client()
        self.follower.outbox.watch(self.up)  # type: ignore[arg-type]
        self.follower.tell(AskLink(state="following", leader="main", term=1))

    @property
    def shown(self) -> Picture:
        return self.here.pictures[-1]  # type: ignore[return-value]

    def hear(self, *, error_us: int = 0, off_us: int = 0, beat: bool = False, old_ns: int = 0) -> None:
        """The leader's picture of this moment; its clock is reckoned wrongly by `off_us`. It was known to live
        `old_ns` ago."""
        picture = None if beat else self.leader.loop.picture()
        offset_us = (self.leader.timers.now_ns - self.here.timers.now_ns) // 1_000 + off_us
        self.follower.hear(
            AskFollow(
                leader="main",
                term=1,
                offset_us=offset_us,
                error_us=error_us,
                heard_us=(self.here.timers.now_ns - old_ns) // 1_000,
                picture=picture,
            )
        )

    def kept(self, *, clock: bool) -> None:
        """A picture that a broker kept, of a leader that has given no sign of life."""
        offset_us = (self.leader.timers.now_ns - self.here.timers.now_ns) // 1_000 if clock else None
        picture = self.leader.loop.picture()
        self.follower.hear(
            AskFollow(leader="main", term=1, offset_us=offset_us, error_us=0, heard_us=None, picture=picture)
        )

    def move(self, ns: int) -> None:
        self.leader.move(ns)
        self.here.move(ns)


@pytest.fixture
def halls() -> TwoHalls:
    return TwoHalls()


def uplinks(halls: TwoHalls) -> list[dict[str, Any]]:
    return [line["uplink"] for line in halls.up.lines]


def test_the_leaders_game_is_shown_in_this_computers_time(halls: TwoHalls) -> None:
    halls.move(5 * S)
    halls.hear()
    shown, theirs = halls.shown, halls.leader.loop.picture()
    assert (shown.phase, shown.round, shown.side, shown.dice) == ("round", 1, theirs.side, theirs.dice)
    assert shown.as_of_us == halls.here.timers.now_ns // 1_000
    assert shown.remaining_us == theirs.remaining_us
    assert (shown.session, shown.languages) == ("s", ["de", "en"])
    assert (halls.here.sun.lit, halls.here.moon.lit) == (halls.leader.sun.lit, halls.leader.moon.lit)


@pytest.mark.parametrize("off_us", [-2_000, 0, 2_000])
def test_no_deadline_is_early_whichever_way_the_clock_is_wrong(halls: TwoHalls, off_us: int) -> None:
    halls.hear(error_us=2_000, off_us=off_us)
    halls.move(30 * S)
    halls.hear(error_us=2_000, off_us=off_us)
    assert 0 <= late_us(halls) <= 4_000


@pytest.mark.parametrize("off_us", [-2_000, 0, 2_000])
def test_no_deadline_is_early_when_the_clock_alone_is_known_better(halls: TwoHalls, off_us: int) -> None:
    halls.hear(error_us=9_000)
    halls.move(S)
    halls.hear(error_us=2_000, off_us=off_us, beat=True)
    assert 0 <= late_us(halls) <= 4_000


def late_us(halls: TwoHalls) -> int:
    """By how much the phase ends later here than at the leader."""
    shown, theirs = halls.shown, halls.leader.loop.picture()
    ahead_us = (halls.leader.timers.now_ns - halls.here.timers.now_ns) // 1_000
    return shown.as_of_us + shown.remaining_us - (theirs.as_of_us + theirs.remaining_us - ahead_us)


def test_its_figures_tell_how_it_stands_and_leave_out_what_is_unknown(halls: TwoHalls) -> None:
    assert halls.follower.figures() == {"link_unanswered": 0}
    halls.hear(error_us=1_500)
    halls.follower.press(halls.here.timers.now_ns)
    halls.move(S // 4)
    assert halls.follower.figures() == {
        "link_unanswered": 1,
        "link_clock_error_seconds": 0.003,
        "link_heard_age_seconds": 0.25,
    }


def test_two_seconds_without_news_time_stands_still_and_says_so(halls: TwoHalls) -> None:
    halls.hear()
    halls.move(LEADER_SILENT_NS - 1)
    assert halls.shown.running
    left_us = halls.shown.remaining_us
    halls.move(1)
    shown = halls.shown
    assert (shown.running, shown.paused, shown.pause_reasons) == (False, True, ["fault"])
    assert shown.remaining_us == left_us - LEADER_SILENT_NS // 1_000
    assert shown.link is not None
    assert (shown.link.state, shown.link.frozen) == ("lost", True)
    assert shown.link.lost_ms == (halls.here.timers.now_ns - LEADER_SILENT_NS) // 1_000_000
    assert [item.key for item in shown.health.items] == ["link.lost"]
    halls.move(20 * S)
    halls.hear()
    assert (halls.shown.running, halls.shown.paused, halls.shown.health.items) == (True, False, [])


@pytest.mark.parametrize("clock", [True, False])
def test_a_kept_picture_is_old_from_the_start_until_its_leader_lives(halls: TwoHalls, clock: bool) -> None:
    halls.kept(clock=clock)
    left_us = halls.leader.loop.picture().remaining_us
    halls.move(S)
    shown = halls.shown
    assert [picture for picture in halls.here.pictures if picture.running] == []  # type: ignore[attr-defined]
    assert (shown.phase, shown.paused, shown.remaining_us) == ("round", True, left_us)
    assert shown.link is not None
    assert shown.link.state == "lost"
    assert [item.key for item in shown.health.items] == ["link.lost"]
    halls.hear(beat=True)
    assert (halls.shown.running, halls.shown.health.items) == (True, [])
    over_us = [one.as_of_us + one.remaining_us for one in (halls.shown, halls.leader.loop.picture())]
    assert over_us[1] - over_us[0] == (halls.leader.timers.now_ns - halls.here.timers.now_ns) // 1_000


def test_what_was_heard_before_stands_still_two_seconds_after_the_last_sign_of_life(halls: TwoHalls) -> None:
    """Core is started anew while its leader is dead."""
    left_us = halls.leader.loop.picture().remaining_us
    halls.hear(old_ns=LEADER_SILENT_NS)
    assert (halls.shown.running, halls.shown.remaining_us) == (False, left_us)


def test_a_kept_picture_does_not_turn_back_a_time_that_is_known_better(halls: TwoHalls) -> None:
    halls.hear()
    halls.move(S)
    halls.hear(beat=True)
    halls.move(3 * S)
    left_us = halls.shown.remaining_us
    kept = halls.follower._led
    assert kept is not None
    picture = kept.picture
    ahead_us = (halls.leader.timers.now_ns - halls.here.timers.now_ns) // 1_000
    for offset_us in (ahead_us, None):
        halls.follower.hear(
            AskFollow(leader="main", term=1, offset_us=offset_us, error_us=0, heard_us=None, picture=picture)
        )
        assert (halls.shown.running, halls.shown.remaining_us) == (False, left_us)


def test_beats_alone_keep_the_link(halls: TwoHalls) -> None:
    halls.hear()
    for _ in range(5):
        halls.move(S)
        halls.hear(beat=True)
    assert halls.shown.running


def test_before_the_first_news_nothing_runs_and_a_sentence_stands(halls: TwoHalls) -> None:
    halls.move(S)
    assert (halls.shown.phase, halls.shown.running) == ("ready", False)
    assert [item.key for item in halls.shown.health.items] == ["link.no_leader_yet"]
    against = halls.shown.allowed["start"]
    assert against is not None
    assert [key.key for key in against.keys] == ["link.no_leader_yet"]


def test_a_press_stops_this_hall_at_once_and_goes_up_with_its_time(halls: TwoHalls) -> None:
    halls.hear()
    halls.move(S)
    halls.here.press(late_ns=4 * MS)
    shown = halls.shown
    assert (shown.running, shown.pause_reasons) == (False, ["button"])
    assert shown.link is not None
    assert shown.link.stopped
    (up,) = uplinks(halls)
    assert (up["do"], up["source"]) == ("press", "button")
    assert up["at_us"] == (halls.here.timers.now_ns - 4 * MS) // 1_000
    halls.leader.press()
    halls.hear()
    halls.follower.done(AskUplinkDone(key=up["key"], accepted=True))
    settle()
    shown = halls.shown
    assert (shown.paused, shown.link is not None and shown.link.stopped) == (True, False)
    assert shown.pause_reasons == halls.leader.loop.picture().pause_reasons


def test_a_press_after_the_link_is_lost_is_seen_here(halls: TwoHalls) -> None:
    halls.hear()
    halls.move(3 * S)
    left_us = halls.shown.remaining_us
    halls.here.press()
    shown = halls.shown
    assert shown.link is not None
    assert (shown.link.stopped, shown.pause_reasons) == (True, ["button"])
    assert shown.remaining_us == left_us


def test_a_pause_from_a_page_stops_this_hall_until_it_is_answered(halls: TwoHalls) -> None:
    halls.hear()
    halls.here.ask("pause", key="page")
    halls.here.press()
    assert [up["do"] for up in uplinks(halls)] == ["pause", "press"]
    first, second = (up["key"] for up in uplinks(halls))
    for key in (second, first):
        assert halls.shown.link is not None
        assert halls.shown.link.stopped
        halls.follower.done(AskUplinkDone(key=key, accepted=True))
        settle()
    assert halls.shown.link is not None
    assert (halls.shown.link.stopped, halls.shown.running) == (False, True)


def test_a_claim_goes_up_once_and_its_answer_comes_back(halls: TwoHalls) -> None:
    halls.hear()
    body = {"board": "A5", "side": "sun"}
    answers = [halls.here.ask("claim", body, key="k") for _ in range(2)]
    (up,) = uplinks(halls)
    assert (up["do"], up["board"], up["side"], up["key"]) == ("claim", "A5", "sun", "k")
    assert halls.shown.link is not None
    assert halls.shown.link.waiting == 1
    halls.follower.done(AskUplinkDone(key="k", accepted=True))
    assert halls.shown.link.waiting == 0
    settle()
    assert [accepted(each) for each in answers] == [True, True]
    assert accepted(halls.here.ask("claim", body, key="k"))
    assert len(uplinks(halls)) == 1


def test_a_person_waits_five_seconds_and_the_claim_stays_on_its_way(halls: TwoHalls) -> None:
    halls.hear()
    answers = halls.here.ask("claim", {"board": "A5", "side": "sun"}, key="k", asker=Person())
    halls.move(5 * S)
    settle()
    assert [refused(answer) for answer in answers] == [["link.on_its_way"]]
    halls.follower.done(AskUplinkDone(key="k", accepted=True))
    again = halls.here.ask("claim", {"board": "A5", "side": "sun"}, key="k")
    assert len(uplinks(halls)) == 2
    assert {up["key"] for up in uplinks(halls)} == {"k"}
    assert again == []


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        (SentenceView(key="claim.before_this_game"), "claim.before_this_game"),
        (SentenceView(key="claim.of_a_later_release"), "link.refused"),
        (SentenceView(key="link.listening", params={"seconds": "x"}), "link.refused"),
        (SentenceView(key="link.lost"), "link.refused"),
    ],
)
def test_a_refusal_is_told_also_when_there_is_no_text_for_it_here(
    halls: TwoHalls, reason: SentenceView, told: str
) -> None:
    halls.hear()
    answers = halls.here.ask("claim", {"board": "A5", "side": "sun"}, key="k")
    halls.follower.done(AskUplinkDone(key="k", accepted=False, reasons=[reason]))
    settle()
    assert [refused(answer) for answer in answers] == [[told]]


def test_a_board_is_spelled_here_and_one_that_is_not_there_is_refused(halls: TwoHalls) -> None:
    halls.hear()
    halls.here.loop.boards.take(Roster(rows=(Row(name="A", boards=(Board(name="A5"),)),)))
    halls.here.ask("claim", {"board": "east/a05", "side": "sun"})
    assert [up["board"] for up in uplinks(halls)] == ["A5"]
    (answer,) = halls.here.ask("claim", {"board": "Z9", "side": "sun"})
    assert refused(answer) == ["claim.no_such_board"]


def test_who_watches_later_is_told_what_still_waits(halls: TwoHalls) -> None:
    halls.hear()
    halls.here.ask("claim", {"board": "A5", "side": "sun"}, key="k")
    later = Client()
    halls.follower.outbox.watch(later)  # type: ignore[arg-type]
    assert [line["uplink"]["key"] for line in later.lines] == ["k"]


def refused(answer: Answer) -> list[str]:
    assert not answer.accepted
    return [reason.key for reason in answer.reasons]


def test_tables_may_be_tested_only_while_the_leader_does_not_play(halls: TwoHalls) -> None:
    assert game_under_way(halls.here.loop.picture()) is None
    halls.hear()
    obstacle = game_under_way(halls.here.loop.picture())
    assert obstacle is not None
    assert obstacle.key == "test.game_under_way"
    assert halls.here.loop.plays


# What a hall that follows says that may be done is what happens when it is done.


__all__ = ["halls"]

GIVEN: dict[str, object] = {
    "claim": {"board": "A5", "side": "sun"},
    "close": {"confirm": True},
    "contribute": {"text": "oak"},
    "cover": {"kind": "black"},
    "end": {"confirm": True},
    "identify": {"screen": "left"},
    "last_rounds": {"count": 3},
    "say": {"text": "Hello"},
    "set_claims": {"mode": "pause"},
    "set_schedule": [{"from_round": 1, "seconds": 60}],
    "add_time": {"ms": 15_000},
    "timer": {"seconds": 60},
    "turn": {"seat": "red"},
    "verdict": {"claim": "c1", "confirmed": True},
}
"""Bodies of commands that need one."""


def with_a_leader(halls: TwoHalls, standing: str) -> None:
    if standing == "paused":
        halls.leader.ask("pause")
    if standing == "claimed":
        halls.leader.ask("claim", GIVEN["claim"])
    halls.hear()
    if standing == "lost":
        halls.move(2 * LEADER_SILENT_NS)
    if standing == "stopped":
        halls.here.press()


@paired(name=list(BODIES), standing=["playing", "paused", "claimed", "lost", "stopped", "no leader"])
def test_what_is_allowed_is_what_happens_to_each_command(halls: TwoHalls, name: str, standing: str) -> None:
    if standing != "no leader":
        with_a_leader(halls, standing)
    told, before = halls.shown.allowed[name], len(uplinks(halls))
    said = [] if told is None else [key.key for key in told.keys]
    body = GIVEN.get(name)
    if name == "withdraw":
        body = {"claim": next((one.id for one in halls.shown.claims), "c1")}
    answers = halls.here.ask(name, body)
    if name == "identify":
        assert (said, accepted(answers), len(uplinks(halls))) == ([], True, before)
    elif name not in ("pause", "claim", "withdraw"):
        (answer,) = answers
        elsewhere = "link.no_leader_yet" if standing == "no leader" else "link.directed_elsewhere"
        assert (said, refused(answer), len(uplinks(halls))) == ([elsewhere], [elsewhere], before)
        assert told is not None
        assert not told.override
    else:
        assert (answers, [up["do"] for up in uplinks(halls)[before:]]) == ([], [name])
        if standing == "no leader":
            assert said == []
        else:
            (theirs,) = halls.leader.ask(name, body)
            assert theirs.accepted == (said == [])


def test_a_leader_that_knows_fewer_commands_leaves_none_open_here(halls: TwoHalls) -> None:
    picture = replace(halls.leader.loop.picture(), allowed={"pause": None})
    halls.follower.hear(
        AskFollow(leader="main", term=1, offset_us=0, error_us=0, heard_us=0, picture=picture)
    )
    assert halls.shown.allowed.keys() == BODIES.keys()
    assert halls.shown.allowed["skip"] is not None
