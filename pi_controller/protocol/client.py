"""Blocking client of the control socket, for the command line."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from pi_controller.protocol import messages, refusal
from pi_controller.protocol.errors import CoreTrouble, NoCore
from pi_controller.protocol.messages import ChangeAnswer, CommandAnswer, News, Request
from pi_controller.protocol.tables import TableDeed

DEFAULT_TIMEOUT_S = 10.0
"""Longer than the journal's own deadline, so that core tells of a stalled disk before the asker gives up."""

AnswerT = TypeVar("AnswerT")


class Client:
    """Each question opens a connection of its own, so that a restart of core between two goes unnoticed.

    All methods raise NoCore when nobody answers, Malformed and CoreTrouble with core's own sentence.
    """

    def __init__(self, path: Path, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> None:
        self._path = path
        self._timeout_s = timeout_s

    def picture(self) -> dict[str, Any]:
        return self.ask(messages.AskPicture(), messages.PictureAnswer).picture

    def command(
        self, name: str, body: object = None, *, source: str = "cli", key: str | None = None
    ) -> CommandAnswer:
        asked = messages.AskCommand(name=name, body=body, source=source, key=key)
        return self.ask(asked, CommandAnswer)

    def games(self) -> list[dict[str, Any]]:
        return self.ask(messages.AskGames(), messages.GamesAnswer).games

    def metrics(self) -> dict[str, float | dict[str, float]]:
        return self.ask(messages.AskMetrics(), messages.MetricsAnswer).metrics

    def tables(self) -> dict[str, Any]:
        """The table nodes, as `control.tables.TablesSnapshot`."""
        return self.ask(messages.AskTables(), messages.TablesAnswer).tables

    def roster(self) -> dict[str, Any]:
        return self.ask(messages.AskRoster(), messages.RosterAnswer).roster

    def set_roster(self, roster: Any) -> ChangeAnswer:
        return self.ask(messages.AskSetRoster(roster=roster), ChangeAnswer)

    def table(self, deed: TableDeed) -> ChangeAnswer:
        return self.ask(messages.AskTable(deed=deed), ChangeAnswer)

    def show_pin(self, pin: str) -> None:
        """On the local display, for a minute; CoreTrouble says why nobody could read it there."""
        self.ask(messages.AskShowPin(pin=pin), messages.DoneAnswer)

    def export_lines(self, game: str) -> Iterator[str]:
        """The game's journal, line by line without line ends."""
        first, more = 0, True
        while more:
            part = self.ask(messages.AskExportLines(game=game, first=first), messages.ExportLinesAnswer)
            yield from part.lines
            first, more = first + len(part.lines), part.more and bool(part.lines)

    def watch(self) -> Iterator[News]:
        """The picture at once, then each change and beat; NoCore when they stop."""
        with self._asked(messages.AskWatch()) as lines:
            first = messages.decode_answer(self._line(lines), messages.PictureAnswer)
            yield News(picture=first.picture)
            while True:
                yield messages.decode_answer(self._line(lines), News)

    def watch_tables(self) -> Iterator[dict[str, Any]]:
        """The table nodes (`control.tables.TablesSnapshot`) at once, then each change; NoCore at the end."""
        with self._asked(messages.AskWatchTables()) as lines:
            while True:
                news = messages.decode_answer(self._line(lines), News)
                if news.tables is not None:
                    yield news.tables

    def ask(self, request: Request, expected: type[AnswerT]) -> AnswerT:
        """One request, one answer."""
        with self._asked(request) as lines:
            return messages.decode_answer(self._line(lines), expected)

    @contextmanager
    def _asked(self, request: Request) -> Iterator[BinaryIO]:
        """The lines of answer to this request."""
        line = messages.encode_request(request)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(self._timeout_s)
            try:
                connection.connect(str(self._path))
                connection.sendall(line)
            except OSError as error:
                raise NoCore(why_not(error, self._path)) from error
            with connection.makefile("rb") as lines:
                yield lines

    def _line(self, lines: BinaryIO) -> bytes:
        try:
            line = lines.readline(messages.LONGEST_ANSWER)
        except TimeoutError as error:
            raise NoCore(
                f"The controller at {self._path} gave no answer within {self._timeout_s:g} s"
            ) from error
        except OSError as error:
            raise NoCore(why_not(error, self._path)) from error
        if len(line) >= messages.LONGEST_ANSWER:
            raise CoreTrouble(f"the controller's answer is longer than {messages.LONGEST_ANSWER} bytes")
        if not line.endswith(b"\n"):
            raise NoCore(f"The controller at {self._path} hung up before it had answered")
        return line


def why_not(error: OSError, path: Path) -> str:
    """The sentence for a control socket that cannot be reached."""
    if isinstance(error, FileNotFoundError | NotADirectoryError | ConnectionRefusedError):
        refused = refusal.read(path.parent)
        if refused is not None:
            return f"The controller does not start: {refused}"
        return f"No controller answers at {path}: start it with `pi-controller run`, or name its --state-dir"
    if isinstance(error, PermissionError):
        return f"This user may not talk to the controller at {path}: ask as who started it, or with sudo"
    if isinstance(error, BlockingIOError | TimeoutError):
        return f"The controller at {path} is too busy to answer: try again"
    return f"The controller at {path} cannot be reached: {error.strerror or error}"
