"""Earlier games over the control socket, for scripts: read by one thread at a time, whoever asks."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from pi_controller.core.runtime.threads import Threads
from pi_controller.journal.export_files import GameSummary
from pi_controller.protocol.answer_types import ExportLinesAnswer, GamesAnswer
from pi_controller.protocol.messages import AskExportLines, AskGames, encode, encode_error
from pi_controller.protocol.server import Client, Later
from pi_controller.sentence import Sentence, said_by

LINES_AT_ONCE = 200
"""About 100 KB: an answer stays well below the protocol's longest line."""
MOST_WAITING = 16
BUSY = Sentence("archive.busy")
BROKEN_OFF = Sentence("archive.broken_off")
"""Told when the reading ends with a defect of this program."""

Reading = AskGames | AskExportLines


@dataclass(frozen=True, slots=True)
class Archive:
    """Readers of the state folder; they block, so they are called on a thread of their own."""

    games: Callable[[], list[GameSummary]]
    lines: Callable[[str], list[str]]
    errors: tuple[type[Exception], ...]


class ArchiveRequests:
    """Answers in the order of asking. Called on the loop only."""

    def __init__(self, archive: Archive, threads: Threads) -> None:
        self._archive = archive
        self._threads = threads
        self._waiting: deque[tuple[Later, Reading]] = deque()
        self._begun: tuple[str, list[str]] | None = None
        """A game of which further parts will be asked for: it is not read again for each."""

    def answer(self, client: Client, request: Reading) -> None:
        if len(self._waiting) >= MOST_WAITING:
            client.send(encode_error(request.id, BUSY, request.language))
            return
        self._waiting.append((client.begin(request), request))
        if len(self._waiting) == 1:
            self._next()

    def _next(self) -> None:
        _, request = self._waiting[0]

        def work() -> None:
            line = encode_error(request.id, BROKEN_OFF, request.language)
            try:
                line = self._read(request)
            except self._archive.errors as error:
                line = encode_error(request.id, said_by(error), request.language)
            finally:
                self._threads.call_on_loop(lambda: self._done(line))

        self._threads.run_in_thread(work, "reads the journal")

    def _done(self, line: bytes) -> None:
        later, _ = self._waiting.popleft()
        later.send(line)
        if self._waiting:
            self._next()

    def _read(self, request: Reading) -> bytes:
        """On the thread."""
        if isinstance(request, AskGames):
            return encode(GamesAnswer(id=request.id, games=self._archive.games()))
        begun, self._begun = self._begun, None
        if begun is None or begun[0] != request.game or not 0 < request.first < len(begun[1]):
            begun = (request.game, self._archive.lines(request.game))
        lines = begun[1]
        part = lines[request.first : request.first + LINES_AT_ONCE]
        more = request.first + len(part) < len(lines)
        if more:
            self._begun = begun
        return encode(ExportLinesAnswer(id=request.id, lines=part, more=more))
