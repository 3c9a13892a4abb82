"""What may be asked about tables and roster over the control socket."""

from pi_controller.core.tables.actions import Answer
from pi_controller.core.tables.tables import Tables
from pi_controller.language.words import all_words
from pi_controller.protocol.answer_types import ChangeAnswer, RosterAnswer, TablesAnswer
from pi_controller.protocol.messages import (
    AskRoster,
    AskSetRoster,
    AskTable,
    AskTables,
    AskWatchTables,
    encode,
    encode_error,
)
from pi_controller.protocol.sentences import views
from pi_controller.protocol.server import Client
from pi_controller.protocol.tables import TablesSnapshot
from pi_controller.sentence import Sentence

NOT_LOOKED = Sentence("tables.not_looked")
"""Told when the look through the tables ends with a defect of this program."""

TableRequest = AskTables | AskWatchTables | AskRoster | AskSetRoster | AskTable


class TableRequests:
    """Answers these requests; changes when they are kept on the disk."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def answer(self, client: Client, request: TableRequest) -> None:
        match request:
            case AskTables() | AskWatchTables():
                self._tell(client, request)
            case AskRoster():
                client.send(encode(RosterAnswer(id=request.id, roster=self._tables.keeper.roster)))
            case AskSetRoster():
                self._tables.actions.set_roster(request.roster, _answering(client, request))
            case AskTable():
                self._tables.actions.do(request.deed, _answering(client, request))

    def _tell(self, client: Client, request: AskTables | AskWatchTables) -> None:
        later = client.begin(request)

        def answer(snapshot: TablesSnapshot | None) -> None:
            if snapshot is None:
                later.send(encode_error(request.id, NOT_LOOKED, request.language))
            elif isinstance(request, AskTables):
                later.send(encode(TablesAnswer(id=request.id, tables=snapshot)))
            elif later.end():
                self._tables.news.watch(client, snapshot)

        self._tables.news.ask(answer)


def _answering(client: Client, request: AskSetRoster | AskTable) -> Answer:
    later = client.begin(request)

    def answer(reasons: tuple[Sentence, ...]) -> None:
        told, keys = all_words(reasons, request.language), views(reasons)
        later.send(encode(ChangeAnswer(id=request.id, accepted=not reasons, reasons=told, reason_keys=keys)))

    return answer
