"""New firmware over the cable for virtual nodes: the node's own firmware, its loader's choice, a flash that takes time."""

from typing import Any

import pytest

from pi_controller.bus.values import (
    FirmwareAsked,
    FirmwareEnd,
    JobResult,
    NodeChanged,
    SegmentChanged,
    TableState,
)
from pi_controller.flashing.build import FirmwarePart
from pi_controller.flashing.image import key_mark, pack
from pi_controller.virtual_hall.hall import VirtualHall
from pi_controller.virtual_hall.table import start_sparing
from table_node.node import FIRMWARE
from tests.matrix import further
from tests.virtual_hall.virtual_time import Drive

SECOND = 1_000_000
KEY = bytes(range(32))
NEW = (9, 1)


def image(size: int = 4_000, *, key: bytes = KEY, begins: bytes = b"M\x06\x00\x1f") -> bytes:
    """Of about so many bytes, that do not pack well."""
    data = begins + bytes(number * number * 31 % 253 for number in range(size))
    parts = [FirmwarePart(path=f"table_node/{name}.mpy", data=data[:2_000]) for name in ("main", "node")]
    return pack([*parts, FirmwarePart(path="table_node/words.mpy", data=data)], firmware=NEW, key=key)


class Segment:
    """Some virtual tables in maintenance, all there."""

    def __init__(self, tables: int = 2, *, loss: float = 0.0, **how: Any) -> None:
        self.hall = VirtualHall(tables, start_sparing, sparing=True, ideal=True, **({"key": KEY} | how))
        self.drive = Drive(self.hall.segments["A"])
        self.drive.master.show(TableState(as_of_us=self.drive.master_us(), phase="ready", maintenance=True))
        self.drive.run(5 * SECOND)
        self.segment = self.hall.segments["A"]
        for end in range(tables + 1):
            self.segment.cable.hearing(end).loss.part = loss

    @property
    def tables(self) -> list[Any]:
        return list(self.hall.tables.values())

    def begin(self, *, data: bytes | None = None, key: bytes = KEY, offer: int = 7) -> None:
        data = image() if data is None else data
        uids = tuple(self.hall.tables)
        self.drive.master.measure(
            FirmwareAsked(uids=uids, offer=offer, firmware=NEW, key=key_mark(key), image=data)
        )

    def result(self, *, within_s: int = 120) -> JobResult:
        for _ in range(within_s * 20):
            self.drive.run_for(SECOND // 20)
            if found := self.drive.master.taken_results():
                return found[0]
        raise AssertionError("no result has come")

    def ends(self, **how: Any) -> list[FirmwareEnd]:
        self.begin(**how)
        by_uid = {node.uid: node.end for node in self.result().updated}
        return [by_uid[uid] for uid in self.hall.tables]

    def versions(self) -> list[tuple[int, int] | None]:
        return [None if table.program is None else table.program.firmware for table in self.tables]


def test_all_get_it_and_keep_it_over_a_restart_and_nobody_counts_as_sick() -> None:
    segment = Segment(3)
    segment.drive.events.clear()
    assert segment.ends() == ["updated"] * 3
    assert {event.state for event in segment.drive.of(NodeChanged)} <= {"good"}
    assert segment.drive.of(SegmentChanged) == []
    assert segment.versions() == [NEW] * 3
    nodes = segment.drive.master.snapshot(segment.drive.master_us()).nodes
    assert {node.firmware for node in nodes} == {"9.1"}
    assert {(node.lately.unanswered, node.lately.restarts) for node in nodes} == {(0, 0)}
    for table in segment.tables:
        table.reboot(segment.drive.now_us)
    segment.drive.run_for(5 * SECOND)
    assert segment.versions() == [NEW] * 3
    assert "image" not in segment.tables[0].board.flash.kept


@pytest.mark.parametrize("loss", [*further(0.01, 0.1), 0.3])
def test_frames_that_are_lost_are_said_again(loss: float) -> None:
    segment = Segment(2, loss=loss)
    assert segment.ends() == ["updated"] * 2


def test_damaged_frames_are_said_again() -> None:
    segment = Segment(2)
    segment.segment.cable.noise(1, 0.0003)
    assert segment.ends() == ["updated"] * 2


def test_without_the_controllers_key_nothing_is_taken() -> None:
    segment = Segment(2)
    stranger, keyless = segment.tables
    stranger.board.flash.kept["key"] = bytes(32)
    del keyless.board.flash.kept["key"]
    assert segment.ends() == ["other_key", "no_key"]
    assert segment.versions() == [FIRMWARE] * 2


def test_an_image_that_another_key_proves_is_not_unpacked() -> None:
    segment = Segment(1)
    assert segment.ends(data=image(key=bytes(32))) == ["damaged"]
    assert (segment.versions(), segment.tables[0].board.flash.names("b")) == ([FIRMWARE], [])


def test_firmware_that_does_not_start_is_gone_back_from() -> None:
    segment = Segment(1)
    assert segment.ends(data=image(begins=b"torn")) == ["went_back"]
    assert segment.versions() == [FIRMWARE]


@pytest.mark.parametrize("ms", [*further(*range(50, 4_000, 250)), 300, 1_450, 2_100, 2_600, 3_200])
def test_power_that_goes_at_any_moment_leaves_the_old_or_the_new(ms: int) -> None:
    segment = Segment(1)
    segment.begin()
    segment.drive.run_for(ms * 1_000)
    (table,) = segment.tables
    table.reboot(segment.drive.now_us)
    (node,) = segment.result().updated
    segment.drive.run_for(3 * SECOND)
    for _ in range(70):
        segment.drive.run_for(SECOND)
        if table.board.flash.kept.get("slot", b"").split()[1:2] not in ([b"a"], [b"b"]):
            break
    assert segment.versions() == [NEW if node.end == "updated" else FIRMWARE]
    assert segment.ends(offer=8) == ["updated"]
