"""The real server on a real Unix socket, with core behind it, asked by plain sockets and by the project's own
client."""

import asyncio
import gc
import json
import os
import socket
import stat
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pi_controller.core.button import ButtonChooser
from pi_controller.core.following import Follower, Leader
from pi_controller.core.game_loop.recovery import Chosen, choose
from pi_controller.core.panel.simulation import Simulation
from pi_controller.core.runtime import LoopThreads
from pi_controller.core.server.requests import ONLY_SIMULATED, Archive, Feed, HallRequests, RequestHandler
from pi_controller.core.server.settings import SettingsRequests
from pi_controller.core.server.stick import UNDER_WAY, CopyDecision, StickJob
from pi_controller.hal.gpio import open_pins
from pi_controller.hal.sim.panel import PanelWiring, SimPanel
from pi_controller.journal.witnesses import GameSummary
from pi_controller.language.words import words
from pi_controller.protocol import messages, server
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.messages import CopyDeed, LinkAnswer, decode_request
from pi_controller.protocol.question import LONGEST_REQUEST
from pi_controller.protocol.server import (
    MOST_CLIENTS,
    READ_AT_ONCE,
    Buffered,
    LineServer,
    close_server,
    read_buffer,
)
from pi_controller.protocol.tables import TableAction
from pi_controller.roster.model import Board, Row
from pi_controller.sentence import as_told
from pi_controller.settings import standing
from pi_controller.settings.overlay import LayeredSettings
from pi_controller.settings.sections import Settings
from tests.core.hall import Hall
from tests.core.hand import STEPS, S
from tests.core.hand_bus import TableHall, node, uid
from tests.core.hardware_test.hand_testing import HandContacts, hand_firmware, hand_testing
from tests.patience import DEADLINE_S


class Desk:
    """A hall with its control server; `hand` moves from the journal readers' threads to the loop."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "control.sock"
        self.chosen: list[Chosen] = []
        self.used: list[bool] = []
        self.taken: list[Settings] = []
        self.started_again: list[bool] = []
        self.hall = Hall()
        self.feed = Feed(timers=self.hall.timers)
        self.hall.loop.showing.show_to(as_told("the feed"), self.feed.publish, saved=self.feed.saved)
        self.loop = asyncio.get_running_loop()
        self.threads = LoopThreads(self.loop)
        self.tables = TableHall(folder, self.hall, threads=self.threads)
        archive = Archive(games=lambda: [GameSummary("g1")], lines=self._lines, errors=(LookupError,))
        testing = hand_testing(self.hall, self.tables, folder, button=HandContacts(), threads=self.threads)
        self.asks = RequestHandler(
            loop=self.hall.loop,
            commands=self.hall.commands,
            feed=self.feed,
            archive=archive,
            timers=self.hall.timers,
            tasks=self.hall.tasks,
            threads=self.threads,
            tables=self.tables.tables,
            testing=testing,
            firmware=hand_firmware(self.hall, self.tables, testing, threads=self.threads),
            outputs=self.hall.outputs,
            seats=self.tables.seats(),
            halls=self.hall_requests(None),
            settings=SettingsRequests(
                LayeredSettings(Settings(), Settings()),
                folder=folder,
                loop=self.hall.loop,
                threads=self.threads,
                take=self.taken.append,
                start_again=lambda: self.started_again.append(True),
            ),
            chooser=ButtonChooser(None, keep=lambda _choice: None, threads=self.threads),
            stick=StickJob(folder, timers=self.hall.timers, threads=self.threads, root=folder),
            copy=CopyDecision(
                loop=self.hall.loop,
                threads=self.threads,
                choose=partial(choose, folder, folder / "copy"),
                leave=self.chosen.append,
                use=lambda: self.used.append(True),
            ),
        )
        self.server = LineServer(self.path, decode=decode_request, answer=self._answer)
        self.lines: list[Line] = []
        self.clients: list[AsyncClient] = []

    def hall_requests(self, end: Leader | Follower | None) -> HallRequests:
        """What the links process asks; its term is kept in a folder that is not there."""

        def keep(asked: messages.AskKeepTerm) -> None:
            standing.keep_standing(self.path.parent / "nowhere", standing.HallRole(term=asked.term))

        own = LinkAnswer(id=0, controller="c0")
        return HallRequests(end, tasks=self.hall.tasks, threads=self.threads, own=own, keep=keep)

    def client(self) -> AsyncClient:
        """Hung up on at the end."""
        self.clients.append(AsyncClient(self.path))
        return self.clients[-1]

    def _answer(self, client: Any, request: Any) -> None:
        self.asks.answer(client, request)
        self.hall.tasks.start(self._keep_up())

    async def _keep_up(self) -> None:
        """The disk is prompt."""
        for _ in range(STEPS):
            await asyncio.sleep(0)
            self.hall.save()

    @staticmethod
    def _lines(game: str) -> list[str]:
        if game != "g1":
            raise LookupError(f"There is no game {game}.")
        return [f'{{"seq":{number}}}' for number in range(450)]


@asynccontextmanager
async def desk(folder: Path) -> AsyncIterator[Desk]:
    at = Desk(folder)
    await at.server.start()
    at.hall.begin()
    try:
        yield at
    finally:
        for client in at.clients:
            await client.aclose()
        await at.server.stop()
        for line in at.lines:
            line.writer.close()
            with suppress(ConnectionError):
                await line.writer.wait_closed()


class Line:
    """A plain connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def send(self, raw: bytes) -> None:
        self.writer.write(raw)

    def ask(self, **fields: Any) -> None:
        self.send(json.dumps({"version": 1, "id": 7, **fields}).encode() + b"\n")

    async def read(self) -> dict[str, Any]:
        line = await asyncio.wait_for(self.reader.readline(), DEADLINE_S)
        if not line:
            raise EOFError
        found: dict[str, Any] = json.loads(line)
        return found


