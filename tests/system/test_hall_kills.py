"""Claims of several halls while their broker is killed or a cable is pulled; longer: `make halls-kills`, `make halls-cuts`."""

from pathlib import Path

from tests.soak import hall_cuts, hall_kills


def test_each_claim_counts_once_and_in_its_order(tmp_path: Path) -> None:
    assert "each exactly once" in hall_kills.run(tmp_path, followers=2, kills=2, seed=3)


def test_a_cut_of_some_seconds_costs_nothing(tmp_path: Path) -> None:
    """Of 30 s and 10 min: `make halls-cuts`."""
    cuts = [hall_cuts.Cut(3, silent=True), hall_cuts.Cut(1, silent=False)]
    assert [cut for cut, _ in hall_cuts.run(tmp_path, cuts, round_s=2)] == cuts
