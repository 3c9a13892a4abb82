"""Walking the rows, spares, and what is said of it."""

from pathlib import Path

import pytest

from pi_controller.bus.values import NodeChanged
from pi_controller.core.tables.roster import CLOCK_RUNS, NOT_KEPT
from pi_controller.language.words import all_words, words
from pi_controller.roster import model
from pi_controller.sentence import Sentence
from tests.core.hand import S
from tests.core.hand_bus import TableHall, node, roster_of, uid


@pytest.fixture
def hall(tmp_path: Path) -> TableHall:
    """Three nodes on one segment, a roster of two rows, nobody stands anywhere."""
    hall = TableHall(tmp_path, roster=model.new_roster(2, 2))
    hall.bus.have(node(1), node(2), node(3))
    hall.hall.begin()
    return hall


def invited(hall: TableHall) -> list[str | None]:
    found = [who for who, what, _ in hall.bus.identified if what == "enrol"]
    hall.bus.identified.clear()
    return found


def boards(hall: TableHall) -> list[tuple[str, str | None, bool]]:
    return [(board.name, board.node, board.swapped) for board in hall.keeper.roster.boards]


def test_a_walk_gives_each_pressed_node_the_next_board(hall: TableHall) -> None:
    assert hall.do(do="enrol", row="A") == ()
    assert invited(hall) == [uid(1), uid(2), uid(3)]
    view = hall.snapshot.enrolment
    assert view is not None
    assert (view.row, view.next_board, view.done) == ("A", "A1", [])
    hall.press(3)
    assert (uid(3), "name", 0) in hall.bus.identified
    assert invited(hall) == [uid(1), uid(2)]
    hall.press(3)
    hall.press(1, "moon")
    assert boards(hall)[:2] == [("A1", uid(3), False), ("A2", uid(1), True)]
    assert hall.snapshot.enrolment is None
    assert (uid(2), "off", 0) in hall.bus.identified
    assert [(place.uid, place.board, place.swapped) for place in hall.bus.known] == [
        (uid(3), "A1", False),
        (uid(1), "A2", True),
    ]


def test_a_walk_may_begin_in_the_row(hall: TableHall) -> None:
    hall.do(do="enrol", row="B", board="B2")
    hall.press(2)
    assert boards(hall)[3] == ("B2", uid(2), False)


def test_a_node_that_stands_swapped_already_reports_in_its_own_sides(hall: TableHall) -> None:
    hall.bus.have(node(1, swapped=True), node(2, swapped=True))
    hall.do(do="enrol", row="A")
    hall.press(1, "sun")
    hall.press(2, "moon")
    assert [swapped for _, _, swapped in boards(hall)[:2]] == [True, False]


def test_nodes_that_come_later_are_invited_and_all_again_before_they_forget(hall: TableHall) -> None:
    hall.tables.heard(NodeChanged(segment="A", uid=uid(9), state="good"))
    assert invited(hall) == []
    hall.do(do="enrol", row="A")
    invited(hall)
    hall.tables.heard(NodeChanged(segment="A", uid=uid(9), state="good"))
    assert invited(hall) == [uid(9)]
    hall.hall.move(61 * S)
    assert invited(hall) == [uid(1), uid(2), uid(3)]
    assert hall.do(do="stop_enrolment") == ()
    hall.hall.move(61 * S)
    assert invited(hall) == []


def test_a_walk_ends_when_the_clock_runs_and_none_begins_then(hall: TableHall) -> None:
    hall.do(do="enrol", row="A")
    hall.hall.ask("start")
    hall.hall.move(0)
    assert hall.snapshot.enrolment is None
    assert hall.do(do="enrol", row="A") == (words(CLOCK_RUNS),)
    hall.hall.move(4 * S)
    hall.hall.ask("pause")
    assert hall.do(do="enrol", row="A") == ()


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        ({"do": "enrol", "row": "Z"}, "There is no row Z; the rows of the roster: A, B."),
        ({"do": "swap", "board": "Z"}, "There is no board Z in the roster: add it there first."),
        ({"do": "identify", "board": "A1"}, "Board A1 has no node: enrol one first."),
        (
            {"do": "replace", "board": "A1", "uid": uid(7)},
            f"Node {uid(7)} is not on any segment: plug it in first, or check its unique id.",
        ),
        (
            {"do": "order", "uid": uid(7), "what": "reboot"},
            f"Node {uid(7)} is not on any segment: plug it in first, or check its unique id.",
        ),
    ],
)
def test_what_cannot_be_done_is_told(hall: TableHall, action: dict[str, str], sentence: str) -> None:
    before = hall.keeper.roster
    assert hall.do(**action) == (sentence,)
    assert hall.keeper.roster is before


def test_tables_show_their_names(hall: TableHall) -> None:
    hall.do(do="replace", board="A1", uid=uid(2))
    hall.do(do="identify", board="A1")
    hall.do(do="identify", uid=uid(3), seconds=20)
    hall.do(do="identify")
    assert hall.bus.identified == [(uid(2), "name", 0), (uid(3), "name", 0), (None, "name", 0)]
    hall.do(do="order", uid=uid(3), what="reboot")
    assert hall.bus.ordered == [(uid(3), "reboot")]


