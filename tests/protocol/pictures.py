"""A room picture as core publishes it, for tests that only look at one."""

from typing import Any


def picture(**changes: Any) -> dict[str, Any]:
    """Round 3 of a running game, with these fields changed."""
    return {
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
        "winners": [],
        "decided_by": None,
        "history": [
            {"kind": "round", "round": 3, "side": "sun", "dice": [3, 5], "sum": 8, "robber_target": None}
        ],
        "notices": [],
        "message": None,
        "timer": None,
        "commitment": "0" * 64,
        "public_word": None,
        "seed": None,
        "journal_head": None,
        "journal_head_full": None,
        "health": {"level": "ok", "messages": []},
    } | changes


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