async def connect(at: Desk) -> Line:
    line = Line(*await asyncio.open_unix_connection(at.path, limit=1 << 20))
    at.lines.append(line)
    return line


def run(folder: Path, test: Callable[[Desk], Awaitable[None]]) -> None:
    async def inside() -> None:
        async with desk(folder) as at:
            await asyncio.wait_for(test(at), DEADLINE_S)

    asyncio.run(inside())


def test_the_projects_own_client_is_understood(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        client = at.client()
        assert (await client.picture()).phase == "ready"
        assert (await client.command("start", key="k1")).accepted
        assert (await client.picture()).resume_in_ms == 3000
        refused = await client.command("contribute", {"text": "late"})
        assert not refused.accepted
        assert refused.reasons
        games = await client.ask(messages.AskGames())
        assert games.games == [GameSummary("g1")]
        lines = await client.ask(messages.AskExportLines(game="g1", first=440))
        assert (len(lines.lines), lines.more) == (10, False)
        assert (await client.metrics())["press_to_freeze_seconds"]

    run(tmp_path, talk)


def test_watchers_get_each_change_and_beats_between(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        line = await connect(at)
        line.ask(ask="watch")
        first = await line.read()
        assert (first["id"], first["picture"]["phase"]) == (7, "ready")
        at.hall.ask("say", {"text": "hello"})
        assert (await line.read())["picture"]["message"]["text"] == "hello"
        saved = (await line.read())["picture"]
        assert saved["saved_seq"] == saved["seq"]
        at.hall.timers.move(S)
        beat = (await line.read())["beat"]
        assert (beat["version"], beat["beat"], beat["session"]) == (1, saved["seq"], "s")

    run(tmp_path, talk)


def test_another_controllers_stick_is_for_a_person_to_decide_about(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        client = at.client()
        assert (await client.ask(messages.AskCopy(deed=CopyDeed("use", "g1")))).accepted
        assert at.used == [True]
        gone = await client.ask(messages.AskCopy(deed=CopyDeed("take_over", "g1")))
        assert [key.key for key in gone.reason_keys] == ["restore.no_stick"]
        assert (await client.command("start")).accepted
        at.hall.timers.move(5 * S)
        refused = await client.ask(messages.AskCopy(deed=CopyDeed("take_over", "g1")))
        assert [key.key for key in refused.reason_keys] == [UNDER_WAY.key]
        assert at.chosen == []

    run(tmp_path, talk)


def test_identify_shows_a_name_for_a_while(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        assert (await at.client().command("identify", {"screen": "north"})).accepted
        assert at.hall.picture.identify.screen == "north"
        at.hall.timers.move(6 * S)
        assert at.hall.loop.picture().identify is None

    run(tmp_path, talk)


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"hello\n", "not JSON"),
        (b"[1]\n", "must be an object"),
        (b'{"version":9,"id":7,"ask":"picture"}\n', "version"),
        (b'{"version":1,"id":7,"ask":"tea"}\n', "cannot be asked"),
        (b'{"version":1,"id":7,"ask":"command","name":"dance"}\n', "not a command"),
        (b'{"version":1,"id":7,"ask":"command","name":"pause","key":""}\n', "`key` must be"),
        (b'{"version":1,"id":7,"ask":"command","name":"pause","source":"system"}\n', "is kept for"),
        (b"\xff\xfe\n", "UTF-8"),
    ],
)
def test_malformed_lines_are_answered_with_a_sentence_and_change_nothing(
    tmp_path: Path, raw: bytes, sentence: str
) -> None:
    async def talk(at: Desk) -> None:
        line = await connect(at)
        seq = at.hall.loop.seq
        line.send(raw)
        assert sentence in (await line.read())["malformed"]
        line.ask(ask="picture")
        assert (await line.read())["picture"]["seq"] == seq

    run(tmp_path, talk)


def test_what_only_a_simulated_panel_has_is_refused_on_a_real_one(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        line = await connect(at)
        line.ask(ask="sim", do="tap")
        assert (await line.read())["error"] == words(ONLY_SIMULATED)

    run(tmp_path, talk)


def test_an_unknown_game_is_an_error(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        line = await connect(at)
        line.ask(ask="export_lines", game="g9")
        assert (await line.read())["error"] == "There is no game g9."

    run(tmp_path, talk)


def test_requests_in_pieces_and_in_one_piece(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        line = await connect(at)
        raw = b'{"version":1,"id":1,"ask":"picture"}\n{"version":1,"id":2,"ask":"picture"}\n\n{"version":1,'
        for byte in raw:
            line.send(bytes([byte]))
            await line.writer.drain()
        line.send(b'"id":"x","ask":"picture"}\n')
        assert [(await line.read())["id"] for _ in range(3)] == [1, 2, "x"]

    run(tmp_path, talk)


def test_a_line_without_end_ends_the_connection(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        line = await connect(at)
        line.send(b"x" * (LONGEST_REQUEST + 1))
        assert "at most" in (await line.read())["malformed"]
        assert await line.reader.read() == b""

    run(tmp_path, talk)


def slow_socket(at: Desk) -> socket.socket:
    plug = socket.socket(socket.AF_UNIX)
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    plug.connect(str(at.path))
    return plug


def test_a_slow_watcher_gets_only_the_newest_and_delays_nobody(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        plug = slow_socket(at)
        plug.sendall(b'{"version":1,"id":1,"ask":"watch"}\n')
        quick = await connect(at)
        quick.ask(ask="picture")
        await quick.read()
        for number in range(600):
            at.hall.ask("say", {"text": f"line {number}"})
        quick.ask(ask="picture")
        assert (await quick.read())["picture"]["message"]["text"] == "line 599"
        plug.setblocking(False)
        lines = await read_until(plug, b"line 599")
        plug.close()
        assert lines < 300, "most were left out"

    run(tmp_path, talk)


async def read_until(plug: socket.socket, wanted: bytes) -> int:
    loop, seen = asyncio.get_running_loop(), b""
    while wanted not in seen:
        seen += await loop.sock_recv(plug, 65536)
    return seen.count(b"\n")


def test_a_client_that_never_reads_its_answers_is_cut_off(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        plug = slow_socket(at)
        plug.setblocking(False)
        loop = asyncio.get_running_loop()

        async def ask_without_end() -> None:
            while True:
                await loop.sock_sendall(plug, b'{"version":1,"id":1,"ask":"picture"}\n' * 100)

        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            await ask_without_end()
        plug.close()
        assert at.server.clients() == 0

    run(tmp_path, talk)


def test_the_socket_is_for_its_owner_and_a_dead_one_is_replaced(tmp_path: Path) -> None:
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(tmp_path / "control.sock"))
    dead.close()
    tmp_path.chmod(0o700)

    async def talk(at: Desk) -> None:
        assert stat.S_IMODE(at.path.stat().st_mode) == 0o600
        assert (await at.client().picture()).phase == "ready"

    run(tmp_path, talk)
    assert not (tmp_path / "control.sock").exists()


def test_where_the_folder_is_a_groups_the_socket_is_too(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)

    async def talk(at: Desk) -> None:
        assert stat.S_IMODE(at.path.stat().st_mode) == 0o660

    run(tmp_path, talk)


def test_what_is_no_socket_stops_no_start_and_is_not_removed(tmp_path: Path) -> None:
    """A file, and at the next start a folder."""
    notes, folder = tmp_path / "control.sock.aside-1", tmp_path / "control.sock.aside-2"

    async def talk(at: Desk) -> None:
        assert (await at.client().picture()).phase == "ready"

    (tmp_path / "control.sock").write_text("somebody's notes")
    run(tmp_path, talk)
    assert notes.read_text() == "somebody's notes"
    (tmp_path / "control.sock").mkdir()
    run(tmp_path, talk)
    assert folder.is_dir()
    assert os.umask(0o022) == 0o022


def test_a_removed_socket_is_made_again_by_a_look_beside_the_loop(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        client = at.client()
        await client.picture()
        made = at.path.stat().st_ino
        await asyncio.to_thread(at.server.look)
        assert at.path.stat().st_ino == made
        at.path.rename(tmp_path / "aside")
        await asyncio.to_thread(at.server.look)
        await asyncio.wait_for(at.server._keeping, DEADLINE_S)
        assert (await client.picture()).phase == "ready", "who is connected stays so"
        assert (await at.client().picture()).phase == "ready"

    run(tmp_path, talk)


def test_a_wire_that_is_not_there_cannot_break(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        at.asks._simulation = Simulation(panel, lambda: None, wire="no")
        line = await connect(at)
        line.ask(ask="sim", do="break_wire", contact="nc")
        assert (await line.read())["malformed"].startswith("The panel has no NC contact")
        line.ask(ask="sim", do="break_wire")
        assert (await line.read())["done"]
        assert panel.view().wire == "no_broken"

    wiring = PanelWiring(sun_lamp=12, moon_lamp=13, buzzer=16, pause_lamp=26, pause_no=6, pause_nc=None)
    with open_pins("mock") as pins, SimPanel(pins, wiring) as panel:
        run(tmp_path, talk)


def test_tables_and_roster_are_asked_watched_and_changed(tmp_path: Path) -> None:
    async def ask(at: Desk) -> None:
        client = at.client()
        at.tables.bus.have(node(1))
        roster = {"version": 1, "rows": [{"name": "A", "boards": [{"name": "A1", "node": uid(1)}]}]}
        assert (await client.set_roster({"rows": [{}]})).reasons[0].startswith("Row 1 has no name;")
        assert (await client.set_roster(roster)).accepted
        kept = (await client.roster()).rows[0]
        assert kept == Row(name="A", boards=(Board(name="A1", node=uid(1)),))
        assert (await client.tables()).nodes[0].board == "A1"
        refused = await client.table(TableAction(do="swap", board="A2"))
        assert refused.reasons == ["There is no board A2 in the roster: add it there first."]
        assert (await client.table(TableAction(do="swap", board="A1"))).accepted
        assert at.tables.bus.known[0].swapped
        assert (await client.command("identify", {"board": "A1"})).accepted
        assert (await client.command("identify", {"board": "nowhere"})).accepted
        assert at.tables.bus.identified == [(uid(1), "name", 0)]
        news: asyncio.Queue[bytes] = asyncio.Queue()
        watching = asyncio.create_task(client.watch_tables(lambda told: news.put_nowait(bytes(told.tables))))
        assert json.loads(await news.get())["segments"][0]["name"] == "A"
        watching.cancel()
        await asyncio.wait([watching])

    run(tmp_path, ask)


def test_a_client_too_many_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_OF_A_PROGRAM", MOST_CLIENTS)

    async def talk(at: Desk) -> None:
        lines = [await connect(at) for _ in range(MOST_CLIENTS)]
        lines[-1].ask(ask="picture")
        await lines[-1].read()
        more = await connect(at)
        assert "already connected" in (await more.read())["error"]
        lines[0].writer.close()
        await lines[0].writer.wait_closed()
        lines[-1].ask(ask="picture")
        await lines[-1].read()
        again = await connect(at)
        again.ask(ask="picture")
        assert "picture" in await again.read()

    run(tmp_path, talk)


TAKES_ALL = """
import socket, sys
there = [socket.socket(socket.AF_UNIX) for _ in range(40)]
for each in there:
    each.connect(sys.argv[1])
refused = [each.makefile().readline() for each in there[32:]]
print(refused[0], flush=True)
sys.stdin.read()
"""


def test_one_program_never_takes_the_places_of_the_others(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        greedy = await asyncio.create_subprocess_exec(
            sys.executable, "-c", TAKES_ALL, str(at.path), stdin=PIPE, stdout=PIPE
        )
        assert greedy.stdin is not None
        assert greedy.stdout is not None
        said = await greedy.stdout.readline()
        assert json.loads(said)["error"] == "This program already has 32 connections: close one of them."
        assert (await at.client().command("pause")).reasons  # asked and answered: no game runs
        greedy.stdin.close()
        await greedy.wait()

    run(tmp_path, talk)


def test_requests_of_one_client_do_not_keep_the_others_waiting(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        flood, other = await connect(at), await connect(at)
        taken: list[str] = []
        answer = at.server._answer
        at.server._answer = lambda client, request: (taken.append(request.id), answer(client, request))
        flood.send(b'{"version":1,"id":"flood","ask":"metrics"}\n' * 500)
        other.ask(ask="picture")
        await other.read()
        assert taken.count("flood") < 500
        for _ in range(500):
            assert (await flood.read())["id"] == "flood"

    run(tmp_path, talk)


class Kept(Buffered):
    def __init__(self, buffer: memoryview) -> None:
        super().__init__(buffer)
        self.came: list[bytes] = []
        self.over = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.came.append(data)

    def connection_lost(self, _exc: Exception | None) -> None:
        self.over.set()


def test_what_came_stays_as_it_was_when_more_comes_into_the_same_memory() -> None:
    async def test() -> None:
        loop, buffer = asyncio.get_running_loop(), read_buffer()
        for sent in ([b"first", b"second"], [b"x" * (READ_AT_ONCE + 5)]):
            near, far = socket.socketpair()
            with near, far:
                far.setblocking(False)
                transport, kept = await loop.create_unix_connection(lambda: Kept(buffer), sock=near)
                for each in sent:
                    before = len(b"".join(kept.came))
                    await loop.sock_sendall(far, each)
                    while len(b"".join(kept.came)) < before + len(each):  # noqa: ASYNC110 - it waits for the loop itself
                        await asyncio.sleep(0)
                far.close()
                await kept.over.wait()
                assert b"".join(kept.came) == b"".join(sent)
                assert max(map(len, kept.came)) <= READ_AT_ONCE
                transport.close()

    asyncio.run(test())


async def met(path: Path, rounds: int) -> int:
    """How many callers were met by a server that is closed so many rounds of the loop after somebody called."""
    protocols: list[asyncio.Protocol] = []

    class Protocol(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            protocols.append(self)
            transport.close()

    loop = asyncio.get_running_loop()
    server = await loop.create_unix_server(Protocol, path)
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(str(path))
        caller.setblocking(False)
        for _ in range(rounds):
            await asyncio.sleep(0)
        await close_server(server)
        with suppress(ConnectionResetError):
            assert await asyncio.wait_for(loop.sock_recv(caller, 1), DEADLINE_S) == b""
    return len(protocols)


@pytest.mark.parametrize("rounds", range(5))
def test_who_comes_while_it_closes_is_met_or_turned_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rounds: int
) -> None:
    """After two rounds the connection is accepted, but its transport not yet made."""
    lost: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    assert asyncio.run(met(tmp_path / "s", rounds)) == (rounds >= 2)
    gc.collect()
    assert lost == []
