"""Boards, obstacles, game time, what a sender has not seen, and a picture on its way to panel and audience."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.core.game_loop import loop as loop_module
from pi_controller.core.game_loop import picture as showing_module
from pi_controller.core.game_loop.pending import PendingCommand, SeenPicture
from pi_controller.core.game_loop.picture import SEEN_BEFORE_RESTART, Boards, GameTime, NoSuchBoard
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.wiring.service import make_safe
from pi_controller.game.claims import board_key
from pi_controller.game.commands import Claim
from pi_controller.language.words import all_words, words
from pi_controller.protocol.commands import BODIES
from pi_controller.protocol.picture import NotAllowedView
from pi_controller.protocol.sentences import view, views
from pi_controller.roster import model
from pi_controller.roster.model import Board, Roster, Row
from pi_controller.sentence import Parameter, Sentence, as_told
from tests.core.disk import DiskHall
from tests.core.hall import Hall, accepted
from tests.core.hand import MS, HandBuzzer, HandDisplay, HandLamp, S
from tests.matrix import paired

# Claims name boards of the roster, where there is one.


@pytest.fixture
def hall() -> Hall:
    """Ten seconds into round 1, Sun's; boards A1 to A12 and a single B7."""
    hall = Hall().play()
    hall.move(10 * S)
    rows = (*model.new_roster(1, 12).rows, Row(name="B", boards=(Board(name="B7"),)))
    hall.loop.boards.take(Roster(rows=rows))
    return hall


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("claim", {"board": "A99", "side": "sun"}),
        ("verdict", {"claim": "c2", "confirmed": True, "board": "A99", "side": "sun"}),
        ("undo", {"replace": {"name": "claim", "body": {"board": "A99", "side": "sun"}}}),
    ],
)
def test_a_board_that_is_not_there_is_refused_with_those_that_are(
    hall: Hall, name: str, body: object
) -> None:
    hall.loop.press(hall.timers.boot_ns())
    [answer] = hall.ask(name, body)
    assert [words(reason) for reason in answer.reasons] == [
        "There is no board A99 in this hall. Its boards: A1 to A12, B7."
    ]
    assert [claim.board for claim in hall.picture.claims] == [None]


def test_without_a_roster_any_name_is_taken_and_the_first_spelling_stays(hall: Hall) -> None:
    hall.loop.boards.take(Roster())
    for name in ("The window", "the  WINDOW", "A99"):
        assert accepted(hall.ask("claim", {"board": name, "side": "sun"}))
    assert [claim.board for claim in hall.picture.claims] == ["The window", "A99"]


def offered(said: Parameter) -> Iterator[str]:
    """Every board that a person reads out of this part of a sentence."""
    if isinstance(said, tuple):
        for one in said:
            yield from offered(one)
        return
    assert isinstance(said, Sentence)
    params = dict(said.params)
    if said.key == "claim.boards_of_row":
        first, last = str(params["first"]), str(params["last"])
        row = first.rstrip("0123456789")
        yield from (f"{row}{number}" for number in range(int(first[len(row) :]), int(last[len(row) :]) + 1))
    elif said.key == "told.as_it_is":
        yield str(params["text"])
    else:
        for _, part in said.params:
            yield from offered(part)


rows = st.lists(st.lists(st.integers(1, 14), min_size=1, unique=True), min_size=1, max_size=3)


@given(rows=rows, in_order=st.booleans(), asked=st.tuples(st.integers(0, 3), st.integers(0, 16)))
def test_what_is_refused_is_never_offered(
    rows: list[list[int]], in_order: bool, asked: tuple[int, int]
) -> None:
    """Also where a row has gaps, or its boards stand in another order than their numbers."""
    named = [
        Row(
            name="ABC"[place],
            boards=tuple(Board(name=f"{'ABC'[place]}{n}") for n in (sorted(row) if in_order else row)),
        )
        for place, row in enumerate(rows)
    ]
    boards, there = Boards(), {board.name for row in named for board in row.boards}
    boards.take(Roster(rows=tuple(named)))
    name = f"{'ABCD'[asked[0]]}{asked[1]}"
    if name in there:
        assert boards.spelled(Claim(name, "sun")) == Claim(name, "sun")
        return
    with pytest.raises(NoSuchBoard) as refused:
        boards.spelled(Claim(name, "sun"))
    told = set(offered(dict(refused.value.sentence.params)["boards"]))
    assert board_key(name) not in {board_key(one) for one in told}
    assert told == there


