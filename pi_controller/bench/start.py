"""How long a start takes, with an empty state folder and with a game to come back to.

Modules are compiled, as those of an installed program are: kept in a folder of the benchmark, since the
environment may forbid to keep them beside the sources.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pi_controller.bench.figures import Figure, Say, limits, summary
from pi_controller.bench.processes import answers, ask, page, port_of, product
from pi_controller.protocol.client import Client
from pi_controller.protocol.paths import socket_path

FAST = 500
"""So many times as fast is the game whose journal a start reads back: 40 rounds in 4 s."""


@dataclass(frozen=True)
class _Kind:
    """What is started, and what it is compared with."""

    name: str
    what: str
    statement: str
    at_most_s: float
    measure: Callable[[Path], float]


def start(*, starts: int, rounds: int, folder: Path, say: Say) -> list[Figure]:
    """Core alone to its first answer, and `run` to the first page; each with an empty state folder and with
    the journal of so many rounds."""
    kinds = (
        _Kind("core", "`core` to its first answer", "import asyncio, msgspec", 0.25, _core_start_s),
        _Kind("page", "`run` to the first page", "import asyncio, msgspec, aiohttp.web", 0.6, _page_start_s),
    )
    figures, played = [], folder / "played"
    with compiled(folder / "compiled"):
        say(f"start: plays {rounds} rounds for a journal to come back to")
        play(played, rounds)
        _page_start_s(folder / "first")
        for kind in kinds:
            for state, before in (("fresh", None), ("recovery", played)):
                say(f"start: {starts} starts, {kind.what}, {state}")
                figures.append(_figure(kind, state, folder, starts=starts, before=before))
    return figures


@contextlib.contextmanager
def compiled(folder: Path) -> Iterator[None]:
    """Programs that are started meanwhile keep their compiled modules in this folder, and find them there."""
    before = {name: os.environ.pop(name, None) for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")}
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder)
    try:
        yield
    finally:
        del os.environ["PYTHONPYCACHEPREFIX"]
        os.environ.update({name: value for name, value in before.items() if value is not None})


def play(state_dir: Path, rounds: int) -> None:
    """Leave the journal of a game that was ended, as by a power switch, after so many rounds."""
    with product("core", state_dir, f"--speed={FAST}") as core:
        answers(state_dir, core)
        client = Client(socket_path(state_dir))
        ask(client, "start")
        for news in client.watch():
            if news.picture is not None and news.picture.round > rounds:
                return


def _figure(kind: _Kind, state: str, place: Path, *, starts: int, before: Path | None) -> Figure:
    took, floor = [], []
    subprocess.run([sys.executable, "-c", kind.statement], check=True)
    for number in range(starts):
        state_dir = place / f"{kind.name}-{state}-{number}"
        if before is not None:
            shutil.copytree(before, state_dir)
        took.append(kind.measure(state_dir))
        shutil.rmtree(state_dir)
        begun = time.monotonic()
        subprocess.run([sys.executable, "-c", kind.statement], check=True)
        floor.append(time.monotonic() - begun)
    return Figure(
        name=f"start.{kind.name}.{state}",
        what=f"from the start of {kind.what}; best {min(took):.3f} s",
        unit="s",
        measured=summary(took),
        floor=summary(floor),
        floor_is=f'python -c "{kind.statement}"',
        limits=limits(p50=kind.at_most_s),
    )


def _core_start_s(state_dir: Path) -> float:
    begun = time.monotonic()
    with product("core", state_dir) as core:
        answers(state_dir, core)
        return time.monotonic() - begun


def _page_start_s(state_dir: Path) -> float:
    begun = time.monotonic()
    with product("run", state_dir, "--port=0") as run:
        page(port_of(run))
        return time.monotonic() - begun
