"""Floods from the network beside a running game: `python -m tests.soak.floods --seconds 30 --connections 1000`.

A real controller listens in a network of its own; strangers flood it from two addresses, one way after the
other. Meanwhile the big button is pressed, the director pauses over HTTP from a third address, with a new
connection each time; screens that were admitted, a seat with its code and a phone that was never there come
again and again; and the control socket is asked as the command line asks it. Core and web have what their units give
them (`MemoryMax`): by a cgroup where the machine makes one, otherwise their peaks are held against it. Printed for
each flood: whether core and web live, the press to frozen outputs (also by core's own account), the director's pause,
how many of these and of those who came again were refused, and the peaks of memory.
"""

import argparse
import asyncio
import contextlib
import http.client
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp

from pi_controller.bench.processes import answers, children_of, command_line, port_of, product
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import CoreTrouble, NoCore
from pi_controller.protocol.messages import AskSeatCodes, AskSim
from pi_controller.protocol.paths import socket_path
from pi_controller.sentence import as_told
from tests.bus.hall import percentile
from tests.soak.attacks import ATTACKS, UNDER_WAY, trusting_all
from tests.soak.memory_limits import HOW, Limited
from tests.soak.own_network import DIRECTOR, HALL, NEW_PHONE, PHONE, SCREEN, enter

SETTINGS = """\
[game]
schedule = [{{from_round = 1, seconds = 3600}}]
rounds_without_seven = 999
start_countdown_seconds = 0
resume_countdown_seconds = 0
[pause_button]
contacts = "no"
[tables]
seat_codes = true
[web]
staff_host = "{host}"
staff_port = {port}
staff_tls = true
"""
BOARDS = 10
CHANGES = 40
"""Pauses in each earlier game, with as many resumes."""
PRESSES_A_GAME = 20
REST_S = 0.06
"""From a button's release to its next press, as a hand needs at least."""
PATIENCE_S = float(os.environ.get("FLOODS_PATIENCE_S", "10"))
"""Whoever has no answer by then counts as refused; longer where that is not what is measured."""
GUESTS = ("screen", "seat", "new phone")
PRESS_LIMIT_MS, PAUSE_LIMIT_MS = 10.0, 200.0
NONE = [float("inf")]
"""The times of what never came."""


@dataclass
class Found:
    """What became of one flood; times in milliseconds."""

    name: str
    core_lives: bool = True
    web_lives: bool = True
    frozen_ms: list[float] = field(default_factory=list)
    late_inside: int = 0
    """Presses above the limit by core's own account, from the first contact to the written picture: what the one
    who measures waits for, a processor and two connections, is not in it."""
    pause_ms: list[float] = field(default_factory=list)
    pauses_refused: list[str] = field(default_factory=list)
    control_refused: list[str] = field(default_factory=list)
    guests_ms: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in GUESTS})
    """Until each of those who came again had all that it needs."""
    guests_refused: list[str] = field(default_factory=list)
    peaks_mb: dict[str, float] = field(default_factory=dict)
    """Resident memory of core and web at the most."""
    too_much: list[str] = field(default_factory=list)
    """Which of them had more than its unit gives."""
    flood: dict[str, int] = field(default_factory=dict)

    def holds(self) -> bool:
        """Whether all limits do, times included."""
        return (
            self.unharmed()
            and percentile(self.frozen_ms or NONE, 0.99) <= PRESS_LIMIT_MS
            and percentile(self.pause_ms or NONE, 0.99) <= PAUSE_LIMIT_MS
        )

    def unharmed(self) -> bool:
        """Core and web live within their memory, and nobody who may was refused anything."""
        refused = self.pauses_refused or self.control_refused or self.guests_refused
        return self.core_lives and self.web_lives and not self.too_much and not refused

    def line(self) -> str:
        frozen, pause = self.frozen_ms, self.pause_ms
        return (
            f"{self.name:21} core {'lives' if self.core_lives else 'DIED':5}  "
            f"web {'lives' if self.web_lives else 'DIED':5}  "
            f"at most {', '.join(f'{name} {mb:.0f} MB' for name, mb in self.peaks_mb.items())}  "
            f"press to frozen p50 {percentile(frozen or NONE, 0.5):6.1f} p99 {percentile(frozen or NONE, 0.99):7.1f} ms, "
            f"{self.late_inside} of {len(frozen)} late inside core  "
            f"pause over HTTP p50 {percentile(pause or NONE, 0.5):7.1f} p99 {percentile(pause or NONE, 0.99):8.1f} ms, "
            f"{len(self.pauses_refused)} of {len(pause) + len(self.pauses_refused)} refused, "
            f"control socket {len(self.control_refused)} refused  "
            f"came again p99 {self._guests()} ms, {len(self.guests_refused)} refused; flood: {self.flood}"
        )

    def _guests(self) -> str:
        return ", ".join(
            f"{name} {len(times)}: {percentile(times or NONE, 0.99):.0f}"
            for name, times in self.guests_ms.items()
        )


