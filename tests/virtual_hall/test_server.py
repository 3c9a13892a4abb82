import base64
import json
import selectors
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_controller.virtual_hall.hall import VirtualHall, virtual_uid
from pi_controller.virtual_hall.messages import LONGEST_REQUEST
from pi_controller.virtual_hall.server import MOST_CLIENTS, NEWS_US, Server
from tests.virtual_hall.talker import start

UID = virtual_uid(2)


class Stage:
    """A server whose time and turns are moved by hand."""

    def __init__(self, folder: Path) -> None:
        self.hall = VirtualHall(3, start)
        self.now_us = 0
        self.selector = selectors.SelectSelector()
        self.path = folder / "tables.sock"
        self.server = Server(self.path, self.hall, selector=self.selector, now_us=lambda: self.now_us)

    def turn(self) -> None:
        """Serve whoever has something to say or can be told something, until nobody has."""
        while ready := self.selector.select(0):
            for key, events in ready:
                key.data(events)
        due_us = self.server.next_us()
        if due_us is not None and due_us <= self.now_us:
            self.server.tell()

    def later(self, us: int) -> None:
        self.now_us += us
        for segment in self.hall.segments.values():
            segment.advance(self.now_us)
        self.turn()

    def client(self) -> socket.socket:
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(120)
        client.connect(str(self.path))
        self.turn()
        return client

    def ask(self, client: socket.socket, **request: Any) -> None:
        client.sendall(json.dumps({"version": 1, "id": 1, **request}).encode() + b"\n")
        self.turn()


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path)
    yield stage
    stage.server.close()
    stage.selector.close()


def told(client: socket.socket) -> list[Any]:
    """All lines that are there now."""
    data = b""
    client.settimeout(0)
    try:
        while more := client.recv(65536):
            data += more
    except BlockingIOError:
        pass
    finally:
        client.settimeout(120)
    return [json.loads(line) for line in data.splitlines()]


def test_a_watcher_gets_all_tables_and_then_those_that_change(stage: Stage) -> None:
    with stage.client() as client:
        stage.ask(client, ask="watch")
        ((first,), stage.now_us) = told(client), 0
        assert [table["uid"] for table in first["tables"]] == list(stage.hall.tables)
        assert set(first["tables"][0]) == {
            "uid", "segment", "position", "alive", "displays", "lamps", "cut_before", "babbling", "loss",
            "faults",
        }  # fmt: skip
        assert len(base64.b64decode(first["tables"][0]["displays"][0]["bits"])) == 1024
        stage.later(1_000_000)  # they boot: displays go on
        ((second,),) = (told(client),)
        assert len(second["tables"]) == 3
        stage.later(NEWS_US)
        assert told(client) == []
        stage.ask(client, ask="do", do="press", uid=UID, side="sun")
        assert told(client) == [{"id": 1, "done": True}]
        stage.later(NEWS_US - 1)
        assert told(client) == []
        stage.later(1)
        ((third,),) = (told(client),)
        assert [(table["uid"], table["lamps"]["claim_sun"]) for table in third["tables"]] == [(UID, 255)]


def test_nobody_is_told_anything_while_nobody_watches(stage: Stage) -> None:
    with stage.client() as client:
        assert stage.server.next_us() is None
        stage.ask(client, ask="do", do="halt", uid=UID)
        assert not stage.hall.tables[UID].alive
        assert told(client) == [{"id": 1, "done": True}]
        stage.later(1_000_000)
        assert told(client) == []


def test_who_does_not_read_gets_the_newest_only_when_it_reads_again(stage: Stage) -> None:
    with stage.client() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stage.ask(client, ask="watch")
        for number in range(2_000):
            stage.ask(client, ask="do", do="cut" if number % 2 else "mend", uid=UID)
            stage.later(NEWS_US)
            (server_side,) = stage.server._clients
            if server_side.unsent:
                break
        else:
            pytest.fail("the socket took everything")
        waiting = len(server_side.unsent)
        for _ in range(10):
            stage.later(NEWS_US)
        assert len(server_side.unsent) == waiting
        told(client)
        stage.turn()
        stage.later(NEWS_US)
        assert not server_side.unsent


@pytest.mark.parametrize(
    ("line", "request_id", "sentence"),
    [
        (b"no json", None, "this is no request to the virtual tables"),
        (b'{"version":2,"id":5,"ask":"watch"}', 5, "this is no request to the virtual tables"),
        (b'{"version":1,"id":"x","ask":"do","do":"dance","uid":"1"}', "x", "Invalid enum value 'dance'"),
        (b'{"version":1,"id":6,"ask":"do","do":"halt","uid":"1"}', 6, "no virtual table has the unique id"),
        (b'{"version":1,"id":6,"ask":"do","do":"hold","uid":"1","value":-1001}', 6, ">= -1000"),
        (b"x" * (LONGEST_REQUEST + 1), None, f"a request has at most {LONGEST_REQUEST} bytes"),
    ],
)
def test_what_is_wrong_is_told_in_a_sentence(
    stage: Stage, line: bytes, request_id: object, sentence: str
) -> None:
    with stage.client() as client:
        client.sendall(line + (b"" if len(line) > LONGEST_REQUEST else b"\n"))
        stage.turn()
        (answer,) = told(client)
        assert answer["id"] == request_id
        assert sentence in answer["malformed"]


def test_a_client_that_hangs_up_is_forgotten(stage: Stage) -> None:
    with stage.client() as client:
        stage.ask(client, ask="watch")
    stage.turn()
    assert stage.server.next_us() is None
    with stage.client() as client:
        stage.ask(client, ask="watch")
        client.close()
        stage.hall.tables[UID].halt()
        stage.now_us += NEWS_US
        stage.server.tell()
        stage.turn()
        assert stage.server.next_us() is None


def test_one_client_too_many_is_told_so(stage: Stage) -> None:
    clients = [stage.client() for _ in range(MOST_CLIENTS + 1)]
    (answer,) = told(clients[-1])
    assert answer["malformed"] == f"{MOST_CLIENTS} programs are connected already: close one of them."
    assert clients[-1].recv(1) == b""
    for client in clients:
        client.close()
    stage.turn()


def test_the_socket_is_the_owners_and_goes_with_the_server(tmp_path: Path) -> None:
    (tmp_path / "tables.sock").touch()
    stage = Stage(tmp_path)
    assert stage.path.stat().st_mode & 0o777 == 0o600
    stage.server.close()
    stage.selector.close()
    assert not stage.path.exists()


def test_a_socket_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        Stage(tmp_path / "missing")
