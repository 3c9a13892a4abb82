"""A sample of the junk of `make halls-junk`."""

from pathlib import Path

from tests.soak import halls_junk


def test_spoilt_payloads_end_no_process_and_ask_nothing_of_a_core(tmp_path: Path) -> None:
    assert "no process ended" in halls_junk.run(tmp_path, payloads=3_000, seed=7)