class Director:
    """Asks over HTTPS from an address of its own, with a new connection each time."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def admit(self, name: str, code: str) -> None:
        _, wrong = self.post(f"/api/screens/{name}", json.dumps({"do": "admit", "code": code}))
        if wrong is not None:
            raise AssertionError(wrong)

    def command(self, name: str, body: str = "{}") -> tuple[float, str | None]:
        """As `post`."""
        return self.post(f"/api/commands/{name}", body)

    def post(self, path: str, body: str) -> tuple[float, str | None]:
        """Milliseconds to the answer, and what was wrong with it."""
        connection = http.client.HTTPSConnection(
            HALL, self._port, timeout=PATIENCE_S, source_address=(DIRECTOR, 0), context=trusting_all()
        )
        begun = time.monotonic()
        try:
            connection.request("POST", path, body, self._headers)
            answer = connection.getresponse()
            said = answer.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as problem:
            return (time.monotonic() - begun) * 1000, f"{path}: {problem!r}"
        finally:
            connection.close()
        wrong = None if answer.status == http.client.OK else f"{path}: {answer.status} {said}"
        return (time.monotonic() - begun) * 1000, wrong


class Stand:
    """A controller with earlier games, and those whom it must not keep waiting."""

    def __init__(self, state: Path, run: "subprocess.Popen[str]", port: int, secure: int) -> None:
        self.port = port
        self.secure = secure
        self.client = Client(socket_path(state), timeout_s=PATIENCE_S)
        self.director = Director(secure, (state / "web" / "token").read_text(encoding="ascii").strip())
        self._run = run
        self.games: list[str] = []
        self.guests = asyncio.run(admitted(port, secure, self.director, self.client))

    def earlier_games(self, count: int) -> None:
        for _ in range(count):
            self.new_game()
            for _ in range(CHANGES):
                self.ask("pause")
                self.ask("resume", {"override": True})
        self.new_game()

    def new_game(self) -> None:
        """One in its first round, in place of the one that is there."""
        if self.client.picture().phase != "ready":
            self.ask("end", {"confirm": True})
            self.games.append(self.client.picture().game_id)
            self.ask("arm")
        self.ask("start")

    def ask(self, name: str, body: object = None) -> None:
        answer = self.client.command(name, body, source="flood")
        if not answer.accepted:
            raise AssertionError(f"`{name}` was refused: {answer.reasons}")

    def pid(self, name: str) -> int | None:
        """Of core or web; None when it is not there."""
        pids = [pid for pid in children_of(self._run.pid) if name in command_line(pid)]
        return pids[0] if pids else None

    def press(self, found: Found) -> None:
        """The button, from the moment at which its contact is told to close to the frozen picture."""
        with contextlib.closing(self.client.watch()) as news:
            next(news)
            begun = time.monotonic()
            self.client.ask(AskSim(do="press"))
            for each in news:
                took_ms = (time.monotonic() - begun) * 1000
                if each.picture is not None and each.picture.paused:
                    found.frozen_ms.append(took_ms)
                    break
                if took_ms > PATIENCE_S * 1000:
                    raise CoreTrouble(as_told("A press froze nothing."))
        self.client.ask(AskSim(do="release"))

    def flooded(self, name: str, *, connections: int, seconds: float) -> Found:
        found, pids = Found(name), {each: self.pid(each) for each in ("core", "web")}
        late_before = self._late_inside()
        with flood(name, self, connections) as attacker, Limited(pids) as limited:
            until = time.monotonic() + seconds
            coming = threading.Thread(target=self._guests_come, args=(found, until))
            coming.start()
            while time.monotonic() < until:
                self._once(found)
            coming.join()
        found.peaks_mb, found.too_much = limited.peaks_mb, limited.too_much
        said = attacker.stdout.read() if attacker.stdout is not None else ""
        found.flood = json.loads(said) if said else {}
        found.core_lives = pids["core"] is not None and self.pid("core") == pids["core"]
        found.web_lives = pids["web"] is not None and self.pid("web") == pids["web"]
        answers_again(self.client)
        found.late_inside = self._late_inside() - (late_before if found.core_lives else 0)
        return found

    def _guests_come(self, found: Found, until: float) -> None:
        """Again and again, the first time in any case."""
        while True:
            asyncio.run(self.guests.come(found))
            if time.monotonic() >= until:
                return
            threading.Event().wait(REST_S)

    def _late_inside(self) -> int:
        """Since core's start."""
        presses = self.client.metrics()["press_to_freeze_seconds"]
        if not isinstance(presses, dict):
            raise CoreTrouble(as_told("Core keeps no account of presses."))
        return round(presses["count"] - presses[f'le="{PRESS_LIMIT_MS / 1000}"'])

    def _once(self, found: Found) -> None:
        """A press, a pause of the director's, and between them play again."""
        threading.Event().wait(REST_S)
        try:
            if len(found.frozen_ms) % PRESSES_A_GAME == PRESSES_A_GAME - 1:
                self.new_game()
            self.press(found)
            self.ask("resume", {"override": True})
        except (NoCore, CoreTrouble) as problem:
            found.control_refused.append(str(problem))
        for command, body in (("pause", "{}"), ("resume", '{"override": true}')):
            took_ms, wrong = self.director.command(command, body)
            if wrong is None:
                found.pause_ms.append(took_ms)
            else:
                found.pauses_refused.append(wrong)


