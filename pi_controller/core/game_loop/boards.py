"""Which boards a claim may name: those of the roster, where it has some."""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from pi_controller.game.claims import board_key
from pi_controller.game.commands import Claim, Command, Undo, Verdict
from pi_controller.protocol.halls import BETWEEN
from pi_controller.roster.model import Roster, Row
from pi_controller.sentence import SaidError, Sentence, as_told, listed

LEAST_OF_A_RANGE = 3
_NUMBER = re.compile(r"[0-9]+$")


class NoSuchBoard(SaidError, ValueError):  # noqa: N818 - an answer to who asked
    """The hall has no board of this name; the sentence says which there are."""


class Boards:
    """The boards of the roster in force. Called on the loop only."""

    def __init__(self) -> None:
        self._roster = Roster()
        self._by_key: dict[str, str] = {}
        self._elsewhere: dict[str, str] = {}
        """Of further halls."""
        self._unnamed: set[str] = set()
        """Keys of halls that have named no boards."""

    def take(self, roster: Roster) -> None:
        """This roster is in force from now on."""
        self._roster = roster
        self._by_key = {board_key(board.name): board.name for board in reversed(roster.boards)}

    def take_halls(self, boards: Mapping[str, tuple[str, ...]]) -> None:
        """Further halls have these boards, which claims name with the hall's name before them."""
        named = [f"{hall}{BETWEEN}{board}" for hall, names in boards.items() for board in names]
        self._elsewhere = {board_key(name): name for name in named}
        self._unnamed = {board_key(hall) for hall, names in boards.items() if not names}

    def spelled(self, command: Command) -> Command:
        """The command with its board as the roster spells it; without a roster, and from a table's own
        button, as it is. Raises NoSuchBoard."""
        match command:
            case Undo(replace=instead) if instead is not None:
                return replace(command, replace=self.spelled(instead))
            case Claim(board=str(board), button=None) | Verdict(board=str(board)):
                return replace(command, board=self._named(board))
            case _:
                return command

    def _named(self, board: str) -> str:
        elsewhere = self._elsewhere.get(board_key(board))
        if elsewhere is not None:
            return elsewhere
        known = self._by_key.get(board_key(board))
        if known is None and (not self._by_key or board_key(board.partition(BETWEEN)[0]) in self._unnamed):
            return board
        if known is None:
            rows = [told for row in self._roster.rows for told in _told(row)]
            raise NoSuchBoard(Sentence("claim.no_such_board", board=board, boards=listed(rows)))
        return known


def _told(row: Row) -> Iterator[Sentence]:
    """The boards of a row; only those whose numbers follow each other are told as a range."""
    stretch: list[str] = []
    for board in row.boards:
        if stretch and board.name != _next(stretch[-1]):
            yield _range(stretch)
            stretch = []
        stretch.append(board.name)
    if stretch:
        yield _range(stretch)


def _range(names: Sequence[str]) -> Sentence:
    if len(names) < LEAST_OF_A_RANGE:
        return listed([as_told(name) for name in names])
    return Sentence("claim.boards_of_row", first=names[0], last=names[-1])


def _next(name: str) -> str:
    """The board with the next number; "" for a name that ends without one."""
    digits = _NUMBER.search(name)
    return "" if digits is None else f"{name[: digits.start()]}{int(digits[0]) + 1:0{len(digits[0])}}"
