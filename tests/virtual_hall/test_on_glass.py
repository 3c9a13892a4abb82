"""From core to the glass of the tables: three seats, messages, two languages; a table with older firmware among
them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pi_controller.bus.values import ClaimHeard, NodeChanged
from pi_controller.core.tables.state import table_state
from pi_controller.virtual_hall.board import VirtualBoard
from pi_controller.virtual_hall.hall import VirtualHall
from pi_controller.virtual_hall.table import Firmware, Program, VirtualDisplay, start_firmware
from table_node.face import Face
from table_node.node import Node
from table_node.view import View
from tests.core.disk import DiskHall
from tests.core.hall import accepted
from tests.core.hand import S
from tests.core.test_three_seats import armed
from tests.firmware.test_face import buffer
from tests.virtual_hall.virtual_time import Drive

SECOND_US = 1_000_000
OF_MESSAGES, OF_LANGUAGES = ("de", "pl"), ("pl", "pt-BR")
LINE_1 = {"de": "Kurze Pause", "pl": "Krótka przerwa"}
TYPED = "Zażółć: “Der Saal schließt um 22 Uhr” – ¡gracias a todos por venir!"
TOLD = 'Zażółć: "Der Saal schließt um 22 Uhr" - ¡gracias a todos por venir!'
FIRST, SECOND, ENGLISH = "TY GRASZ", "SUA VEZ", "YOUR TURN"


def older(version: int) -> Firmware:
    """Firmware of this protocol: what it does not know it drops, as the present one does with a later message."""

    def start(board: VirtualBoard, displays: Sequence[VirtualDisplay]) -> Program:
        faces = [Face(display) for display in displays]
        node: Any = Node(board, faces, firmware=(1, version), protocols=(1, version), chance=b"abc")
        if version == 2:
            node.languages.hear = lambda frame, epoch: None
        if version == 3:
            node.said.hear = lambda frame, epoch: False
        program: Program = node
        return program

    return start


class Glass:
    """Tables behind a core; the last of them speaks protocol `version` alone, None: the newest."""

    def __init__(
        self,
        core: DiskHall,
        tables: int = 3,
        *,
        version: int | None = None,
        languages: tuple[str, ...] = ("en",),
    ) -> None:
        self.languages = languages
        self.hall = VirtualHall(tables, start_firmware)
        if version is not None:
            self.hall.tables[list(self.hall.tables)[-1]]._firmware = older(version)
        self.drive = Drive(self.hall.segments["A"])
        self.show(core, 7.5)  # between two seconds nothing is being drawn

    def show(self, core: DiskHall, seconds: float = 0.5) -> None:
        """Core's picture, for so long."""
        picture = core.picture
        offset_us = self.drive.master_us() - picture.as_of_us
        state = table_state(picture, offset_us=offset_us, brightness=128, languages=self.languages)
        self.drive.master.show(state)
        self.drive.run_for(round(seconds * SECOND_US))

    def views(self, number: int) -> list[View]:
        found: list[View] = list(self.hall.tables.values())[number].program.views  # type: ignore[union-attr]
        return found

    def each(self, name: str) -> list[Any]:
        """What all displays show of this, table after table."""
        return [getattr(view, name) for n in range(len(self.hall.tables)) for view in self.views(n)]

    def spoken(self, number: int) -> list[str]:
        return [view.words.YOUR_TURN for view in self.views(number)]

    def of_nodes(self, name: str) -> list[Any]:
        """In the order of the tables."""
        nodes = sorted(self.drive.master.snapshot(self.drive.master_us()).nodes, key=lambda node: node.uid)
        return [getattr(node, name) for node in nodes]

    def check_pixels(self, core: DiskHall) -> None:
        """The very pixels: sign and name in the bar, lit where the own seat acts."""
        for table in self.hall.tables.values():
            for side, view in enumerate(table.program.views):  # type: ignore[union-attr]
                fields = {name: value for name, value in vars(view).items() if name != "look"}
                shown = table.program.stage.faces[side].display.buffer  # type: ignore[union-attr]
                assert bytes(shown) == bytes(buffer(fields, 8))
                assert view.active == (core.picture.seat if core.picture.seat in (0, 1) else -1)


def begun(folder: Path, *, started: bool = True, languages: tuple[str, ...] = ("en",)) -> DiskHall:
    """A core with a game, in round 1 if it is started."""
    core = DiskHall(folder, languages=languages)
    core.begin()
    core.log.prompt = True
    if started:
        start(core)
    return core


def start(core: DiskHall) -> None:
    assert accepted(core.ask("start"))
    core.move(3 * S)


def test_each_table_shows_the_acting_seat_on_both_displays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = armed(tmp_path / "state", monkeypatch)
    glass = Glass(core)
    shown = []
    while len(shown) < 6:
        if core.picture.phase == "round":
            glass.show(core)
            shown.append((core.picture.seat, glass.each("name")))
            glass.check_pixels(core)
        assert accepted(core.ask("skip"))
    names = ("Sun", "Moon", "Star")
    assert shown == [(n % 3, [names[n % 3]] * 6) for n in range(6)]
    assert glass.of_nodes("state") == ["good"] * 3
    core.crash()