@dataclass
class Guests:
    """Screens with a key, seats with a code and new phones, which come each with connections of their own."""

    plain: int
    secure: int
    codes: list[str]
    keys: list[str]
    turn: int = 0

    async def come(self, found: Found) -> None:
        """Each of them once."""
        self.turn += 1
        for name, come in zip(GUESTS, (self._screen, self._seat, self._new_phone), strict=True):
            begun = time.monotonic()
            try:
                async with asyncio.timeout(PATIENCE_S):
                    while not await come():
                        pass
            except (aiohttp.ClientError, OSError, TypeError, AssertionError) as problem:
                found.guests_refused.append(f"{name}: {problem!r}")
            else:
                found.guests_ms[name].append((time.monotonic() - begun) * 1000)

    async def _screen(self) -> bool:
        key = quote(self.keys[self.turn % len(self.keys)])
        async with session(SCREEN) as http:
            async with http.ws_connect(f"http://{HALL}:{self.plain}/api/screen?key={key}") as line:
                assert "screen" in await line.receive_json()
            async with http.ws_connect(f"http://{HALL}:{self.plain}/api/feed?key={key}") as line:
                return await has_picture(line)

    async def _seat(self) -> bool:
        """A phone that has scanned its code: its requests show it from the first byte."""
        return await self._phone(PHONE, f"?seat={quote(self._code)}")

    async def _new_phone(self) -> bool:
        """One that says its code once its socket is open."""
        return await self._phone(NEW_PHONE, "")

    async def _phone(self, source: str, shown: str) -> bool:
        entering = {"code": self._code, "device": "device-of-a-seat"}
        async with session(source) as http:
            async with http.ws_connect(f"https://{HALL}:{self.secure}/api/seat{shown}") as line:
                await line.send_json(entering)
                assert "seat" in await line.receive_json()
            async with http.ws_connect(f"https://{HALL}:{self.secure}/api/phone{shown}") as line:
                return await has_picture(line)

    @property
    def _code(self) -> str:
        return self.codes[self.turn % len(self.codes)]


async def has_picture(feed: aiohttp.ClientWebSocketResponse) -> bool:
    """False when core has none to give just now: whoever is told so (1013) comes again, as the pages do."""
    message = await feed.receive()
    if message.type is aiohttp.WSMsgType.CLOSE and message.data == aiohttp.WSCloseCode.TRY_AGAIN_LATER:
        return False
    assert "phase" in message.json()
    return True


