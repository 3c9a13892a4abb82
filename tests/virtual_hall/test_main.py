"""The process with the virtual tables: its ports, its clock, who watches."""

import asyncio
import base64
import json
import os
import select
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import serial

from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.paths import tables_socket, virtual_port, virtual_segments
from pi_controller.protocol.simulated import decode_request
from pi_controller.virtual_hall.hall import VirtualHall, virtual_uid
from pi_controller.virtual_hall.main import (
    LONGEST_LAG_US,
    NEWS_US,
    Hub,
    SimulatedPort,
    TablesFeed,
    run_to_the_microsecond,
)
from pi_controller.virtual_hall.table import Table
from tests.patience import DEADLINE_S
from tests.virtual_hall.near_side import NearSide, wait_for
from tests.virtual_hall.talker import Talker, start

UID = virtual_uid(2)


class HandClient:
    """A connection of the server whose lines are kept."""

    def __init__(self) -> None:
        self.lags = False
        self.on_close: list[Callable[[], object]] = []
        self._lines: list[bytes] = []

    def send(self, line: bytes) -> None:
        self._lines.append(line)

    def stream(self, kind: str, line: bytes) -> None:
        assert (kind, self.lags) == ("tables", False)
        self._lines.append(line)

    def told(self) -> list[Any]:
        """All lines since the last call."""
        lines, self._lines = self._lines, []
        return [json.loads(line) for line in lines]


class Stage:
    """A feed whose time is moved by hand."""

    def __init__(self) -> None:
        self.hall = VirtualHall(3, start)
        self.now_us = 0
        self.feed = TablesFeed(self.hall, lambda: self.now_us)

    def later(self, us: int) -> None:
        self.now_us += us
        for segment in self.hall.segments.values():
            segment.advance(self.now_us)
        due_us = self.feed.next_us()
        if due_us is not None and due_us <= self.now_us:
            self.feed.tell()

    def ask(self, client: HandClient, **request: Any) -> None:
        line = json.dumps({"version": 1, "id": 1, **request}).encode()
        self.feed.answer(client, decode_request(line))  # type: ignore[arg-type]
        self.later(0)


@pytest.fixture
def stage() -> Stage:
    return Stage()


def test_a_watcher_gets_all_tables_and_then_those_that_change(stage: Stage) -> None:
    client = HandClient()
    stage.ask(client, ask="watch")
    (first,) = client.told()
    assert [table["uid"] for table in first["tables"]] == list(stage.hall.tables)
    assert set(first["tables"][0]) == {
        "uid", "segment", "position", "alive", "displays", "lamps", "cut_before", "babbling", "loss",
        "faults", "supply_v", "wires",
    }  # fmt: skip
    assert len(base64.b64decode(first["tables"][0]["displays"][0]["bits"])) == 1024
    stage.later(1_000_000)  # they boot: displays go on
    (second,) = client.told()
    assert len(second["tables"]) == 3
    stage.later(NEWS_US)
    assert client.told() == []
    stage.ask(client, ask="do", do="press", uid=UID, side="sun")
    assert client.told() == [{"id": 1, "done": True}]
    stage.later(NEWS_US - 1)
    assert client.told() == []
    stage.later(1)
    (third,) = client.told()
    assert [(table["uid"], table["lamps"]["claim_sun"]) for table in third["tables"]] == [(UID, 255)]


def test_nobody_is_told_anything_while_nobody_watches(stage: Stage) -> None:
    client = HandClient()
    assert stage.feed.next_us() is None
    stage.ask(client, ask="do", do="halt", uid=UID)
    assert not stage.hall.tables[UID].alive
    assert client.told() == [{"id": 1, "done": True}]
    stage.later(1_000_000)
    assert client.told() == []


def test_who_does_not_read_gets_the_newest_only_when_it_reads_again(stage: Stage) -> None:
    client = HandClient()
    stage.ask(client, ask="watch")
    client.lags = True
    for number in range(10):
        stage.ask(client, ask="do", do="mend" if number % 2 else "cut", uid=UID)
        stage.later(NEWS_US)
    stage.ask(client, ask="do", do="cut", uid=UID)
    client.told()
    client.lags = False
    stage.later(NEWS_US)
    (news,) = client.told()
    assert [(table["uid"], table["cut_before"]) for table in news["tables"] if table["uid"] == UID] == [
        (UID, True)
    ]


def test_what_cannot_be_done_is_told_in_a_sentence(stage: Stage) -> None:
    client = HandClient()
    stage.ask(client, ask="do", id=6, do="halt", uid="1")
    (told,) = client.told()
    assert (told["id"], told["malformed"]) == (6, "No virtual table has the unique id '1'.")
    assert told["malformed_key"] == {"key": "simulated.no_such_table", "params": {"uid": "'1'"}}


@pytest.mark.parametrize(
    ("line", "request_id", "sentence"),
    [
        (b"no json", None, "This is not a request to the virtual tables"),
        (b'{"version":2,"id":5,"ask":"watch"}', 5, "This is not a request to the virtual tables"),
        (b'{"version":1,"id":"x","ask":"do","do":"dance","uid":"1"}', "x", "Invalid enum value 'dance'"),
        (b'{"version":1,"id":6,"ask":"do","do":"hold","uid":"1","value":-1001}', 6, ">= -1000"),
    ],
)
def test_what_is_no_request_is_told_in_a_sentence(line: bytes, request_id: object, sentence: str) -> None:
    with pytest.raises(Malformed) as caught:
        decode_request(line)
    assert caught.value.request_id == request_id
    assert sentence in str(caught.value)


def test_a_client_that_hangs_up_is_forgotten(stage: Stage) -> None:
    client = HandClient()
    stage.ask(client, ask="watch")
    for act in client.on_close:
        act()
    assert stage.feed.next_us() is None


