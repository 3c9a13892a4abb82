"""New firmware for the nodes of a segment, on a line with scripted tables: everybody gets it, or keeps what it had."""

from itertools import pairwise
from typing import cast

import pytest
from msgspec.structs import replace

from pi_controller.bus.master import SegmentMaster
from pi_controller.bus.values import FirmwareEnd
from tests.bus.hall import SECOND, Hall, state
from tests.bus.test_jobs import done, result, states_us
from tests.bus.updating import NEW, OLD, UpdatingTable, firmware_for, updating_hall
from tests.bus.wire import Drive, run
from tests.matrix import further


def tables(hall: Hall) -> list[UpdatingTable]:
    return cast("list[UpdatingTable]", hall.tables)


def ends(hall: Hall, **how: int) -> list[FirmwareEnd]:
    """What became of each table, in their order, after all was tried."""
    found = done(hall, firmware_for(hall, **how), within_s=300)
    assert found.sentence is None
    by_uid = {node.uid: node.end for node in found.updated}
    return [by_uid[table.uid] for table in hall.tables]


def settle(hall: Hall) -> None:
    """Who ran on trial when it ended has gone back."""
    for _ in range(70):
        if all(table.trial is None and table.address for table in tables(hall)):
            return
        hall.run(SECOND)
    raise AssertionError("one is still on trial")


def test_all_get_it_whole_try_it_and_keep_it() -> None:
    hall = updating_hall(4)
    asked = firmware_for(hall)
    hall.wire.keep = True
    found = done(hall, asked)
    assert {node.end for node in found.updated} == {"updated"}
    assert {(table.runs, table.trial) for table in tables(hall)} == {(NEW, None)}
    assert all(table.update == "kept" for table in tables(hall))
    assert 2 < found.seconds < 8
    assert max(after - before for before, after in pairwise(states_us(hall))) < 260_000, (
        "the state goes out as ever"
    )
    assert {node.state for node in hall.master.snapshot(hall.now).nodes} == {"good"}
    assert {node.firmware for node in hall.master.snapshot(hall.now).nodes} == {"1.7"}


def test_what_a_node_writes_is_the_image() -> None:
    hall = updating_hall(2, loss=0.1)
    asked = firmware_for(hall, size=6_150)
    hall.master.measure(asked)
    while any(table.update != "whole" for table in tables(hall)):
        hall.run(10_000)
    assert [table.image[: len(asked.image)] for table in tables(hall)] == [asked.image] * 2
    assert [len(table.image) for table in tables(hall)] == [257 * 24] * 2
    assert result(hall).sentence is None


@pytest.mark.parametrize("loss", [0.01, *further(0.05, 0.1, 0.2), 0.3])
def test_lost_frames_only_take_longer(loss: float) -> None:
    hall = updating_hall(5, loss=loss)
    assert ends(hall) == ["updated"] * 5


@pytest.mark.parametrize("size", [1, 24, 25, 3_072, *further(3_071, 3_073, 6_144)])
def test_images_of_any_size(size: int) -> None:
    hall = updating_hall(2)
    assert ends(hall, size=size) == ["updated"] * 2


def test_each_that_cannot_says_why_and_the_others_go_on() -> None:
    hall = updating_hall(9)
    _well, keyless, stranger, old, torn, broken, dead, unpowered, late = tables(hall)
    keyless.key, stranger.key, torn.proves, broken.starts = None, bytes(32), False, False
    old.protocols = (1, 6)
    old.reboot()
    hall.run(5 * SECOND)
    dead.alive = False
    unpowered.dies_at = 150
    late.deaf_until_us = hall.now + 400_000
    assert ends(hall) == [
        "updated",
        "no_key",
        "other_key",
        "too_old",
        "damaged",
        "went_back",
        "lost",
        "lost",
        "updated",
    ]
    assert (old.outdated, old.blocks_heard) == (False, 0), "it is told nothing that it does not know"
    assert {table.runs for table in (keyless, stranger, old, torn, broken, unpowered)} == {OLD}


def test_the_others_of_the_segment_are_as_well_as_before() -> None:
    hall = updating_hall(5)
    asked = replace(firmware_for(hall, size=30_000), uids=tuple(table.uid for table in hall.tables[:2]))
    hall.tables[4].alive = False
    hall.run(25 * SECOND)
    assert {node.end for node in done(hall, asked).updated} == {"updated"}
    lately = {node.uid: node.lately for node in hall.master.snapshot(hall.now).nodes}
    for table in hall.tables[2:4]:
        assert (lately[table.uid].unanswered, lately[table.uid].damaged) == (0, 0)
        assert lately[table.uid].answered > 0
    assert [hall.state_of(table) for table in hall.tables] == ["good"] * 4 + ["lost"]


