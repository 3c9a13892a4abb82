"""The last actions of a game, for the stage."""

from typing import Any

Json = dict[str, Any]


def outcome(**changes: Any) -> Json:
    """Round 14, Moon's, 46.4 s left, running; with these fields changed."""
    usual: Json = {
        "phase": "round", "round": 14, "side": "moon", "paused": False, "remaining_ms": 46_400, "open_claims": 0,
        "reasons": [], "keys": [],
    }  # fmt: skip
    return usual | changes


def action(number: int, key: str, text: str, *, source: str = "web", **changes: Any) -> Json:
    """One action, so many seconds before the picture's moment as its number says."""
    usual: Json = {
        "id": 100 - number, "at_ms": 1_000_000 - 7_000 * number, "source": source, "text": text,
        "said": {"key": key, "params": {}}, "steps": None, "outcome": None,
    }  # fmt: skip
    return usual | changes


def told(actions: list[Json], **changes: Any) -> Json:
    usual: Json = {
        "game_id": "g1", "session": "s1", "seq": 41, "as_of_ms": 1_000_000, "actions": actions, "undone": [],
        "outcome": outcome(paused=True, remaining_ms=31_400),
    }  # fmt: skip
    return usual | changes


ADDED = {"key": "action.time_added", "params": {"seconds": 15}}
REJECTED = {"key": "action.board_rejected_points", "params": {"board": "B3", "count": 16}}
CLAIMED = {
    "key": "action.claimed",
    "params": {"board": "B3", "side": {"key": "side.moon", "params": {}}},
}
PAST = told(
    [
        action(1, "action.time_added", "15 s added", said=ADDED, steps=1, outcome=outcome(remaining_ms=16_400)),
        action(3, "action.resumed", "Resumed", steps=2, outcome=outcome(paused=True, remaining_ms=17_284)),
        action(5, "action.board_rejected_points", "-", said=REJECTED, steps=3,
               outcome=outcome(paused=True, remaining_ms=17_284, open_claims=1)),
        action(9, "action.claimed", "-", said=CLAIMED, source="table"),
        action(10, "action.pressed", "-", source="button", steps=4, outcome=outcome()),
        action(14, "action.skipped", "-", steps=5, outcome=outcome(reasons=["Too far back"])),
        action(30, "action.started", "-"),
    ]
)  # fmt: skip
"""A game of several hands."""
