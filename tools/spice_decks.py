"""The decks of hardware/spice/: a circuit for ngspice whose comments carry tolerances and limits.

    .param r8=22k ; 1.25 % : source             spread around the value
    .param vz=9.1 ; 8.92 to 9.28 : source       spread between two values
    .param rload=33 ; fixed : source            the same on every board
    *limit v_on 11 13 V : node 4 : what it is   a measure of the .control block, its limits, sheet and step

A limit of `-` is none; a sheet of `-` stands in no measuring sheet.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "hardware" / "spice"
UNITS = {
    "V": 1, "mV": 1e-3, "A": 1, "mA": 1e-3, "Ω": 1, "kΩ": 1e3, "s": 1, "ms": 1e-3,
    "W": 1, "mW": 1e-3, "kHz": 1e3, "dB": 1, "°C": 1,
}  # fmt: skip
_SUFFIXES = {"meg": 1e6, "k": 1e3, "": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12}
_NUMBER = re.compile(r"(-?[\d.]+(?:e-?\d+)?)(meg|[kmunp]?)")
_PARAM = re.compile(r"^\.param (\w+)=(\S+) ; (?:([\d.]+) %|(\S+) to (\S+)|fixed) : (.+)$")
_LIMIT = re.compile(r"^\*limit (\w+) (\S+) (\S+) (\S+) : (?:-|(\w+) (\d+)) : (.+)$")


class DeckError(Exception):
    """A deck breaks the form; the message names file and line."""


def number(text: str) -> float:
    """`4.7k` as ngspice reads it. Raises ValueError."""
    match = _NUMBER.fullmatch(text.lower())
    if not match:
        raise ValueError(f"{text} is no number")
    return float(match[1]) * _SUFFIXES[match[2]]


@dataclass(frozen=True)
class Param:
    """A value with the range in which it lies on a real board, and where that range comes from."""

    value: float
    spread: tuple[float, float]
    source: str

    @property
    def varies(self) -> bool:
        return self.spread[0] < self.spread[1]


@dataclass(frozen=True)
class Limit:
    """What a measure must lie between, in `unit`; sheet and step that ask for it."""

    measure: str
    low: float | None
    high: float | None
    unit: str
    sheet: str | None
    step: int | None
    text: str

    @property
    def scale(self) -> float:
        return UNITS[self.unit]

    @property
    def said(self) -> str:
        """As a measuring sheet writes it."""
        if self.low is None:
            return f"below {self.high:g} {self.unit}"
        if self.high is None:
            return f"above {self.low:g} {self.unit}"
        return f"{self.low:g} to {self.high:g} {self.unit}"

    def holds(self, value: float) -> bool:
        """False also for a value that is not a number."""
        shown = value / self.scale
        above = shown >= self.low if self.low is not None else shown == shown  # noqa: PLR0124  (not a number)
        return above and (self.high is None or shown <= self.high)


@dataclass(frozen=True)
class Deck:
    """One file of hardware/spice/."""

    name: str
    text: str
    params: dict[str, Param]
    limits: tuple[Limit, ...]

    @property
    def circuit(self) -> str:
        return self.text.partition("\n.control\n")[0]

    @property
    def commands(self) -> list[str]:
        return self.text.partition("\n.control\n")[2].partition("\n.endc")[0].splitlines()

    @cached_property
    def digest(self) -> str:
        """Changes with the deck: tells results that are older than it."""
        return sha256(self.text.encode()).hexdigest()[:16]


def read(path: Path) -> Deck:
    """Raises DeckError."""
    text = path.read_text(encoding="utf-8")
    params: dict[str, Param] = {}
    limits = []
    for count, line in enumerate(text.splitlines(), 1):
        try:
            if line.startswith(".param"):
                name, param = _param(line)
                params[name] = param
            elif line.startswith("*limit"):
                limits.append(_limit(line))
        except ValueError as error:
            raise DeckError(f"{path.name}, line {count}: {error}") from error
    if not limits:
        raise DeckError(f"{path.name}: no limit; without one nothing is judged.")
    if "\n.control\n" not in text:
        raise DeckError(f"{path.name}: no .control block; nothing would be computed.")
    return Deck(path.stem, text, params, tuple(limits))


def _param(line: str) -> tuple[str, Param]:
    match = _PARAM.match(line)
    if not match:
        raise ValueError(
            "a parameter is written `.param name=value ; 1 % : source`, or `low to high`, or `fixed`"
        )
    name, given, percent, low, high, source = match.groups()
    value = number(given)
    if percent:
        part = abs(value) * float(percent) / 100
        spread = (value - part, value + part)
    else:
        spread = (number(low), number(high)) if low else (value, value)
    if not spread[0] <= value <= spread[1]:
        raise ValueError(f"{name} is outside its own spread")
    return name, Param(value, spread, source)


def _limit(line: str) -> Limit:
    match = _LIMIT.match(line)
    if not match:
        raise ValueError("a limit is written `*limit measure low high unit : sheet step : text`")
    measure, low, high, unit, sheet, step, text = match.groups()
    if unit not in UNITS:
        raise ValueError(f"{unit} is no unit of a limit; they are {', '.join(UNITS)}")
    bounds = [None if bound == "-" else float(bound) for bound in (low, high)]
    if bounds == [None, None]:
        raise ValueError(f"{measure} has no limit at all")
    return Limit(measure, *bounds, unit, sheet, int(step) if step else None, text)


def decks() -> dict[str, Deck]:
    """All of them, by name. Raises DeckError."""
    return {path.stem: read(path) for path in sorted(FOLDER.glob("*.cir"))}
