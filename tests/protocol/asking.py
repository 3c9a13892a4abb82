"""What only tests ask over the control socket, with the project's own client."""

from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

import msgspec

from pi_controller.protocol.client import Client
from pi_controller.protocol.messages import (
    AskExportLines,
    AskProbe,
    AskTestBegin,
    AskWatchTables,
    AskWatchTest,
    LeaseAnswer,
)
from pi_controller.protocol.probes import RESULTS, Purpose, ResultT, TestNews, TypedProbe
from pi_controller.protocol.question import BlockingConnection
from pi_controller.protocol.tables import TablesSnapshot
from tests.patience import DEADLINE_S


def exported(client: Client, game: str) -> Iterator[str]:
    """The game's journal, line by line without line ends."""
    first, more = 0, True
    while more:
        part = client.ask(AskExportLines(game=game, first=first))
        yield from part.lines
        first, more = first + len(part.lines), part.more and bool(part.lines)


def watched_tables(client: Client) -> Generator[TablesSnapshot]:
    """The table nodes at once, then each change; NoCore at the end."""
    with closing(cast(Generator[Any], client.watch(AskWatchTables()))) as stream:
        for news in stream:
            if news.tables is not None:
                yield news.tables


class Probing:
    """Takes the lease of the hardware for a test and probes, until it hangs up."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._core = BlockingConnection(path, DEADLINE_S)
        self._lease: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._core.close()

    def begin(self, who: str, purpose: Purpose, *, take: bool = False) -> LeaseAnswer:
        answer = self._core.ask(AskTestBegin(who=who, purpose=purpose, take=take), DEADLINE_S)
        self._lease = answer.lease
        return answer

    def probe(self, probe: TypedProbe[ResultT]) -> ResultT:
        answer = self._core.ask(AskProbe(probe=probe, lease=self._lease), DEADLINE_S)
        result: ResultT = msgspec.convert(answer.result, RESULTS[type(probe)])
        return result

    def watch(self) -> Generator[TestNews]:
        """The live news of the test, over a connection of its own."""
        asked = AskWatchTest(lease=self._lease or "")
        with closing(cast(Generator[Any], Client(self._path).watch(asked))) as stream:
            for news in stream:
                if news.test is not None:
                    yield news.test
