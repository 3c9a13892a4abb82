"""A core that only talks: answers each request on a real Unix socket as the test says."""

import json
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.protocol.pictures import picture

Reply = Callable[[dict[str, Any]], list[bytes]]


class FakeCore:
    """`requests` is what was asked so far; `reply` gives the lines of answer. It hangs up after those to who
    watches."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.accepted = True
        self.reasons: list[str] = []
        self.reply: Reply = self.usual_reply

    def usual_reply(self, asked: dict[str, Any]) -> list[bytes]:
        answers: dict[str, dict[str, Any]] = {
            "picture": {"picture": picture()},
            "watch": {"picture": picture()},
            "command": {"accepted": self.accepted, "seq": 8, "reasons": self.reasons},
            "games": {"games": [{"game_id": "g1"}]},
            "metrics": {"metrics": {"clients": 2, "bus": {'segment="1"': 0.5}}},
            "sim": {"done": True},
            "show_pin": {"done": True},
            "tables": {"tables": {"version": 1, "doctor": []}},
            "roster": {"roster": {"version": 1, "rows": []}},
            "set_roster": {"accepted": self.accepted, "reasons": self.reasons},
            "table": {"accepted": self.accepted, "reasons": self.reasons},
        }
        return [line({"id": asked["id"], **answers[asked["ask"]]})]


def line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


@contextmanager
def fake_core(path: Path) -> Iterator[FakeCore]:
    """Listens at `path` while the block runs."""
    core = FakeCore()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with suppress(ConnectionResetError):  # the asker has given up what it had not read yet
                for came in self.rfile:
                    asked = json.loads(came)
                    core.requests.append(asked)
                    for answer in core.reply(asked):
                        self.wfile.write(answer)
                    if asked["ask"] in ("watch", "panel", "watch_tables"):
                        return

    class Server(socketserver.ThreadingUnixStreamServer):
        daemon_threads = True
        block_on_close = True

    with Server(str(path), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield core
        finally:
            server.shutdown()
            thread.join()
