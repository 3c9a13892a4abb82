"""The report of a game for the stage: that of a recorded game, with what that game did not have."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from pi_controller.journal.record import decode
from pi_controller.replay.changes import changes_of
from pi_controller.report.figures import report_of

GAME = Path(__file__).parents[1] / "vectors" / "export-v1-played.jsonl"
CLAIM = {
    "id": "c41", "at_ms": 1_203_000, "board": "B12", "side": "moon", "round": 29, "pressed_ms_before_end": 12_345,
    "status": "rejected", "points": 16, "verdict_ms": 84_000,
}  # fmt: skip
PAUSE = {"at_ms": 403_000, "length_ms": 62_000, "reasons": ["director"], "round": 10}
ROUND_TRIPS = {"source": "button", "count": 3, "p50_ms": 4.1, "p99_ms": 4.4, "worst_ms": 4.4}
MORE: dict[str, Any] = {
    "game_id": "20261121-193012-7f3a",
    "decided_by": "resources",
    "winners": [{"board": "A8", "side": "sun", "points": 20}],
    "claims": [CLAIM, CLAIM | {"id": "c77", "board": "A8", "side": "sun", "status": "confirmed", "points": 20}],
    "pauses": [PAUSE, PAUSE | {"at_ms": 1_922_000, "length_ms": None, "reasons": ["button", "claim"]}],
    "latencies": [ROUND_TRIPS, ROUND_TRIPS | {"source": "table"}],
    "restarts": 1,
    "notes": [
        {
            "at_ms": 700_000, "what": "recovery", "about": '{"recovery":{"down_ms":2140,"same_boot":true}}', "text": "-",
            "said": {"key": "report.restarted_after", "params": {"seconds": 2.14}},
        }
    ],
    "games": [{"game_id": "20261121-183000-11aa", "armed_at": "", "rounds": 12, "ended": True, "seal": None}],
}  # fmt: skip


@cache
def _played() -> dict[str, Any]:
    lines = GAME.read_bytes().splitlines(keepends=True)
    return dict(json.loads(msgspec.json.encode(report_of(changes_of([decode(line) for line in lines])))))


def reported(**changes: Any) -> dict[str, Any]:
    """A whole game as JSON, changed as told."""
    return _played() | MORE | changes
