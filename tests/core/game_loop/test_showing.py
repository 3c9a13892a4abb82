"""Whatever breaks off while a change is shown: the rest shows, the journal has the change, the game goes on."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_controller.core.game_loop import loop as loop_module
from pi_controller.core.game_loop import picture as showing_module
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.wiring.service import Watched, make_safe
from pi_controller.language.words import all_words
from pi_controller.sentence import Sentence, as_told
from tests.core.disk import DiskHall
from tests.core.hall import Hall, accepted
from tests.core.hand import HandBuzzer, HandDisplay, HandLamp, S

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


@pytest.fixture
def folder_and_halls(tmp_path: Path) -> Iterator[tuple[Path, list[DiskHall]]]:
    """A state folder, and halls whose writers end with the test."""
    opened: list[DiskHall] = []
    yield tmp_path, opened
    for hall in opened:
        hall.crash()


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


CHANGES: list[Callable[[DiskHall], DiskHall]] = [press, command, turn, begin, swap, health, note]


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


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize(
    ("callee", "times"),
    [(callee, times) for callee in CALLEES for times in (1, 1000)],
    ids=lambda value: {1: "once", 1000: "always"}.get(value, value),
)
def test_what_was_decided_is_on_the_disk_whatever_breaks_off(
    folder_and_halls: tuple[Path, list[DiskHall]],
    monkeypatch: pytest.MonkeyPatch,
    callee: str,
    times: int,
    change: Callable[[DiskHall], DiskHall],
) -> None:
    folder, halls = folder_and_halls
    hall = DiskHall(folder).play()
    break_off(monkeypatch, callee, times=times)
    hall = change(hall)
    hall.settle()
    monkeypatch.undo()
    seen = hall.loop.picture()
    assert seen.saved_seq == seen.seq
    lines = hall.writer._next_seq
    later = hall.again()
    halls.append(later)
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
    assert callee in {"a lamp", "the buzzer", "the display"} or "keep its log for us" in told[0]


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


def test_a_loop_that_hangs_while_it_shows_leaves_its_change_on_the_disk(
    folder_and_halls: tuple[Path, list[DiskHall]],
) -> None:
    folder, halls = folder_and_halls
    hall = DiskHall(folder).play()

    def hang(_picture: dict[str, Any]) -> None:
        """What the watchdog does from its own thread before it ends the process."""
        unused: Any = None
        make_safe(
            Watched(
                loop=hall.loop,
                outputs=hall.outputs,
                writer=hall.writer,
                exports=unused,
                heartbeat=unused,
                button=unused,
                servers=(),
                parts=None,
                restart_display=None,
            )
        )

    hall.loop.showing.show_to(Sentence("part.pages"), hang)
    hall.log.prompt = False
    hall.press()
    later = hall.again()
    halls.append(later)
    assert [claim.board for claim in later.picture.claims] == [None]
    assert (hall.sun.closed, hall.buzzer.closed) == (True, True)
