"""Plays the games of `tests/vectors/journals/` with the program as it is: `python -m tests.vectors.games FOLDER NAME …`.

Each folder holds the journals that the killed program left, and `picture.json`, the room picture just before. A set is
made once by a release and never again, so that all later ones are held against what was really written.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from pi_controller.protocol.client import Client
from pi_controller.protocol.picture import Picture
from tests.system.programs import client_of, program, wait_until

SPEED = "40"
"""Simulated time runs so much faster: a round of 35 s takes about 0.9 s."""
SEED = "5e" * 32
SHEET = {
    "settlements": 4,
    "cities": 5,
    "foreign_left": True,
    "foreign_right": False,
    "victory_cards": 1,
    "largest_army": True,
    "longest_route": False,
    "resources": {"grain": 2, "ore": 1, "brick": 0, "lumber": 3, "wool": 0},
}


class Evening:
    """Commands with a key each, so that `answered` lines are written too."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._count = 0

    def do(self, name: str, body: Any = None, /, **fields: Any) -> bool:
        """Whether it was accepted."""
        self._count += 1
        key = f"vector-{self._count}"
        return self._client.command(name, fields if body is None else body, key=key).accepted

    def picture(self) -> Picture:
        return self._client.picture()

    def until(self, true: Callable[[Picture], bool]) -> None:
        wait_until(lambda: true(self.picture()))

    def claim(self, board: str, side: str) -> str:
        """The claim's id."""
        assert self.do("claim", board=board, side=side)
        return str(self.picture().claims[-1].id)

    def playing(self, word: str) -> None:
        assert self.do("contribute", text=word)
        assert self.do("start")
        self.until(lambda picture: bool(picture.running))


def ready(evening: Evening) -> None:
    """Armed with a schedule and a side of its own, with a word."""
    assert evening.do("arm", first_side="moon", schedule=[{"from_round": 1, "seconds": 20}])
    assert evening.do("contribute", text="Ostra  Łódka")


def paused(evening: Evening) -> None:
    """In the fifth round, by the director; the time was changed and a message stands."""
    evening.playing("a lantern")
    for _ in range(6):
        evening.do("skip")
    assert evening.do("pause")
    assert evening.do("add_time", ms=4_321)
    assert evening.do("say", text="Back in ten minutes")
    assert not evening.do("contribute", text="too late")


def robber(evening: Evening) -> None:
    """Paused in a robber phase, the first after round 10 or later."""
    evening.playing("seven")
    while evening.picture().phase != "robber":
        evening.do("skip")
    assert evening.do("pause")


def claims(evening: Evening) -> None:
    """One claim taken back, one rejected, one judged by sheet without winning, two open at one board and another."""
    evening.playing("Three wishes")
    assert evening.do("set_claims", mode="pause")
    evening.do("skip")
    side = evening.picture().side or "sun"
    first = evening.claim("A1", side)
    assert evening.do("withdraw", claim=first)
    second = evening.claim("A2", side)
    assert evening.do("verdict", claim=second, confirmed=False)
    third = evening.claim("A3", side)
    evening.do("verdict", claim=third, sheet=SHEET | {"cities": 1})
    evening.claim("B1", side)
    evening.claim("A1", side)


def corrected(evening: Evening) -> None:
    """Undone, done again, replaced; other round lengths; an announced end."""
    evening.playing("once more")
    assert evening.do("pause")
    assert evening.do("undo")
    assert evening.do("redo")
    assert evening.do("undo", replace={"name": "add_time", "body": {"ms": 7_000}})
    assert evening.do("set_schedule", [{"from_round": 1, "seconds": 30}, {"from_round": 3, "seconds": 50.5}])
    evening.do("skip")
    evening.do("skip")
    assert evening.do("undo")
    assert evening.do("last_rounds", count=9)
    assert evening.do("pause")


def won(evening: Evening) -> None:
    """To the end by a confirmed claim, after an end that was undone."""
    evening.playing("the end")
    for _ in range(3):
        evening.do("skip")
    assert evening.do("pause")
    assert evening.do("end", confirm=True)
    assert evening.do("undo")
    assert evening.do("resume")
    evening.until(lambda picture: bool(picture.running))
    claim = evening.claim("C7", evening.picture().side or "sun")
    assert evening.do("verdict", claim=claim, sheet=SHEET)
    if evening.picture().phase != "ended":
        assert evening.do("verdict", claim=claim, confirmed=True)


def boardless(evening: Evening) -> None:
    """Of `connect` version 1: one board under two names, a press beside an open claim that is a claim of its own, and a
    winner without a board."""
    evening.playing("nobody knows")
    side = evening.picture().side or "sun"
    first, second = evening.claim("A5", side), evening.claim("a5", side)
    assert evening.do("claim")
    pressed = evening.picture().claims[-1].id
    for claim in (first, second):
        assert evening.do("withdraw", claim=claim)
    assert evening.do("verdict", claim=pressed, confirmed=True)


def ran_out(evening: Evening) -> None:
    """To the end of the announced last round, with nobody's claim; then the next game is armed."""
    evening.playing("nobody")
    assert evening.do("last_rounds", count=1)
    evening.until(lambda picture: picture.phase == "ended")


def collecting(evening: Evening) -> None:
    """After the announced last round, with two sheets in the ranking, one of them corrected, and a claim without one."""
    evening.playing("paper")
    assert evening.do("last_rounds", count=0)
    evening.until(lambda picture: picture.phase == "collecting")
    first, second = evening.claim("A1", "sun"), evening.claim("A2", "moon")
    for claim, cities in ((first, 3), (second, 2), (second, 4)):
        assert evening.do("verdict", claim=claim, sheet=SHEET | {"cities": cities})
    evening.claim("B1", "sun")


GAMES = {
    game.__name__: game
    for game in (ready, paused, robber, claims, corrected, won, boardless, ran_out, collecting)
}


def play(name: str, target: Path) -> None:
    """One game, killed at its end, and what is left of it."""
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state"
        arguments = ("core", "--hardware", "sim", "--speed", SPEED, "--seed-hex", SEED, "--state-dir", state)
        with program(*arguments) as core:
            client = client_of(state, core)
            GAMES[name](Evening(client))
            wait_until(lambda: client.picture().saved_seq == client.picture().seq)
            picture = client.picture()
            os.kill(core.pid, signal.SIGKILL)
            core.left()
        target.mkdir(parents=True)
        shutil.copytree(state / "games", target / "games")
    (target / "picture.json").write_text(
        json.dumps(to_builtins(picture), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help=f"some of {', '.join(GAMES)}; all, when none is named")
    arguments = parser.parse_args()
    for name in arguments.names or GAMES:
        play(name, arguments.folder / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