def test_how_far_it_is_stands_in_the_snapshot() -> None:
    hall = updating_hall(2)
    assert hall.master.snapshot(hall.now).firmware is None
    hall.master.measure(firmware_for(hall, size=7_000))
    seen = []
    while not hall.master.taken_results():
        hall.run(20_000)
        seen.append(hall.master.snapshot(hall.now).firmware)
    told = [(one.part, one.done) for one in seen if one is not None]
    assert told == sorted(told)
    assert (told[0], told[-1][0]) == ((0, 0), 3)
    assert {(one.parts, one.nodes) for one in seen if one is not None} == {(3, 2)}
    assert seen[-1] is None


@pytest.mark.parametrize("ms", [100, *further(10, 400, 900, 1_300, 1_900, 2_300, 2_800)])
def test_who_ends_it_at_any_moment_leaves_nodes_that_are_as_they_were(ms: int) -> None:
    """Another job ends it; who ran on trial goes back a minute later."""
    hall = updating_hall(3)
    hall.master.measure(firmware_for(hall))
    hall.run(ms * 1_000)
    hall.master.measure(replace(firmware_for(hall), uids=()))
    hall.run(20_000)
    ended, _ = hall.master.taken_results()
    assert {node.end for node in ended.updated} <= {"stopped", "updated"}
    settle(hall)
    kept = {node.uid: OLD if node.end == "stopped" else NEW for node in ended.updated}
    assert {table.uid: table.firmware for table in tables(hall)} == kept
    assert ends(hall, offer=99) == ["updated"] * 3


def test_the_next_update_goes_on_with_what_runs_on_trial() -> None:
    hall = updating_hall(2)
    hall.master.measure(firmware_for(hall))
    while any(table.trial is None for table in tables(hall)):
        hall.run(10_000)
    hall.drive.stop()
    hall.new_master(epoch=7)
    hall.show(maintenance=True, phase="ready", running=False)
    hall.run(4 * SECOND)
    other = replace(firmware_for(hall, offer=5), firmware=(1, 8))
    assert {node.end for node in done(hall, other).updated} == {"on_trial"}
    assert {node.end for node in done(hall, firmware_for(hall, offer=6)).updated} == {"updated"}
    assert {(table.runs, table.offer) for table in tables(hall)} == {(NEW, 4711)}


@pytest.mark.parametrize(
    "frames", [1, 60, *further(2, 131, 140, 260, 290, 296, 300), 304, *further(306, 308, 310)]
)
def test_a_node_that_loses_power_at_any_frame_runs_the_old_or_the_new(frames: int) -> None:
    hall = updating_hall(2)
    tables(hall)[0].dies_at = frames
    cut, well = ends(hall)
    assert well == "updated"
    assert cut in ("lost", "went_back", "updated")
    tables(hall)[0].dies_at = None
    settle(hall)
    assert ends(hall, offer=9) == ["updated"] * 2


def test_a_node_that_gives_no_maintenance_is_asked_again_until_it_has_heard_of_it() -> None:
    hall = updating_hall(1)
    hall.show(maintenance=False, phase="ready", running=False)
    hall.run(SECOND)
    hall.master.measure(firmware_for(hall))
    hall.run(300_000)
    hall.show(maintenance=True, phase="ready", running=False)
    assert {node.end for node in result(hall).updated} == {"updated"}


def test_a_second_controller_on_the_cable_disturbs_nobody() -> None:
    hall = updating_hall(2)
    other = SegmentMaster(
        name="A", epoch=99, salt=lambda: hall.wire.chance.randrange(65_536), baud=hall.wire.baud
    )
    second = Drive(hall.wire, other)
    other.show(replace(state(hall.now), phase="ready", maintenance=False))
    hall.master.measure(firmware_for(hall))
    for _ in range(3_000):
        run(hall.wire, hall.now + 20_000, hall.drive, second)
        if results := hall.master.taken_results():
            break
    assert {node.end for node in results[0].updated} == {"updated"}
    assert second.master.snapshot(hall.now).nodes == ()
