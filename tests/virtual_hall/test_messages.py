"""The director's message from core to the glass of the tables; a table with older firmware among them."""

from collections.abc import Sequence
from pathlib import Path

from pi_controller.core.tables.state import table_state
from pi_controller.virtual_hall.board import VirtualBoard
from pi_controller.virtual_hall.hall import VirtualHall
from pi_controller.virtual_hall.table import Program, VirtualDisplay, start_firmware
from table_node.face import Face
from table_node.node import Node
from tests.core.disk import DiskHall
from tests.core.hall import accepted
from tests.core.hand import S
from tests.virtual_hall.test_three_seats import SECOND_US, on_glass, states, views
from tests.virtual_hall.virtual_time import Drive

LANGUAGES = ("de", "pl")
LINE_1 = {"de": "Kurze Pause", "pl": "Krótka przerwa"}
TYPED = "Zażółć: “Der Saal schließt um 22 Uhr” – ¡gracias a todos por venir!"
TOLD = 'Zażółć: "Der Saal schließt um 22 Uhr" - ¡gracias a todos por venir!'


def older(board: VirtualBoard, displays: Sequence[VirtualDisplay]) -> Program:
    """Firmware of protocol 3: what it does not know it drops, as the present one does with a later message."""
    node = Node(
        board, [Face(display) for display in displays], firmware=(1, 3), protocols=(1, 3), chance=b"abc"
    )
    node.said.hear = lambda frame, epoch: False
    program: Program = node
    return program


def show(drive: Drive, core: DiskHall) -> None:
    picture = core.picture
    offset_us = drive.master_us() - picture.as_of_us
    drive.master.show(table_state(picture, offset_us=offset_us, brightness=128, languages=LANGUAGES))


def told(hall: VirtualHall, number: int) -> list[str]:
    return [view.message for view in views(hall, number)]


def test_a_message_stands_on_all_displays_that_know_messages_until_it_is_taken_away(tmp_path: Path) -> None:
    core = DiskHall(tmp_path / "state", languages=LANGUAGES)
    core.begin()
    core.log.prompt = True
    hall = VirtualHall(3, start_firmware)
    hall.tables[list(hall.tables)[-1]]._firmware = older
    drive = Drive(hall.segments["A"])
    show(drive, core)
    drive.run_for(7 * SECOND_US)
    assert accepted(core.ask("say", {"line": "break"}))
    show(drive, core)
    drive.run_for(SECOND_US // 2)
    assert [told(hall, n) for n in range(3)] == [[LINE_1["de"]] * 2] * 2 + [["", ""]]
    on_glass(hall, core)
    assert accepted(core.ask("start"))
    core.move(3 * S)
    assert accepted(core.ask("say", {"text": TYPED}))
    show(drive, core)
    drive.run_for(SECOND_US // 2)
    assert [(view.message, view.kind, view.page) for view in views(hall, 1)] == [(TOLD, "round", 0)] * 2
    on_glass(hall, core)
    drive.run_for(3 * SECOND_US)
    assert [view.page for view in views(hall, 1)] == [1, 1]
    on_glass(hall, core)
    assert accepted(core.ask("say", {"text": ""}))
    show(drive, core)
    drive.run_for(SECOND_US // 2)
    assert [told(hall, n) for n in range(3)] == [["", ""]] * 3
    on_glass(hall, core)
    assert states(drive) == ["good"] * 3
    core.crash()


def test_a_prepared_message_stands_in_the_language_that_stands(tmp_path: Path) -> None:
    core = DiskHall(tmp_path / "state", languages=LANGUAGES)
    core.begin()
    core.log.prompt = True
    assert accepted(core.ask("say", {"line": "break"}))
    assert accepted(core.ask("start"))
    core.move(3 * S)
    shown = {}
    while len(shown) < 4:
        if core.picture.phase == "round":
            shown[core.picture.round] = table_state(
                core.picture, offset_us=0, brightness=128, languages=LANGUAGES
            ).message
        assert accepted(core.ask("skip"))
    assert shown == {1: LINE_1["de"], 2: LINE_1["pl"], 3: LINE_1["pl"], 4: LINE_1["de"]}
    core.crash()