def spares(hall: TableHall) -> list[str]:
    """The spares that are offered, among all likely causes."""
    found = hall.snapshot
    return [
        told for told, view in zip(found.doctor, found.doctor_keys, strict=True) if view.key == "tables.spare"
    ]


def test_a_spare_takes_a_board_in_the_middle_of_a_game(tmp_path: Path) -> None:
    hall = TableHall(tmp_path, roster=roster_of(1, 2)).play()
    hall.bus.have(node(1, state="lost"), node(2), node(3))
    (sentence,) = spares(hall)
    assert sentence == (
        f"Board A1 does not answer, and node {uid(3)} is new on segment A:"
        f" `pi-controller table replace A1 {uid(3)}` puts it there."
    )
    assert hall.do(do="replace", board="A1", uid=uid(3)) == ()
    assert [place.uid for place in hall.bus.known] == [uid(3), uid(2)]
    assert spares(hall) == []
    assert hall.status(hall.claim(3)) in ("open", "wait")
    notes = [data for _, kind, data in hall.hall.log.lines if kind == "note" and "table" in data]
    assert notes == [{"table": "replace", "about": f"A1 {uid(3)}"}]


@pytest.mark.parametrize("others", [(node(2, state="lost"), node(3)), (node(3), node(4))])
def test_a_spare_is_offered_only_where_there_is_no_doubt(tmp_path: Path, others: tuple[object, ...]) -> None:
    hall = TableHall(tmp_path, roster=roster_of(1, 2))
    hall.bus.have(node(1, state="lost"), *others)  # type: ignore[arg-type]
    assert spares(hall) == []


def test_with_the_setting_a_spare_takes_the_place_by_itself(tmp_path: Path) -> None:
    hall = TableHall(tmp_path, roster=roster_of(1, 2), replace_automatically=True).play()
    hall.bus.have(node(1, state="lost"), node(2), node(3))
    hall.tables.begin()
    hall.hall.move(9 * S)
    assert [place.uid for place in hall.bus.known] == [uid(1), uid(2)]
    hall.hall.move(2 * S)
    assert [place.uid for place in hall.bus.known] == [uid(3), uid(2)]


def test_a_roster_is_put_in_force_as_a_whole(hall: TableHall) -> None:
    answers: list[tuple[Sentence, ...]] = []
    hall.tables.actions.set_roster({"rows": [{"name": "A"}, {"name": "A"}]}, answers.append)
    assert all_words(answers[0]) == ["Row A occurs twice: give each row its own name."]
    hall.tables.actions.set_roster({"rows": [{"name": "C", "boards": [{"name": "C1"}]}]}, answers.append)
    hall.saving.work()
    assert answers[1] == ()
    assert [board.name for board in hall.keeper.roster.boards] == ["C1"]
    hall.hall.ask("start")
    for nothing in ({}, {"version": 1}):
        hall.tables.actions.set_roster(nothing, answers.append)
        assert [reason.key for reason in answers.pop()] == ["roster.form_of_rows"]
        assert [board.name for board in hall.keeper.roster.boards] == ["C1"]
    hall.tables.actions.set_roster({"rows": []}, answers.append)
    assert answers[2] == (CLOCK_RUNS,)


def test_a_disk_that_does_not_take_the_roster_is_told(
    hall: TableHall, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_roster: object) -> None:
        raise OSError(28, "No space left on device")

    hall.do(do="replace", board="A1", uid=uid(1))
    monkeypatch.setattr(hall.store, "save", full)
    trouble = "The roster is in use but cannot be saved (No space left on device): fix the disk, then import it again."
    assert hall.do(do="swap", board="A1") == (trouble,)
    assert boards(hall)[0] == ("A1", uid(1), True)
    hall.tables.begin()
    assert trouble in hall.hall.picture.health.messages


def test_a_saving_that_breaks_off_with_a_defect_is_told_and_the_next_change_is_kept(
    hall: TableHall, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Sentence | None] = []
    with monkeypatch.context() as broken:
        broken.setattr(hall.store, "save", lambda _roster: 1 // 0)
        hall.keeper.change(model.place(hall.keeper.roster, "A1", uid(1)), done.append)
        with pytest.raises(ZeroDivisionError):
            hall.saving.work()
    hall.keeper.change(model.place(hall.keeper.roster, "A1", uid(2)), done.append)
    hall.saving.work()
    assert done == [NOT_KEPT, None]
    kept = hall.store.load()
    assert kept is not None
    assert kept.board_of(uid(2)) is not None


def test_changes_while_the_disk_is_busy_are_kept_together(hall: TableHall) -> None:
    done: list[str | None] = []
    for number in (1, 2, 3):
        hall.keeper.change(model.place(hall.keeper.roster, "A1", uid(number)), done.append)
    hall.saving.waiting.pop(0)()
    assert done == [None]
    hall.saving.waiting.pop(0)()
    assert done == [None, None, None]
    assert hall.store.load() == hall.keeper.roster


def test_a_broken_roster_is_told_and_the_game_goes_on(tmp_path: Path) -> None:
    (tmp_path / "roster.json").write_text("{")
    hall = TableHall(tmp_path).play()
    hall.tables.begin()
    (message,) = hall.hall.picture.health.messages
    assert message.startswith("The roster cannot be used, so no table has a board: import it again.")
    assert (tmp_path / "roster.broken-1").exists()
    assert hall.hall.picture.running