# What stands against a start and other commands besides the rules, in the answer and in the picture alike.


TOO_HOT = as_told("Too hot.")


def test_every_reason_that_blocks_a_start_is_told_at_once() -> None:
    hall = Hall().play()
    hall.loop.obstacles.set("heat", TOO_HOT)
    hall.loop.obstacles.set("disk", as_told("Full."))
    hall.loop.obstacles.test(as_told("Ada tests."))
    hall.loop.changed()
    (answer,) = hall.ask("start")
    told = ["The game is already under way.", "Ada tests.", "Too hot.", "Full."]
    assert all_words(answer.reasons) == told
    assert hall.picture.allowed["start"] == NotAllowedView(
        reasons=told, keys=views(answer.reasons), override=False
    )


def test_a_start_on_a_computer_that_is_not_fit_takes_an_override() -> None:
    hall = Hall().begin()
    hall.loop.obstacles.set("heat", TOO_HOT)
    hall.loop.changed()
    assert hall.picture.allowed["start"] == NotAllowedView(
        reasons=["Too hot."], keys=[view(TOO_HOT)], override=True
    )
    (refused,) = hall.ask("start")
    assert (refused.accepted, refused.reasons) == (False, (TOO_HOT,))
    assert accepted(hall.ask("start", {"override": True}))


def test_no_override_goes_over_a_test_of_the_hardware() -> None:
    hall = Hall().begin()
    hall.loop.obstacles.set("heat", TOO_HOT)
    hall.loop.obstacles.test(as_told("Ada tests."))
    (refused,) = hall.ask("start", {"override": True})
    assert refused.reasons == (as_told("Ada tests."), TOO_HOT)


def test_the_picture_tells_of_every_command_there_is() -> None:
    assert set(Hall().begin().picture.allowed) == set(BODIES)


MOMENTS = st.integers(min_value=0, max_value=10**17)


@given(MOMENTS, MOMENTS, MOMENTS, st.sampled_from([1, 60, 0.5, 7, 0.1]))
def test_the_moment_of_a_game_time_is_the_first_at_which_it_is_reached(
    boot: int, game: int, moment: int, rate: float
) -> None:
    time = GameTime(anchor_boot_ns=boot, anchor_game_ns=game, rate=rate)
    reached = time.boot_ns(moment)
    assert time.game_ns(reached) >= moment
    assert time.game_ns(reached - 1) < moment


@pytest.mark.parametrize("rate", [0, -1, 1001, float("nan")])
def test_impossible_speeds_are_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="the speed must be from"):
        GameTime(anchor_boot_ns=0, anchor_game_ns=0, rate=rate)


# A command is refused when something that counts for it has changed since its sender looked.


CHANGES = {
    "pause": ("pause", None),
    "claim": ("claim", {"board": "A1", "side": "sun"}),
    "say": ("say", {"text": "hello"}),
    "skip": ("skip", None),
    "schedule": ("set_schedule", [{"from_round": 1, "seconds": 20}]),
    "mode": ("set_claims", {"mode": "pause"}),
    "last": ("last_rounds", {"count": 2}),
    "time": ("add_time", {"ms": 1_000}),
    "cover": ("cover", {"kind": "black"}),
}
COMMANDS = {
    "resume": None,
    "add_time": {"ms": 5_000},
    "set_schedule": [{"from_round": 1, "seconds": 30}],
    "set_claims": {"mode": "ask"},
    "skip": None,
    "undo": None,
    "last_rounds": {"count": 3},
    "end": {"confirm": True},
    "say": {"text": "other"},
    "cover": {"kind": "test"},
    "claim": {"board": "A2", "side": "sun"},
    "pause": None,
    "identify": {"board": "A1"},
}
REFUSED = {
    "pause": {"resume", "skip", "undo", "end"},
    "claim": {"resume", "end", "undo"},
    "say": {"say"},
    "skip": {"add_time", "skip", "undo", "last_rounds"},
    "schedule": {"set_schedule", "undo"},
    "mode": {"set_claims", "undo"},
    "last": {"last_rounds", "undo"},
    "time": {"undo"},
    "cover": set(),
}


