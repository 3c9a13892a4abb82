"""The virtual tables of a running `run --nodes`: hands on their buttons, eyes on their lamps."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pi_controller.protocol.paths import tables_socket
from tests.patience import DEADLINE_S
from tests.system.programs import wait_until


class VirtualTables:
    """`tables` is what was told last of each, by unique id."""

    def __init__(self, connection: socket.socket) -> None:
        self.tables: dict[str, dict[str, Any]] = {}
        self._connection = connection
        self._lines = self._connection.makefile("rb")
        self._say(ask="watch")
        self.until(bool)

    def do(self, action: str, uid: str, **more: object) -> None:
        self._say(ask="do", do=action, uid=uid, **more)

    def until(self, wanted: Callable[[dict[str, dict[str, Any]]], bool]) -> None:
        """Read on until the tables look like this."""
        until = time.monotonic() + DEADLINE_S
        while not wanted(self.tables):
            assert time.monotonic() < until, "the tables did not come to look like that"
            news = json.loads(self._lines.readline())
            assert "malformed" not in news, news
            self.tables |= {table["uid"]: table for table in news.get("tables", ())}

    def close(self) -> None:
        self._lines.close()
        self._connection.close()

    def _say(self, **request: object) -> None:
        self._connection.sendall(json.dumps({"version": 1, "id": 1, **request}).encode() + b"\n")


def connected(path: Path) -> socket.socket | None:
    """None while nobody listens there yet."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(DEADLINE_S)
    try:
        connection.connect(str(path))
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    return connection


@contextmanager
def virtual_tables(state_dir: Path) -> Iterator[VirtualTables]:
    """Connected, once they run."""
    path = tables_socket(state_dir)
    tables = VirtualTables(wait_until(lambda: connected(path)))
    try:
        yield tables
    finally:
        tables.close()
