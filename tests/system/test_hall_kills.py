"""What is done to several halls for long by `make halls-kills`, `halls-cuts`, `halls-junk` and `halls-watch`, done to them for a
while."""

from pathlib import Path

import pytest

from tests.soak import hall_cuts, hall_kills, halls_junk, halls_watch
from tests.system.hall_watch import PATIENT


@pytest.mark.matrix
def test_each_claim_counts_once_and_in_its_order(tmp_path: Path) -> None:
    assert "each exactly once" in hall_kills.run(tmp_path, followers=2, kills=2, seed=3)


def test_spoilt_payloads_end_no_process_and_ask_nothing_of_a_core(tmp_path: Path) -> None:
    assert "no process ended" in halls_junk.run(tmp_path, payloads=500, seed=7)


@pytest.mark.matrix
def test_a_cut_of_some_seconds_costs_nothing(tmp_path: Path) -> None:
    cuts = [hall_cuts.Cut(3, silent=True), hall_cuts.Cut(1, silent=False)]
    assert [cut for cut, _ in hall_cuts.run(tmp_path, cuts, round_s=2)] == cuts


@pytest.mark.matrix
def test_four_halls_stay_one_game_through_faults(tmp_path: Path) -> None:
    kinds = ["controller killed", "cut with an end"]
    said = halls_watch.run(tmp_path, minutes=0, faults=2, seed=1, allowed=PATIENT, kinds=kinds, longest_s=1.0)
    assert [line.split(":")[0] for line in said.splitlines()[:2]] == kinds