def seen(hall: Hall) -> SeenPicture:
    return SeenPicture(hall.picture.seq, hall.picture.session)


def unseen(hall: Hall, name: str, body: object, looked: SeenPicture) -> str:
    """The key of the refusal, or nothing."""
    (answer,) = hall.ask(name, body, seen=looked)
    return "" if answer.accepted else answer.reasons[0].key


@pytest.mark.parametrize("change", CHANGES)
def test_only_what_counts_refuses(change: str) -> None:
    refused = set()
    for name, body in COMMANDS.items():
        hall = Hall().play()
        looked = seen(hall)
        hall.ask(*CHANGES[change])
        if unseen(hall, name, body, looked) == "answer.changed_unseen":
            refused.add(name)
        else:
            assert unseen(hall, name, body, seen(hall)) != "answer.changed_unseen"
    assert refused == REFUSED[change]


def test_a_sheet_is_not_overwritten_unseen_and_a_last_round_not_ended_unseen() -> None:
    hall = Hall().play()
    hall.ask("last_rounds", {"count": 0})
    looked = seen(hall)
    hall.move(35 * S)
    assert unseen(hall, "end", {"confirm": True}, looked) == "answer.changed_unseen"
    hall.ask("claim", {"board": "A1", "side": "sun"})
    (claim,) = hall.picture.claims
    verdict = {"claim": claim.id, "sheet": {"settlements": 3, "cities": 3}}
    hall.ask("verdict", verdict)
    looked = seen(hall)
    same_points = verdict["sheet"] | {"resources": {"grain": 1}}
    hall.ask("verdict", verdict | {"sheet": same_points})
    assert unseen(hall, "verdict", verdict, looked) == "answer.changed_unseen"
    assert unseen(hall, "verdict", verdict, seen(hall)) == ""


def test_a_claim_that_play_went_on_over_is_not_judged_unseen() -> None:
    hall = Hall().play()
    hall.ask("claim", {"board": "A1", "side": "sun"})
    hall.ask("pause")
    looked = seen(hall)
    verdict = {"claim": hall.picture.claims[0].id, "sheet": {"settlements": 3, "cities": 3}}
    hall.ask("resume", {"override": True})
    assert unseen(hall, "verdict", verdict, looked) == "answer.changed_unseen"
    assert unseen(hall, "verdict", verdict, seen(hall)) == ""


def test_the_sentence_says_what_has_changed() -> None:
    hall = Hall().play()
    looked = seen(hall)
    hall.press()
    (answer,) = hall.ask("resume", seen=looked)
    assert words(answer.reasons[0], "en") == (
        "Nothing was done: this has changed since you looked: the pause and the claims. "
        "Check, and repeat the command if it is still right."
    )


def test_a_phase_that_ends_while_the_command_is_on_its_way_is_not_skipped_twice() -> None:
    """The clock turns while the command is looked at: what its sender saw is over by then."""
    hall = Hall().play()
    hall.move(34 * S)
    looked = seen(hall)
    hall.timers.now_ns += 1100 * MS
    assert not accepted(hall.ask("skip", seen=looked))
    assert hall.picture.round == 2


def test_the_same_claim_again_does_not_keep_a_verdict_away() -> None:
    hall = Hall().play()
    pressed = PendingCommand("claim", {}, Claim("A1", "sun", button="well"), "table", hall.timers.boot_ns())
    hall.commands.start(pressed)
    hall.move(0)
    looked = seen(hall)
    hall.commands.start(pressed)
    hall.move(0)
    assert [claim.count for claim in hall.picture.claims] == [2]
    assert accepted(
        hall.ask("verdict", {"claim": hall.picture.claims[0].id, "confirmed": False}, seen=looked)
    )


@pytest.mark.parametrize("looked", [SeenPicture(1, "another"), SeenPicture(10**9), SeenPicture(10**9, "s")])
def test_a_picture_of_another_session_is_not_compared(looked: SeenPicture) -> None:
    hall = Hall().play()
    (answer,) = hall.ask("skip", seen=looked)
    assert answer.reasons == (SEEN_BEFORE_RESTART,)
    assert accepted(hall.ask("pause", seen=looked))


