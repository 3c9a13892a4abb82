"""Somebody guesses the PIN: what the director is told, and for how long."""

from pi_controller.core.server.requests import MISTYPED, PinGuesses
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from tests.core.hall import Hall
from tests.core.hand import S


def messages(hall: Hall) -> list[str]:
    hall.move(0)
    return list(hall.picture.health.messages)


def test_a_few_wrong_pins_are_mistyped() -> None:
    hall = Hall()
    hall.begin()
    PinGuesses(loop=hall.loop, timers=hall.timers).told(MISTYPED)
    assert messages(hall) == []


def test_many_are_told_until_an_hour_after_the_last() -> None:
    hall = Hall()
    hall.begin()
    guesses = PinGuesses(loop=hall.loop, timers=hall.timers)
    guesses.told(MISTYPED + 1)
    assert messages(hall) == [words(Sentence("pin.guessed", wrong=10))]
    hall.move(1800 * S)
    guesses.told(MISTYPED + 2)
    hall.move(3599 * S)
    assert messages(hall) == [words(Sentence("pin.guessed", wrong=11))]
    hall.move(2 * S)
    assert messages(hall) == []
    notes = [data for _, kind, data in hall.log.lines if kind == "note"]
    assert notes == [{"pin_guesses": 10}], "a guesser does not fill the journal"
