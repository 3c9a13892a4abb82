"""What the journal's threads report, brought to the game loop."""

from collections.abc import Callable

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.runtime.threads import Threads
from pi_controller.journal.errors import Part, Trouble

PAUSING: dict[Part, str] = {"journal": "journal file", "space": "space kept back"}
"""Warnings at which play stops until the director has seen them, and their parts in the health."""


class JournalNews:
    """The callbacks of journal writer and heartbeat writer; called on their threads. Before there is a game,
    nobody is told."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._loops: list[GameLoop] = []

    def tell(self, loop: GameLoop) -> None:
        """Tell it from now on."""
        self._loops.append(loop)

    def saved(self, tag: int, head: str) -> None:
        self._on_loop(lambda loop: loop.saves.saved(tag, head))

    def trouble(self, trouble: Trouble) -> None:
        def tell(loop: GameLoop) -> None:
            if trouble.part == "journal" and trouble.fatal:
                loop.saves.troubled(trouble.sentence)
            elif trouble.part in PAUSING:
                loop.fault(PAUSING[trouble.part], trouble.sentence, "warning")
            else:
                loop.report(trouble.part, "warning", trouble.sentence)

        self._on_loop(tell)

    def mended(self, part: Part) -> None:
        def tell(loop: GameLoop) -> None:
            if part == "journal":
                loop.saves.troubled(None)
            else:
                loop.report(PAUSING.get(part, part), "warning", None)

        self._on_loop(tell)

    def _on_loop(self, act: Callable[[GameLoop], None]) -> None:
        def tell() -> None:
            for loop in self._loops:
                act(loop)

        self._threads.call_on_loop(tell)