def test_a_table_that_only_speaks_protocol_1_plays_in_a_game_of_sun_and_moon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = begun(tmp_path / "connect")
    glass = Glass(core, version=1)
    assert glass.of_nodes("state") == ["good"] * 3
    assert (glass.each("kind"), glass.each("active"), glass.each("update")) == (
        ["round"] * 6,
        [0] * 6,
        [False] * 6,
    )
    last = list(glass.hall.tables)[-1]
    glass.hall.tables[last].hold(0, glass.drive.now_us + 800_000, glass.drive.now_us)
    glass.drive.run_for(SECOND_US)
    assert [event.claim.uid for event in glass.drive.of(ClaimHeard)] == [last]
    core.crash()

    other = armed(tmp_path / "three", monkeypatch)
    glass.show(other, 12)
    assert glass.of_nodes("state") == ["good", "good", "outdated"]
    assert glass.each("update") == [False] * 4 + [True] * 2
    other.crash()

    again = begun(tmp_path / "again", started=False)
    glass.show(again, 2)
    assert glass.of_nodes("state") == ["good"] * 3
    assert [(view.kind, view.update) for view in glass.views(2)] == [("ready", False)] * 2
    told = [event.state for event in glass.drive.of(NodeChanged) if event.uid == last]
    assert told == ["good", "outdated", "good"]
    again.crash()


def test_a_message_stands_on_all_displays_that_know_messages_until_it_is_taken_away(tmp_path: Path) -> None:
    core = begun(tmp_path / "state", started=False, languages=OF_MESSAGES)
    glass = Glass(core, version=3, languages=OF_MESSAGES)
    assert accepted(core.ask("say", {"line": "break"}))
    glass.show(core)
    assert glass.each("message") == [LINE_1["de"]] * 4 + [""] * 2
    glass.check_pixels(core)
    start(core)
    assert accepted(core.ask("say", {"text": TYPED}))
    glass.show(core)
    assert [(view.message, view.kind, view.page) for view in glass.views(1)] == [(TOLD, "round", 0)] * 2
    glass.check_pixels(core)
    glass.drive.run_for(3 * SECOND_US)
    assert [view.page for view in glass.views(1)] == [1, 1]
    glass.check_pixels(core)
    assert accepted(core.ask("say", {"text": ""}))
    glass.show(core)
    assert glass.each("message") == [""] * 6
    glass.check_pixels(core)
    assert glass.of_nodes("state") == ["good"] * 3
    core.crash()


def test_a_prepared_message_stands_in_the_language_that_stands(tmp_path: Path) -> None:
    core = begun(tmp_path / "state", started=False, languages=OF_MESSAGES)
    assert accepted(core.ask("say", {"line": "break"}))
    start(core)
    shown = {}
    while len(shown) < 4:
        if core.picture.phase == "round":
            state = table_state(core.picture, offset_us=0, brightness=128, languages=OF_MESSAGES)
            shown[core.picture.round] = state.message
        assert accepted(core.ask("skip"))
    assert shown == {1: LINE_1["de"], 2: LINE_1["pl"], 3: LINE_1["pl"], 4: LINE_1["de"]}
    core.crash()


def test_the_languages_change_with_every_second_round_on_all_displays(tmp_path: Path) -> None:
    core = begun(tmp_path / "state", languages=OF_LANGUAGES)
    glass = Glass(core, version=2, languages=OF_LANGUAGES)
    shown = {}
    while len(shown) < 8:
        if core.picture.phase == "round":
            glass.show(core)
            shown[core.picture.round] = glass.spoken(0) + glass.spoken(1)
            assert glass.spoken(2) == [ENGLISH] * 2
            glass.check_pixels(core)
        assert accepted(core.ask("skip"))
    assert shown == {number: [SECOND if number // 2 % 2 else FIRST] * 4 for number in range(1, 9)}
    assert (glass.of_nodes("state"), glass.of_nodes("wordless")) == (["good"] * 3, [False, False, True])
    core.crash()


def test_a_hall_without_its_words_plays_on_with_symbols_and_is_told(tmp_path: Path) -> None:
    core = begun(tmp_path / "state")
    glass = Glass(core, 2, languages=("nl",))
    assert glass.spoken(0) == [""] * 2
    glass.check_pixels(core)
    assert (glass.of_nodes("state"), glass.of_nodes("wordless")) == (["good"] * 2, [True] * 2)
    glass.languages = ("de",)
    glass.show(core, 2)
    assert glass.spoken(1) == ["DEIN ZUG"] * 2
    assert glass.of_nodes("wordless") == [False] * 2
    core.crash()
