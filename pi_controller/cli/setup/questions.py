"""The questions, as data: what is asked, what is offered, and when a question makes sense; and what the
machine shows."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_controller.cli.setup.answers import NONE, Answers

COPY_FOLDER = "pi-controller"
"""Made on the stick, so that the copy cannot land in an empty mount point when the stick is gone."""
STICK_PLACES = re.compile(r"(/media(/[^/]+){1,2}|/run/media(/[^/]+){2}|/mnt/[^/]+)\Z")
"""Where desktops, and people, mount sticks."""
PORT_FOLDERS = ("tablebus", "serial/by-id", "serial/by-path")
"""Below /dev, the best names first: those of our own udev rules, by serial number, by USB socket."""


@dataclass(frozen=True, slots=True)
class Machine:
    """`root` is the root of the file system; tests give another."""

    root: Path = Path("/")

    def ports(self) -> tuple[str, ...]:
        """Serial ports that are there, each once, by the best name that stays with the adapter."""
        best: dict[Path, str] = {}
        for folder in PORT_FOLDERS:
            for link in _entries(self.root / "dev" / folder):
                best.setdefault(link.resolve(), f"/{link.relative_to(self.root)}")
        return tuple(sorted(best.values()))

    def copy_folders(self) -> tuple[str, ...]:
        """A folder on each stick or disk that is mounted where sticks are."""
        found = (line.split(" ")[1] for line in _lines(self.root / "proc" / "mounts") if line.count(" ") >= 2)
        places = {place.replace("\\040", " ") for place in found}
        return tuple(sorted(f"{place}/{COPY_FOLDER}" for place in places if STICK_PLACES.match(place)))

    def is_pi(self) -> bool:
        return "Raspberry Pi" in "".join(_lines(self.root / "proc" / "device-tree" / "model"))


def _entries(folder: Path) -> Iterable[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else ()


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []


@dataclass(frozen=True, slots=True)
class Option:
    """An answer that is offered; `label` says what it means."""

    value: Any
    label: str


@dataclass(frozen=True, slots=True)
class Question:
    """`name` is the field of `Answers`; with `free` another text than those offered may be typed."""

    name: str
    text: str
    options: tuple[Option, ...] = ()
    free: bool = False
    applies: Callable[[Answers], bool] = lambda _answers: True


YES_NO = (Option(value=True, label="yes"), Option(value=False, label="no"))


def questions(machine: Machine, *, paired: bool, core_answers: bool) -> tuple[Question, ...]:
    """All but the one for the segments, which comes after `sound` and asks port by port."""
    pin = (
        Option("display", "show a new one on the controller's display now"),
        Option("terminal", "print a new one here now"),
        Option("keep", "leave it as it is"),
    )
    return (
        *panel_questions(),
        Question(
            "second_copy",
            "A stick that keeps a second copy of each game, for the spare controller",
            (*_copies(machine), Option(NONE, "none")),
            free=True,
        ),
        Question(
            "pair",
            "The copy holds the dice's seed only for a controller with the same pairing key. Make a key now?"
            " (No, if the other controller has one: bring it here with `pi-controller pair import`.)",
            YES_NO,
            applies=lambda answers: answers.second_copy != NONE and not paired,
        ),
        Question(
            "reach",
            "Who can open the pages",
            (Option("network", "every device on the same network"), Option("this", "only this computer")),
        ),
        Question("port", "Port of the pages", free=True),
        Question("pin", "PIN for director and technician", pin if core_answers else pin[1:]),
    )


def panel_questions() -> tuple[Question, ...]:
    """Those about what is wired, and the hall's name."""
    return (
        Question("hall", "Name of the hall (- for none)", free=True),
        Question(
            "panel",
            "Lamps, buzzer and pause button",
            (Option("real", "wired to this computer"), Option("simulated", "simulated, on the screen")),
        ),
        Question(
            "button",
            "Contacts of the big pause button",
            (Option("nc_no", "both, NC and NO: a broken wire is noticed"), Option("no", "only NO")),
        ),
        Question("buzzer", "May the buzzer sound?", YES_NO),
        Question(
            "display",
            "Local display",
            (
                Option("none", "not fitted"),
                Option("i2c", "on I2C (4 wires)"),
                Option("spi", "on SPI (7 wires)"),
            ),
        ),
        Question(
            "controller",
            "Chip of the local display",
            (Option("ssd1306", "SSD1306"), Option("ssd1309", "SSD1309"), Option("sh1106", "SH1106")),
            applies=lambda answers: answers.display != "none",
        ),
        Question(
            "address",
            "Address of the local display",
            (Option(0x3C, "0x3C"), Option(0x3D, "0x3D")),
            applies=lambda answers: answers.display == "i2c",
        ),
        Question("shutdown_button", "Is a button wired that switches this computer off?", YES_NO),
        Question(
            "sound",
            "Loudspeaker at this computer",
            (Option(NONE, "not fitted"), Option("default", "the first sound device")),
            free=True,
        ),
    )


def _copies(machine: Machine) -> tuple[Option, ...]:
    return tuple(Option(folder, "is plugged in now") for folder in machine.copy_folders())
