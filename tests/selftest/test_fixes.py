"""What fixes a finding."""

from pi_controller.roster import model
from pi_controller.roster.model import Board, Roster, Row
from pi_controller.selftest.session import exchange
from tests.selftest.small_hall import SmallHall
from tests.selftest.somebody import Somebody
from tests.selftest.test_session import run


def test_boards_that_change_places_take_their_orientation_along() -> None:
    """How a node is screwed in goes with the node: forgotten, Sun and Moon would be exchanged at both boards."""
    before = Roster(
        rows=(
            Row(name="A", boards=(Board(name="A1", node="01", swapped=True), Board(name="A2", node="02"))),
            Row(name="B", boards=(Board(name="B1", node="03", swapped=False), Board(name="B2"))),
        )
    )
    after = {board.name: (board.node, board.swapped) for board in exchange(before, "A1", "B1").boards}
    assert after == {"A1": ("03", False), "A2": ("02", False), "B1": ("01", True), "B2": (None, False)}
    assert exchange(exchange(before, "A1", "B1"), "B1", "A1") == before
    empty = {board.name: (board.node, board.swapped) for board in exchange(before, "A1", "B2").boards}
    assert (empty["A1"], empty["B2"]) == ((None, False), ("01", True))


def test_with_a_board_that_does_not_exist_nothing_changes() -> None:
    roster = Roster(rows=(Row(name="A", boards=(Board(name="A1", node="01"),)),))
    assert exchange(roster, "A1", "Z9") == roster


def test_after_mending_every_button_is_heard_on_its_own_side() -> None:
    """One of the exchanged boards is screwed in the other way round."""
    hall = SmallHall()
    hall.tables_there["A2"].crossed = True
    hall.exchange("A2", "A4")
    hall.kept_roster = model.swap(hall.kept_roster, "A4")
    report = run(hall, Somebody(hall), "CLM")
    fixes = [finding.fix.do for finding in report.results[0].findings if finding.fix is not None]
    assert fixes == ["exchange_boards"]
    assert run(hall, Somebody(hall), "CLM").results[0].verdict == "passed"
