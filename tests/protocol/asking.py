"""What only tests ask over the control socket, with the project's own client."""

from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any, cast

from pi_controller.protocol.client import Client
from pi_controller.protocol.messages import AskExportLines, AskWatchTables
from pi_controller.protocol.tables import TablesSnapshot


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
