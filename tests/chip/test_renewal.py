"""New firmware over the cable of an emulated Pico, with its littlefs: power may fail at every operation of its flash."""

import struct
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from table_node import start
from tests.bus.hall import percentile
from tests.chip.cuts import NEW, OLD, Recording, answers, recorded
from tests.chip.pico import HERE
from tests.firmware import micropython

pytestmark = pytest.mark.soak

SAMPLE = 8
"""Starts of the emulated chip; `make chip-cuts` makes all."""


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return recorded(tmp_path_factory.mktemp("renewal"))


def test_a_node_is_renewed_over_its_cable(recording: Recording) -> None:
    """`recorded` has seen it run, tried and kept."""
    parts_us = recording.parts_us
    print(
        f"{len(parts_us)} parts, each {percentile(parts_us, 0.5) / 1e3:.0f} ms p50, {max(parts_us) / 1e3:.0f} ms at most"
    )
    print(
        f"fetched and unpacked after {recording.fetched_us / 1e6:.1f} s, {len(recording.writes)} operations on the flash"
    )
    assert recording.lost == 0
    assert recording.fetched_us < 30e6


def test_old_or_new_stands_whole_in_the_flash_wherever_power_fails(
    recording: Recording, tmp_path: Path
) -> None:
    """Mounted by the same littlefs, for every operation: what the loader would run is one of the two, to the last byte."""
    (tmp_path / "image").write_bytes(recording.before)
    writes = b"".join(struct.pack("<II", one.place, len(one.data)) + one.data for one in recording.writes)
    (tmp_path / "writes").write_bytes(writes)
    mounts = [micropython.interpreter(), "-X", "heapsize=16m", str(HERE / "mounts.py")]
    said = subprocess.run(
        [*mounts, str(tmp_path / "image"), str(tmp_path / "writes")],
        check=True,
        capture_output=True,
        text=True,
    )
    rows = [line.split() for line in said.stdout.splitlines()]
    assert [int(number) for number, *_ in rows] == list(range(len(recording.writes) + 1))
    sums = []
    for _, line, a, b in rows:
        folder, _ = start.chosen("" if line == "-" else line.replace("_", " "))
        sums.append({"a": a, "b": b}[folder])
    old, new = sums[0], sums[-1]
    assert old != new
    assert set(sums) == {old, new}
    print(Counter("old" if found == old else "new" for found in sums))


def test_the_chip_starts_old_or_new_where_power_fails(recording: Recording, tmp_path: Path) -> None:
    count = len(recording.writes)
    numbers = sorted({*range(0, count, count // (SAMPLE // 2)), *range(count - SAMPLE // 2, count + 1)})
    found = dict(answers(recording, numbers, tmp_path / "starts"))
    print(found)
    assert set(found.values()) <= {OLD, NEW}
    assert found[count] == NEW
