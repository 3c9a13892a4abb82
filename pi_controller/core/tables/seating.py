"""Who sits at which board, and what the button there does. Pure."""

from pi_controller.game.commands import Claim, Turn
from pi_controller.game.rule_sets import RuleSet
from pi_controller.game.turn_order import Seat
from pi_controller.roster.model import Roster
from pi_controller.vocabulary import SIDES, Side


def seat_at(rules: RuleSet, roster: Roster, *, board: str, side: Side) -> Seat:
    """At each board of a hall sit the first two seats. At one table, which has a node for two seats each, the
    boards of the roster have the next two in its order; a side that is left over has a name of no seat."""
    names = [one.name for one in roster.boards] if rules.play == "turns" else []
    at = 2 * (names.index(board) if board in names else 0) + SIDES.index(side)
    return rules.seats[at] if at < len(rules.seats) else f"{board} {side}"


def pressed(rules: RuleSet, claim: Claim) -> Claim | Turn:
    """What the press of a seat's button is: a claim, or where the seats have turns the turn's (rule K4)."""
    return Turn(claim.side) if rules.play == "turns" else claim
