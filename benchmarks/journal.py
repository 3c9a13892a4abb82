"""A long journal: how long a game of many lines takes to be restored, and an undo at its end.

The game is played by the rules at once and written as core writes it.
"""

import random
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from pi_controller.bench import figures
from pi_controller.bench.figures import Figure, limits, summary
from pi_controller.bench.processes import BenchError
from pi_controller.core.game_loop.opening import header
from pi_controller.core.game_loop.pending import KeptAnswer, fingerprint
from pi_controller.core.game_loop.recovery import restore
from pi_controller.game.commands import (
    NAMES,
    AddTime,
    Claim,
    Command,
    Pause,
    Press,
    Redo,
    Resume,
    Say,
    Start,
    Undo,
    Verdict,
)
from pi_controller.game.events import Event
from pi_controller.game.game import Game, apply, decide, new_game, tick
from pi_controller.game.rule_sets import CONNECT
from pi_controller.hal.system.kernel import SystemClock
from pi_controller.journal.record import FIRST_PREV, FORMAT, encode, encode_event, seal
from pi_controller.journal.store import Store, segment_name
from pi_controller.vocabulary import SIDES

SECOND = 1_000_000_000
SEED = bytes(range(32))
RESTORE_S_A_LINE = 30e-6
"""0.3 s for 10,000 lines, 3 s for 100,000."""
UNDO_MS = 10.0

ACTIONS: tuple[Callable[[random.Random], tuple[Command, ...]], ...] = (
    lambda _: (Pause(), Resume(override=True)),
    lambda _: (Press(), Resume(override=True)),
    lambda chance: (AddTime(chance.randrange(-2000, 4000)),),
    lambda _: (AddTime(1000), Undo()),
    lambda _: (AddTime(1000), Undo(AddTime(2000)), Redo()),
    lambda chance: (Say(f"Table {chance.randrange(200)}: please wait for the judge", 20.0),),
    lambda chance: (Claim(f"{chance.randrange(100)}", chance.choice(SIDES)),),
)
"""What an evening's commands are, in bursts a few seconds apart."""


class LongGame:
    """`play` until the journal has so many lines; then `write` it, and `game` is what it folds to."""

    def __init__(self) -> None:
        clock = SystemClock()
        self._boot_id, self._wall = clock.boot_id, clock.wall()
        self._chance = random.Random(1)  # noqa: S311 - the same game each time
        self.lines: list[bytes] = []
        self._head = FIRST_PREV
        self._keys = 0
        self.now_ns = 1000 * SECOND
        self.game: Game = new_game("20261120-183005-ab12", CONNECT, SEED)
        self._line("game", {**header(self.game), "format": FORMAT, "game_id": self.game.game_id})
        self._do(Start())

    def play(self, *, lines: int = 0, actions: int = 0) -> None:
        """Until there are at least so many of both; the clock stands still then."""
        while len(self.lines) < lines or len(self.game.actions) < actions:
            self._wait(self._chance.randrange(1, 8) * SECOND)
            for command in self._chance.choice(ACTIONS)(self._chance):
                self._do(command)
                self._wait(self._chance.randrange(200, 4000) * 1_000_000)
            for claim in self.game.state.claims.open[:1]:
                self._do(Verdict(claim.id, confirmed=False))
        if lines:
            del self.lines[lines:]

    def write(self, state_dir: Path) -> Path:
        """The game's folder in this state folder."""
        store = Store(state_dir)
        store.prepare()
        folder = store.create_game(self.game.game_id, SEED)
        (folder / segment_name(1)).write_bytes(b"".join(self.lines))
        return folder

    def _wait(self, ns: int) -> None:
        self.now_ns += ns
        self._take(tick(self.game, self.now_ns))

    def _take(self, events: tuple[Event, ...], after: Game | None = None) -> None:
        for event in events:
            self.game = apply(self.game, event) if after is None else self.game
            self._line(*encode_event(event))
        self.game = after or self.game

    def _do(self, command: Command) -> None:
        at_ns = self.now_ns
        source = "table" if isinstance(command, Claim) else "web"
        decision = decide(self.game, command, at_ns=at_ns, now_ns=at_ns, source=source)
        self._take(decision.events, decision.game)
        self._keys += 1
        kept = KeptAnswer(
            fingerprint(NAMES[type(command)], self._keys), not decision.reasons, decision.reasons
        )
        self._line("answered", kept.data(f"0f0e0d0c-1111-4222-8333-{self._keys:012}"))

    def _line(self, kind: str, data: dict[str, object]) -> None:
        record = seal(
            kind,
            data,
            seq=len(self.lines),
            game_ns=self.now_ns,
            boot_ns=self.now_ns,
            boot_id=self._boot_id,
            wall=self._wall,
            prev=self._head,
        )
        self._head = record.hash
        self.lines.append(encode(record))


def long(
    *, lines: tuple[int, ...], restores: int, actions: int, undos: int, folder: Path, say: figures.Say
) -> list[Figure]:
    """Restores of games with so many lines of journal; undos after so many actions."""
    found = []
    for count in lines:
        say(f"journal.long: plays a game of {count} lines and restores it {restores} times")
        game = LongGame()
        game.play(lines=count)
        found.append(_restore_figure(game, restores, folder))
    say(f"journal.long: plays a game of {actions} actions for {undos} undos")
    game = LongGame()
    game.play(actions=actions)
    return [*found, _undo_figure(game, undos)]


def _restore_figure(game: LongGame, restores: int, folder: Path) -> Figure:
    took, floor = [], []
    count = len(game.lines)
    state_dir = folder / str(count)
    path = game.write(state_dir) / segment_name(1)
    for _ in range(restores):
        begun = time.process_time()
        restored = restore(state_dir, Store(state_dir), second_copy=None, boot_ns=0, boot_id="bench", wall="")
        took.append(time.process_time() - begun)
        if restored is None or len(restored.recovered.records) != count:
            raise BenchError(f"The game of {count} lines did not come back.")
        begun = time.process_time()
        for each in path.read_bytes().splitlines():
            msgspec.json.decode(each)
        floor.append(time.process_time() - begun)
    return Figure(
        name=f"journal.long.restore.{count}",
        what=f"processor for a game of {count} lines: read, verified, read back and folded",
        unit="s",
        measured=summary(took),
        floor=summary(floor),
        floor_is="the file read and each line decoded as JSON",
        limits=limits(p50=RESTORE_S_A_LINE * count),
    )


def _undo_figure(played: LongGame, undos: int) -> Figure:
    took = []
    game, now_ns = played.game, played.now_ns
    for number in range(undos):
        done = decide(game, AddTime(1000 + number), at_ns=now_ns, now_ns=now_ns, source="web")
        for event in done.events:
            game = apply(game, event)
        begun = time.process_time()
        undone = decide(game, Undo(), at_ns=now_ns, now_ns=now_ns, source="web")
        took.append((time.process_time() - begun) * 1000)
        if undone.game is None:
            raise BenchError(f"The undo was refused: {undone.reasons}")
        game = undone.game
    return Figure(
        name="journal.long.undo",
        what=f"processor for an undo after {len(game.actions)} actions",
        unit="ms",
        measured=summary(took),
        limits=limits(max=UNDO_MS),
    )
