from pi_controller.core.sound import phrases
from pi_controller.core.sound.phrases import NamedSeat
from pi_controller.game.room import SeatView
from pi_controller.sentence import as_told

SEATS = tuple(NamedSeat(name, as_told(name)) for name in ("red", "green", "blue"))


def test_each_phrase_has_a_name_of_its_own() -> None:
    everything = phrases.every_phrase(SEATS, (5, "desert"))
    names = [phrase.name for phrase in everything]
    assert len(set(names)) == len(names)
    assert {"round_red_2", "round_blue_12", "next_green", "robber_desert", "last_rounds_10", "sign_z"} <= set(
        names
    )


def test_everything_that_can_be_said_is_rendered() -> None:
    known = {phrase.name for phrase in phrases.every_phrase(SEATS, (5, "desert"))}
    possible = [*phrases.every_callout(SEATS, (5, "desert")), phrases.winner("Ab-9", SEATS[1])]
    assert {phrase.name for callout in possible for phrase in callout.phrases} <= known


def test_seats_have_their_word_or_the_name_of_their_rule_set() -> None:
    seats = [
        SeatView(id="sun", name="?", sign="sun", colour="amber"),
        SeatView(id="p3", name="Red", sign="x", colour="red"),
    ]
    assert [phrases.next_side(seat).phrases[0].text("en") for seat in phrases.named(seats)] == [
        "Next: Sun.",
        "Next: Red.",
    ]


def test_what_has_no_letter_is_silent() -> None:
    assert phrases.Phrase("x", as_told(" .")).text("en") == ""
