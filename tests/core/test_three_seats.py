"""A rule set with three seats, from the arming to the verified export: nothing on the way knows of two sides."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pi_controller.core.tables.state import table_state
from pi_controller.game.rule_sets import RULE_SETS
from pi_controller.journal.exports import export_lines
from pi_controller.vocabulary import SIDES
from tests.core.disk import DiskHall
from tests.core.hall import accepted
from tests.core.hand import S
from tests.core.hand_bus import TableHall, roster_of
from tests.game.three_seats import THREE
from tests.journal.test_verify import verified


def armed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> DiskHall:
    """In round 1 of a game with three seats, begun by the third one."""
    monkeypatch.setitem(RULE_SETS, THREE.name, THREE)
    hall = DiskHall(folder)
    hall.begin()
    hall.log.prompt = True
    assert accepted(hall.ask("arm", {"rule_set": "three"}))
    assert accepted(hall.ask("start"))
    hall.move(3 * S)
    return hall


def test_three_seats_take_turns_also_across_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = armed(tmp_path / "state", monkeypatch)
    acting = []
    for number in range(60):
        if len(acting) == 7:
            break
        if hall.picture.phase == "round":
            acting.append((hall.picture.round, hall.picture.seat))
        assert accepted(hall.ask("skip"))
        if number == 5:
            hall = hall.again()
            hall.log.prompt = True
            assert [seat.id for seat in hall.picture.seats] == ["sun", "moon", "star"]
            assert accepted(hall.ask("resume"))
            hall.move(3 * S)
    assert acting == [(number, (number - 1) % 3) for number, _ in acting]
    assert len(acting) == 7
    hall.crash()


def test_the_lamps_show_the_first_two_seats_and_nothing_breaks_on_the_third(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = armed(tmp_path / "state", monkeypatch)
    lit, shown = {}, {}
    while len(lit) < 3:
        if hall.picture.phase == "round":
            lit[hall.picture.seat] = (hall.sun.lit, hall.moon.lit)
            state = table_state(hall.picture, offset_us=0, brightness=9)
            shown[hall.picture.seat] = (state.seat, state.next_seat)
        assert accepted(hall.ask("skip"))
    assert lit == {0: (True, False), 1: (False, True), 2: (False, False)}
    assert shown == {0: (0, 1), 1: (1, 2), 2: (2, 0)}
    assert [(seat.name, seat.sign) for seat in state.seats] == [
        ("Sun", "sun"),
        ("Moon", "moon"),
        ("Star", None),
    ]
    hall.crash()


@pytest.mark.parametrize("known", [True, False])
def test_both_verifiers_compute_its_turns_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, known: bool
) -> None:
    hall = armed(tmp_path / "state", monkeypatch)
    for _ in range(9):
        assert accepted(hall.ask("skip"))
    assert accepted(hall.ask("end", {"confirm": True}))
    assert accepted(hall.ask("close", {"confirm": True}))
    lines = list(export_lines(hall.state_dir, hall.picture.game_id))
    hall.crash()
    assert "star" in {json.loads(line)["data"].get("side") for line in lines}
    if not known:
        monkeypatch.delitem(RULE_SETS, THREE.name)
    report = verified(lines)
    assert report.ok, report.told


def test_the_buttons_of_a_node_claim_for_the_first_two_seats_whatever_these_are_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (_, first), (_, second), third = THREE.sides
    renamed = replace(THREE, sides=(("red", first), ("blue", second), third), first_side="red")
    monkeypatch.setitem(RULE_SETS, THREE.name, renamed)
    disk = DiskHall(tmp_path / "state")
    disk.begin()
    disk.log.prompt = True
    tables = TableHall(tmp_path, disk, roster=roster_of(1, 2))
    assert accepted(disk.ask("arm", {"rule_set": "three"}))
    assert accepted(disk.ask("start"))
    disk.move(5 * S)
    while disk.picture.seat not in (0, 1):
        assert accepted(disk.ask("skip"))
    disk.move(5 * S)
    side = SIDES[disk.picture.seat]
    claim = tables.claim(2, side)
    assert [one[1:] for one in tables.claims] == [("A2", ("red", "blue")[disk.picture.seat], "open")]
    assert tables.status(claim) == "open"
    disk.crash()