def test_a_repeat_gets_its_first_answer() -> None:
    hall = Hall().play()
    looked = seen(hall)
    for _ in range(2):
        assert accepted(hall.ask("skip", key="k", seen=looked))
    assert hall.picture.round == 2
    for _ in range(2):
        assert not accepted(hall.ask("skip", key="l", seen=looked))


def test_another_game_is_another_game() -> None:
    hall = Hall().begin()
    looked = seen(hall)
    assert accepted(hall.ask("arm", seen=looked))
    for name, body in (("arm", None), ("start", None), ("contribute", {"text": "word"})):
        assert unseen(hall, name, body, looked) == "answer.changed_unseen"


def test_what_is_refused_is_what_has_changed_in_the_pictures() -> None:
    """Any commands in any order: the kept numbers say the same as a comparison of the two pictures."""
    draw = random.Random(12)
    hall = Hall().play()
    for _ in range(300):
        old = hall.picture
        for _ in range(draw.randrange(3)):
            hall.ask(*draw.choice(list(CHANGES.values())))
            hall.move(draw.randrange(20) * S)
            hall.ask("resume", {"override": True})
        changed = old.message != hall.picture.message
        assert (hall.loop.unseen.against("say", seq=old.seq, session="s") is not None) >= changed
        later = (old.phase, old.round) != (hall.picture.phase, hall.picture.round)
        assert (hall.loop.unseen.against("add_time", seq=old.seq, session="s") is not None) >= later


# Whatever breaks off while a change is shown: the rest shows, the journal has the change, the game goes on.


CALLEES: dict[str, tuple[Any, str]] = {
    "the picture": (loop_module, "picture_at"),
    "the panel's view": (showing_module, "view_of"),
    "the tone": (showing_module, "tone_between"),
    "a lamp": (HandLamp, "show"),
    "the buzzer": (HandBuzzer, "sound"),
    "the display": (HandDisplay, "draw"),
    "lamps and buzzer": (Outputs, "show_at_once"),
    "what follows": (Outputs, "follow_up"),
    "the pages": (Hall, "publish"),
    "the clock's timer": (loop_module, "due_ns"),
}

KEPT = ("game_id", "phase", "round", "side", "dice", "claims", "message", "remaining_ms")


class BrokenError(ArithmeticError):
    """None that a driver or a socket would raise."""


def press(hall: DiskHall) -> DiskHall:
    hall.move(5 * S)
    hall.press()
    return hall


def command(hall: DiskHall) -> DiskHall:
    assert accepted(hall.ask("say", {"text": "five minutes left"}, key="k1"))
    return hall


def turn(hall: DiskHall) -> DiskHall:
    hall.move(35 * S)
    assert hall.loop.game.state.round == 2
    return hall


def begin(hall: DiskHall) -> DiskHall:
    return hall.again()


def swap(hall: DiskHall) -> DiskHall:
    assert accepted(hall.ask("end", {"confirm": True}))
    assert accepted(hall.ask("arm"))
    return hall


def health(hall: DiskHall) -> DiskHall:
    hall.loop.fault("fan", as_told("The fan stands still."))
    return hall


def note(hall: DiskHall) -> DiskHall:
    hall.loop.note({"test": "begun"})
    return hall


PATHS: list[Callable[[DiskHall], DiskHall]] = [press, command, turn, begin, swap, health, note]


def break_off(monkeypatch: pytest.MonkeyPatch, callee: str, *, times: int) -> None:
    """The next so many calls of it raise."""
    owner, name = CALLEES[callee]
    whole = getattr(owner, name)
    left = times

    def broken(*arguments: Any, **named: Any) -> Any:
        nonlocal left
        if left:
            left -= 1
            raise BrokenError(name)
        return whole(*arguments, **named)

    monkeypatch.setattr(owner, name, broken)