@contextmanager
def hub(state: Path, tables: int = 1) -> Iterator[Hub]:
    """Serves on a thread of its own."""
    ports = {name: virtual_port(state, name) for name in virtual_segments(tables)}
    serving = Hub(VirtualHall(tables, start), ports=ports, socket_path=tables_socket(state))
    running: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[None]]] = Future()

    async def serve() -> None:
        running.set_result((asyncio.get_running_loop(), asyncio.current_task()))
        try:
            await serving.run()
        finally:
            await serving.close()

    def run() -> None:
        with suppress(asyncio.CancelledError):
            run_to_the_microsecond(serve())

    thread = threading.Thread(target=run)
    thread.start()
    try:
        wait_for(lambda: all(table.program is not None for table in tables_of(serving).values()))
        yield serving
    finally:
        loop, task = running.result()
        loop.call_soon_threadsafe(task.cancel)
        thread.join()


def tables_of(serving: Hub) -> dict[str, Table]:
    return serving._feed._hall.tables


def talker_of(serving: Hub) -> Talker:
    program = tables_of(serving)[virtual_uid(1)].program
    assert isinstance(program, Talker)
    return program


MOST_VISITS = 12
"""Where the machine is busy an answer comes late and meets the next question on the cable; nothing else spoils
a frame, so of so many visits two bring every frame whole."""


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_a_master_polls_a_table_through_the_port_and_may_go_and_come_back(tmp_path: Path) -> None:
    before = descriptors()
    with hub(tmp_path) as serving:
        whole = 0
        for epoch in range(1, MOST_VISITS + 1):
            near = NearSide({"A": virtual_port(tmp_path, "A")}, epoch=epoch)
            near.run_until(lambda near=near: near.good() == 1)
            snapshot = near.masters["A"].snapshot(0)
            assert snapshot.nodes[0].uid == virtual_uid(1)
            whole += snapshot.crc_errors == 0
            near.close()
            wait_for(lambda: talker_of(serving).address is None)
            if whole == 2:
                break
        assert whole == 2
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
        for uid in list(tables_of(serving))[1:32]:
            tables_of(serving)[uid].halt(0)  # the talker has no slots and must be alone
        near = NearSide({name: virtual_port(tmp_path, name) for name in "AB"})
        near.run_until(lambda: near.good() == 2)
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


def test_the_tables_are_watched_and_changed_over_the_socket(tmp_path: Path) -> None:
    with hub(tmp_path), socket.socket(socket.AF_UNIX) as client:
        client.settimeout(DEADLINE_S)
        client.connect(str(tables_socket(tmp_path)))
        lines = client.makefile("rb")

        def ask(**request: object) -> None:
            client.sendall(json.dumps({"version": 1, "id": 1, **request}).encode() + b"\n")

        ask(ask="watch")
        assert [table["uid"] for table in json.loads(lines.readline())["tables"]] == [virtual_uid(1)]
        ask(ask="do", do="press", uid=virtual_uid(1), side="sun")
        told = [json.loads(lines.readline())]
        while "tables" not in told[-1] or not told[-1]["tables"][0]["lamps"]["claim_sun"]:
            told.append(json.loads(lines.readline()))
        assert {"id": 1, "done": True} in told
        ask(ask="do", do="dance", uid=virtual_uid(1))
        told.append(json.loads(lines.readline()))
        while "tables" in told[-1]:
            told.append(json.loads(lines.readline()))
        assert "Invalid enum value 'dance'" in told[-1]["malformed"]
        lines.close()


def test_a_socket_that_cannot_be_made_ends_the_hub(tmp_path: Path) -> None:
    async def serve() -> None:
        await Hub(VirtualHall(1, start), ports={}, socket_path=tmp_path / "missing" / "s").run()

    with pytest.raises(OSError, match="No such file"):
        run_to_the_microsecond(serve())


@pytest.fixture
def port(tmp_path: Path) -> Iterator[SimulatedPort]:
    port = SimulatedPort(tmp_path / "tables" / "A")
    yield port
    port.close()


def test_a_port_is_open_while_its_near_side_is(port: SimulatedPort, tmp_path: Path) -> None:
    assert not port.is_open()
    assert port.read() is None
    with serial.Serial(str(tmp_path / "tables" / "A"), 250_000, timeout=DEADLINE_S) as near:
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


def test_what_nobody_reads_is_lost(port: SimulatedPort, tmp_path: Path) -> None:
    with serial.Serial(str(tmp_path / "tables" / "A"), 250_000) as near:
        near.write(b"x")
        select.select([port.master], [], [])
        port.read()
        for _ in range(1000):
            port.write(bytes(1000))


def test_the_link_is_moved_and_removed_with_care(tmp_path: Path) -> None:
    link = tmp_path / "A"
    link.symlink_to("/dev/null")
    first = SimulatedPort(link)
    second = SimulatedPort(link)
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
        SimulatedPort(tmp_path / "file" / "A")
    assert descriptors() == before


def test_once_it_is_closed_nothing_is_due_any_more(tmp_path: Path) -> None:
    """A step after that would watch a descriptor that is closed, or another's by then."""
    ports = {name: virtual_port(tmp_path, name) for name in virtual_segments(1)}
    serving = Hub(VirtualHall(1, start), ports=ports, socket_path=tables_socket(tmp_path))

    async def serve() -> None:
        running = asyncio.create_task(serving.run())
        await asyncio.to_thread(wait_for, lambda: serving._due is not None)
        running.cancel()
        await serving.close()

    asyncio.run(serve())
    assert serving._due is not None
    assert serving._due.cancelled()
