"""What is done to several halls for long by `make halls-kills`, `halls-cuts` and `halls-junk`, done to them for a while."""

from pathlib import Path

from tests.soak import hall_cuts, hall_kills, halls_junk


def test_each_claim_counts_once_and_in_its_order(tmp_path: Path) -> None:
    assert "each exactly once" in hall_kills.run(tmp_path, followers=2, kills=2, seed=3)


def test_a_cut_of_some_seconds_costs_nothing(tmp_path: Path) -> None:
    cuts = [hall_cuts.Cut(3, silent=True), hall_cuts.Cut(1, silent=False)]
    assert [cut for cut, _ in hall_cuts.run(tmp_path, cuts, round_s=2)] == cuts


def test_spoilt_payloads_end_no_process_and_ask_nothing_of_a_core(tmp_path: Path) -> None:
    assert "no process ended" in halls_junk.run(tmp_path, payloads=1_500, seed=7)
