"""Blocking client of the control socket, for programs that ask now and then."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pi_controller.protocol import messages
from pi_controller.protocol.messages import ChangeAnswer, News
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.question import (
    DEFAULT_TIMEOUT_S,
    AnswerT,
    AskCommand,
    CommandAnswer,
    Question,
    ask,
    asked,
    decode_answer,
)
from pi_controller.protocol.tables import TableAction, TablesSnapshot
from pi_controller.roster.model import Roster


class Client:
    """Each question opens a connection of its own, so that a restart of core between two goes unnoticed.

    All methods raise NoCore when nobody answers, Malformed and CoreTrouble with core's own sentence.
    """

    def __init__(self, path: Path, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> None:
        self._path = path
        self._timeout_s = timeout_s

    def picture(self) -> Picture:
        return self.ask(messages.AskPicture()).picture

    def command(
        self, name: str, body: object = None, *, source: str = "cli", key: str | None = None
    ) -> CommandAnswer:
        return self.ask(AskCommand(name=name, body=body, source=source, key=key))

    def metrics(self) -> dict[str, float | dict[str, float]]:
        return self.ask(messages.AskMetrics()).metrics

    def tables(self) -> TablesSnapshot:
        return self.ask(messages.AskTables()).tables

    def roster(self) -> Roster:
        return self.ask(messages.AskRoster()).roster

    def set_roster(self, roster: Any) -> ChangeAnswer:
        return self.ask(messages.AskSetRoster(roster=roster))

    def table(self, action: TableAction) -> ChangeAnswer:
        return self.ask(messages.AskTable(deed=action))

    def show_pin(self, pin: str) -> None:
        """On the local display, for a minute; CoreTrouble says why nobody could read it there."""
        self.ask(messages.AskShowPin(pin=pin))

    def watch(self, request: Question[Any] | None = None) -> Iterator[News]:
        """The picture at once, then each change and beat, or what another stream brings; NoCore when it
        stops."""
        with asked(self._path, request or messages.AskWatch(), self._timeout_s) as connection:
            while True:
                yield decode_answer(connection.receive(self._timeout_s), News)

    def ask(self, request: Question[AnswerT]) -> AnswerT:
        """One request, one answer."""
        return ask(self._path, request, self._timeout_s)
