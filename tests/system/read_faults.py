"""Tonight's game behind every fault with which its journal can be read, in a real core."""

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pi_controller.protocol.picture import Picture
from tests.needs import program as installed
from tests.system.programs import (
    ONE_ROUND,
    cli,
    client_of,
    program,
    simulated,
    told,
    wait_for_picture,
    wait_until,
)

SHIM = Path(__file__).with_name("read_faults.c")
MOST_READS = 6
"""Core reads a short journal less often at a start."""
JOURNAL = "journal.jsonl"
WORD = "of tonight"


def empty(game: Path) -> None:
    (game / JOURNAL).write_bytes(b"")


def deleted(game: Path) -> None:
    (game / JOURNAL).unlink()


def zeros(game: Path) -> None:
    (game / JOURNAL).write_bytes(bytes((game / JOURNAL).stat().st_size))


def cut_in_line_1(game: Path) -> None:
    (game / JOURNAL).write_bytes((game / JOURNAL).read_bytes()[:100])


def a_folder(game: Path) -> None:
    deleted(game)
    (game / JOURNAL).mkdir()


def folder_gone(game: Path) -> None:
    shutil.rmtree(game)


def games_gone(game: Path) -> None:
    shutil.rmtree(game.parent)


@dataclass(frozen=True)
class Fault:
    """What is done to the game's folder, or what its reads meet."""

    name: str
    act: Callable[[Path], None] = lambda _game: None
    at: str = ""
    lasting: bool = False
    file: str = f"games/{{game}}/{JOURNAL}"
    """Whose reads, in the state folder."""

    def environment(self, shim: Path) -> dict[str, str]:
        if not self.at:
            return {}
        lasting = {"FAULT_LASTING": "1"} if self.lasting else {}
        return {"LD_PRELOAD": str(shim), "FAULT_AT": self.at, **lasting}


ON_THE_DISK = [
    Fault(act.__name__, act)
    for act in (empty, deleted, zeros, cut_in_line_1, a_folder, folder_gone, games_gone)
]
READS = [
    Fault("EIO at open", at="open"),
    *(Fault(f"EIO at read {number}", at=str(number)) for number in range(1, MOST_READS + 1)),
    *(
        Fault(f"EIO from read {number} on", at=str(number), lasting=True)
        for number in range(1, MOST_READS + 1)
    ),
]
OF_OTHERS = [
    Fault(f"{name}: EIO {when}", at=at, lasting=True, file=name)
    for name in ("heartbeat", "games/{game}/seed", "exports/{game}.json", "exports/{game}.jsonl")
    for when, at in (("at open", "open"), ("from read 1 on", "1"))
]
"""What else is read of the state folder."""
FAULTS = [*ON_THE_DISK, *READS, *OF_OTHERS]
WITHOUT = [(), ("exports",), ("heartbeat",)]
"""What else is missing: there is always one more that tells of the game."""


class Evening:
    """An ended game and tonight's, in play, as `kill -9` leaves them; with a second copy or without."""

    def __init__(self, folder: Path, *, copied: bool) -> None:
        self.folder = folder
        self.copied = copied
        state, stick = self._places(folder)
        stick.mkdir(parents=True)
        if copied:
            assert cli("pair", "new", "--state-dir", state).returncode == 0
        with program("core", *options(folder, copied=copied)) as core:
            client = client_of(state, core)
            self.older = str(client.picture().game_id)
            for command, body in (
                ("start", None),
                ("end", {"confirm": True}),
                ("arm", None),
                ("start", None),
            ):
                assert client.command(command, body).accepted, command
            wait_for_picture(client, lambda picture: picture.running)
            assert client.command("say", {"text": WORD}).accepted
            assert client.command("pause").accepted
            self.tonight = str(client.picture().game_id)
            saved = (state / "games" / self.tonight / JOURNAL).read_bytes()
            wait_until(lambda: _content(state / "exports" / f"{self.tonight}.jsonl") == saved)
            if copied:
                wait_until(lambda: _content(stick / "games" / self.tonight / JOURNAL) == saved)
            core.process.kill()
            core.left()

    @staticmethod
    def _places(folder: Path) -> tuple[Path, Path]:
        return folder / "s", folder / "stick"

    def behind(self, fault: Fault, folder: Path, shim: Path, *, without: tuple[str, ...] = ()) -> str:
        """`back`, or `named` where the game is not there and everybody is told of it. AssertionError.
        `without`: what else is missing of the state folder."""
        shutil.copytree(self.folder, folder, ignore=shutil.ignore_patterns("*.sock"))
        state, _ = self._places(folder)
        fault.act(state / "games" / self.tonight)
        for name in without:
            shutil.rmtree(state / name) if (state / name).is_dir() else (state / name).unlink()
        environment = fault.environment(shim)
        if environment:
            environment["FAULT_PATH"] = "/s/" + fault.file.format(game=self.tonight)
        with program("core", *options(folder, copied=self.copied), environment=environment) as core:
            client = client_of(state, core)
            picture = client.picture()
            listed = cli("journal", "list", "--state-dir", state, environment=environment)
            start = None if picture.game_id == self.tonight else client.command("start")
            assert core.end() == 0, core.complained.all()
        games = {line["game_id"]: line for line in map(json.loads, listed.stdout.splitlines())}
        assert listed.returncode == 0, listed.stderr
        assert self.tonight in games, "the list of the games does not name it"
        if start is None:
            _check_back(picture)
            return "back"
        assert picture.game_id != self.older, "an older game stands there in its place"
        named = [item for item in picture.health.items if self.tonight in item.text]
        assert [item.level for item in named] == ["fault"], picture.health
        assert picture.health.items[0] in named, "the display shows another trouble first"
        assert not start.accepted, "another game begins in its place, and nobody has decided so"
        assert self.tonight in start.reasons[0]
        return "named"


def _check_back(picture: Picture) -> None:
    assert (picture.round, picture.paused) == (1, True)
    assert picture.message is not None, told(picture)
    assert picture.message.text == WORD


def options(folder: Path, *, copied: bool) -> list[str | Path]:
    journal = f"[journal]\nsecond_copy = {json.dumps(str(folder / 'stick'))}\n" if copied else ""
    return simulated(folder, ONE_ROUND + journal)


def build_shim(folder: Path) -> Path:
    made = folder / "read_faults.so"
    command = [installed("cc"), "-shared", "-fPIC", "-O1", "-o", str(made), str(SHIM), "-ldl"]
    subprocess.run(command, check=True)
    return made


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""
