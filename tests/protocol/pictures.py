"""A room picture as core publishes it, for tests that only look at one."""

from typing import Any

import msgspec

from pi_controller.core.game_loop.picture import allowed
from pi_controller.game.claims import NO_CLAIMS, ClaimRecord
from pi_controller.game.phases import arming_not_allowed, not_allowed
from pi_controller.game.rule_sets import RULE_SETS
from pi_controller.game.state import ClockState, CountingDown, Frozen, Idle, Running, State
from pi_controller.protocol.picture import Picture

SEATS = [
    {"id": "sun", "name": "Sun", "sign": "sun", "colour": "amber"},
    {"id": "moon", "name": "Moon", "sign": "moon", "colour": "blue"},
]


FORESEEN = {
    "seal": {"number": 1, "of_evening": "20261120-200000-abcd", "rehearsal": False},
    "rehearsal": False,
    "gained_ms": {},
    "forecast": None,
}
RULES = {
    "turn": None,
    "rules": {"play": "rounds", "settlements": 5, "cities": 5, "roads": 18, "foreign_bonus": True},
}
SCREENS = {
    "cover": "none",
    "event": {"name": "", "logo": False, "colours": None, "lines": []},
    "languages": ["en"],
    "language": "en",
}
"""What they show besides the game."""


def picture(**changes: Any) -> dict[str, Any]:
    """Round 3 of a running game, with these fields changed."""
    fields = {
        "version": 1,
        "session": "s1",
        "game_id": "20261120-200000-abcd",
        "seq": 7,
        "saved_seq": 7,
        "rule_set": "connect",
        "phase": "round",
        "paused": False,
        "pause_reasons": [],
        "running": True,
        "resume_in_ms": None,
        "round": 3,
        "side": "sun",
        "next_side": "moon",
        "dice": [3, 5],
        "sum": 8,
        "robber_target": None,
        "robber_dice": None,
        "duration_ms": 35000,
        "remaining_ms": 23456,
        "as_of_ms": 123456,
        "rate": 1,
        "target_points": 18,
        "last_round": None,
        "schedule": [{"from_round": 1, "seconds": 35}, {"from_round": 11, "seconds": 45}],
        "claims_mode": "ask",
        "claims": [],
        "presses": [],
        "winners": [],
        "ranking": [],
        "would_win": [],
        "history": [
            {"kind": "round", "round": 3, "side": "sun", "dice": [3, 5], "sum": 8, "robber_target": None}
        ],
        "notices": [],
        "message": None,
        "timer": None,
        "commitment": "0" * 64,
        "public_word": None,
        "closed": False,
        "seed": None,
        "health": {"level": "ok", "messages": []},
        **dict.fromkeys(
            ("journal_head", "journal_head_full", "identify", "closes_at_ms", "decided_by", "link")
        ),
        "sound": None,
        "caption": None,
        **SCREENS,
    } | changes
    fields["health"] = {"items": [], "lost": False} | fields["health"]
    ids = [seat["id"] for seat in SEATS]
    seats = {
        "seats": SEATS,
        "seat": ids.index(fields["side"]) if fields["side"] in ids else None,
        "next_seat": ids.index(fields["next_side"]) if fields["next_side"] in ids else None,
    }
    exact = {"remaining_us": 1000 * fields["remaining_ms"], "as_of_us": 1000 * fields["as_of_ms"]}
    return {"allowed": allowed_in(fields)} | seats | exact | FORESEEN | RULES | fields


def typed(**changes: Any) -> Picture:
    """The same as core makes it."""
    return msgspec.convert(picture(**changes), Picture)


def allowed_in(picture: dict[str, Any]) -> dict[str, Any]:
    """What a game with such a picture allows; there is something to undo and something to redo."""
    clock: ClockState = Idle()
    if picture["resume_in_ms"] is not None:
        clock = CountingDown(0, 0)
    elif picture["paused"]:
        clock = Frozen(0, 0, tuple(picture["pause_reasons"]))
    elif picture["running"]:
        clock = Running(0, 0)
    claims, rules = NO_CLAIMS, RULE_SETS[picture["rule_set"]]
    for one in picture["claims"]:
        record = ClaimRecord(
            one["id"], one["board"], one["side"], 0, one["round"], one["side"], 0, one["status"]
        )
        claims = claims.with_one(record)
    ended_by = "verdict" if picture["winners"] else "director" if picture["phase"] == "ended" else None
    state = State(
        rules.seats[0], rules.schedule, phase=picture["phase"], clock=clock, claims=claims, ended_by=ended_by
    )
    free = dict.fromkeys(("undo", "redo", "identify"))
    against = {**not_allowed(state, rules), **free, "arm": arming_not_allowed(state)}
    return msgspec.to_builtins(allowed(against, {}))


def claim(**changes: Any) -> dict[str, Any]:
    return {
        "id": "c1",
        "board": "12",
        "side": "sun",
        "round": 3,
        "pressed_ms_before_end": 4200,
        "on_active_side": True,
        "status": "open",
        "points": None,
    } | changes


def link(**changes: Any) -> dict[str, Any]:
    """How a hall that follows `main` stands to it: well, but for these changes."""
    return {
        "role": "follower", "hall": "east", "state": "following", "leader": "main", "term": 1,
        "error_ms": 0.4, "heard_ms": 999_000, "stopped": False, "halls": [], "lost_ms": None,
        "frozen": False, "waiting": 0, "trouble": None,
    } | changes  # fmt: skip
