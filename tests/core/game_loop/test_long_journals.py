"""A start with a long journal: the same game comes back, and the work grows with the lines, not with their square."""

import time
from pathlib import Path

import pytest

from benchmarks.journal import LongGame
from pi_controller.core.game_loop.recovery import Restored, restore
from pi_controller.journal.recovery import PROGRESS_EVERY
from pi_controller.journal.store import Store

SHORT, LONG = 200, 3200


def back(state_dir: Path, told: list[int]) -> Restored:
    found = restore(
        state_dir, Store(state_dir), second_copy=None, boot_ns=1, boot_id="b", wall="w", progress=told.append
    )
    assert found is not None
    return found


def played(folder: Path, lines: int) -> LongGame:
    game = LongGame()
    game.play(lines=lines)
    game.write(folder)
    return game


def processor_s(state_dir: Path) -> float:
    took = []
    for _ in range(3):
        begun = time.process_time()
        back(state_dir, [])
        took.append(time.process_time() - begun)
    return min(took)


@pytest.fixture(scope="module")
def long_game(tmp_path_factory: pytest.TempPathFactory) -> tuple[LongGame, Path]:
    folder = tmp_path_factory.mktemp("long")
    return played(folder, LONG), folder


def test_a_long_game_comes_back_and_says_how_far_it_is(long_game: tuple[LongGame, Path]) -> None:
    game, folder = long_game
    told: list[int] = []
    found = back(folder, told)
    assert list(found.game.actions) == list(game.game.actions)[: len(found.game.actions)]
    assert len(found.game.actions) > 500
    assert len(found.recovered.records) == LONG
    assert told == sorted(told)
    assert len(told) == 2 * (LONG // PROGRESS_EVERY)


def test_sixteen_times_the_lines_are_no_more_than_forty_times_the_work(
    tmp_path: Path, long_game: tuple[LongGame, Path]
) -> None:
    played(tmp_path, SHORT)
    assert processor_s(long_game[1]) < 40 * processor_s(tmp_path), "256 times if quadratic"
