"""What a session does with its operator and with core, whatever the checks find."""

from dataclasses import replace

import pytest

from pi_controller.roster import model
from pi_controller.roster.model import Board, Roster, Row
from pi_controller.selftest.core import CannotRun
from pi_controller.selftest.operator import OperatorQuestion, OperatorReply, Stopped
from pi_controller.selftest.session import exchange
from tests.selftest.small_hall import SmallHall
from tests.selftest.small_panel import FACTS
from tests.selftest.somebody import Somebody, run


def test_the_lease_is_taken_and_given_back_and_the_report_is_kept() -> None:
    hall = SmallHall()
    report = run(hall, Somebody(hall), "TMP")
    assert hall.held_by is None
    assert (report.operator, report.only, report.level) == ("Ada", ("TMP",), "field")
    assert len(hall.texts_kept) == 1


def test_what_is_asked_again_begins_anew() -> None:
    hall = SmallHall()
    operator = Somebody(hall)
    operator.instead["Moon lamp"] = OperatorReply(answer="retry")
    report = run(hall, operator, "LMP")
    assert report.verdict == "passed"
    assert [question.picture for question in operator.asked] == [
        "sun_lamp", "moon_lamp", "sun_lamp", "moon_lamp", "pause_lamp",
    ]  # fmt: skip
    assert len({question.id for question in operator.asked}) == 5


def test_what_is_left_out_says_why_and_is_no_pass() -> None:
    hall = SmallHall()
    operator = Somebody(hall)
    operator.instead["Moon lamp"] = OperatorReply(answer="skip", reason="the panel stands in the dark")
    report = run(hall, operator, "LMP", "HRN")
    assert [(result.code, result.verdict) for result in report.results] == [
        ("LMP", "skipped"),
        ("HRN", "passed"),
    ]
    assert report.results[0].sentence == "Skipped by the operator: the panel stands in the dark."
    assert report.verdict == "warning"
    assert report.notes == ("Skipped: LMP. This does not count as a pass.",)
    assert not hall.panel.lit()


def test_nothing_but_skipped_proves_nothing() -> None:
    hall = SmallHall()
    hall.panel.fitted.panel_current = False
    operator = Somebody(hall)
    operator.instead["buzzer"] = OperatorReply(answer="skip", reason="quiet, please")
    assert run(hall, operator, "HRN").verdict == "skipped"


def test_a_current_that_is_read_too_late_is_read_again() -> None:
    hall = SmallHall()
    chirps = 2  # of them no current is wanted
    hall.panel.read_late = chirps + 4
    assert run(hall, Somebody(hall), "HRN").verdict == "passed"
    hall.panel.read_late = chirps + 5
    (result,) = run(hall, Somebody(hall), "HRN").results
    assert result.verdict == "failed"
    assert result.sentence.startswith(
        "The panel's current was read too late 5 times, when the tone was over: "
    )


def test_stopping_keeps_what_was_found() -> None:
    hall = SmallHall()

    class Leaves(Somebody):
        async def ask(self, question: OperatorQuestion, live: object = None) -> OperatorReply:
            raise Stopped

    report = run(hall, Leaves(hall), "TMP", "LMP", "HRN")
    assert (report.ended, report.verdict) == (False, "skipped")
    assert [result.code for result in report.results] == ["TMP"]
    assert report.notes == ("The self-test was stopped by hand: what follows was not tested.",)
    assert hall.held_by is None


def test_progress_counts_down() -> None:
    hall = SmallHall()
    operator = Somebody(hall)
    run(hall, operator, "PWR", "CEN", "VBS")
    assert [(step.code, step.done, step.of) for step in operator.steps] == [
        ("PWR", 0, 3),
        ("CEN", 1, 3),
        ("VBS", 2, 3),
    ]
    left = [step.left_s for step in operator.steps]
    assert left == sorted(left, reverse=True)
    assert left[0] == pytest.approx(9.7)
    assert [result.code for result in operator.results] == ["PWR", "CEN", "VBS"]


def test_the_operators_time_is_not_the_machines() -> None:
    hall = SmallHall()
    hall.panel.fitted.panel_current = False

    class Slow(Somebody):
        async def ask(self, question: OperatorQuestion, live: object = None) -> OperatorReply:
            hall.pause(100.0)
            return OperatorReply(answer="saw")

    report = run(hall, Slow(hall), "HRN")
    assert report.operator_seconds == 100.0
    assert report.seconds == report.results[0].seconds == pytest.approx(0.6)


def test_a_refused_lease_is_told() -> None:
    hall = SmallHall()
    hall.refusal = "Bob is using the hardware for a hardware test: wait until that is over, or take it over."
    with pytest.raises(CannotRun, match="Bob is using the hardware"):
        run(hall, Somebody(hall))


def test_a_lost_lease_ends_the_session() -> None:
    hall = SmallHall()

    class Pulls(Somebody):
        async def ask(self, question: OperatorQuestion, live: object = None) -> OperatorReply:
            hall.lost = True
            return OperatorReply(answer="saw")

    with pytest.raises(CannotRun, match="it has been silent"):
        run(hall, Pulls(hall), "LMP")


