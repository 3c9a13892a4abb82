import json
from typing import Any, get_args

import pytest

from pi_controller.cli.status import CLAIMS, DECISIONS, LEVELS, LINKS, PAUSES, ROLES, clock_face, describe
from pi_controller.game.claims import ClaimStatus
from pi_controller.game.rule_sets import DecidedBy
from pi_controller.language.languages import PSEUDO
from pi_controller.language.words import speak, words
from pi_controller.protocol.picture import HealthLevel, LinkRole, LinkState, Picture
from pi_controller.sentence import Sentence
from pi_controller.software import Software
from pi_controller.vocabulary import PauseReason
from tests.cli.conftest import Run
from tests.protocol import fake_core
from tests.protocol.fake_core import FakeCore
from tests.protocol.pictures import claim, link, picture, typed

SOFTWARE = Software(**fake_core.SOFTWARE)
WEST = {
    "hall": "west",
    "online": False,
    "software": "0.9.0",
    "source": "0123456789ab",
    "boards": 3,
    "away_ms": 5,
}
LEADING = link(role="leader", state="leading", heard_ms=None, halls=[WEST])
VERSION = "\nVersion  0.9.0, source 0123456789ab"
ROUND = """\
Round 3: Sun is active, dice 3 + 5 = 8
Time     0:23.4 of 0:35.0 left, running
Next     Moon
Health   ok
Journal  everything is saved, game 20261120-200000-abcd"""

PAUSED = """\
Round 12: Moon is active, dice 1 + 1 = 2
Time     0:00.4 of 0:45.0 left, stopped
Paused   claim, button
Next     Sun
Last     round 14
Speed    60 times as fast (simulation)
Notice   robber possible
Message  The bar is open
Timer    Break: 10:00.0, stopped
Claim    c1 at board 12, Sun: open (round 3, 0:04.2 before its end, side was active)
Claim    c2 at the big button: rejected, 17 points (round 3, 0:04.2 before its end, side was not active)
Health   warning
         The disk is slow.
Journal  the newest change is not saved yet, game 20261120-200000-abcd"""

ENDED = """\
The game has ended in round 20
Winner   board 12, Sun with 18 points
Winner   the big button
Decided  a claim equal on every count: the victory is shared
Health   ok
Journal  everything is saved, game 20261120-200000-abcd"""


def paused_picture() -> Picture:
    return typed(
        round=12,
        side="moon",
        next_side="sun",
        dice=[1, 1],
        sum=2,
        duration_ms=45000,
        remaining_ms=499,
        running=False,
        paused=True,
        pause_reasons=["claim", "button"],
        last_round=14,
        rate=60,
        notices=["robber_possible"],
        message={"text": "The bar is open", "until_ms": None},
        timer={"label": "Break", "remaining_ms": 600000, "running": False},
        claims=[
            claim(),
            claim(id="c2", board=None, side=None, status="rejected", points=17, on_active_side=False),
        ],
        health={"level": "warning", "messages": ["The disk is slow."]},
        saved_seq=6,
    )


def ended_picture() -> Picture:
    return typed(
        phase="ended",
        round=20,
        next_side=None,
        winners=[
            {"claim": "c1", "board": "12", "side": "sun", "points": 18},
            {"claim": "c2", "board": None, "side": None, "points": None},
        ],
        decided_by="shared",
    )


def test_at_one_table_a_claim_is_that_of_a_seat_in_its_turn() -> None:
    rules = {"play": "turns", "settlements": 5, "cities": 4, "roads": 15, "foreign_bonus": False}
    seats = [{"id": seat, "name": seat.title(), "sign": "x", "colour": seat} for seat in ("red", "blue")]
    won = {"claim": "c1", "board": None, "side": "blue", "points": 10}
    claims = [claim(board=None, side="blue", status="confirmed", points=10)]
    seen = typed(
        phase="ended", round=20, next_side=None, rules=rules, seats=seats, claims=claims, winners=[won]
    )
    told = describe(seen, SOFTWARE).splitlines()
    assert "Winner   Blue with 10 points" in told
    assert "Claim    c1 of Blue: confirmed, 10 points (turn 3)" in told
    assert told[0] == "The game has ended in turn 20"


