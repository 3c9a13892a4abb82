"""Claim sheets: points, what a sheet may hold, and who wins (rules C14 to C17)."""

from collections.abc import Sequence

from pi_controller.game.claims import ClaimRecord
from pi_controller.game.commands import RESOURCES, Sheet
from pi_controller.game.rule_sets import DecidedBy, RuleSet
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
    if sheet.foreign_left + sheet.foreign_right > sheet.settlements + sheet.cities:
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
        Sentence("sheet.army_held", board=str(claim.board), claim=other.id)
        for other in rivals
        if sheet.largest_army and other.sheet is not None and other.sheet.largest_army
    ]
    faults += [
        Sentence("sheet.route_held", board=str(claim.board), claim=other.id)
        for other in rivals
        if sheet.longest_route and other.sheet is not None and other.sheet.longest_route
    ]
    return tuple(faults)


def winners(claims: Sequence[ClaimRecord], rules: RuleSet) -> tuple[tuple[ClaimRecord, ...], DecidedBy]:
    """The best of these confirmed claims and the first step of the ladder that decides (rule C15).

    The step is `shared` when everything is equal. Claims without a sheet can only stand alone.
    """
    best = tuple(claims)
    if len(best) == 1:
        return best, rules.tie_break[0]
    for step in rules.tie_break:
        top = max(_step_value(claim, step) for claim in best)
        best = tuple(claim for claim in best if _step_value(claim, step) == top)
        if len(best) == 1:
            return best, step
    return best, "shared"


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
