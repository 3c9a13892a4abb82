"""Power fails in the middle of every operation of an update on the flash of the emulated chip: who answers then?

python -m tests.chip.cuts starts the chip once for each state of its flash that it has not seen before, and goes on
where it was stopped. Two states are the same when all pages are that a start from one of them reads until the node
answers: what it does depends on nothing else.
"""

import argparse
import hashlib
import json
import pickle
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chip.pico import BUILT, PAGE, FlashWrite, Pico, files
from tests.chip.renewal import NEW, Renewing, built, image_of
from tests.firmware.updating import KEY

OLD = (1, 98)
"""As the firmware that is written over, and NEW as what comes: both are of this checkout."""
FIRST_S = 1.0
"""Nobody answers sooner."""


@dataclass(slots=True)
class Recording:
    """An update, once: what the flash held before it, and each operation on it until the node keeps the new one."""

    before: bytes
    writes: list[FlashWrite]
    parts_us: list[float] = field(default_factory=list)
    fetched_us: float = 0.0
    """From the offer until the image is unpacked."""
    lost: int = 0

    def state(self, number: int) -> bytes:
        """Of the flash when power fails in the middle of this operation."""
        flash = bytearray(self.before)
        for write in self.writes[:number]:
            flash[write.place : write.place + len(write.data)] = write.data
        if number < len(self.writes):
            torn = self.writes[number]
            flash[torn.place : torn.place + len(torn.data) // 2] = torn.data[: len(torn.data) // 2]
        return bytes(flash)


def recorded(folder: Path) -> Recording:
    """In this empty folder: installs the old firmware, and brings the new one over the cable."""
    parts = built(folder / "old", OLD)
    place = folder / "installed"
    for part in parts:
        path = place / (part.path if part.path == "main.py" else f"a/{part.path}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(part.data)
    (place / "key").write_bytes(KEY)
    image = files(place, folder / "before.image")
    new = image_of(built(folder / "new", NEW))
    with Pico(image) as pico:
        master = Renewing(pico)
        pico.run(FIRST_S)
        assert master.joined().firmware == OLD
        began_us = pico.now_us
        progress = master.fetch(new)
        assert progress.state == "whole", progress
        fetched_us = pico.now_us - began_us
        master.tried()
        master.until("keep", "kept")
        pico.run(1)
        return Recording(image.read_bytes(), pico.flashed, master.parts_us, fetched_us, pico.lost)


@dataclass(slots=True)
class Start:
    """From one state of the flash: which firmware answers, and the pages that were read until then."""

    firmware: tuple[int, int]
    pages: list[int]
    digest: str


def digest(flash: bytes, pages: Sequence[int]) -> str:
    found = hashlib.sha256()
    for page in pages:
        found.update(flash[page * PAGE : (page + 1) * PAGE])
    return found.hexdigest()


def start(flash: bytes) -> Start:
    with tempfile.NamedTemporaryFile(suffix=".image") as file:
        file.write(flash)
        file.flush()
        with Pico(Path(file.name)) as pico:
            pico.run(FIRST_S)
            firmware = Renewing(pico).joined().firmware
            pico.look()
            pages = sorted(pico.read_pages)
    return Start(firmware, pages, digest(flash, pages))


class Starts:
    """Those that were made, in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.known: list[Start] = []
        if path.exists():
            for line in path.read_text(encoding="ascii").splitlines():
                firmware, pages, found = json.loads(line)
                self.known.append(Start(tuple(firmware), pages, found))

    def of(self, flash: bytes) -> Start:
        for one in reversed(self.known):
            if digest(flash, one.pages) == one.digest:
                return one
        made = start(flash)
        self.known.append(made)
        with self._path.open("a", encoding="ascii") as file:
            file.write(json.dumps([made.firmware, made.pages, made.digest]) + "\n")
        return made


def answers(
    recording: Recording, numbers: Sequence[int], path: Path
) -> Iterator[tuple[int, tuple[int, int]]]:
    """For each of these operations: the firmware that answers when power fails in its middle."""
    starts = Starts(path)
    for number in numbers:
        yield number, starts.of(recording.state(number)).firmware


def _share(given: tuple[str, int, int]) -> dict[int, tuple[int, int]]:
    place, share, shares = given
    recording: Recording = pickle.loads(Path(place, "recording").read_bytes())  # noqa: S301 - made by this program
    count = len(recording.writes) + 1
    numbers = range(count * share // shares, count * (share + 1) // shares)
    found = {}
    for number, firmware in answers(recording, numbers, Path(place, f"starts-{share}")):
        found[number] = firmware
        if number % 50 == 0:
            print(f"{number} of {count}: {firmware}", flush=True)
    return found


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--anew", action="store_true", help="record the update again")
    asked = parser.parse_args(argv)
    place = BUILT / "cuts"
    place.mkdir(parents=True, exist_ok=True)
    if asked.anew or not (place / "recording").exists():
        for left in place.iterdir():
            left.unlink()
        with tempfile.TemporaryDirectory() as folder:
            (place / "recording").write_bytes(pickle.dumps(recorded(Path(folder))))
    shares = [(str(place), share, asked.processes) for share in range(asked.processes)]
    found: dict[int, tuple[int, int]] = {}
    with ProcessPoolExecutor(asked.processes) as pool:
        for part in pool.map(_share, shares):
            found |= part
    made = sum(len((place / f"starts-{share}").read_text().splitlines()) for share in range(asked.processes))
    counts: Counter[Any] = Counter(found.values())
    print(
        f"{len(found)} states of the flash, {made} starts: {counts[OLD]} times the old firmware, {counts[NEW]} times the new one"
    )
    return 0 if set(counts) <= {OLD, NEW} else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
