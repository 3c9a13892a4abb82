"""The hall screen in a Debian that really boots: real Chromium under cage, which draws into memory."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.systemd.booted import install, make_bundle, put_bundle
from tests.systemd.container import BASE, Container, unpack, wait_for

pytestmark = pytest.mark.soak
PACKAGES = ("cage", "chromium", "seatd", "fontconfig", "fonts-dejavu-core", "fonts-noto-color-emoji")
KIOSK = "pi-controller-kiosk.service"
DROP_IN = "[Service]\nEnvironment=WLR_BACKENDS=headless WLR_RENDERER=pixman\n"
"""No screen in a container: everything else is as on a Pi."""
LONGEST_AWAY_S = 5.0
ESTABLISHED = "01"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Container]:
    tree = unpack("kiosk", (*BASE, *PACKAGES), tmp_path / "tree")
    put_bundle(tree, make_bundle(tmp_path / "dist"))
    container = Container(tree)
    try:
        yield container
    finally:
        container.close()


def test_the_hall_screen_is_back_after_a_crash(box: Container, capsys: pytest.CaptureFixture[str]) -> None:
    install(box, "--kiosk")
    drop_in = box.tree / f"etc/systemd/system/{KIOSK}.d"
    drop_in.mkdir()
    (drop_in / "test.conf").write_text(DROP_IN)
    box.check("systemctl", "daemon-reload")
    box.check("systemctl", "start", KIOSK)
    wait_for(lambda: shows_the_hall(box))
    box.check("touch", "/run/pi-controller-kiosk/profile/of-before")

    before = browsers(box)
    killed = time.monotonic()
    os.kill(before[0], signal.SIGKILL)
    # Helpers of the killed one keep its connection for a moment.
    wait_for(lambda: set(browsers(box)) - set(before) and shows_the_hall(box))
    away_s = time.monotonic() - killed
    with capsys.disabled():
        print(f"\n  hall screen, browser killed until it follows the game again: {away_s:.1f} s", end="")
    assert away_s <= LONGEST_AWAY_S
    assert box.run("test", "-e", "/run/pi-controller-kiosk/profile/of-before").returncode == 1
    assert box.run("pgrep", "--count", "--full", "--", "--type=renderer").returncode == 0


def browsers(box: Container) -> list[int]:
    """Main processes of the browser, the oldest first, by their numbers outside."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            inside = (process / "ns/pid").stat().st_ino == Path(f"/proc/{box.leader}/ns/pid").stat().st_ino
        except OSError:  # it has ended meanwhile
            continue
        if (
            inside
            and b"chromium/chromium" in words[0]
            and b"--kiosk" in words
            and not any(word.startswith(b"--type=") for word in words)
        ):
            found.append(int(process.name))
    return sorted(found)


def shows_the_hall(box: Container) -> bool:
    """The page holds a connection to the pages' port: the feed of the game."""
    lines = Path(f"/proc/{box.leader}/net/tcp").read_text().splitlines()[1:]
    user = box.check("id", "--user", "pi-kiosk").strip()
    fields = [line.split() for line in lines]
    return any(each[2].endswith(":1F90") and each[3] == ESTABLISHED and each[7] == user for each in fields)
