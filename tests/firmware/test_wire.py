"""The node's side of the wire under real MicroPython."""

import json
import random
from pathlib import Path

import pytest

from pi_controller.bus.frame import Receiver, encode
from tests.bus import fuzz, vectors
from tests.firmware import micropython
from tests.firmware.wire_node import Mirror

HERE = Path(__file__).parent
UID = vectors.UID
VECTORS = json.loads(vectors.FILE.read_text(encoding="ascii"))


def test_micropython_agrees_with_the_golden_vectors() -> None:
    printed = micropython.run(HERE / "wire_check.py", str(vectors.FILE))
    *found, compared = printed.splitlines()
    assert found == []
    assert int(compared.removeprefix("compared ")) > 300


@pytest.mark.parametrize("seed", range(3))
def test_micropython_answers_a_random_conversation_as_cpython_does(seed: int) -> None:
    """Messages at the edges of their fields and frames with any bytes, each fourth one damaged."""
    rng = random.Random(seed)
    golden = [
        bytes.fromhex(row["frame"]) for part in ("messages", "newer", "refused") for row in VECTORS[part]
    ]
    line = bytearray()
    for _ in range(6000):
        wire = bytearray(rng.choice(golden) if rng.random() < 0.75 else encode(fuzz.any_frame(rng)))
        if rng.random() < 0.25:
            rng.choice(fuzz.MUTATIONS)(rng, wire, rng.choice(golden))
        line += wire
    mirror = Mirror(bytes.fromhex(UID))
    here = b"".join(bytes(mirror.out[:count]) for byte in line if (count := mirror.take(byte)))
    assert len(Receiver().feed(here)) > 500
    assert micropython.fed(bytes(line), HERE / "wire_node.py", UID) == here


def test_a_good_frame_costs_no_memory() -> None:
    """The longest one; garbage would mean a pause for its collection in the middle of a countdown."""
    heard, cost = micropython.run(HERE / "memory_check.py", VECTORS["messages"][0]["frame"]).split()
    assert int(heard) == 200
    assert int(cost) < 200, "less than a byte a frame: what the counting itself leaves behind"
