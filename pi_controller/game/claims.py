"""The claims of a game in press order, with quick access to those that are not rejected; claim sheets and the
ranking."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from typing import Literal, overload

import msgspec

from pi_controller.game.commands import RESOURCES, Sheet
from pi_controller.game.rule_sets import LadderStep, RuleSet
from pi_controller.game.turn_order import Seat
from pi_controller.sentence import Sentence, one_of

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
    """An immutable list. Rejected claims grow many and no command looks at them again, so `_standing` has the
    places of all others."""

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
        """Claims that are not rejected."""
        return tuple([self._all[place] for place in self._standing])

    @property
    def open(self) -> tuple[ClaimRecord, ...]:
        """Claims that wait for a verdict."""
        return tuple([claim for claim in self.standing if claim.status == "open"])

    @property
    def waiting(self) -> tuple[ClaimRecord, ...]:
        """Open claims that are not passed."""
        return tuple([claim for claim in self.open if not claim.passed])

    @property
    def confirmed(self) -> tuple[ClaimRecord, ...]:
        return tuple([claim for claim in self.standing if claim.status == "confirmed"])

    def find(self, claim_id: str) -> ClaimRecord | None:
        """Find a claim; rejected ones are searched from the newest on."""
        among = chain(self.standing, reversed(self._all))
        return next((claim for claim in among if claim.id == claim_id), None)

    def with_one(self, made: ClaimRecord) -> "Claims":
        """The list with this claim inserted by the moment of its contact, even if it was read later."""
        place = len(self._all)
        while place and self._all[place - 1].at_ns > made.at_ns:
            place -= 1
        later = bisect_left(self._standing, place)
        moved = [other + 1 for other in self._standing[later:]]
        return Claims(
            (*self._all[:place], made, *self._all[place:]), (*self._standing[:later], place, *moved)
        )

    def put(self, changed: ClaimRecord) -> "Claims":
        """The list with this claim in place of the one with its id, which must not be rejected."""
        place = next(place for place in self._standing if self._all[place].id == changed.id)
        standing = self._standing
        if changed.status == "rejected":
            standing = tuple([other for other in standing if other != place])
        return Claims((*self._all[:place], changed, *self._all[place + 1 :]), standing)

    def without(self, gone: Collection[ClaimRecord]) -> "Claims":
        """The list without these claims, none of them rejected."""
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
    """The claim by board and side, as people know it; ids are on no page."""
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
    """The sentence that the game has no such seat."""
    known = one_of(rules.seats)
    if rules.play == "turns":
        return Sentence("claim.no_such_seat", seat=seat, seats=known)
    return Sentence("claim.no_such_side", side=seat, sides=known)


@lru_cache(maxsize=4096)
def board_key(name: str) -> str:
    """A key that is equal for all spellings of a board: it ignores case, spaces and leading zeros, as in
    `a5`, `A 5` and `A05` for `A5`."""
    return _LEADING_ZEROS.sub("", "".join(name.split())).casefold()


# Claim sheets: points, limits, and who wins (rules C14 to C17).


def sheet_points(sheet: Sheet, rules: RuleSet) -> int:
    """Victory points of a sheet (rule C16)."""
    worth = rules.points
    return (
        sheet.settlements * worth.settlement
        + sheet.cities * worth.city
        + (sheet.foreign_left + sheet.foreign_right) * worth.foreign_direction
        + sheet.victory_cards * worth.victory_card
        + sheet.largest_army * worth.largest_army
        + sheet.longest_route * worth.longest_route
    )


def sheet_faults(
    sheet: Sheet, claim: ClaimRecord, claims: Sequence[ClaimRecord], *, rules: RuleSet
) -> tuple[Sentence, ...]:
    """Reasons why this sheet cannot be right; empty if it can."""
    faults = []
    most = rules.pieces
    if sheet.settlements > most.settlements:
        faults.append(Sentence("sheet.settlements", most=most.settlements, counted=sheet.settlements))
    if sheet.cities > most.cities:
        faults.append(Sentence("sheet.cities", most=most.cities, counted=sheet.cities))
    if rules.points.foreign_direction == 0 and (sheet.foreign_left or sheet.foreign_right):
        faults.append(Sentence("sheet.no_foreign_bonus"))
    elif sheet.foreign_left + sheet.foreign_right > sheet.settlements + sheet.cities:
        faults.append(Sentence("sheet.foreign_bonus"))
    rivals = [
        other
        for other in claims
        if claim.board is not None
        and other.board == claim.board
        and other.id != claim.id
        and other.status == "confirmed"
        and other.sheet is not None
    ]
    faults += [
        Sentence("sheet.army_held", board=str(claim.board), claim=named(other, rules))
        for other in rivals
        if sheet.largest_army and other.sheet is not None and other.sheet.largest_army
    ]
    faults += [
        Sentence("sheet.route_held", board=str(claim.board), claim=named(other, rules))
        for other in rivals
        if sheet.longest_route and other.sheet is not None and other.sheet.longest_route
    ]
    return tuple(faults)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A claim in the ranking with the first step of the tie-break that puts it before the next one; the last
    has the step that puts it behind the one before. Claims that are equal in everything have `shared` and the
    same place."""

    claim: ClaimRecord
    place: int
    decided_by: LadderStep


def ranked(claims: Sequence[ClaimRecord], rules: RuleSet) -> tuple[Ranked, ...]:
    """These confirmed claims, the best first (rule C15); equal ones in press order. A claim without a sheet
    can only stand alone."""
    if len(claims) == 1:
        return (Ranked(claims[0], 1, rules.tie_break[0]),)
    values = {claim.id: [_step_value(claim, step) for step in rules.tie_break] for claim in claims}
    order = sorted(claims, key=lambda claim: values[claim.id], reverse=True)
    between = [_first_difference(values[one.id], values[next_.id], rules) for one, next_ in pairwise(order)]
    found: list[Ranked] = []
    for index, claim in enumerate(order):
        equal = index > 0 and between[index - 1] == "shared"
        found.append(Ranked(claim, found[-1].place if equal else index + 1, _step_at(between, index)))
    return tuple(found)


def _first_difference(one: list[int], other: list[int], rules: RuleSet) -> LadderStep:
    steps = zip(rules.tie_break, one, other, strict=True)
    return next((step for step, better, worse in steps if better != worse), "shared")


def _step_at(between: list[LadderStep], index: int) -> LadderStep:
    beside = between[max(0, index - 1) : index + 1]
    return "shared" if "shared" in beside else beside[-1]


def winners(claims: Sequence[ClaimRecord], rules: RuleSet) -> tuple[tuple[ClaimRecord, ...], LadderStep]:
    """The best of these confirmed claims and the first step of the ladder that decides (rule C15).

    The step is `shared` when everything is equal. Claims without a sheet can only stand alone.
    """
    order = ranked(claims, rules)
    return tuple([one.claim for one in order if one.place == 1]), order[0].decided_by


def _step_value(claim: ClaimRecord, step: str) -> int:
    if claim.sheet is None or claim.points is None:
        raise ValueError(f"claim {claim.id} has no sheet to compare")
    if step == "points":
        return claim.points
    if step == "resources":
        return claim.sheet.resources.total
    if step not in RESOURCES:
        raise ValueError(f"the tie-break ladder has an unknown step: {step}")
    value: int = getattr(claim.sheet.resources, step)
    return value
