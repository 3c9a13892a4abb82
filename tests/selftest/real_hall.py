"""The real core beside virtual tables that run the real firmware, with eyes and hands of somebody who walks there.

What shows is waited for on the streams of panel and tables, never by the clock alone."""

import base64
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from pi_controller.bus.values import NodeView
from pi_controller.hal.oled.display import draw_pattern
from pi_controller.protocol.client import Client
from pi_controller.protocol.messages import AskPanel, AskSim
from pi_controller.protocol.paths import socket_path, tables_socket
from pi_controller.protocol.question import encode_request
from pi_controller.protocol.simulated import TablePicture
from pi_controller.vocabulary import Side
from tests.patience import DEADLINE_S
from tests.protocol.asking import watched_tables
from tests.system.programs import client_of, program, wait_until

PATIENCE_S = 6.0
"""For what should show; only somebody who misses something waits so long."""
TOUCH_S = 0.25
WHITE, BLACK = b"\xff" * 1024, bytes(1024)
EDGE = b"\xff" * 16
BORDER = EDGE + (b"\x80" + bytes(14) + b"\x01") * 62 + EDGE


class RealHall:
    """A `World`. The tables are called as the roster called them when they were put up."""

    def __init__(self, state_dir: Path, client: Client) -> None:
        self.state_dir = state_dir
        self.client = client
        self.first_roster = client.roster()
        self.uids = {board.name: str(board.node) for board in self.first_roster.boards if board.node}
        self.dead_buttons: set[tuple[str, Side]] = set()
        self.when_mains_fail: Callable[[], None] = lambda: None
        self.stays_dead: str | None = None
        self.patience_s = PATIENCE_S
        self._news = threading.Condition()
        self._panel: dict[str, Any] = {}
        self._tables: dict[str, TablePicture] = {}
        self._chirps = 0
        self._lost_picture: bytes | None = None
        self._link_picture: bytes | None = None
        self._gap: str | None = None
        self._sockets: list[socket.socket] = []
        self._readers: list[threading.Thread] = []
        self._hands = self._connect(tables_socket(state_dir))
        self._hands_lines = self._hands.makefile("rb")
        self._watch(socket_path(state_dir), encode_request(AskPanel()), self._panel_came)
        self._watch(tables_socket(state_dir), b'{"version":1,"id":1,"ask":"watch"}\n', self._tables_came)
        self.look_until(lambda: bool(self._panel) and len(self._tables) >= len(self.uids), DEADLINE_S)

    # somebody's eyes, ears and hands

    @property
    def seats(self) -> list[str]:
        return list(self.uids)

    def panel_lamps(self) -> set[str]:
        with self._news:
            return {
                name
                for name, key in (("sun", "sun"), ("moon", "moon"), ("pause", "pause_lamp"))
                if self._panel[key]
            }

    def chirps(self) -> int:
        self.look_until(lambda: self._chirps >= 2)
        with self._news:
            heard, self._chirps = self._chirps, 0
        return heard

    def tone(self) -> bool:
        return True  # what the simulated card plays is heard

    def panel_shows(self, pattern: Any) -> bool:
        with self._news:
            display = self._panel["display"]
        return bool(display["on"]) and base64.b64decode(display["bits"]) == draw_pattern(pattern).tobytes()

    def table_lamps(self, label: str) -> tuple[bool, ...]:
        lamps = self._table(label).lamps
        return tuple(level > 0 for level in (lamps.sun, lamps.moon, lamps.claim_sun, lamps.claim_moon))

    def table_shows(self, label: str, place: Side, pattern: str) -> bool:
        display = next(one for one in self._table(label).displays if one.side == place)
        bits = display.bits if display.on else BLACK
        wanted = {"white": bits == WHITE, "black": bits == BLACK, "border": bits == BORDER}
        return wanted.get(pattern, bits not in (WHITE, BLACK, BORDER) and display.on)

    def press_button(self) -> None:
        self.sim("tap")
        self.look_until(lambda: bool(self._panel["button"]["pressed"]))
        self.look_until(lambda: not self._panel["button"]["pressed"])

    def touch(self, label: str, place: Side) -> None:
        """Until the order to walk has lit a table's claim lamps, a press of it is a touch and no claim."""
        self.look_until(lambda: any(self.table_lamps(label)[2:]))
        if (label, place) not in self.dead_buttons:
            self.table_action("hold", label, side=place, value=TOUCH_S)

    def pull_cable(self, label: str) -> None:
        self._gap, self._link_picture = label, self._glass(label)
        self.table_action("cut", label)

    def plug_cable(self) -> None:
        assert self._gap is not None
        self._lost_picture = self._glass(self._gap)
        if self.stays_dead is not None:
            self.table_action("halt", self.stays_dead)
        self.table_action("mend", self._gap)

    def no_link_shown(self) -> bool:
        return self._lost_picture is not None and self._lost_picture != self._link_picture

    def take_terminator(self) -> None:
        self.table_action("terminator", self.seats[0], value=0)

    def put_terminator(self) -> None:
        self.table_action("terminator", self.seats[0], value=1)

    def pull_mains(self) -> None:
        self.when_mains_fail()

    def alarm(self) -> bool:
        return True

    # faults and their fixes

    def sim(self, do: Any, **more: Any) -> None:
        self.client.ask(AskSim(do=do, **more))

    def fact(self, name: str, value: object) -> None:
        self.sim("fact", name=name, value=value)

    def table_action(self, do: str, label: str, **more: object) -> None:
        request = {"version": 1, "id": 1, "ask": "do", "do": do, "uid": self.uids[label], **more}
        self._hands.sendall(json.dumps(request).encode() + b"\n")
        answer = json.loads(self._hands_lines.readline())
        assert answer == {"id": 1, "done": True}, answer

    def wait_for_tables(self, wanted: Callable[[dict[str, NodeView]], bool]) -> None:
        """Until core knows it of them; `wanted` looks at the nodes by their unique ids."""
        for tables in watched_tables(self.client):
            if wanted({node.uid: node for node in tables.nodes}):
                return

    def all_well(self) -> None:
        """Every table answers, stands where it stood, and nothing is wrong with it."""
        self.client.set_roster(msgspec.to_builtins(self.first_roster))
        self.wait_for_tables(
            lambda nodes: all(uid in nodes and nodes[uid].state == "good" for uid in self.uids.values())
        )

    def look_until(self, wanted: Callable[[], bool], patience_s: float | None = None) -> None:
        """Until it looks like that, or patience has run out."""
        with self._news:
            self._news.wait_for(wanted, self.patience_s if patience_s is None else patience_s)

    def close(self) -> None:
        self._hands_lines.close()
        for connection in self._sockets:
            connection.shutdown(socket.SHUT_RDWR)
        for reader in self._readers:
            reader.join(DEADLINE_S)
        for connection in self._sockets:
            connection.close()

    def _table(self, label: str) -> TablePicture:
        with self._news:
            return self._tables[self.uids[label]]

    def _glass(self, label: str) -> bytes:
        return b"".join(display.bits for display in self._table(label).displays)

    def _panel_came(self, line: bytes) -> None:
        panel = json.loads(line)["panel"]
        with self._news:
            self._chirps += panel["buzzer"] and not self._panel.get("buzzer", False)
            self._panel = panel
            self._news.notify_all()

    def _tables_came(self, line: bytes) -> None:
        tables = msgspec.convert(msgspec.json.decode(line)["tables"], list[TablePicture])
        with self._news:
            self._tables |= {table.uid: table for table in tables}
            self._news.notify_all()

    def _connect(self, path: Path) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(DEADLINE_S)
        connection.connect(str(path))
        self._sockets.append(connection)
        return connection

    def _watch(self, path: Path, request: bytes, came: Callable[[bytes], None]) -> None:
        connection = self._connect(path)
        connection.settimeout(None)
        connection.sendall(request)

        def read() -> None:
            with connection.makefile("rb") as lines:
                for line in iter(lines.readline, b""):
                    came(line)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        self._readers.append(reader)


@contextmanager
def real_hall(folder: Path, tables: int, *, parts_seed: int = 1) -> Iterator[RealHall]:
    """So many tables that answer, with parts as drawn from `parts_seed`."""
    state = folder / "s"
    with (
        program("core", "--hardware=sim", f"--virtual-tables={tables}", f"--state-dir={state}") as core,
        program("virtual-tables", f"--nodes={tables}", f"--parts-seed={parts_seed}", f"--state-dir={state}"),
    ):
        client = client_of(state, core)
        wait_until(tables_socket(state).exists)
        for news in watched_tables(client):
            if sum(node.state == "good" and node.board is not None for node in news.nodes) == tables:
                break
        hall = RealHall(state, client)
        try:
            yield hall
        finally:
            hall.close()