def test_a_part_that_does_not_answer_fails_its_check_only() -> None:
    hall = SmallHall()
    hall.silent["facts"] = "The computer did not answer for 5 s."
    report = run(hall, Somebody(hall), "TMP", "JRN")
    assert [(result.code, result.verdict) for result in report.results] == [
        ("JRN", "passed"),
        ("TMP", "failed"),
    ][::-1]
    assert report.results[0].findings[0].sentence == "The computer did not answer for 5 s."


@pytest.mark.parametrize(("one", "other"), [("A1", "A3"), ("A2", "B3")])
def test_one_action_mends_an_exchanged_pair(one: str, other: str) -> None:
    hall = SmallHall()
    before = hall.kept_roster
    hall.exchange(one, other)
    report = run(hall, Somebody(hall), "CLM")
    (finding,) = report.results[0].findings
    assert finding.mended
    assert finding.sentence.endswith("This has been fixed.")
    assert hall.kept_roster == before
    assert run(hall, Somebody(hall), "CLM").verdict == "passed"


def test_a_walk_in_no_order_is_asked_for_again() -> None:
    hall = SmallHall({"A": 5})
    hall.tables_there = {label: hall.tables_there[label] for label in ("A2", "A3", "A1", "A5", "A4")}
    report = run(hall, Somebody(hall), "CLM")
    assert report.verdict == "warning"
    assert report.results[0].sentence == (
        "Row A was pressed in the order A2, A3, A1, A5 and A4: walk it again, or enrol it again."
    )


def test_two_walkers_in_rows_of_their_own_do_not_clash() -> None:
    hall = SmallHall()
    hall.tables_there = {
        label: hall.tables_there[label] for label in ("A1", "B3", "A2", "B2", "A3", "B1", "A4")
    }
    assert run(hall, Somebody(hall), "CLM").verdict == "passed"


def test_one_action_mends_exchanged_sides() -> None:
    hall = SmallHall()
    hall.tables_there["B2"].crossed = True
    report = run(hall, Somebody(hall), "CLM", "LED")
    assert [result.verdict for result in report.results] == ["warning", "passed"]
    assert hall.kept_roster.board("B2").swapped  # type: ignore[union-attr]


def test_a_mend_that_is_not_wanted_leaves_a_failure() -> None:
    hall = SmallHall()
    hall.tables_there["B2"].crossed = True
    report = run(hall, Somebody(hall, fixes=False), "CLM")
    assert (report.verdict, report.results[0].findings[0].mended) == ("failed", False)
    assert not hall.actions


def test_a_mend_that_cannot_be_done_says_why() -> None:
    hall = SmallHall()
    hall.tables_there["B2"].crossed = True
    hall.silent["roster"] = "The roster could not be kept."
    finding = run(hall, Somebody(hall), "CLM").results[0].findings[0]
    assert not finding.mended
    assert finding.sentence.endswith("It could not be fixed: The roster could not be kept.")


def test_the_bench_asks_which_node_when_there_are_several() -> None:
    hall = SmallHall()
    operator = Somebody(hall)
    operator.instead["Several nodes"] = OperatorReply(answer="B1")
    run(hall, operator, "NTP", level="bench")
    assert operator.asked[0].names == ("A1", "A2", "A3", "A4", "B1", "B2", "B3")
    only = hall.texts_kept
    assert f'"{hall.tables_there["B1"].uid}"' in only[0][1]
    assert f'"{hall.tables_there["A1"].uid}"' not in only[0][1]


def test_the_bench_wants_a_node_that_answers() -> None:
    hall = SmallHall()
    with pytest.raises(CannotRun, match="Node ffffffffffffffff does not answer"):
        run(hall, Somebody(hall), "NTP", level="bench", uid="f" * 16)


def test_the_bench_does_not_choose_for_somebody_who_will_not() -> None:
    hall = SmallHall()
    operator = Somebody(hall)
    operator.instead["Several nodes"] = OperatorReply(answer="skip", reason="later")
    with pytest.raises(CannotRun, match="No node was named"):
        run(hall, operator, "NTP", level="bench")
    assert hall.held_by is None


def test_checks_are_run_in_the_catalogues_order_once_each() -> None:
    hall = SmallHall()
    report = run(hall, Somebody(hall), "JRN", "TMP", "JRN")
    assert [result.code for result in report.results] == ["TMP", "JRN"]


def test_a_computer_without_sensors_has_nothing_fitted() -> None:
    hall = SmallHall()
    hall.panel.facts = replace(FACTS, supply=None, temperature_c=None, watchdog=None)
    report = run(hall, Somebody(hall), "PWR", "TMP", "HWD")
    assert {result.verdict for result in report.results} == {"not_fitted"}
    assert report.verdict == "skipped"
    assert report.notes == ("Not fitted, so not tested: PWR, TMP and HWD. This does not count as a pass.",)


def test_simulated_hardware_is_said_plainly() -> None:
    hall = SmallHall()
    hall.panel.fitted.simulated = True
    report = run(hall, Somebody(hall), "TMP")
    assert report.simulated
    assert report.notes[0].startswith("The hardware is simulated")


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
