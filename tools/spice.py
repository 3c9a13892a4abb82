"""Limits of the measuring sheets by computation: `python -m tools.spice [--boards N] [DECK …]`.

Each deck of hardware/spice/ is a circuit for ngspice whose comments carry tolerances and limits:

    .param r8=22k ; 1.25 % : source             spread around the value
    .param vz=9.1 ; 8.92 to 9.28 : source       spread between two values
    .param rload=33 ; fixed : source            the same on every board
    *limit v_on 11 13 V : node 4 : what it is   a measure of the .control block, its limits, sheet and step

A limit of `-` is none; a sheet of `-` stands in no measuring sheet. ngspice computes a deck for many boards,
each with values of its own. hardware/spice/results.toml keeps what came out, and the run fails when a limit
holds for fewer than 99.9 % of the boards.
"""

import argparse
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from tools.verdict import verdict

FOLDER = Path(__file__).parents[1] / "hardware" / "spice"
BOARDS = 10_000
BATCH = 250
WANTED = 0.999
RESULTS = FOLDER / "results.toml"
UNITS = {
    "V": 1, "mV": 1e-3, "A": 1, "mA": 1e-3, "Ω": 1, "kΩ": 1e3, "s": 1, "ms": 1e-3,
    "W": 1, "mW": 1e-3, "kHz": 1e3, "dB": 1, "°C": 1,
}  # fmt: skip
_SUFFIXES = {"meg": 1e6, "k": 1e3, "": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12}
_NUMBER = re.compile(r"(-?[\d.]+(?:e-?\d+)?)(meg|[kmunp]?)")
_PARAM = re.compile(r"^\.param (\w+)=(\S+) ; (?:([\d.]+) %|(\S+) to (\S+)|fixed) : .+$")
_LIMIT = re.compile(r"^\*limit (\w+) (\S+) (\S+) (\S+) : (?:-|(\w+) (\d+)) : (.+)$")
_PART = re.compile(r"(?ms)^(?=\[(\w+)\]\n)(\[.*?)(?=^\[\w+\]\n|\Z)")
_LINE = re.compile(r"^BOARD (\d+) (\S+) (\S+)$", re.MULTILINE)


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
    """A value with the range in which it lies on a real board."""

    value: float
    spread: tuple[float, float]

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
    name, given, percent, low, high = match.groups()
    value = number(given)
    if percent:
        part = abs(value) * float(percent) / 100
        spread = (value - part, value + part)
    else:
        spread = (number(low), number(high)) if low else (value, value)
    if not spread[0] <= value <= spread[1]:
        raise ValueError(f"{name} is outside its own spread")
    return name, Param(value, spread)


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


class SpiceError(Exception):
    """ngspice is missing or computed nothing; the message says what to do."""


Values = dict[str, float]


def boards(deck: Deck, count: int) -> list[Values]:
    """Parameters of `count` boards; the same for the same deck and count."""
    rng = random.Random(deck.name)  # noqa: S311  (a draw of tolerances, no secret)
    return [
        {name: rng.uniform(*part.spread) for name, part in deck.params.items() if part.varies}
        for _ in range(count)
    ]


def simulate(deck: Deck, drawn: list[Values]) -> list[Values]:
    """The measures of each board, by name; a measure that did not come about is left out."""
    batches = [drawn[start : start + BATCH] for start in range(0, len(drawn), BATCH)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [found for batch in pool.map(lambda part: _batch(deck, part), batches) for found in batch]


def _batch(deck: Deck, drawn: list[Values]) -> list[Values]:
    names = {limit.measure for limit in deck.limits}
    lines = [deck.circuit, ".control"]
    for number, values in enumerate(drawn):
        lines += [f"alterparam {name} = {value:.8g}" for name, value in values.items()]
        lines += ["reset", f"option temp={values.get('celsius', 25):.6g}", *deck.commands]
        lines += [f"echo BOARD {number} {name} $&{name}" for name in sorted(names)]
        lines += ["destroy all"]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "boards.cir")
        path.write_text("\n".join([*lines, "quit", ".endc", ".end", ""]), encoding="utf-8")
        said = _ngspice(path)
    found: list[Values] = [{} for _ in drawn]
    for number, name, value in _LINE.findall(said):
        try:
            found[int(number)][name] = float(value)
        except ValueError:
            continue  # the measure did not come about, and ngspice printed its name instead
    if not any(found):
        raise SpiceError(f"ngspice computed nothing for {deck.name}: {said.strip()[-600:]}")
    return found


