from pi_controller.core.sound import phrases
from pi_controller.core.sound.phrases import NamedSeat, named, next_round
from pi_controller.core.sound.voice import wanted
from pi_controller.game.room import SeatView
from pi_controller.game.rule_sets import CLASSIC, CLASSIC_SEATS, seated
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


def test_every_seat_that_may_sit_at_one_table_is_announced() -> None:
    rules = seated(CLASSIC, [(seat, "") for seat, _ in CLASSIC_SEATS])
    called = named(
        SeatView(id=seat, name=sign.name, sign=sign.symbol, colour=sign.colour) for seat, sign in rules.sides
    )
    rendered = {(one.name, one.text) for one in wanted(["en"], CLASSIC.name, CLASSIC.robber_targets)}
    for seat in called:
        assert {(phrase.name, phrase.text("en")) for phrase in next_round(8, seat).phrases} <= rendered
    assert ("round_brown_8", "8, Brown.") in rendered