@pytest.mark.parametrize(
    ("seen", "text"), [(typed(), ROUND), (paused_picture(), PAUSED), (ended_picture(), ENDED)]
)
def test_the_picture_reads_well(seen: Picture, text: str) -> None:
    assert describe(seen, SOFTWARE) == text + VERSION


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"phase": "robber", "side": None, "dice": [3, 4], "sum": 7, "robber_target": "desert"},
            "Robber after round 3, dice 3 + 4 = 7: move to desert",
        ),
        ({"phase": "ready", "next_side": "moon"}, "Ready to start a connect game; Moon begins"),
        ({"phase": "turn", "side": "anna", "dice": None, "sum": None}, "Turn 3: anna"),
        ({"paused": True, "resume_in_ms": 2900}, "Begins   in 0:02.9"),
        ({"paused": True, "resume_in_ms": 2900}, "Paused   all reasons are cleared"),
        (
            {
                "phase": "ready",
                "allowed": {"start": {"reasons": ["Too hot.", "Full."], "keys": [], "override": True}},
            },
            "Start    not now: Full.",
        ),
        ({"cover": "black"}, "Screens  All screens are black. The game continues."),
        ({"link": link()}, "Halls    east (follows): connected"),
        ({"link": link()}, 'The hall "main" directs this game.'),
        ({"link": link(stopped=True, waiting=2, state="lost")}, "Stopped here by the big button"),
        ({"link": link(waiting=2)}, "2 presses and claims"),
        ({"link": LEADING}, "west: no contact, 3 boards (0.9.0 0123456789ab)"),
        ({"decided_by": "ore"}, "Decided  by ore"),
        ({"timer": {"label": "", "remaining_ms": 61000, "running": True}}, "Timer    without a name: 1:01.0"),
    ],
)
def test_each_situation_has_its_line(changes: dict[str, Any], line: str) -> None:
    told = describe(typed(**changes), SOFTWARE).splitlines()
    assert line in told or f"{'':9}{line}" in told


def test_every_name_of_the_picture_has_its_text() -> None:
    assert set(DECISIONS) == set(get_args(DecidedBy))
    assert set(CLAIMS) == set(get_args(ClaimStatus))
    assert set(PAUSES) == set(get_args(PauseReason))
    assert (set(ROLES), set(LINKS)) == (set(get_args(LinkRole)), set(get_args(LinkState)))
    assert set(LEVELS) == {"ok", *get_args(HealthLevel)}


def test_what_core_has_said_is_said_in_the_shells_language() -> None:
    speak(PSEUDO)
    told = {
        "level": "warning",
        "messages": ["No claim is open."],
        "items": [{"key": "claim.none_open", "level": "warning", "text": "No claim is open."}],
    }
    assert words(Sentence("claim.none_open"), PSEUDO) in describe(typed(health=told), SOFTWARE)


@pytest.mark.parametrize(("milliseconds", "face"), [(0, "0:00.0"), (99, "0:00.0"), (61_999, "1:01.9")])
def test_the_clock_is_cut_not_rounded(milliseconds: int, face: str) -> None:
    assert words(clock_face(milliseconds)) == face
    assert words(clock_face(milliseconds), "pl") == face.replace(".", ",")


def test_status_asks_core(core: FakeCore, run: Run) -> None:
    assert run("status").out == ROUND + VERSION + "\n"
    assert json.loads(run("status", "--json").out) == picture() | {"software": fake_core.SOFTWARE}


def test_before_the_source_has_been_reckoned_the_version_stands_alone() -> None:
    assert describe(typed(), Software(version="0.9.0", source="")).endswith("\nVersion  0.9.0, source –")
