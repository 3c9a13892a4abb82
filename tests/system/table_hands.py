"""Hands at virtual tables, and eyes on what becomes of their claims."""

import time
from collections.abc import Callable
from contextlib import closing, suppress

from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import NoCore
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.tables import TablesSnapshot
from tests.patience import DEADLINE_S
from tests.protocol.asking import watched_tables
from tests.system.programs import give_way
from tests.system.virtual_tables import VirtualTables

FULL = 255
HOLD_S = 2
HELD_AGAIN_S = 10


def wait_for_tables(client: Client, wanted: Callable[[TablesSnapshot], bool]) -> TablesSnapshot:
    """The first snapshot that is like this; a core that is started anew meanwhile is asked again."""
    until = time.monotonic() + DEADLINE_S
    seen: TablesSnapshot | None = None
    while time.monotonic() < until:
        with suppress(NoCore), closing(watched_tables(client)) as news:
            for seen in news:
                if wanted(seen):
                    return seen
                assert time.monotonic() < until, f"it did not come to that: {seen}"
        give_way()
    raise AssertionError(f"it did not come to that: {seen}")


def there(tables: TablesSnapshot) -> dict[str, str]:
    return {node.board: node.uid for node in tables.nodes if node.state == "good" and node.board is not None}


def boards(client: Client, count: int = 8) -> dict[str, str]:
    """Node by board, once so many answer at theirs."""
    return there(wait_for_tables(client, lambda tables: len(there(tables)) == count))


def lamp(tables: VirtualTables, uid: str, level: int) -> None:
    """Wait until the Sun player's claim lamp shows this."""
    tables.until(lambda seen: seen[uid]["lamps"]["claim_sun"] == level)


def waiting(picture: Picture) -> list[str]:
    """Boards with a claim that waits for its verdict, in their order."""
    return [claim.board for claim in picture.claims if claim.status == "open" and not claim.passed]


def hold_until(client: Client, tables: VirtualTables, uid: str, *, boards_waiting: list[str]) -> Picture:
    """Hold the Sun button, once the table shows Sun's round, until these boards' claims wait for a verdict. A
    table that has lost its link meanwhile, on a busy machine, says nothing: then once more."""
    until = time.monotonic() + DEADLINE_S
    while time.monotonic() < until:
        tables.until(lambda seen: seen[uid]["lamps"]["sun"] > 0)
        tables.do("hold", uid, side="sun", value=HOLD_S)
        again = time.monotonic() + HOLD_S + HELD_AGAIN_S
        with closing(client.watch()) as news:
            for each in news:
                if each.picture is not None and waiting(each.picture) == boards_waiting:
                    return each.picture
                if time.monotonic() > again:
                    break
    raise AssertionError(f"it said nothing: {tables.tables[uid]['lamps']}")
