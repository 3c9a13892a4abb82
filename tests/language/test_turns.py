"""Which of the hall's languages stands."""

from pi_controller.language.words import language_in_turn


def test_each_of_two_sides_is_called_in_both_languages() -> None:
    turns = [language_in_turn("round", number, ("pl", "en")) for number in range(1, 9)]
    assert turns == ["pl", "en", "en", "pl", "pl", "en", "en", "pl"]
    assert {(number % 2, turn) for number, turn in enumerate(turns, start=1)} == {
        (0, "pl"),
        (0, "en"),
        (1, "pl"),
        (1, "en"),
    }


def test_a_robber_phase_is_in_the_language_of_the_round_that_follows() -> None:
    for number in range(10, 20):
        following = language_in_turn("round", number + 1, ("pl", "en"))
        assert language_in_turn("robber", number, ("pl", "en")) == following


def test_one_language_always_stands() -> None:
    assert {language_in_turn("round", number, ("de",)) for number in range(9)} == {"de"}
