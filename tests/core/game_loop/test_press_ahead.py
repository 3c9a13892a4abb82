"""A press that is worked out before it counts does and shows what any other press does."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pi_controller.core.game_loop import loop as loop_module
from pi_controller.core.game_loop import picture as showing_module
from pi_controller.game.game import new_game
from pi_controller.game.rule_sets import CLASSIC
from pi_controller.sentence import as_told
from tests.core.hall import SEED, Hall, accepted
from tests.core.hand import MS, S

COUNTS_NS = 4 * MS


def pressed(*, expected: bool, between: Callable[[Hall], object] = lambda _: None) -> Hall:
    """A hall in whose round the button was pressed; `between` happens while the contact settles."""
    hall = Hall().play()
    hall.move(10 * S)
    at_ns = hall.timers.boot_ns()
    if expected:
        hall.loop.expect_press(at_ns, at_ns + COUNTS_NS)
    between(hall)
    hall.move(COUNTS_NS)
    hall.loop.press(at_ns)
    return hall


def test_it_is_the_same_press_without_any_further_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing_is_left_to_do(hall: Hall) -> None:
        monkeypatch.setattr(hall.loop, "decide", None)
        monkeypatch.setattr(loop_module, "picture_at", None)
        monkeypatch.setattr(showing_module, "view_of", None)

    plain = pressed(expected=False)
    ahead = pressed(expected=True, between=nothing_is_left_to_do)
    assert ahead.pictures == plain.pictures
    assert ahead.log.lines == plain.log.lines
    assert ahead.log.boot_ns == plain.log.boot_ns
    assert (ahead.pause_lamp.lit, ahead.buzzer.on) == (plain.pause_lamp.lit, plain.buzzer.on) == (False, True)
    assert ahead.loop.game == plain.loop.game


@pytest.mark.parametrize(
    "between",
    [
        lambda hall: hall.loop.report("stick", "warning", as_told("no stick")),
        lambda hall: hall.loop.obstacles.set("test", as_told("not now")),
        lambda hall: accepted(hall.ask("say", {"text": "five minutes left"})),
        lambda hall: accepted(hall.ask("pause")),
    ],
    ids=["a report", "an obstacle", "a message", "a pause"],
)
def test_what_happens_meanwhile_is_in_the_picture(between: Callable[[Hall], object]) -> None:
    plain, ahead = pressed(expected=False, between=between), pressed(expected=True, between=between)
    assert ahead.pictures == plain.pictures
    assert ahead.log.lines == plain.log.lines


def test_a_phase_that_ends_first_has_ended() -> None:
    hall = Hall().play()
    hall.move(35 * S - 2 * MS)
    at_ns = hall.timers.boot_ns()
    hall.loop.expect_press(at_ns, at_ns + COUNTS_NS)
    hall.move(COUNTS_NS)
    hall.loop.press(at_ns)
    assert hall.picture.round == 2
    assert hall.picture.claims[0].pressed_ms_before_end == 2


def test_an_expected_press_that_never_counts_leaves_no_trace() -> None:
    hall = Hall().play()
    hall.move(10 * S)
    seen, at_ns = hall.picture, hall.timers.boot_ns()
    hall.loop.expect_press(at_ns, at_ns + COUNTS_NS)
    hall.move(COUNTS_NS)
    assert hall.picture is seen
    assert hall.loop.picture().running
    later_ns = hall.timers.boot_ns()
    hall.loop.press(later_ns)
    assert hall.picture.remaining_ms == 24_996


def test_a_press_that_rolls_dice_is_not_worked_out_before_it_counts() -> None:
    """Nobody has seen that roll; once it was undone somebody has."""
    expected: list[Any] = []
    hall = Hall(game=new_game("g1", replace(CLASSIC, first_side="red"), SEED)).begin()
    hall.loop.showing.show_to(as_told("whoever may be told"), lambda _: None, expect=expected.append)
    hall.ask("start")
    hall.move(0)
    while not hall.loop.game.state.to_roll:
        hall.press()
        hall.move(1 * S)
    at_ns = hall.timers.boot_ns()
    hall.loop.expect_press(at_ns, at_ns + COUNTS_NS)
    assert expected == []
    hall.press()
    assert accepted(hall.ask("undo"))
    hall.loop.expect_press(at_ns, at_ns + COUNTS_NS)
    assert [picture.dice for picture in expected] == [hall.loop.game.dice.round_roll(1, 0).dice]
