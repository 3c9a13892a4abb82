import os
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import serial

from pi_controller.protocol.paths import tables_socket, virtual_port, virtual_segments
from pi_controller.virtual_hall.hall import VirtualHall, virtual_uid
from pi_controller.virtual_hall.hub import LONGEST_LAG_US, Hub, Port
from tests.virtual_hall.near_side import NearSide, wait_for
from tests.virtual_hall.talker import Talker, start


@contextmanager
def hub(state: Path, tables: int = 1) -> Iterator[Hub]:
    """Serves on a thread of its own."""
    stop, stopper = socket.socketpair()
    ports = {name: virtual_port(state, name) for name in virtual_segments(tables)}
    serving = Hub(VirtualHall(tables, start), ports=ports, socket_path=tables_socket(state), stop=stop)
    thread = threading.Thread(target=serving.run)
    thread.start()
    try:
        wait_for(lambda: all(table.program is not None for table in serving._hall.tables.values()))
        yield serving
    finally:
        stopper.send(b"x")
        thread.join()
        serving.close()
        stop.close()
        stopper.close()


def talker_of(serving: Hub) -> Talker:
    program = serving._hall.tables[virtual_uid(1)].program
    assert isinstance(program, Talker)
    return program


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_a_master_polls_a_table_through_the_port_and_may_go_and_come_back(tmp_path: Path) -> None:
    before = descriptors()
    with hub(tmp_path) as serving:
        for epoch in (1, 2):
            near = NearSide({"A": virtual_port(tmp_path, "A")}, epoch=epoch)
            near.run_until(lambda near=near: near.good() == 1)
            census = near.masters["A"].census(0)
            assert census.nodes[0].uid == virtual_uid(1)
            assert census.crc_errors == 0
            near.close()
            wait_for(lambda: talker_of(serving).address is None)
    assert descriptors() == before
    assert not list(tmp_path.rglob("tables/*"))
    assert not tables_socket(tmp_path).exists()


def test_a_master_that_leaves_after_a_while_does_not_stop_the_halls_time(tmp_path: Path) -> None:
    with hub(tmp_path) as serving:
        near = NearSide({"A": virtual_port(tmp_path, "A")})
        near.run_for(1.5 * LONGEST_LAG_US / 1e6)
        left_us = serving.now_us()
        near.close()
        wait_for(lambda: not serving._lines[0]._open)
        assert serving.now_us() > left_us
        near = NearSide({"A": virtual_port(tmp_path, "A")}, epoch=2)
        near.run_until(lambda: near.good() == 1)
        near.close()


def test_two_segments_are_served_side_by_side(tmp_path: Path) -> None:
    with hub(tmp_path, 33) as serving:
        for uid in list(serving._hall.tables)[1:32]:
            serving._hall.tables[uid].halt()  # the talker has no slots and must be alone
        near = NearSide({name: virtual_port(tmp_path, name) for name in "AB"})
        near.run_until(lambda: near.good() == 2)
        near.close()


def test_a_master_at_another_rate_hears_nobody(tmp_path: Path) -> None:
    with hub(tmp_path):
        near = NearSide({"A": virtual_port(tmp_path, "A")}, baud=115_200)
        near.run_for(1.5)
        assert near.good() == 0
        near.close()


def test_a_hall_that_cannot_keep_up_says_so_and_loses_time_but_not_its_order(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with hub(tmp_path) as serving:
        wait_for(lambda: serving.now_us() > 0)
        serving._began_us -= 10 * LONGEST_LAG_US  # as if it had been stopped so long
        wait_for(lambda: serving.lost_us > 8 * LONGEST_LAG_US)
        assert "this machine is too busy for so many virtual tables" in caplog.text
        near = NearSide({"A": virtual_port(tmp_path, "A")})
        near.run_until(lambda: near.good() == 1)
        near.close()


@pytest.fixture
def port(tmp_path: Path) -> Iterator[Port]:
    port = Port(tmp_path / "tables" / "A")
    yield port
    port.close()


def test_a_port_is_open_while_its_near_side_is(port: Port, tmp_path: Path) -> None:
    assert not port.is_open()
    assert port.read() is None
    with serial.Serial(str(tmp_path / "tables" / "A"), 250_000, timeout=10) as near:
        assert port.is_open()
        assert port.read() == b""
        port.write(b"before it has spoken")
        near.write(b"\0\xff")
        select.select([port.master], [], [])
        assert port.read() == b"\0\xff"
        assert port.baud() == 250_000
        port.write(b"\0\r\n\x03")
        assert near.read(4) == b"\0\r\n\x03"
    assert port.read() is None
    assert not port.is_open()
    with serial.Serial(str(tmp_path / "tables" / "A"), 115_200, exclusive=True, timeout=0):
        assert port.is_open()
        assert port.baud() == 115_200


def test_what_nobody_reads_is_lost(port: Port, tmp_path: Path) -> None:
    with serial.Serial(str(tmp_path / "tables" / "A"), 250_000) as near:
        near.write(b"x")
        select.select([port.master], [], [])
        port.read()
        for _ in range(1000):
            port.write(bytes(1000))


def test_the_link_is_moved_and_removed_with_care(tmp_path: Path) -> None:
    link = tmp_path / "A"
    link.symlink_to("/dev/null")
    first = Port(link)
    second = Port(link)
    with serial.Serial(str(link)) as near:
        assert os.ttyname(near.fileno()) == str(link.readlink())
        assert second.is_open()
        assert not first.is_open()
    first.close()
    assert link.is_symlink()
    second.close()
    assert not link.is_symlink()


def test_a_link_that_cannot_be_made_leaves_nothing_open(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    before = descriptors()
    with pytest.raises(OSError, match="file"):
        Port(tmp_path / "file" / "A")
    assert descriptors() == before