def session(source: str) -> aiohttp.ClientSession:
    connector = aiohttp.TCPConnector(local_addr=(source, 0), ssl=trusting_all())
    return aiohttp.ClientSession(connector=connector)


async def admitted(plain: int, secure: int, director: Director, client: Client) -> Guests:
    rows = [{"name": "A", "boards": [{"name": f"A{number}"} for number in range(1, BOARDS + 1)]}]
    client.set_roster({"version": 1, "rows": rows})
    codes = [each.code for each in client.ask(AskSeatCodes()).codes]
    keys = []
    for number in range(BOARDS):
        async with (
            session(SCREEN) as http,
            http.ws_connect(f"http://{HALL}:{plain}/api/screen") as line,
        ):
            await line.send_json({"name": f"Screen {number}", "page": "/", "size": [800, 600], "clock_ms": 1})
            code = key = None
            while code is None:
                code = (await line.receive_json()).get("screen", {}).get("code")
            await asyncio.to_thread(director.admit, quote(f"Screen {number}"), code)
            while key is None:
                key = (await line.receive_json()).get("screen", {}).get("key")
            keys.append(key)
    return Guests(plain, secure, codes, keys)


def answers_again(client: Client) -> None:
    """A core that died is waited for, so that the next flood finds one."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with contextlib.suppress(NoCore, CoreTrouble):
            client.picture()
            return
    raise AssertionError("The controller answers no more.")


@contextlib.contextmanager
def flood(name: str, stand: Stand, connections: int) -> Iterator["subprocess.Popen[str]"]:
    """The strangers are at it for the length of the block."""
    module = ("-m", "tests.soak.attacks")
    given = [name, HALL, str(stand.port), str(stand.secure), str(connections), stand.games[0]]
    attacker = subprocess.Popen(
        [sys.executable, *module, *given], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        if attacker.stdout is None or attacker.stdout.readline().strip() != UNDER_WAY:
            raise AssertionError(f"The flood {name} has not begun.")
        yield attacker
    finally:
        if attacker.stdin is not None:
            attacker.stdin.close()
        try:
            attacker.wait(60)
        except subprocess.TimeoutExpired:
            attacker.kill()
            attacker.wait()


def run(options: argparse.Namespace) -> list[Found]:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        state, settings = Path(folder) / "state", Path(folder) / "settings.toml"
        with socket.create_server((HALL, 0)) as free:
            secure = int(free.getsockname()[1])
        settings.write_text(SETTINGS.format(host=HALL, port=secure), encoding="utf-8")
        with product("run", state, f"--host={HALL}", "--port=0", f"--settings={settings}") as controller:
            plain = port_of(controller)
            answers(state, controller)
            stand = Stand(state, controller, plain, secure)
            stand.earlier_games(options.games)
            found = []
            for name in options.only or ["none", *ATTACKS]:
                connections = 0 if name == "none" else options.connections
                found.append(stand.flooded(name, connections=connections, seconds=options.seconds))
                print(found[-1].line(), flush=True)
            return found


def report(found: list[Found], options: argparse.Namespace) -> int:
    wrong = [each for each in found if not each.holds()]
    for each in wrong:
        refused = [*each.pauses_refused, *each.control_refused, *each.guests_refused, *each.too_much]
        print(f"{each.name}: {refused[:3]}", file=sys.stderr)
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(each) for each in found]), encoding="utf-8")
    print(
        f"{len(found) - len(wrong)} of {len(found)} floods: core and web live within their units' memory ({HOW}), p99 of press to frozen "
        f"{PRESS_LIMIT_MS:g} ms and of a pause over HTTP {PAUSE_LIMIT_MS:g} ms at most, nothing refused"
    )
    return 1 if wrong else 0


def arguments(given: list[str]) -> Any:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0, help="of each flood")
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--games", type=int, default=5, help="earlier ones in the state folder")
    parser.add_argument("--only", nargs="*", choices=["none", *ATTACKS])
    parser.add_argument("--json", type=Path, help="write all values there")
    return parser.parse_args(given)


def main(given: list[str]) -> int:
    options = arguments(given)
    enter("tests.soak.floods", given)
    return report(run(options), options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
