"""Claim sheets: points, what a sheet may hold, and who wins (rules C14 to C17)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pi_controller.game.claims import ClaimRecord, named
from pi_controller.game.commands import RESOURCES, Sheet
from pi_controller.game.rule_sets import LadderStep, RuleSet
from pi_controller.sentence import Sentence


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
    """Why this sheet cannot be right, in sentences; empty when it can."""
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
    """A claim in the ranking, with the first step of the ladder that puts it before the next one; the last
    says what puts it behind the one before. Who is equal to a neighbour in everything has `shared`, and the
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
