"""The master with the node's own firmware, on simulated boards and cables in virtual time."""

from functools import partial

import pytest

from pi_controller.bus.values import ClaimHeard, NodeChanged, Place
from pi_controller.protocol.simulated import Do
from pi_controller.virtual_hall.hall import VirtualHall
from tests.bus.firmware import SECOND, joined
from tests.bus.hall import state
from tests.matrix import further
from tests.virtual_hall.virtual_time import BEGAN_US, Drive


def numbers(hall: VirtualHall) -> list[int]:
    return [table.program.address.number for table in hall.tables.values()]  # type: ignore[union-attr]


def do(hall: VirtualHall, drive: Drive, what: str, uid: str) -> None:
    hall.do(Do(version=1, id=1, do=what, uid=uid), drive.now_us)  # type: ignore[arg-type]


def states(drive: Drive) -> dict[str, str]:
    return {node.uid: node.state for node in drive.master.snapshot(drive.master_us()).nodes}


def test_b11_a_table_that_takes_anothers_address_gets_its_own_back() -> None:
    """B11: within 5 s."""
    hall, drive = joined(8)
    before = numbers(hall)
    uid = list(hall.tables)[4]
    do(hall, drive, "duplicate", uid)
    drive.run_for(20_000)
    assert numbers(hall) != before
    drive.run_for(5 * SECOND)
    assert numbers(hall) == before
    assert set(states(drive).values()) == {"good"}


@pytest.mark.parametrize(("tables", "seconds"), [(12, 2), *further((32, 10))])
def test_finding_many_tables_is_no_sign_of_a_bad_cable(tables: int, seconds: int) -> None:
    _, drive = joined(tables)
    drive.run_for(seconds * SECOND)
    snapshot = drive.master.snapshot(drive.master_us())
    assert (snapshot.crc_errors, [node.crc_errors for node in snapshot.nodes]) == (0, [0] * tables)
    assert snapshot.sentence is None


def test_a_restarted_master_finds_everybody_and_every_claim() -> None:
    hall, drive = joined(8)
    uids = list(hall.tables)
    hall.tables[uids[2]].hold(0, drive.now_us + 800_000, drive.now_us)
    touched = drive.now_us
    drive.run_for(2 * SECOND)
    first = drive.of(ClaimHeard)
    drive.events.clear()
    drive.new_master(epoch=2)
    drive.master.places((Place(uid=uids[2], board="A3"),))
    drive.master.show(state(drive.master_us()))
    drive.run_for(2 * SECOND)
    assert set(states(drive).values()) == {"good"}
    assert len(states(drive)) == 8
    again = drive.of(ClaimHeard)
    assert [event.claim for event in again] == [event.claim for event in first]
    assert again[0].board == "A3"
    assert abs(again[0].at_us - BEGAN_US - touched) <= 20_000


def test_a_cut_cable_is_noticed_from_there_on_and_mended() -> None:
    """B13: what hangs behind the cut is lost; it is back within 5 s of the mending."""
    hall, drive = joined(6)
    uids = list(hall.tables)
    at = partial(do, hall, drive)
    at("cut", uids[3])
    drive.run_for(12 * SECOND)
    assert [states(drive)[uid] for uid in uids] == ["good"] * 3 + ["lost"] * 3
    at("mend", uids[3])
    drive.run_for(5 * SECOND)
    assert set(states(drive).values()) == {"good"}
    assert [event.state for event in drive.of(NodeChanged) if event.uid == uids[5]] == [
        "good",
        "suspect",
        "lost",
        "good",
    ]
