"""Room pictures of the classic game: every state of the one table that the pages must be able to show."""

from typing import Any

from tests.browser import pictures

Json = dict[str, Any]

SIGNS = ("square", "circle", "diamond", "triangle", "star", "cross")
COLOURS = ("red", "blue", "white", "orange", "green", "brown")
SEATS = [
    {"id": colour, "name": colour.title(), "sign": sign, "colour": colour}
    for colour, sign in zip(COLOURS, SIGNS, strict=True)
]
NAMED = [
    seat | {"name": name} for seat, name in zip(SEATS, ("Anna", "Bartholomäus K.", "Chiara"), strict=False)
]
TURN: Json = {
    "to_roll": False, "building": False, "timed": False, "elapsed_ms": 42_000, "placed": 8, "opening": [],
}  # fmt: skip
OPENING = [
    [{"side": "blue", "dice": [6, 4]}, {"side": "red", "dice": [5, 5]}, {"side": "white", "dice": [1, 2]},
     {"side": "orange", "dice": [3, 1]}],
    [{"side": "blue", "dice": [4, 2]}, {"side": "red", "dice": [1, 2]}],
]  # fmt: skip


def roll(round_no: int, side: str, dice: tuple[int, int]) -> Json:
    return pictures.roll(round_no, side, dice) | {"kind": "turn"}


HISTORY = [
    roll(6, "blue", (5, 3)), roll(5, "red", (3, 4)), roll(4, "orange", (1, 2)), roll(3, "white", (6, 6)),
    roll(2, "blue", (2, 3)), roll(1, "red", (5, 4)),
]  # fmt: skip


def table(turn: Json | None = None, /, *, seats: list[Json] = SEATS[:4], **changes: Any) -> Json:
    """Blue's turn 6 at a table of four, an 8, 42 s ago, without a limit; with these fields changed."""
    fields: Json = {
        "rule_set": "classic", "phase": "turn", "round": 6, "side": "blue", "next_side": "white",
        "seats": seats, "dice": [5, 3], "sum": 8, "duration_ms": 0, "remaining_ms": 0, "schedule": [],
        "target_points": 10, "history": HISTORY, "turn": TURN | (turn or {}), "claims_mode": "pause",
        "rules": {"play": "turns", "settlements": 5, "cities": 4, "roads": 15, "foreign_bonus": False},
    }  # fmt: skip
    given = fields | changes
    over = {"turn": None} if given["phase"] in ("ready", "ended") else {}
    ids = [seat["id"] for seat in seats]
    places = {
        name: ids.index(given[of]) if given[of] in ids else None
        for name, of in (("seat", "side"), ("next_seat", "next_side"))
    }
    return pictures.picture(**given | places | over)


def rolled_seven(**changes: Any) -> Json:
    return table(**{"dice": [3, 4], "sum": 7} | changes)


def to_roll(**changes: Any) -> Json:
    return table({"to_roll": True, "elapsed_ms": 9_000}, **{"dice": None, "sum": None} | changes)


def founding(placed: int = 2, **changes: Any) -> Json:
    fields: Json = {"phase": "founding", "round": 0, "dice": None, "sum": None, "history": []}
    return table({"placed": placed, "opening": OPENING}, **fields | changes)


def building(**changes: Any) -> Json:
    fields: Json = {"side": None, "seats": SEATS, "duration_ms": 30_000, "remaining_ms": 21_000}
    return table({"building": True, "timed": True}, **fields | {"dice": None, "sum": None} | changes)


def timed(left_ms: int = 73_000, **changes: Any) -> Json:
    fields: Json = {"duration_ms": 120_000, "remaining_ms": left_ms}
    return table({"timed": True}, **fields | {"schedule": [{"from_round": 1, "seconds": 120}]} | changes)


def standing(**changes: Any) -> Json:
    """Before the start, or after the end: nobody has a turn."""
    fields: Json = {"phase": "ready", "round": 0, "side": None, "dice": None, "sum": None, "running": False}
    return table(**fields | {"history": [], "next_side": "red"} | changes)


def claim(**changes: Any) -> Json:
    return pictures.claim(
        1, None, "blue", round=6, pressed_ms_before_end=80_000_000, source="desk", **changes
    )


def claims_pause(**changes: Any) -> Json:
    fields: Json = {"paused": True, "running": False, "pause_reasons": ["claim"], "claims": [claim()]}
    return table(**fields | pictures.HEAD | changes)


CLASSIC: dict[str, Json] = {
    "ready": standing(),
    "ready-six": standing(seats=[*NAMED, *SEATS[3:]]),
    "founding": founding(),
    "to-roll": to_roll(),
    "to-roll-named": to_roll(seats=NAMED),
    "turn": table(),
    "turn-six": table(seats=[*NAMED, *SEATS[3:]]),
    "turn-red": table(side="red", next_side="blue"),
    "turn-brown": table(seats=SEATS, side="brown", next_side="red"),
    "seven": rolled_seven(),
    "seven-timed": rolled_seven(
        turn=TURN | {"timed": True}, duration_ms=120_000, remaining_ms=73_000, seats=NAMED
    ),
    "timed": timed(),
    "timed-last": timed(4_200, side="white", next_side="orange"),
    "building": building(),
    "pause": table(paused=True, running=False, pause_reasons=["director"], **pictures.HEAD),
    "count-in": table(paused=True, running=False, resume_in_ms=2_600),
    "claim": claims_pause(),
    "asked": table(claims=[claim()]),
    "ended": standing(
        phase="ended", round=6, next_side=None, history=HISTORY, closed=True, decided_by="points",
        winners=[{"claim": "c1", "board": None, "side": "blue", "points": 10}],
    ),
}  # fmt: skip
