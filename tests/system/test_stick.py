"""The evening on a stick through the real programs: real file systems in a name space of their own, which are full,
only to be read, or pulled out in the middle."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.journal.verify import verify_file
from pi_controller.protocol.client import Client
from pi_controller.protocol.messages import AskStick, StickView
from tests.system.programs import (
    Program,
    children_of,
    client_of,
    program,
    simulated,
    wait_for_picture,
    wait_until,
)

STICK = "/media/pi/STICK"
MOUNT = f"""
mount -t tmpfs none /media && mkdir -p {STICK} && mount -t tmpfs -o size=8m none {STICK} && exec "$@"
"""


GAMES = 2
"""Their reports take long enough to pull the stick out meanwhile."""


class Stick:
    """`here` is where this test finds what core finds on the stick."""

    def __init__(self, core: Program, client: Client) -> None:
        self.core, self.client = core, client
        self.here = Path(f"/proc/{core.pid}/root{STICK}")

    def mounted(self, *command: str) -> None:
        """What root does in core's name space."""
        subprocess.run(["nsenter", "-t", str(self.core.pid), "-U", "-m", *command], check=True)

    def saved(self, seen: int = 0) -> StickView:
        """What became of it, once it is over."""
        assert self.ask(save=STICK, seen=seen).state in {"working", "done", "failed"}
        return self.over()

    def over(self) -> StickView:
        found: StickView = wait_until(
            lambda: found if (found := self.ask()).state in {"done", "failed"} else None
        )
        return found

    def ask(self, save: str | None = None, seen: int = 0) -> StickView:
        return self.client.ask(AskStick(save=save, seen=seen)).stick


@pytest.fixture
def stick(tmp_path: Path) -> Iterator[Stick]:
    before = ("unshare", "-rm", "sh", "-c", MOUNT, "sh")
    if subprocess.run([*before, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("this user may not mount a stick in a name space of its own")
    with program("core", *simulated(tmp_path), before=before) as core:
        client = client_of(tmp_path / "s", core)
        for _ in range(GAMES - 1):
            assert client.command("arm").accepted
        assert client.command("start").accepted
        wait_for_picture(client, lambda picture: picture.running)
        yield Stick(core, client)
        assert client.picture().running, "the clock goes on, whatever the stick does"
        assert core.end() == 0
        assert not any("Traceback" in line for line in core.complained.all())


def test_the_evening_is_on_the_stick_unless_it_is_full_or_locked_or_pulled_out_in_the_middle(
    stick: Stick,
) -> None:
    (found,) = stick.ask().sticks
    assert (found.place, found.name, found.read_only, found.free_kib) == (STICK, "STICK", False, 8 * 1024)
    (stick.here / "photos").write_bytes(bytes(8 * 1024 * 1024 - 8 * 1024))
    assert "has no room for" in stick.saved().reason
    (stick.here / "photos").unlink()
    stick.mounted("mount", "-o", "remount,ro", STICK)
    assert stick.ask().sticks[0].read_only
    assert "is read-only" in stick.saved(seen=1).reason
    stick.mounted("mount", "-o", "remount,rw", STICK)
    all_is_there(stick, stick.saved(seen=2))

    stick.ask(save=STICK, seen=3)
    worker = wait_until(lambda: next(iter(children_of(stick.core.pid)), None))
    wait_until(lambda: stick.ask().of)
    os.kill(worker, signal.SIGSTOP)
    stick.mounted("umount", "-l", STICK)
    os.kill(worker, signal.SIGCONT)
    assert "was pulled out, or it is broken" in stick.over().reason
    told = stick.ask()
    assert told.sticks == []
    assert "is no longer there" in stick.saved(seen=told.number).reason
    assert list(stick.here.iterdir()) == [], "nothing falls into the folder below it"


def all_is_there(stick: Stick, done: StickView) -> None:
    assert (done.state, done.reason) == ("done", "")
    (folder,) = stick.here.iterdir()
    assert folder.name == done.folder
    assert {file.name: file.bytes for file in done.files} == {
        path.name: path.stat().st_size for path in folder.iterdir()
    }
    assert len(done.files) == 4 * GAMES + 1
    for game in folder.glob("*.jsonl"):
        assert verify_file(game).told
        assert (folder / f"{game.stem}.report.pdf").read_bytes().startswith(b"%PDF")
    assert stick.ask(save=STICK, seen=2).number == 3, "a repeat of what was asked before"
