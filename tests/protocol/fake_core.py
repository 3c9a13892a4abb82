"""A core that speaks the control socket's lines and does what the test says; knows nothing of the game."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.hall_of_tables import snapshot, troubled_hall
from tests.patience import DEADLINE_S
from tests.protocol.pictures import picture

PANEL: dict[str, Any] = {
    "sun": True,
    "moon": False,
    "pause_lamp": False,
    "buzzer": False,
    "display": {"width": 128, "height": 64, "bits": "AAAA", "on": True},
    "button": {"pressed": False, "wire": "ok"},
}
SOFTWARE = {"version": "0.9.0", "source": "0123456789ab"}
NOT_HERE = {"error": "this controller does not have that"}

Reply = Callable[[dict[str, Any]], list[bytes]]


ACTIONS = {
    "game_id": "g1",
    "session": "s1",
    "seq": 7,
    "as_of_ms": 1,
    "actions": [],
    "undone": [],
    "outcome": None,
}


class FakeCore:
    """Serves one state folder; `requests` holds every request in the order of arrival. `reply` gives the lines
    of answer in the place of the usual ones; with `hangs_up` it does so after the first lines to who watches."""

    def __init__(self, path: Path, *, simulated: bool = True, hangs_up: bool = False) -> None:
        self.path = path
        self.reply: Reply | None = None
        self._hangs_up = hangs_up
        self.simulated = simulated
        self.picture = picture()
        self.answer: dict[str, Any] = {"accepted": True, "seq": 8, "reasons": []}
        self.roster, self.tables = troubled_hall()
        self.change_answer: dict[str, Any] = {"accepted": True, "reasons": []}
        self.metrics: dict[str, Any] = {"loop_lag_ms": 0.5, "bus_errors": {'segment="1"': 2}}
        self.requests: list[dict[str, Any]] = []
        self.pictures_asked = 0
        self.lease: dict[str, Any] = {"accepted": True, "reasons": [], "lease": "1ea5e"}
        self.probed: dict[str, dict[str, Any]] = {
            "settings": {"result": {"contacts": "nc_no"}},
            "reports": {"result": {"reports": []}},
        }
        """By what a probe does; what is not here is answered with an empty result."""
        self.others: dict[str, dict[str, Any]] = {}
        """Answers by what is asked for, besides the usual ones."""
        self.answering = asyncio.Event()
        self.answering.set()
        self._listening: socket.socket
        self._serving: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._watchers: dict[asyncio.StreamWriter, bool] = {}
        """Whether they take changes."""
        self._panels: set[asyncio.StreamWriter] = set()
        self._table_watchers: set[asyncio.StreamWriter] = set()
        self._test_watchers: set[asyncio.StreamWriter] = set()
        self.watched = asyncio.Event()
        self.hung_up = threading.Event()
        """Somebody who had connected has gone."""

    async def start(self) -> None:
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.setblocking(False)
        self._listening.bind(str(self.path))
        self._listening.listen(512)
        asyncio.get_running_loop().add_reader(self._listening, self._accept)

    async def stop(self) -> None:
        """As after kill -9: every connection breaks and nobody listens."""
        asyncio.get_running_loop().remove_reader(self._listening)
        self._listening.close()
        while self._serving:
            for writer in tuple(self._writers):
                writer.transport.abort()
            await asyncio.sleep(0)
        self.path.unlink()
        self.watched.clear()

    def change(self, **fields: Any) -> dict[str, Any]:
        """A change of the game: everybody who watches gets the new picture."""
        return self.say_again(seq=self.picture["seq"] + 1, **fields)

    def say_again(self, **fields: Any) -> dict[str, Any]:
        """The same change with what else is known of it by now, such as that it is on the disk."""
        before = dict(self.picture)
        self.picture |= fields
        change = {name: value for name, value in self.picture.items() if before.get(name, ...) != value}
        allowed = change.pop("allowed", None)
        for writer, changes in self._watchers.items():
            if changes and "session" not in change:
                rests = {"on": before["seq"], "change": change}
                _send(writer, rests if allowed is None else rests | {"allowed": allowed})
            else:
                _send(writer, {"picture": self.picture})
        return dict(self.picture)

    def beat(self, as_of_ms: int) -> None:
        beat = {
            "version": 1,
            "beat": self.picture["seq"],
            "session": self.picture["session"],
            "as_of_ms": as_of_ms,
        }
        for writer in self._watchers:
            _send(writer, {"beat": beat})

    def show_panel(self, **fields: Any) -> None:
        for writer in self._panels:
            _send(writer, {"panel": PANEL | fields})

    def show_tables(self, **fields: Any) -> None:
        self.tables |= fields
        for writer in self._table_watchers:
            _send(writer, {"tables": self.tables})

    def tell_test(self, **news: Any) -> None:
        """To whoever watches a test of the hardware."""
        for writer in self._test_watchers:
            _send(writer, {"test": news})

    @property
    def test_watched(self) -> bool:
        return bool(self._test_watchers)

    def refuse(self, *reasons: str) -> None:
        """Every command and every change from now on."""
        self.answer |= {"accepted": False, "reasons": list(reasons)}
        self.change_answer |= {"accepted": False, "reasons": list(reasons)}

    def asked(self, ask: str) -> list[dict[str, Any]]:
        """The requests of this kind so far."""
        return [request for request in self.requests if request["ask"] == ask]

    def _accept(self) -> None:
        """By hand: `asyncio.Server` forgets connections that arrive while it closes."""
        try:
            connection, _ = self._listening.accept()
        except BlockingIOError:
            return
        connection.setblocking(False)
        task = asyncio.get_running_loop().create_task(self._serve(connection))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, connection: socket.socket) -> None:
        reader, writer = await asyncio.open_unix_connection(sock=connection)
        self._writers.add(writer)
        try:
            while came := await reader.readline():
                request = json.loads(came)
                assert request["version"] == 1
                self.requests.append(request)
                await self.answering.wait()
                if self.reply is not None:
                    writer.writelines(self.reply(request))
                else:
                    self._reply(request, writer)
                if self._hangs_up and request["ask"] in ("watch", "panel", "watch_tables"):
                    return
        except ConnectionError:
            return  # the asker or `stop` broke the connection
        finally:
            for writers in (self._writers, self._panels, self._table_watchers, self._test_watchers):
                writers.discard(writer)
            self._watchers.pop(writer, None)
            writer.close()
            self.hung_up.set()

    def _reply(self, request: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        ask = request["ask"]
        if ask in ("panel", "sim") and not self.simulated:
            return _send(writer, {"id": request["id"], **NOT_HERE})
        if ask == "watch_test":
            return self._test_watchers.add(writer)
        if ask in ("watch", "panel", "watch_tables"):
            return self._watch(ask, request, writer)
        self.pictures_asked += ask == "picture"
        return writer.writelines(self.usual_reply(request))

    def usual_reply(self, request: dict[str, Any]) -> list[bytes]:
        answers: dict[str, dict[str, Any]] = {
            "picture": {"picture": self.picture, "software": SOFTWARE},
            "watch": {"picture": self.picture, "software": SOFTWARE},
            "command": self.answer,
            "actions": {"actions": ACTIONS},
            "games": {"games": [{"game_id": "g1"}]},
            "sim": {"done": True},
            "show_pin": {"done": True},
            "staff_pages": {"done": True},
            "sound": {"done": True},
            "tables": {"tables": self.tables},
            "roster": {"roster": self.roster},
            "set_roster": self.change_answer,
            "table": self.change_answer,
            "metrics": {"metrics": self.metrics},
            "test_begin": self.lease,
            "test_keep": {"done": True},
            "probe": self._probe(request),
        }
        answer = (answers | self.others).get(request["ask"], NOT_HERE)
        return [line({"id": request["id"], **answer})]

    def _probe(self, request: dict[str, Any]) -> dict[str, Any]:
        probe = request.get("probe", {})
        return self.probed.get(probe.get("name", probe.get("do")), {"result": {}})

    def _watch(self, ask: str, request: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        if ask == "watch":
            self._watchers[writer] = request.get("changes", False)
            self.watched.set()
            _send(writer, {"id": request["id"], "picture": self.picture, "software": SOFTWARE})
        elif ask == "panel":
            self._panels.add(writer)
            _send(writer, {"panel": PANEL})
        else:
            self._table_watchers.add(writer)
            _send(writer, {"tables": self.tables})


def _send(writer: asyncio.StreamWriter, value: dict[str, Any]) -> None:
    writer.write(line(value))


def line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


@contextmanager
def fake_core(path: Path) -> Iterator[FakeCore]:
    """One with an empty hall, on a loop and a thread of its own while the block runs; it hangs up on watchers."""
    core = FakeCore(path, hangs_up=True)
    core.tables, core.roster = snapshot([]), {"version": 1, "rows": []}
    core.metrics = {"clients": 2, "bus": {'segment="1"': 0.5}}
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(core.start(), loop).result(DEADLINE_S)
        yield core
        asyncio.run_coroutine_threadsafe(core.stop(), loop).result(DEADLINE_S)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
