"""Does what fixes a finding, through the same actions that people have."""

from msgspec.structs import replace

from pi_controller.language.words import words
from pi_controller.protocol.sentences import view
from pi_controller.protocol.tables import TableAction
from pi_controller.roster.model import Board, Roster
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.verdicts import Finding, Fix, said_of
from pi_controller.sentence import Sentence

SETTLE_S = 1.0
"""Until the node has heard of it."""
LEAVE = "leave"


def offer(hall: HallUnderTest, finding: Finding) -> Finding:
    """The finding, mended when the operator wants that and nothing speaks against it."""
    if finding.fix is None:
        return finding
    found = said_of(finding)
    text = Sentence("selftest.mend_it_now", finding=found, label=finding.fix.label)
    reply = hall.ask(text, picture="tables", answers=("mend", LEAVE))
    if reply.answer != "mend":
        return finding
    reasons = apply(hall, finding.fix)
    if reasons:
        return _saying(finding, Sentence("selftest.could_not_be_mended", finding=found, reasons=reasons))
    hall.pause(SETTLE_S)
    return replace(_saying(finding, Sentence("selftest.has_been_mended", finding=found)), mended=True)


def _saying(finding: Finding, said: Sentence) -> Finding:
    return replace(finding, sentence=words(said), sentence_key=view(said))


def apply(hall: HallUnderTest, fix: Fix) -> tuple[Sentence, ...]:
    """The reasons why it was not done; empty: done."""
    if fix.do == "exchange_boards":
        return hall.change_roster(exchange(hall.roster, fix.board, fix.other))
    if fix.do == "swap_sides":
        reasons = hall.probes.table(TableAction(do="swap", board=fix.board))
    else:
        reasons = hall.probes.table(TableAction(do="replace", board=fix.board, uid=fix.uid))
    hall.forget()
    return reasons


def exchange(roster: Roster, one: str, other: str) -> Roster:
    """The nodes of these two boards change places, each as it stands."""
    boards = {board.name: board for board in roster.boards}

    def placed(board: Board) -> Board:
        partner = {one: other, other: one}.get(board.name)
        if partner is None or partner not in boards:
            return board
        return replace(board, node=boards[partner].node, swapped=boards[partner].swapped)

    rows = tuple(replace(row, boards=tuple(map(placed, row.boards))) for row in roster.rows)
    return replace(roster, rows=rows)