@paired(callee=list(CALLEES), change=PATHS)
@pytest.mark.parametrize("times", [1, 1000], ids=["once", "always"])
def test_what_was_decided_is_on_the_disk_whatever_breaks_off(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    callee: str,
    times: int,
    change: Callable[[DiskHall], DiskHall],
) -> None:
    hall = DiskHall(tmp_path).play()
    break_off(monkeypatch, callee, times=times)
    hall = change(hall)
    hall.settle()
    monkeypatch.undo()
    seen = hall.loop.picture()
    assert seen.saved_seq == seen.seq
    lines = hall.writer._next_seq
    later = hall.again()
    assert later.restored is not None
    assert later.restored.recovered.next_seq == lines
    assert {name: getattr(later.picture, name) for name in KEPT} == {
        name: getattr(seen, name) for name in KEPT
    }
    later.log.prompt = True
    assert accepted(later.ask("say", {"text": "we go on"}))


@pytest.mark.parametrize("callee", CALLEES)
def test_a_break_in_showing_is_shown_once_more_and_told(monkeypatch: pytest.MonkeyPatch, callee: str) -> None:
    hall = Hall().play()
    break_off(monkeypatch, callee, times=1)
    hall.press()
    assert hall.picture.paused
    assert not hall.pause_lamp.lit
    hall.move(1 * S)
    assert hall.display.faces[-1].symbol in {"pause", "fault"}
    told = [*hall.picture.health.messages, *all_words(hall.outputs.trouble())]
    assert callee in {"a lamp", "the buzzer", "the display"} or "keep its log and send it" in told[0]


@pytest.mark.parametrize("part", ["sun", "moon", "pause_lamp", "buzzer", "display", "the pages"])
def test_the_others_show_a_press_though_one_output_always_fails(
    monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    hall = Hall().play()

    def broken(*_: Any, **__: Any) -> None:
        raise BrokenError(part)

    seen: list[dict[str, Any]] = []
    hall.loop.showing.show_to(Sentence("part.tables"), seen.append)
    if part == "the pages":
        hall.loop.showing.show_to(Sentence("part.pages"), broken)
    else:
        verb = {"buzzer": "sound", "display": "draw"}.get(part, "show")
        monkeypatch.setattr(getattr(hall, part), verb, broken)
    sounds = len(hall.buzzer.steps)
    hall.press()
    assert seen[-1].paused
    assert part == "the pages" or hall.picture.paused
    assert part == "pause_lamp" or not hall.pause_lamp.lit
    assert part == "buzzer" or any(on for _, on in hall.buzzer.steps[sounds:])
    assert part == "display" or hall.display.faces[-1].symbol in {"pause", "fault"}
    named = part.replace("_", " ") if part != "the pages" else part
    told = [*seen[-1].health.messages, *all_words(hall.outputs.trouble())]
    assert part in {"sun", "moon"} or any(named in sentence for sentence in told)


def test_two_parts_that_fail_in_turn_end_the_telling() -> None:
    hall = Hall().play()
    calls = 0

    def in_turn(parity: int) -> Callable[[dict[str, Any]], None]:
        def publish(_picture: dict[str, Any]) -> None:
            nonlocal calls
            calls += 1
            if calls // 2 % 2 == parity:
                raise BrokenError

        return publish

    hall.loop.showing.show_to(as_told("one"), in_turn(0))
    hall.loop.showing.show_to(as_told("two"), in_turn(1))
    seq = hall.loop.seq
    hall.log.prompt = False
    hall.press()
    assert hall.loop.seq == seq + 2


def test_without_a_picture_the_controller_is_to_start_afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    hall = Hall().play()
    break_off(monkeypatch, "the picture", times=1)
    hall.press()
    assert hall.loop.showing.pictured, "the second try had one"
    hall.log.prompt = False
    break_off(monkeypatch, "the picture", times=2)
    hall.loop.note({"test": "begun"})
    assert not hall.loop.showing.pictured


def test_a_loop_that_hangs_while_it_shows_leaves_its_change_on_the_disk(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()

    def hang(_picture: dict[str, Any]) -> None:
        """What the watchdog does from its own thread before it ends the process."""
        make_safe(hall.loop, hall.outputs, hall.writer)

    hall.loop.showing.show_to(Sentence("part.pages"), hang)
    hall.log.prompt = False
    hall.press()
    later = hall.again()
    assert [claim.board for claim in later.picture.claims] == [None]
    assert (hall.sun.closed, hall.buzzer.closed) == (True, True)
