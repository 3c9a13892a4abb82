"""Controllers of several halls, each with its own core and links process.

Each has clocks of its own, off by up to a year and 100 ppm (`clocks.py`). They are drawn from the name of the test and
HALL_CLOCKS_SEED, which is printed. All that are opened at one time are looked at by one Watch (`hall_watch.py`)."""

import contextlib
import json
import os
import secrets
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from pi_controller.cli.main import main
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import NoCore
from pi_controller.protocol.messages import AskSettle, AskSim, AskWatchUplink
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.picture import LinkView, Picture
from pi_controller.protocol.question import encode
from tests.patience import DEADLINE_S
from tests.system.broker import Way
from tests.system.clocks import HallClock
from tests.system.hall_watch import PATIENT, Watch
from tests.system.programs import Program, client_of, program, wait_for_picture

UNHEARD_S = 0.3
_opened: Counter[tuple[str, str]] = Counter()
SEED = os.environ.get("HALL_CLOCKS_SEED") or secrets.token_hex(4)


def unlinked(picture: Picture) -> list[str]:
    """What is wrong with the links; the machine may be busy besides."""
    return [item.key for item in picture.health.items if item.key.startswith("link.")]


def follows(picture: Picture, *, but: tuple[str, ...] = ()) -> bool:
    """It shows the leader's time, and nothing but this is wrong."""
    wrong = [key for key in unlinked(picture) if key not in but]
    return picture.link is not None and picture.link.state == "following" and not wrong


