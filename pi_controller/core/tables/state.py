"""What all tables show, derived from the picture. Pure."""

from typing import get_args
from unicodedata import normalize

from pi_controller.bus.messages import carried
from pi_controller.bus.values import LONGEST_SEAT, MOST_SEATS, NODES_LANGUAGE, TableSeat, TableState
from pi_controller.game.commands import PREPARED_LINES
from pi_controller.game.room import SeatView
from pi_controller.language.words import words
from pi_controller.protocol.picture import Picture
from pi_controller.vocabulary import SIDES, PauseReason


def table_state(
    picture: Picture,
    *,
    offset_us: int,
    brightness: int,
    maintenance: bool = False,
    languages: tuple[str, ...] = (NODES_LANGUAGE,),
) -> TableState:
    """The tables' state for this picture, in a hall with these languages. `offset_us`: how far this machine's
    clock is ahead of the clock of the core that made the picture; 0 on the same machine.

    While sheets are collected, nodes get the phase *ended*, which nodes of every release know: they show that
    the game is over and take no claims.
    """
    robber = picture.phase == "robber"
    return TableState(
        as_of_us=picture.as_of_us + offset_us,
        phase="ended" if picture.phase == "collecting" else picture.phase,
        running=picture.running,
        paused=picture.paused,
        pause_reasons=tuple(one for one in get_args(PauseReason) if one in picture.pause_reasons),
        resume_in_ms=picture.resume_in_ms,
        seats=_seats(picture),
        seat=_index(picture, picture.seat),
        next_seat=_index(picture, picture.next_seat),
        languages=languages,
        second_language=picture.language in languages[1:],
        robber_possible="robber_possible" in picture.notices,
        claims_pause=picture.claims_mode == "pause",
        last_round=picture.last_round is not None and picture.round >= picture.last_round,
        left_us=picture.remaining_us,
        duration_ms=picture.duration_ms,
        rate=picture.rate,
        round=picture.round,
        dice=picture.dice,
        target=picture.robber_target if robber else None,
        last_sum=_last_sum(picture),
        message=_message(picture),
        brightness=brightness,
        maintenance=maintenance,
    )


def _seats(picture: Picture) -> tuple[TableSeat, ...]:
    """Seats to be sent; none if they are Sun and Moon, which every node knows."""
    if tuple(seat.id for seat in picture.seats) == SIDES:
        return ()
    seats = (*_NOBODYS[: _before(picture)], *(_seat(seat) for seat in picture.seats))
    return seats[:MOST_SEATS]


_NOBODYS = (TableSeat(name="", sign=None),) * len(SIDES)


def _before(picture: Picture) -> int:
    """Number of empty seats before the real ones. At one table the wire's first two seats are left empty: a
    node takes them for its own two sides, and only core knows whose those are."""
    return 0 if picture.turn is None else len(_NOBODYS)


def _seat(seat: SeatView) -> TableSeat:
    """The seat's name in characters of the wire, cut to its length: accents are dropped, other characters
    left out; if none is left, the word for its colour."""
    letters = normalize("NFKD", seat.name).encode("ascii", "ignore").decode()
    printable = "".join(letter for letter in letters if letter.isprintable())
    return TableSeat(
        name=printable.strip()[:LONGEST_SEAT].strip() or seat.colour.capitalize(),
        sign=next((side for side in SIDES if side == seat.sign), None),
    )


def _message(picture: Picture) -> str:
    """The director's message; a prepared one in the current language."""
    message = picture.message
    if message is None or not message.tables:
        return ""
    return carried(
        message.text if message.line is None else words(PREPARED_LINES[message.line], picture.language)
    )


def _index(picture: Picture, seat: int | None) -> int | None:
    """The seat's index on the wire; None for seats that the wire cannot name."""
    at = None if seat is None else seat + _before(picture)
    return at if at is not None and at < MOST_SEATS else None


def _last_sum(picture: Picture) -> int | None:
    """The sum of the roll before the shown one."""
    before = picture.history if picture.dice is None else picture.history[1:]
    return before[0].sum if before else None