def _ngspice(path: Path) -> str:
    try:
        run = subprocess.run(["ngspice", "-b", path], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise SpiceError("ngspice is not installed; run: make packages") from None
    return run.stdout + run.stderr


def inside(limit: Limit, found: list[Values]) -> float:
    """Share of boards within `limit`; a missing measure is outside."""
    good = sum(limit.holds(board.get(limit.measure, math.nan)) for board in found)
    return good / len(found)


def row(deck: Deck, limit: Limit, found: list[Values]) -> str:
    """The block of results.toml for one limit."""
    values = sorted(board[limit.measure] / limit.scale for board in found if limit.measure in board)
    low, middle, high = (values[round(part * (len(values) - 1))] for part in (0, 0.5, 1))
    return (
        f'[{deck.name}.{limit.measure}]\nlimits = "{limit.said}"\nlowest = {low:.4g}\nmedian = {middle:.4g}\n'
        f"highest = {high:.4g}\ninside = {inside(limit, found)}\n"
    )


def judge(deck: Deck, found: list[Values]) -> tuple[str, list[str]]:
    """The deck's part of results.toml, and a sentence for each limit that does not hold."""
    parts = [f'[{deck.name}]\ndigest = "{deck.digest}"\nboards = {len(found)}\n']
    faults = []
    for limit in deck.limits:
        if not any(limit.measure in board for board in found):
            raise SpiceError(f"{deck.name}: no board has {limit.measure}; look at the deck's .control block.")
        parts.append(row(deck, limit, found))
        share = inside(limit, found)
        shown = "  ".join(parts[-1].replace(" = ", " ").splitlines()[2:])
        print(f"{deck.name:18} {limit.measure:11} {limit.said:20} {shown}", flush=True)
        if share < WANTED:
            faults.append(f"{deck.name}: {limit.measure} is {limit.said} on {share:.2%} of the boards only.")
    return "\n".join(parts), faults


def keep(name: str, text: str, names: list[str]) -> None:
    """Puts a deck's `text` into results.toml in place of what it said before; `names` are all decks."""
    old = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    every = dict(_PART.findall(old)) | {name: text}
    parts = [every[other].rstrip("\n") + "\n" for other in names if other in every]
    RESULTS.write_text("\n".join(["# Generated by `make spice`.\n", *parts]), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="spice", description="Computes the limits of the measuring sheets.")
    parser.add_argument(
        "names", nargs="*", metavar="DECK", help="decks of hardware/spice; all of them if none"
    )
    parser.add_argument("--boards", type=int, default=BOARDS, help=f"boards for each deck (default {BOARDS})")
    given = parser.parse_args()

    def run() -> Iterator[str]:
        known = decks()
        unknown = [name for name in given.names if name not in known]
        if unknown:
            parser.error(f"{unknown[0]} is no deck; the decks are {', '.join(known)}")
        for name in given.names or known:
            yield from compute(known[name], given.boards, list(known))

    return verdict(run, DeckError, SpiceError)


def compute(deck: Deck, count: int, names: list[str]) -> list[str]:
    """A sentence for each limit that does not hold; results of a whole run without any are kept."""
    text, faults = judge(deck, simulate(deck, boards(deck, count)))
    if count == BOARDS and not faults:
        keep(deck.name, text, names)
    return faults


if __name__ == "__main__":
    sys.exit(main())
