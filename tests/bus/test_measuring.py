"""MEASURE to scripted tables and to the node's own firmware: who is asked, what is found, who is left alone."""

import pytest

from pi_controller.bus.messages import Measurements
from pi_controller.bus.values import MeasureAsked, NodeMeasured
from pi_controller.protocol.simulated import Do
from pi_controller.virtual_hall.hall import virtual_uid
from tests.bus.hall import SECOND, Hall
from tests.bus.test_jobs import done
from tests.bus.test_jobs_firmware import Tables


def joined(*newest: int, **how: object) -> Hall:
    """A table for each of these newest protocols."""
    hall = Hall(len(newest), **how)  # type: ignore[arg-type]
    for table, protocol in zip(hall.tables, newest, strict=True):
        table.protocols = (1, protocol)
    hall.join()
    return hall


def test_each_node_tells_what_it_reads() -> None:
    hall = joined(6, 6)
    first, second = hall.tables
    second.reads = Measurements(supply_mv=22_050)
    found = done(hall, MeasureAsked())
    assert (found.sentence, found.nodes, found.loopback) == (None, (), None)
    assert {node.uid: node for node in found.measured} == {
        first.uid: NodeMeasured(
            uid=first.uid, supply_v=23.456, spread_v=0.027, lamps_ma=18.62, displays_ma=41.8, loop=True
        ),
        second.uid: NodeMeasured(uid=second.uid, supply_v=22.05, spread_v=0.0),
    }


def test_a_node_that_does_not_know_it_is_never_asked() -> None:
    hall = joined(6, 5, 7, 1)
    found = done(hall, MeasureAsked())
    assert {node.uid for node in found.measured} == {hall.tables[0].uid, hall.tables[2].uid}
    assert [table.measures for table in hall.tables] == [1, 0, 1, 0]
    assert not any(table.outdated for table in hall.tables)
    assert done(joined(5, 1), MeasureAsked()).measured == ()


def test_only_those_asked_for() -> None:
    hall = joined(6, 6, 6)
    asked = hall.tables[1].uid
    found = done(hall, MeasureAsked(uids=(asked, "0" * 16)))
    assert [node.uid for node in found.measured] == [asked]
    assert [table.measures for table in hall.tables] == [0, 1, 0]


def test_who_does_not_answer_is_asked_three_times_and_left_out() -> None:
    hall = joined(6, 6)
    silent, other = hall.tables
    silent.knows_measure = False
    found = done(hall, MeasureAsked())
    assert [node.uid for node in found.measured] == [other.uid]
    assert (silent.measures, other.measures) == (3, 1)


def test_a_pause_breaks_a_reading_off_which_is_asked_for_again() -> None:
    hall = joined(6, 6)
    hall.master.measure(MeasureAsked())
    for number in range(20):
        hall.run(2_000)
        hall.show(paused=number % 2 == 0)
    hall.run(SECOND)
    (found,) = hall.master.taken_results()
    assert len(found.measured) == 2


@pytest.fixture(scope="module")
def tables() -> Tables:
    return Tables(ideal=True)


def test_the_firmware_answers_beside_one_of_an_older_version(tables: Tables) -> None:
    tables.do("firmware", value=1.0)
    tables.drive.run_for(5 * SECOND)
    found = {node.uid: node for node in tables.result(MeasureAsked()).measured}
    assert set(found) == {virtual_uid(1), virtual_uid(3)}
    assert found[virtual_uid(3)].supply_v == pytest.approx(24.0, abs=0.02)
    assert found[virtual_uid(3)].loop is True
    assert tables.states() == {"good"}
    tables.do("mended")


def test_lamps_and_displays_are_seen_in_their_currents(tables: Tables) -> None:
    master, uid = tables.drive.master, virtual_uid(1)

    def reads(what: str, number: int = 0) -> NodeMeasured:
        master.identify(None, what=what, seconds=20, number=number)  # type: ignore[arg-type]
        tables.drive.run_for(2 * SECOND)
        return next(node for node in tables.result(MeasureAsked()).measured if node.uid == uid)

    dark, white = reads("pattern", 1), reads("pattern", 0)
    assert (dark.displays_ma, white.displays_ma) == (4.0, 260.0)
    off, lit = reads("lamps", 0), reads("lamps", 0b1111)
    assert (off.lamps_ma, lit.lamps_ma) == (0.0, 72.0)
    tables.hall.do(Do(version=1, id=8, do="dark", uid=uid, side="moon"), tables.drive.now_us)
    tables.hall.do(Do(version=1, id=9, do="dead_lamp", uid=uid, side="sun"), tables.drive.now_us)
    assert reads("lamps", 0b1111).lamps_ma == 54.0
    assert reads("pattern", 0).displays_ma == 130.0
