"""The report of an evening's game for the stage."""

import json
import random
from typing import Any

import msgspec

from pi_controller.game.events import PhaseBegan
from pi_controller.game.rule_sets import CONNECT
from pi_controller.protocol.game_report import (
    GameReport,
    Latencies,
    ReportedClaim,
    ReportedCommand,
    ReportedGame,
    ReportedNote,
    ReportedPause,
    ReportedRoll,
    ReportedWinner,
)
from pi_controller.protocol.sentences import view
from pi_controller.report.figures import distribution
from pi_controller.sentence import Sentence
from tests.replay.test_recorded_dice import phase

ROUNDS = 42


def reported(**changes: Any) -> dict[str, Any]:
    """A whole game as JSON, changed as told."""
    found: dict[str, Any] = json.loads(msgspec.json.encode(_report()))
    return found | changes


def _report() -> GameReport:
    seen, rolls = _rolls()
    return GameReport(
        names=False,
        game_id="20261121-193012-7f3a",
        rule_set="connect",
        software="0.1.0",
        armed_at="2026-11-21T19:30:12+00:00",
        commitment="c1f390ab77de2b10a95d3c4e8f017766" * 2,
        journal_head="7f3a90ab77de2b10a95d3c4e8f01776a" * 2,
        lines=412,
        phase="ended",
        closed=True,
        ended_by="verdict",
        decided_by="resources",
        winners=[ReportedWinner(board="A8", side="sun", points=20)],
        rounds=ROUNDS,
        robber_phases=4,
        length_ms=1_985_000,
        played_ms=1_702_000,
        rolls=rolls,
        distribution=distribution(seen, CONNECT),
        pauses=[
            ReportedPause(at_ms=403_000, length_ms=62_000, reasons=["director"], round=10),
            ReportedPause(at_ms=1_203_000, length_ms=131_000, reasons=["button", "claim"], round=29),
            ReportedPause(at_ms=1_922_000, length_ms=None, reasons=["claim"], round=42),
        ],
        claims=[_claim("c41", "B12", "moon", "rejected", 16), _claim("c77", "A8", "sun", "confirmed", 20)],
        commands=[_command(place) for place in range(24)],
        latencies=[
            Latencies(source="button", count=3, p50_ms=4.1, p99_ms=4.4, worst_ms=4.4),
            Latencies(source="table", count=2, p50_ms=31.5, p99_ms=38.0, worst_ms=38.0),
        ],
        restarts=1,
        notes=[
            ReportedNote(
                at_ms=700_000,
                what="recovery",
                about='{"recovery":{"down_ms":2140,"same_boot":true}}',
                text="-",
                said=view(Sentence("report.restarted_after", seconds=2.14)),
            )
        ],
        games=[ReportedGame(game_id="20261121-183000-11aa", armed_at="", rounds=12, ended=True)],
    )


def _rolls() -> tuple[list[PhaseBegan], list[ReportedRoll]]:
    chance = random.Random(7)
    dice = [(chance.randint(1, 6), chance.randint(1, 6)) for _ in range(ROUNDS)]
    seen = [
        phase(number, 0, pair) for number, pair in enumerate(dice, start=1) if number > 10 or sum(pair) != 7
    ]
    rolls = [
        ReportedRoll(
            at_ms=40_000 * place,
            kind=one.phase,
            round=one.round,
            side=one.side and ("sun", "moon")[place % 2],
            dice=one.dice,
            sum=sum(one.dice),
            robber_target=one.robber_target,
            duration_ms=35_000,
        )
        for place, one in enumerate(seen, start=1)
    ]
    return seen, rolls


def _claim(name: str, board: str, side: str, status: Any, points: int) -> ReportedClaim:
    return ReportedClaim(
        id=name,
        at_ms=1_203_000,
        board=board,
        side=side,
        round=29,
        pressed_ms_before_end=12_345,
        status=status,
        points=points,
        verdict_ms=84_000,
    )


def _command(place: int) -> ReportedCommand:
    names = ("start", "press", "resume", "add_time", "undo", "claim", "verdict", "say")
    return ReportedCommand(
        at_ms=70_000 * place,
        source=("web", "button", "table", "cli")[place % 4],
        name=names[place % 8],
        body={},
        press_to_seen_ms=4.1 * (place % 3),
        undone=place == 3,
        phase="round" if place else "ready",
        round=place * 2,
        paused=place % 8 == 1,
        remaining_ms=21_300,
    )
