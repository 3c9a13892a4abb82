"""Limits of the measuring sheets by computation: `python -m tools.spice [--boards N] [DECK …]`.

Each deck of hardware/spice/ is a circuit with tolerances and limits (tools/spice_decks.py reads it). ngspice
computes it for many boards, each with values of its own. hardware/spice/results.toml keeps what came out,
and the run fails when a limit holds for fewer than 99.9 % of the boards.
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
from pathlib import Path

from tools.spice_decks import FOLDER, Deck, DeckError, Limit, decks
from tools.verdict import verdict

BOARDS = 10_000
BATCH = 250
WANTED = 0.999
RESULTS = FOLDER / "results.toml"
_PART = re.compile(r"(?ms)^(?=\[(\w+)\]\n)(\[.*?)(?=^\[\w+\]\n|\Z)")
_LINE = re.compile(r"^BOARD (\d+) (\S+) (\S+)$", re.MULTILINE)


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
        text = row(deck, limit, found)
        parts.append(text)
        share = inside(limit, found)
        print(f"{deck.name:18} {limit.measure:11} {limit.said:20} {_numbers(text)}", flush=True)
        if share < WANTED:
            faults.append(f"{deck.name}: {limit.measure} is {limit.said} on {share:.2%} of the boards only.")
    return "\n".join(parts), faults


def keep(name: str, text: str, names: list[str]) -> None:
    """Puts a deck's `text` into results.toml in place of what it said before; `names` are all decks."""
    old = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    every = dict(_PART.findall(old)) | {name: text}
    parts = [every[other].rstrip("\n") + "\n" for other in names if other in every]
    RESULTS.write_text("\n".join(["# Generated by `make spice`.\n", *parts]), encoding="utf-8")


def _numbers(text: str) -> str:
    return "  ".join(line.replace(" = ", " ") for line in text.splitlines()[2:])


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
