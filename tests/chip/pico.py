"""The firmware's own compiled files on an emulated Pico (tools/chip.sh): its cable, its displays, its resets."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from table_node import pins
from tests.firmware import micropython

ROOT = Path(__file__).parents[2]
BUILT = ROOT / ".cache" / "chip"
HERE = Path(__file__).parent
BAUD = 250_000
FIRST_ANALOGUE = 26
STEPS_A_VOLT = 4096 / 3.3
LAMPS = (pins.SUN_LAMP, pins.MOON_LAMP, pins.SUN_CLAIM_LAMP, pins.MOON_CLAIM_LAMP)
UID = "e6614c311b7f4a2d"
SECOND_BOARD = {pins.LAMP_CURRENT: 0, pins.DISPLAY_CURRENT: 0, pins.LOOP: 0}
"""What a board of revision 2 holds these pins to, with a terminator at the end of the cable."""


class Answer(NamedTuple):
    """What the node said: from its first start bit to the end, and how long its driver was on."""

    from_us: float
    over_us: float
    enabled_us: float
    disabled_us: float
    data: bytes


class Transfer(NamedTuple):
    """Bytes to the display with this chip select."""

    from_us: float
    over_us: float
    select: int
    is_data: bool
    data: bytes


def symbol(name: str) -> str:
    """Its place in MicroPython's image."""
    for line in (BUILT / "symbols").read_text().splitlines():
        if line.endswith(f" {name}"):
            return f"0x{line.split()[0]}"
    raise LookupError(name)


def files(firmware: Path, image: Path) -> Path:
    """The image of a Pico's file system with the files of this folder."""
    made = [
        micropython.interpreter(),
        "-X",
        "heapsize=16m",
        str(HERE / "files.py"),
        str(firmware),
        str(image),
    ]
    subprocess.run(made, check=True, timeout=60)
    return image


class FlashWrite(NamedTuple):
    """An operation of the chip's own flash: a sector that is erased (`data` is all ones then), or a page."""

    at_us: float
    place: int
    data: bytes
    erases: bool


SECTOR, PAGE = 4096, 256
FILES_AT = (2048 - 1408) * 1024
"""Where the file system begins."""


class Pico:
    """Runs from power-on; `now_us` is its time. What happened is in `answers`, `transfers`, `printed`, `resets`, `flashed`;
    `lost` bytes found the UART's FIFO full. Pins that are not `held` follow the chip's own pulls."""

    def __init__(
        self, image: Path, *, flash_waits: bool = True, held: Mapping[int, int] = SECOND_BOARD
    ) -> None:
        library = BUILT / "node_modules" / "rp2040js" / "dist" / "esm"
        self._process = subprocess.Popen(
            [
                "node",
                str(HERE / "emulator" / "chip.mjs"),
                str(library),
                str(BUILT / "rom.image"),
                str(BUILT / "micropython.image"),
                str(image),
                symbol("mp_hal_stdout_tx_strn"),
                "waits" if flash_waits else "none",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"PATH": os.environ["PATH"]},
            text=True,
        )
        self.baud = BAUD
        """At which this side speaks."""
        self.now_us = 0.0
        self.hz = self.lost = 0
        self.answers: list[Answer] = []
        self.transfers: list[Transfer] = []
        self.resets: list[float] = []
        self.flashed: list[FlashWrite] = []
        self._lit = 0
        self.read_pages: frozenset[int] = frozenset()
        """Of the file system: which pages had been read when `look` was called."""
        self.printed = ""
        self.free_us = 0.0
        """When the line is silent again, as far as this side speaks."""
        selects = [pins.SUN_SELECT, pins.MOON_SELECT]
        wires = {
            "enable": pins.DRIVER_ENABLE,
            "transmit": pins.UART_TX,
            "dataLine": pins.DISPLAY_DATA,
            "selects": selects,
        }
        self._do(wires=wires, pins=list(held.items()))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()

    def send(self, data: bytes, *, at_us: float = 0.0) -> float:
        """Onto the cable, behind what was said before; when the last stop bit is over."""
        begins_us = max(self.now_us + 1, at_us, self.free_us)
        self._do(feed=[[begins_us, data.hex(), self.baud]])
        self.free_us = begins_us + len(data) * 10e6 / self.baud
        return self.free_us

    def pin(self, number: int, level: int) -> None:
        self._do(pins=[[number, level]])

    def level(self, number: int, volts: float, *, noise_v: float = 0.0, lit_v: float = 0.0) -> None:
        """At this pin of the converter: so much, up to `noise_v` more or less, `lit_v` more for each lamp that is on."""
        steps = {"at": volts * STEPS_A_VOLT, "noise": noise_v * STEPS_A_VOLT, "lit": lit_v * STEPS_A_VOLT}
        self._do(levels={number - FIRST_ANALOGUE: {**steps, "lamps": LAMPS}})

    def lit(self) -> int:
        """How many of the lamps are."""
        self._do(lit=LAMPS)
        return self._lit

    def look(self) -> None:
        self._do(seen=True)

    def run(self, seconds: float) -> None:
        self._do(run=self.now_us + seconds * 1e6)

    def run_to(self, until_us: float, *, stop: str = "") -> None:
        """Until then, or until the end of the next event of this kind: "answer", "display", "reset"."""
        self._do(stop=stop or None, run=until_us)

    def _do(self, **command: Any) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        said = json.loads(self._process.stdout.readline())
        self.now_us, self.hz, self.lost = said["now"], said["hz"], said["lost"]
        for kind, *rest in said["events"]:
            if kind == "answer":
                self.answers.append(Answer(*rest[:4], bytes.fromhex(rest[4])))
            elif kind == "display":
                from_us, over_us, select, what, data = rest
                self.transfers.append(
                    Transfer(from_us, over_us, int(select), what == "data", bytes.fromhex(data))
                )
            elif kind == "lit":
                self._lit = len(rest)
            elif kind == "seen":
                self.read_pages = frozenset(rest)
            elif kind == "flash":
                self._note_flash(*rest)
            elif kind == "reset":
                self.resets.append(rest[0])
            else:
                self.printed += rest[0]

    def _note_flash(self, at_us: float, what: str, place: str, how: str) -> None:
        """One for each sector and each page."""
        erases = what == "erase"
        data = b"\xff" * int(how) if erases else bytes.fromhex(how)
        size = SECTOR if erases else PAGE
        for start in range(0, len(data), size):
            there = int(place) + start - FILES_AT
            self.flashed.append(FlashWrite(at_us, there, data[start : start + size], erases))


START_S = 1.6
"""From power-on to the loop, rounded up: most of it the firmware is read from the flash."""


@contextmanager
def running(
    image: Path, *, flash_waits: bool = True, held: Mapping[int, int] = SECOND_BOARD
) -> Iterator[Pico]:
    """A Pico whose firmware has begun its loop."""
    with Pico(image, flash_waits=flash_waits, held=held) as pico:
        pico.run(START_S)
        yield pico
