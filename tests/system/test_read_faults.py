"""Tonight's game behind every fault of reading: it comes back, or everybody is told that it is missing."""

from itertools import product
from pathlib import Path

import pytest

from tests.matrix import further
from tests.system.read_faults import (
    FAULTS,
    OF_OTHERS,
    ON_THE_DISK,
    READS,
    WITHOUT,
    Evening,
    Fault,
    build_shim,
    empty,
)

Case = tuple[Fault, bool, tuple[str, ...]]
"""The fault, whether there is a second copy, and what else is missing."""
SAMPLE: list[Case] = [
    (Fault("empty", empty), False, ("exports",)),
    (ON_THE_DISK[-1], True, ("heartbeat",)),
    (READS[3], True, ()),
    (OF_OTHERS[0], False, ()),
]
OTHERS = [case for case in product(FAULTS, (False, True), WITHOUT) if case not in SAMPLE]
WITHOUT_A_SEED = {
    "folder_gone",
    "games_gone",
    "games/{game}/seed: EIO at open",
    "games/{game}/seed: EIO from read 1 on",
}


@pytest.fixture(scope="module")
def evenings(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Evening]:
    return {
        copied: Evening(tmp_path_factory.mktemp("evening") / "e", copied=copied) for copied in (False, True)
    }


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_shim(tmp_path_factory.mktemp("shim"))


@pytest.mark.parametrize(
    "number", [*range(len(SAMPLE)), *further(*range(len(SAMPLE), len(SAMPLE) + len(OTHERS)))]
)
def test_the_game_that_a_witness_knows_comes_back_or_is_named(
    tmp_path: Path, evenings: dict[bool, Evening], shim: Path, number: int
) -> None:
    fault, copied, without = [*SAMPLE, *OTHERS][number]
    became = evenings[copied].behind(fault, tmp_path / "e", shim, without=without)
    if copied:
        assert became == "back"
    elif "exports" not in without and fault.name not in WITHOUT_A_SEED:
        assert became == "back", "the copy for everybody has all its lines"
