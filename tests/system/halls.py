"""Controllers of several halls, each with its own core and links process."""

import contextlib
import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

from pi_controller.cli.main import main
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import NoCore
from pi_controller.protocol.halls import LinkView
from pi_controller.protocol.messages import AskSim, AskWatchUplink, encode
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.picture import Picture
from tests.patience import DEADLINE_S
from tests.system.programs import Program, client_of, program, wait_for_picture

UNHEARD_S = 0.3


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
        self.state_dir = folder / "s"
        self.settings = folder / "settings.toml"
        self.settings.write_text(f'[links]\nrole = "{role}"\nhall = "{name}"\nport = {port}\n{more}')
        self.nodes = nodes
        self.running: dict[str, Program] = {}
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
            self.running[name] = self._stack.enter_context(program(*name.split(), *given))
        return self

    def kill(self, *names: str) -> None:
        for name in names:
            running = self.running.pop(name)
            running.process.kill()
            running.process.wait()

    def end(self, *names: str) -> None:
        """As a service is stopped."""
        for name in names:
            assert self.running.pop(name).end() == 0

    def claim_unheard(self, body: object) -> None:
        """Give a claim to core, and hang up before its leader can answer."""
        with contextlib.suppress(NoCore):
            Client(socket_path(self.state_dir), timeout_s=UNHEARD_S).command("claim", body)

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
        return client_of(self.state_dir)

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
    opened = Hall(folder / name, name, role, port, more, nodes=nodes)
    try:
        yield opened.start(*(("virtual-tables",) if nodes else ()), "core", "links")
    finally:
        opened.close()


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
