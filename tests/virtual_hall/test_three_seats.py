"""A rule set with three seats from core to the glass of the tables; a table that only speaks protocol 1 among them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from pi_controller.bus.values import ClaimHeard, NodeChanged
from pi_controller.core.tables.state import table_state
from pi_controller.virtual_hall.board import VirtualBoard
from pi_controller.virtual_hall.hall import VirtualHall
from pi_controller.virtual_hall.table import Program, VirtualDisplay, start_firmware
from table_node.face import Face
from table_node.node import Node
from table_node.view import View
from tests.core.disk import DiskHall
from tests.core.hall import accepted
from tests.core.test_three_seats import armed
from tests.firmware.test_face import buffer
from tests.virtual_hall.virtual_time import Drive

SECOND_US = 1_000_000


def older(board: VirtualBoard, displays: Sequence[VirtualDisplay]) -> Program:
    program: Program = Node(
        board, [Face(display) for display in displays], firmware=(1, 1), protocols=(1, 1), chance=b"abc"
    )
    return program


def joined(tables: int) -> tuple[VirtualHall, Drive]:
    """The last of these tables speaks protocol 1 alone."""
    hall = VirtualHall(tables, start_firmware)
    hall.tables[list(hall.tables)[-1]]._firmware = older
    return hall, Drive(hall.segments["A"])


def show(drive: Drive, core: DiskHall) -> None:
    picture = core.picture
    offset_us = drive.master_us() - picture.as_of_us
    drive.master.show(table_state(picture, offset_us=offset_us, brightness=128))


def views(hall: VirtualHall, number: int) -> list[View]:
    found: list[View] = list(hall.tables.values())[number].program.views  # type: ignore[union-attr]
    return found


def states(drive: Drive) -> list[str]:
    """In the order of the tables."""
    nodes = sorted(drive.master.snapshot(drive.master_us()).nodes, key=lambda node: node.uid)
    return [node.state for node in nodes]


def test_each_table_shows_the_acting_seat_on_both_displays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = armed(tmp_path / "state", monkeypatch)
    hall = VirtualHall(3, start_firmware)
    drive = Drive(hall.segments["A"])
    show(drive, core)
    drive.run_for(7 * SECOND_US)
    shown = []
    while len(shown) < 6:
        if core.picture.phase == "round":
            show(drive, core)
            drive.run_for(SECOND_US // 2)
            shown.append((core.picture.seat, [view.name for n in range(3) for view in views(hall, n)]))
            on_glass(hall, core)
        assert accepted(core.ask("skip"))
    names = ("Sun", "Moon", "Star")
    assert shown == [(n % 3, [names[n % 3]] * 6) for n in range(6)]
    assert states(drive) == ["good"] * 3
    core.crash()


def on_glass(hall: VirtualHall, core: DiskHall) -> None:
    """The very pixels: sign and name in the bar, lit where the own seat acts."""
    for table in hall.tables.values():
        for side, view in enumerate(table.program.views):  # type: ignore[union-attr]
            fields = {name: value for name, value in vars(view).items() if name != "look"}
            expected = buffer(fields, 8)
            assert bytes(table.program.stage.faces[side].display.buffer) == bytes(expected)  # type: ignore[union-attr]
            assert view.active == (core.picture.seat if core.picture.seat in (0, 1) else -1)


def test_a_table_that_only_speaks_protocol_1_plays_in_a_game_of_sun_and_moon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = DiskHall(tmp_path / "connect")
    core.begin()
    core.log.prompt = True
    assert accepted(core.ask("start"))
    core.move(3_000_000_000)
    hall, drive = joined(3)
    show(drive, core)
    drive.run_for(8 * SECOND_US)
    assert states(drive) == ["good"] * 3
    assert [(view.kind, view.active, view.update) for n in range(3) for view in views(hall, n)] == [
        ("round", 0, False)
    ] * 6
    last = list(hall.tables)[-1]
    hall.tables[last].hold(0, drive.now_us + 800_000, drive.now_us)
    drive.run_for(SECOND_US)
    assert [event.claim.uid for event in drive.of(ClaimHeard)] == [last]
    core.crash()

    other = armed(tmp_path / "three", monkeypatch)
    show(drive, other)
    drive.run_for(12 * SECOND_US)
    assert states(drive) == ["good", "good", "outdated"]
    assert [view.update for n in range(3) for view in views(hall, n)] == [False] * 4 + [True] * 2
    other.crash()

    again = DiskHall(tmp_path / "again")
    again.begin()
    show(drive, again)
    drive.run_for(2 * SECOND_US)
    assert states(drive) == ["good"] * 3
    assert [(view.kind, view.update) for view in views(hall, 2)] == [("ready", False)] * 2
    assert [event.state for event in drive.of(NodeChanged) if event.uid == last] == [
        "good",
        "outdated",
        "good",
    ]
    again.crash()
