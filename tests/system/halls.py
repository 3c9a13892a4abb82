"""Controllers of several halls, each with its own core and links process."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import NoCore
from pi_controller.protocol.halls import LinkView
from pi_controller.protocol.messages import AskSim
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.picture import Picture
from tests.system.programs import Program, client_of, program, wait_for_picture

UNHEARD_S = 0.3


class Hall:
    """Its core and its links process, each of which can be killed and started again."""

    def __init__(self, folder: Path, name: str, role: str, port: int, more: str = "") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.name = name
        self.state_dir = folder / "s"
        self.settings = folder / "settings.toml"
        self.settings.write_text(f'[links]\nrole = "{role}"\nhall = "{name}"\nport = {port}\n{more}')
        self.running: dict[str, Program] = {}
        self._stack = contextlib.ExitStack()

    def start(self, *names: str) -> "Hall":
        """Each a program, with options of its own behind it."""
        for name in names:
            hardware = ("--hardware=sim",) if name == "core" else ()
            given = (f"--state-dir={self.state_dir}", f"--settings={self.settings}", *hardware)
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
        return self.until(
            lambda picture: (
                picture.link is not None and picture.link.state == "following" and not picture.health.items
            )
        )

    def close(self) -> None:
        self._stack.close()


@contextlib.contextmanager
def hall(folder: Path, name: str, role: str, port: int, more: str = "") -> Iterator[Hall]:
    """With core and links running."""
    opened = Hall(folder / name, name, role, port, more)
    try:
        yield opened.start("core", "links")
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
