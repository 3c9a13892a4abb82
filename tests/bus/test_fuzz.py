"""Mutated frames, 10,000 of them (`make fuzz` takes ten million), against both receivers; and the run's verdict and exit status."""

import random
import subprocess
import sys

import pytest

from pi_controller.bus import frame
from table_node import frame as node_frame
from tests.architecture.sources import ROOT
from tests.bus import fuzz
from tests.matrix import further
from tests.patience import DEADLINE_S


@pytest.mark.parametrize("seed", [0, *further(1, 2, 3)])
def test_no_mutated_frame_is_accepted(seed: int) -> None:
    """B1, B3: and the frame after the damage comes through."""
    account = fuzz.chunk(seed)
    assert account.wrong == []
    assert account.mutated == fuzz.CHUNK
    assert len(account.by) == len(fuzz.MUTATIONS)
    assert min(account.by.values()) > 1_000
    assert account.unharmed < 0.1 * account.mutated


@pytest.mark.parametrize("seed", [0, *further(1, 2, 3)])
def test_random_bytes_are_no_frames(seed: int) -> None:
    """B2."""
    rng = random.Random(seed)
    ends = fuzz.Ends()
    for _ in range(10_000):
        assert ends.hear(rng.randbytes(rng.randint(8, 80))) == []
    assert ends.master.damaged > 1000
    good = frame.Frame(1, 2, 5, 0, 9, bytes(6))
    assert ends.hear(b"\0" + frame.encode(good)) == [good]


def test_receivers_that_do_not_look_at_the_crc_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(encoded: bytes) -> frame.Frame | None:
        body = frame.unstuff(encoded) if 9 <= len(encoded) <= frame.LONGEST_ENCODED else None
        return None if body is None else frame.Frame(body[0] >> 5, body[0] & 31, *body[1:4], body[4:-4])

    monkeypatch.setattr(frame, "decode", careless)
    assert len(fuzz.chunk(0, 200).wrong) > 10, "they differ"
    monkeypatch.setattr(node_frame, "crc32", lambda _: node_frame._RESIDUE)
    assert len(fuzz.chunk(0, 200).wrong) > 10, "both accept what was not sent"


def test_a_run_from_outside() -> None:
    answer = run("--frames", "10000", "--jobs", "1")
    assert answer.returncode == 0
    assert answer.stdout.startswith("10000 mutated frames in ")
    assert "\n0 false accepts, losses or differences\n" in answer.stdout
    assert answer.stderr == "100 %\n"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.bus.fuzz", *arguments]
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'firmware'}"}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=DEADLINE_S
    )
