"""A hall of two languages from core to the glass of the tables; a table with older firmware among them."""

from collections.abc import Sequence
from pathlib import Path

from pi_controller.bus.values import NODES_LANGUAGE
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

LANGUAGES = ("pl", "pt-BR")
FIRST, SECOND, ENGLISH = "TY GRASZ", "SUA VEZ", "YOUR TURN"


def older(board: VirtualBoard, displays: Sequence[VirtualDisplay]) -> Program:
    """Firmware of protocol 2: what it does not know it drops, as the present one does with a later message."""
    node = Node(
        board, [Face(display) for display in displays], firmware=(1, 2), protocols=(1, 2), chance=b"abc"
    )
    node.languages.hear = lambda frame, epoch: None
    program: Program = node
    return program


def show(drive: Drive, core: DiskHall, languages: tuple[str, ...] = LANGUAGES) -> None:
    picture = core.picture
    offset_us = drive.master_us() - picture.as_of_us
    drive.master.show(table_state(picture, offset_us=offset_us, brightness=128, languages=languages))


def spoken(hall: VirtualHall, number: int) -> list[str]:
    return [view.words.YOUR_TURN for view in views(hall, number)]


def wordless(drive: Drive) -> list[bool]:
    nodes = sorted(drive.master.snapshot(drive.master_us()).nodes, key=lambda node: node.uid)
    return [node.wordless for node in nodes]


def test_the_languages_change_with_every_second_round_on_all_displays(tmp_path: Path) -> None:
    core = DiskHall(tmp_path / "state", languages=LANGUAGES)
    core.begin()
    core.log.prompt = True
    assert accepted(core.ask("start"))
    core.move(3 * S)
    hall = VirtualHall(3, start_firmware)
    hall.tables[list(hall.tables)[-1]]._firmware = older
    drive = Drive(hall.segments["A"])
    show(drive, core)
    drive.run_for(7 * SECOND_US)
    shown = {}
    while len(shown) < 8:
        if core.picture.phase == "round":
            show(drive, core)
            drive.run_for(SECOND_US // 2)
            shown[core.picture.round] = spoken(hall, 0) + spoken(hall, 1)
            assert spoken(hall, 2) == [ENGLISH] * 2
            on_glass(hall, core)
        assert accepted(core.ask("skip"))
    assert shown == {number: [SECOND if number // 2 % 2 else FIRST] * 4 for number in range(1, 9)}
    assert (states(drive), wordless(drive)) == (["good"] * 3, [False, False, True])
    core.crash()


def test_a_hall_without_its_words_plays_on_with_symbols_and_is_told(tmp_path: Path) -> None:
    core = DiskHall(tmp_path / "state")
    core.begin()
    core.log.prompt = True
    assert accepted(core.ask("start"))
    core.move(3 * S)
    hall = VirtualHall(2, start_firmware)
    drive = Drive(hall.segments["A"])
    show(drive, core, ("fr",))
    drive.run_for(5 * SECOND_US + SECOND_US // 2)
    assert spoken(hall, 0) == [""] * 2
    on_glass(hall, core)
    assert (states(drive), wordless(drive)) == (["good"] * 2, [True] * 2)
    show(drive, core, ("de",))
    drive.run_for(2 * SECOND_US)
    assert spoken(hall, 1) == ["IHR ZUG"] * 2
    assert wordless(drive) == [False] * 2
    show(drive, core, (NODES_LANGUAGE,))
    core.crash()
