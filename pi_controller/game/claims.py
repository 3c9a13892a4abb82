"""The claims of a game in press order, with those at hand that a command may still ask about."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal, overload

import msgspec

from pi_controller.game.commands import Sheet
from pi_controller.game.rule_sets import RuleSet
from pi_controller.game.turn_order import Seat
from pi_controller.sentence import Sentence

_LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")

ClaimStatus = Literal["open", "withdrawn", "rejected", "confirmed"]
ClaimSource = Literal["button", "table", "seat", "desk"]
"""The big button, a table's own button, a phone with a seat code, whoever entered it for somebody."""


class ClaimRecord(msgspec.Struct, frozen=True):
    """A claim with its moment of first contact: the round, the side active then, the time that was left."""

    id: str
    board: str | None
    side: Seat | None
    at_ns: int
    round: int
    active_side: Seat | None
    before_end_ns: int
    status: ClaimStatus = "open"
    points: int | None = None
    sheet: Sheet | None = None
    count: int = 1
    """How often this board and side has claimed since its last verdict: further presses while it is open, and
    claims that were taken back."""
    source: ClaimSource = "desk"
    press_error_ms: int | None = None
    """Of a phone: its press lies within so many milliseconds of `at_ns`."""

    passed: bool = False
    """Play has gone on over it: it holds nothing up any more, and can still be judged."""

    @property
    def anonymous(self) -> bool:
        """Made with the big button; nobody has named the board yet."""
        return self.board is None and self.side is None

    @property
    def on_active_side(self) -> bool:
        return self.active_side is not None and self.side in (None, self.active_side)


class TimedPress(msgspec.Struct, frozen=True):
    """A press of the big button while a claim was open: its moment, for a claim that is entered later."""

    id: str
    at_ns: int
    round: int
    active_side: Seat | None
    before_end_ns: int


@dataclass(frozen=True, slots=True)
class Claims(Sequence[ClaimRecord]):
    """A list that never changes. An evening's rejected claims grow many, and no command looks at them again:
    `_standing` are the places of all others, so that none is looked for among the rejected ones."""

    _all: tuple[ClaimRecord, ...] = ()
    _standing: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, index: int) -> ClaimRecord: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ClaimRecord, ...]: ...
    def __getitem__(self, index: int | slice) -> ClaimRecord | tuple[ClaimRecord, ...]:
        return self._all[index]

    def __iter__(self) -> Iterator[ClaimRecord]:
        return iter(self._all)

    @property
    def standing(self) -> tuple[ClaimRecord, ...]:
        """Those that are not rejected."""
        return tuple([self._all[place] for place in self._standing])

    @property
    def open(self) -> tuple[ClaimRecord, ...]:
        """Those that wait for a verdict."""
        return tuple([claim for claim in self.standing if claim.status == "open"])

    @property
    def waiting(self) -> tuple[ClaimRecord, ...]:
        """The open ones that play has not gone on over."""
        return tuple([claim for claim in self.open if not claim.passed])

    @property
    def confirmed(self) -> tuple[ClaimRecord, ...]:
        return tuple([claim for claim in self.standing if claim.status == "confirmed"])

    def find(self, claim_id: str) -> ClaimRecord | None:
        """A rejected one is looked for from the newest on."""
        among = chain(self.standing, reversed(self._all))
        return next((claim for claim in among if claim.id == claim_id), None)

    def with_one(self, made: ClaimRecord) -> "Claims":
        """This claim at its place: the earlier contact first, also when it was read later."""
        place = len(self._all)
        while place and self._all[place - 1].at_ns > made.at_ns:
            place -= 1
        later = bisect_left(self._standing, place)
        moved = [other + 1 for other in self._standing[later:]]
        return Claims(
            (*self._all[:place], made, *self._all[place:]), (*self._standing[:later], place, *moved)
        )

    def put(self, changed: ClaimRecord) -> "Claims":
        """This claim in place of the standing one with its id."""
        place = next(place for place in self._standing if self._all[place].id == changed.id)
        standing = self._standing
        if changed.status == "rejected":
            standing = tuple([other for other in standing if other != place])
        return Claims((*self._all[:place], changed, *self._all[place + 1 :]), standing)

    def without(self, gone: Collection[ClaimRecord]) -> "Claims":
        """All but these standing ones."""
        claims = self
        for record in gone:
            index, place = next(
                (index, place)
                for index, place in enumerate(claims._standing)
                if claims._all[place].id == record.id
            )
            fewer = (*claims._standing[:index], *[other - 1 for other in claims._standing[index + 1 :]])
            claims = Claims((*claims._all[:place], *claims._all[place + 1 :]), fewer)
        return claims


NO_CLAIMS = Claims()


def named(claim: ClaimRecord, rules: RuleSet) -> Sentence:
    """The claim as people know it: a claim's id is on no page and no paper."""
    if claim.side is None:
        if claim.board is None:
            return Sentence("claim.of_big_button")
        return Sentence("claim.of_board", board=claim.board)
    side = rules.side_name(claim.side)
    if rules.play == "turns":
        return Sentence("claim.of_player", seat=side)
    if claim.board is None:
        return Sentence("claim.of_side", side=side)
    return Sentence("claim.of_seat", board=claim.board, side=side)


def no_such_seat(seat: Seat, rules: RuleSet) -> Sentence:
    """Why nobody acts by this id in the game."""
    known = ", ".join(rules.seats)
    if rules.play == "turns":
        return Sentence("claim.no_such_seat", seat=seat, seats=known)
    return Sentence("claim.no_such_side", side=seat, sides=known)


@lru_cache(maxsize=4096)
def board_key(name: str) -> str:
    """The same for all spellings of a board: without regard to case, spaces and leading zeros, as in `a5`,
    `A 5` and `A05` for `A5`."""
    return _LEADING_ZEROS.sub("", "".join(name.split())).casefold()
