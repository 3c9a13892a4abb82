"""One deed that mends a finding, done through the table deeds and the roster that there are anyway."""

from typing import assert_never

import msgspec

from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.tables import TableDeed
from pi_controller.roster.model import Roster
from pi_controller.selftest.fixes import exchange
from pi_controller.selftest.verdicts import Mend


async def mend(client: AsyncClient, deed: Mend) -> list[str]:
    """The reasons why it was not done; empty: done."""
    match deed.do:
        case "swap_sides":
            answer = await client.table(TableDeed(do="swap", board=deed.board))
        case "place":
            answer = await client.table(TableDeed(do="replace", board=deed.board, uid=deed.uid))
        case "exchange_boards":
            return await _exchange(client, deed.board, deed.other)
        case _ as never:
            assert_never(never)
    return [] if answer.accepted else answer.reasons


async def _exchange(client: AsyncClient, one: str, other: str) -> list[str]:
    """Let the nodes of these two boards change places."""
    roster = msgspec.convert(await client.roster(), Roster)
    if roster.board(one) is None or roster.board(other) is None:
        return [f"The roster has no boards {one} and {other} any more: look at the hall map."]
    answer = await client.set_roster(msgspec.to_builtins(exchange(roster, one, other)))
    return [] if answer.accepted else answer.reasons
