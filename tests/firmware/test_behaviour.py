"""The timelines of the behaviour vectors, played by the firmware under both interpreters and by the virtual node."""

import json
from functools import partial
from pathlib import Path
from typing import Any

from pi_controller.virtual_hall.board import VirtualBoard
from pi_controller.virtual_hall.table import BOOT_US, Table, start_firmware
from tests.bus import behaviour
from tests.firmware import micropython
from tests.firmware.behaviour_check import BYTE_US, HandNode, echoed, keyed, play

VECTORS: dict[str, Any] = json.loads(behaviour.FILE.read_text(encoding="ascii"))
STEPS = sum(len(timeline["steps"]) for timeline in VECTORS["timelines"])


class VirtualNode:
    """A table of the virtual hall, which has started when its timeline begins."""

    def __init__(self, about: dict[str, Any], echo: str, key: str = "") -> None:
        self._echo = echo
        self._coming: list[tuple[int, int]] = []
        self.sent: list[tuple[int, bytes]] = []
        board = VirtualBoard(uid=bytes.fromhex(about["uid"]), say=self._say, tune=lambda _baud: None)
        board.files = partial(keyed, key)
        chance = bytes([about["boots"], *about["claim_no"]])
        self._table = Table(partial(start_firmware, chance=chance), board)
        self._table.revive(0)
        self._now_us = 0

    @property
    def views(self) -> Any:
        program: Any = self._table.program
        return program.views

    def pictures(self) -> list[bytes]:
        """What stands on the glass of both sides."""
        return [display.shown for display in self._table.displays]

    def _say(self, data: bytes, begins_us: int) -> int:
        self.sent.append((begins_us - BOOT_US, data))
        self.hear(echoed(data, self._echo), begins_us - BOOT_US)
        return begins_us + BYTE_US * len(data)

    def hear(self, data: bytes, at_us: int) -> None:
        begins_us = BOOT_US + at_us
        self._coming += [(begins_us + BYTE_US * (place + 1), byte) for place, byte in enumerate(data)]
        self._coming.sort(key=lambda item: item[0])

    def press(self, side: int, down: bool) -> None:
        (self._table.press if down else self._table.release)(side, self._now_us)

    def run(self, until_us: int) -> None:
        until_us += BOOT_US
        while min(due := self._table.due_us, until_us) < until_us or (
            self._coming and self._coming[0][0] < until_us
        ):
            if self._coming and self._coming[0][0] <= due:
                self._now_us, byte = self._coming.pop(0)
                self._table.receive(bytes([byte]), self._now_us)
            else:
                self._now_us = due
                self._table.step(due)
        self._now_us = until_us


def test_the_file_is_what_the_generator_makes() -> None:
    assert behaviour.FILE.read_text(encoding="ascii") == behaviour.text(), "run python -m tests.bus.behaviour"


def test_the_firmware_behaves_so() -> None:
    assert play(VECTORS, HandNode) == ([], STEPS)


def test_the_firmware_behaves_so_in_micropython() -> None:
    script = Path(__file__).parent / "behaviour_check.py"
    printed = micropython.run(script, str(micropython.ROOT), str(behaviour.FILE))
    assert printed.splitlines() == [f"steps {STEPS}"]


def test_the_virtual_node_behaves_so() -> None:
    assert play(VECTORS, VirtualNode) == ([], STEPS)


def test_each_timeline_that_a_deaf_node_could_pass_asks_for_something() -> None:
    """Whoever does nothing fails in every one."""

    class Deaf:
        def __init__(self, about: object, echo: str, key: str) -> None:
            self.sent: list[object] = []
            self.views = HandNode(VECTORS["node"], "", "").views

        def hear(self, data: bytes, at_us: int) -> None: ...

        def press(self, side: int, down: bool) -> None: ...

        def run(self, until_us: int) -> None: ...

    wrong, _ = play(VECTORS, Deaf)
    assert {line.split(": at ")[0] for line in wrong} == {row["name"] for row in VECTORS["timelines"]}