class Hall:
    """Its core and its links process, each of which can be killed and started again."""

    def __init__(
        self, folder: Path, name: str, role: str, port: int, more: str = "", *, nodes: int = 0
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.name = name
        self.port = port
        self.clock = HallClock.drawn(folder / "clock", _seed(name))
        print(f"{name}: {self.clock} (HALL_CLOCKS_SEED={SEED})")
        self.state_dir = folder / "s"
        self.settings = folder / "settings.toml"
        self.settings.write_text(f'[links]\nrole = "{role}"\nhall = "{name}"\nport = {port}\n{more}')
        self.nodes = nodes
        self.running: dict[str, Program] = {}
        self._gone_s: dict[str, float] = {}
        self._went_s = 0.0
        self.decided = False
        self._stack = contextlib.ExitStack()

    def start(self, *names: str) -> "Hall":
        """Each a program, with options of its own behind it."""
        for name in names:
            tables = (f"--virtual-tables={self.nodes}",) if self.nodes else ()
            settings = f"--settings={self.settings}"
            of = {
                "core": (settings, "--hardware=sim", *tables),
                "virtual-tables": (f"--nodes={self.nodes}",),
            }
            given = (f"--state-dir={self.state_dir}", *of.get(name.split()[0], (settings,)))
            self._gone_s.pop(name.split()[0], None)
            started = program(*name.split(), *given, environment=self.clock.environment)
            self.running[name] = self._stack.enter_context(started)
        return self

    @property
    def mute_s(self) -> float | None:
        """Since when nothing of it can have come to the broker, or from there; None: something can."""
        way = Way.at.get(self.port)
        found = (*self._gone_s.values(), None if way is None else way.broken_s)
        return min((one for one in found if one is not None), default=None)

    @property
    def shaken_s(self) -> float:
        """When it became so last, whether or not it is so still."""
        way = Way.at.get(self.port)
        return max(self._went_s, 0.0 if way is None else way.broke_s)

    def kill(self, *names: str) -> None:
        for name in names:
            running = self.running.pop(name)
            running.process.kill()
            running.process.wait()
            self._has_gone(name)

    def end(self, *names: str) -> None:
        """As a service is stopped."""
        for name in names:
            assert self.running.pop(name).end() == 0
            self._has_gone(name)

    def claim_unheard(self, body: object) -> None:
        """Give a claim to core, and hang up before its leader can answer."""
        with contextlib.suppress(NoCore):
            Client(socket_path(self.state_dir), timeout_s=UNHEARD_S).command("claim", body)

    def settle(self, *, lead: bool, hall: str) -> None:
        """A person decides who leads: the watch is told, since a game that is left then was not taken."""
        self.decided = True
        self.client.ask(AskSettle(lead=lead, hall=hall))

    def press(self) -> None:
        """The big button, as a hand presses it."""
        self.client.ask(AskSim(do="tap"))

    def until_on_its_way(self, do: str) -> None:
        """Core has something of this kind for its leader, which has not answered it."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(DEADLINE_S)
            connection.connect(str(socket_path(self.state_dir)))
            connection.sendall(encode(AskWatchUplink(id="up")))
            for line in connection.makefile("rb"):
                uplink = json.loads(line).get("uplink")
                if uplink is not None and uplink["do"] == do:
                    return
        raise AssertionError("core has gone")

    @property
    def client(self) -> Client:
        return client_of(self.state_dir, self.running.get("core"))

    @property
    def quick(self) -> Client:
        """One that does not wait for a core: NoCore where none is there."""
        return Client(socket_path(self.state_dir))

    def picture(self) -> Picture:
        return self.client.picture()

    def link(self) -> LinkView:
        link = self.picture().link
        assert link is not None
        return link

    def until(self, wanted: Callable[[Picture], bool]) -> Picture:
        """The first picture that is wanted, among those that come."""
        return wait_for_picture(self.client, wanted)

    def until_link(self, state: str) -> Picture:
        return self.until(lambda picture: picture.link is not None and picture.link.state == state)

    def until_following(self) -> Picture:
        return self.until(follows)

    def close(self) -> None:
        self._stack.close()

    def _has_gone(self, name: str) -> None:
        if name.split(maxsplit=1)[0] in ("core", "links"):
            self._went_s = self._gone_s[name.split(maxsplit=1)[0]] = time.monotonic()


def _test() -> str:
    """Which one runs; a soak run is none."""
    return os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]


def _seed(name: str) -> str:
    """Two of one name have two clocks."""
    _opened[_test(), name] += 1
    return f"{SEED} {_test()} {name} {_opened[_test(), name]}"


class _Watching:
    """The watch of the halls that are open."""

    watch: Watch | None = None


@contextlib.contextmanager
def watching(watch: Watch) -> Iterator[Watch]:
    """Halls that are opened meanwhile join this one."""
    assert _Watching.watch is None
    _Watching.watch = watch
    try:
        with watch:
            yield watch
    finally:
        _Watching.watch = None


@contextlib.contextmanager
def watched(opened: Hall) -> Iterator[Hall]:
    """Looked at until it is closed; the first one opens a watch for all that come while it is there."""
    with contextlib.ExitStack() as stack:
        watch = _Watching.watch or stack.enter_context(watching(Watch(PATIENT)))
        watch.join(opened)
        try:
            yield opened
        finally:
            watch.leave(opened)
            opened.close()


def paired(folder: Path, *names: str) -> None:
    """All have the same pairing key before their first start."""
    first, *others = [folder / name / "s" for name in names]
    first.mkdir(parents=True, exist_ok=True)
    assert main(["pair", "new", f"--state-dir={first}"]) == 0
    for other in others:
        other.mkdir(parents=True, exist_ok=True)
        assert main(["pair", "export", "-o", str(folder / "key"), f"--state-dir={first}"]) == 0
        assert main(["pair", "import", str(folder / "key"), f"--state-dir={other}"]) == 0


@contextlib.contextmanager
def hall(folder: Path, name: str, role: str, port: int, more: str = "", *, nodes: int = 0) -> Iterator[Hall]:
    """With core and links running, and with virtual tables where there shall be some."""
    with watched(Hall(folder / name, name, role, port, more, nodes=nodes)) as opened:
        yield opened.start(*(("virtual-tables",) if nodes else ()), "core", "links")


@contextlib.contextmanager
def two_halls(folder: Path, port: int, *, followers_port: int | None = None) -> Iterator[tuple[Hall, Hall]]:
    """`main` leads, `east` follows, and both play round 1."""
    with (
        hall(folder, "main", "leader", port) as leader,
        hall(folder, "east", "follower", followers_port or port) as follower,
    ):
        leader.until_link("leading")
        follower.until_following()
        assert leader.client.command("start").accepted
        follower.until(lambda picture: picture.running)
        yield leader, follower
