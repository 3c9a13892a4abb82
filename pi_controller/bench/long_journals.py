"""How long a start takes to read a long game back, and an undo at its end."""

import tempfile
import time
from pathlib import Path

import msgspec

from pi_controller.bench.figures import Figure, Say, limits, summary
from pi_controller.bench.hall import BenchError
from pi_controller.bench.long_game import LongGame
from pi_controller.core.recovery import restore
from pi_controller.game.commands import AddTime, Undo
from pi_controller.game.game import apply, decide
from pi_controller.journal.store import Store, segment_name

RESTORE_S_A_LINE = 30e-6
"""0.3 s for 10,000 lines, 3 s for 100,000."""

UNDO_MS = 10.0


def long(
    *, lines: tuple[int, ...], restores: int, actions: int, undos: int, folder: Path | None, say: Say
) -> list[Figure]:
    """Restores of games with so many lines of journal; undos after so many actions."""
    figures = []
    for count in lines:
        say(f"long: plays a game of {count} lines and restores it {restores} times")
        game = LongGame()
        game.play(lines=count)
        figures.append(_restore_figure(game, restores, folder))
    say(f"long: plays a game of {actions} actions for {undos} undos")
    game = LongGame()
    game.play(actions=actions)
    return [*figures, _undo_figure(game, undos)]


def _restore_figure(game: LongGame, restores: int, folder: Path | None) -> Figure:
    took, floor = [], []
    count = len(game.lines)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=folder) as name:
        state_dir = Path(name)
        path = game.write(state_dir) / segment_name(1)
        for _ in range(restores):
            begun = time.process_time()
            restored = restore(
                state_dir, Store(state_dir), second_copy=None, boot_ns=0, boot_id="bench", wall=""
            )
            took.append(time.process_time() - begun)
            if restored is None or len(restored.recovered.records) != count:
                raise BenchError(f"The game of {count} lines did not come back.")
            begun = time.process_time()
            for line in path.read_bytes().splitlines():
                msgspec.json.decode(line)
            floor.append(time.process_time() - begun)
    return Figure(
        name=f"long.restore.{count}",
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
        name="long.undo",
        what=f"processor for an undo after {len(game.actions)} actions",
        unit="ms",
        measured=summary(took),
        limits=limits(max=UNDO_MS),
    )
