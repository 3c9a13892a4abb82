import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.simulated import decode_request
from pi_controller.virtual_hall.hall import VirtualHall, virtual_uid
from pi_controller.virtual_hall.main import NEWS_US, TablesFeed
from tests.virtual_hall.talker import start

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
        (b"no json", None, "This is no request to the virtual tables"),
        (b'{"version":2,"id":5,"ask":"watch"}', 5, "This is no request to the virtual tables"),
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
