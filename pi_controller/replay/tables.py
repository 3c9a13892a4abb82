"""What the tables' displays showed all along a game. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from pi_controller.core.tables.state import table_state
from pi_controller.protocol.picture import Picture
from pi_controller.replay.glass import NAMELESS, Pictures
from pi_controller.replay.node_claims import BoardOf, Place, Told, told_at
from pi_controller.replay.pictures import Replay
from pi_controller.replay.table_node import TableNode
from pi_controller.vocabulary import Side

NS_PER_US = 1_000
US_PER_MS = 1_000
BRIGHTNESS = 255
AS_THE_OTHERS = -1
"""In place of halves: from here on a claimant's display shows what the others of its side show."""

ShownFrom = tuple[int, int, int, int]
"""Since when in ms, left half, right half, and the names in it: indices of `halves` and `names`, or -1."""


class PlaceShown(Struct, kw_only=True):
    """A display's pictures one after the other. Without a board: those of all places of this side, as far as
    none of their own is shown there."""

    board: str
    side: Side
    shown: list[ShownFrom]


class TablesShown(Struct, kw_only=True):
    """All tables' displays during a game; `halves` and `names` are those of `Pictures`. What only a node knew
    is left out: a hold that fills, frames on their way, a lost link, and how far its picture had wandered."""

    boards: list[str]
    halves: list[bytes]
    names: list[dict[str, tuple[int, int]]]
    places: list[PlaceShown]


def tables_of(replay: Replay, *, boards: Sequence[str] = (), board_of: BoardOf) -> TablesShown:
    """`boards` are the hall's, as far as somebody knows them; those of claims come behind them."""
    node = TableNode()
    told = list(told_at(replay.changes, board_of))
    claimed = (board for places in told for board, _ in places)
    known = list(dict.fromkeys([*boards, *claimed]))
    pictures = Pictures(known)
    shown: dict[Place, list[ShownFrom]] = {}
    for now_us, views in _looks(node, replay, told):
        for place in shown.keys() - views.keys():
            _add(shown[place], (now_us // US_PER_MS, AS_THE_OTHERS, AS_THE_OTHERS, NAMELESS))
        for place, view in views.items():
            _add(shown.setdefault(place, []), (now_us // US_PER_MS, *pictures.of(view)))
    places = [PlaceShown(board=board, side=side, shown=of) for (board, side), of in shown.items()]
    return TablesShown(boards=known, halves=pictures.halves, names=pictures.names, places=places)


def _looks(
    node: TableNode, replay: Replay, told: Sequence[Mapping[Place, Told]]
) -> Iterator[tuple[int, dict[Place, Any]]]:
    """What the node is to show, at every moment at which that may be something else."""
    moments = [(number, since_ns // NS_PER_US, picture) for number, since_ns, picture in replay.moments()]
    until = [*(since_us for _, since_us, _ in moments[1:]), 0]
    for (number, since_us, picture), until_us in zip(moments, until, strict=True):
        node.show(_state(picture, since_us, replay.languages), told[number], since_us)
        now_us = since_us
        while now_us < until_us or now_us == since_us:
            yield now_us, node.look(now_us)
            now_us = node.next_us(now_us)


def _state(picture: Picture, since_us: int, languages: tuple[str, ...]) -> Any:
    offset_us = since_us - picture.as_of_us
    return table_state(picture, offset_us=offset_us, brightness=BRIGHTNESS, languages=languages)


def _add(shown: list[ShownFrom], newest: ShownFrom) -> None:
    """Unless it is shown already; of two in one millisecond the later stays."""
    if shown and shown[-1][0] == newest[0]:
        shown.pop()
    if not shown or shown[-1][1:] != newest[1:]:
        shown.append(newest)
