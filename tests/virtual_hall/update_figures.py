"""How long new firmware takes, in the hall's own time: `python -m tests.virtual_hall.update_figures [TABLES] [LOSS]`.

One table alone is not in it; segments get it side by side, so the slowest one counts.
"""

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pi_controller.bus.values import FirmwareAsked, FirmwareEnd, TableState
from pi_controller.flashing.build import build
from pi_controller.flashing.image import key_mark, pack
from pi_controller.virtual_hall.hall import VirtualHall
from pi_controller.virtual_hall.table import start_sparing
from tests.virtual_hall.virtual_time import Drive

KEY = bytes(32)
NEW = (9, 1)
SECOND = 1_000_000
LOOK_US = 50_000


class Updated(NamedTuple):
    """Of one segment: seconds until all have the image, and until all keep it."""

    segment: str
    whole_s: float
    seconds: float
    ends: Counter[FirmwareEnd]


def firmware() -> bytes:
    """The image of the firmware as it is."""
    with TemporaryDirectory() as folder:
        return pack(build(Path(folder)), firmware=NEW, key=KEY)


def updates(tables: int, image: bytes, *, loss: float = 0.0) -> list[Updated]:
    hall = VirtualHall(tables, start_sparing, sparing=True, key=KEY)
    return [_update(hall, name, image, loss) for name in hall.segments]


def _update(hall: VirtualHall, name: str, image: bytes, loss: float) -> Updated:
    segment = hall.segments[name]
    drive = Drive(segment, name=name)
    drive.master.show(TableState(as_of_us=drive.master_us(), phase="ready", maintenance=True))
    drive.run(12 * SECOND)
    for end in range(len(segment.tables) + 1):
        segment.cable.hearing(end).loss.part = loss
    uids = tuple(hall.tables)
    drive.master.measure(FirmwareAsked(uids=uids, offer=7, firmware=NEW, key=key_mark(KEY), image=image))
    began_us, whole_us = drive.now_us, None
    while not (results := drive.master.taken_results()):
        drive.run_for(LOOK_US)
        job = drive.master.snapshot(drive.master_us()).firmware
        if whole_us is None and job is not None and job.part == job.parts:
            whole_us = drive.now_us
    (result,) = results
    whole_s = ((whole_us or drive.now_us) - began_us) / SECOND
    return Updated(name, whole_s, result.seconds, Counter(node.end for node in result.updated))


if __name__ == "__main__":
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 256
    image = firmware()
    print(f"image of {len(image)} bytes")
    for one in updates(tables, image, loss=float(sys.argv[2]) if len(sys.argv) > 2 else 0.0):
        print(
            f"{one.segment}: whole after {one.whole_s:.1f} s, over after {one.seconds:.1f} s, {dict(one.ends)}",
            flush=True,
        )
