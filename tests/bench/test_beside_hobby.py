"""The hobbyist's program is what it is said to be, and gets presses as a real one does."""

import random
from pathlib import Path

import pytest

from benchmarks.beside_hobby import BOUNCE_S, HELD_S, clean, hobby_clock, offered, worn
from tests.bench.test_benches import run


@pytest.mark.matrix
def test_hobby(tmp_path: Path) -> None:
    figures = run("hobby", tmp_path, rounds=1, pauses=1, presses=1)
    pairs = {"paused", "drift", "kill"}
    presses = {"press", "bounced", "short"}
    assert set(figures) == {
        "hobby.turn.program",
        *(f"hobby.{what}.{who}" for what in pairs for who in ("program", "product")),
        *(f"hobby.{what}.{who}" for what in presses for who in ("plain", "debounced", "product")),
    }
    assert figures["hobby.kill.program"].measured.max == 2, "it begins again in round 1"
    assert figures["hobby.kill.product"].measured.max == 0
    assert figures["hobby.short.product"].measured.max == 0
    assert figures["hobby.short.debounced"].measured.max == 100
    assert figures["hobby.press.debounced"].measured.p50 >= 1000 * BOUNCE_S


def test_a_worn_contact_closes_and_opens_in_the_end() -> None:
    chance = random.Random(1)
    for edges in (worn(chance) for _ in range(100)):
        moments = [at_s for at_s, _ in edges]
        assert moments == sorted(moments)
        levels = [closed for _, closed in edges]
        assert levels[0]
        assert not levels[-1]
        pressed = [closed for at_s, closed in edges if at_s < HELD_S]
        assert len(pressed) >= 3
        assert pressed[-1]


@pytest.mark.parametrize("bounce_s", [None, BOUNCE_S])
def test_what_a_program_hears_of_a_press(bounce_s: float | None) -> None:
    late = bounce_s or 0.0
    assert offered(clean(0.12), bounce_s) == ((late, True), (0.12 + late, False))
    assert len(offered(clean(0.03), bounce_s)) == (2 if bounce_s is None else 0)
    for edges in (worn(random.Random(seed)) for seed in range(100)):
        heard = offered(edges, bounce_s)
        assert heard == edges if bounce_s is None else [closed for _, closed in heard] == [True, False]


def test_the_button_pauses_and_goes_on() -> None:
    with hobby_clock(3600.0, None) as program:
        assert len(program.turns_ns) == 1
        for paused in (True, False):
            touched_ns = program.press(clean(0.001))
            assert program.paused == paused
            assert program.pauses_ns[-1] >= touched_ns
    assert len(program.pauses_ns) == 2


def test_the_program_has_forty_lines() -> None:
    source = Path(__file__).parents[2] / "benchmarks/hobby.py"
    assert 35 <= len(source.read_text(encoding="utf-8").splitlines()) <= 45
