"""Claims of several halls while their broker is killed; with 20 halls and 100 kills: `make halls-kills`."""

from pathlib import Path

from tests.soak import hall_kills


def test_each_claim_counts_once_and_in_its_order(tmp_path: Path) -> None:
    assert "each exactly once" in hall_kills.run(tmp_path, followers=3, kills=3, seed=3)
