"""The installer and the units in a Debian 13 that really boots: `make test-install`. No network, simulated hardware."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.systemd.booted import INSTALLER, boot_with_bundle, differences, files_of, install, make_bundle
from tests.systemd.container import MANAGER, Container, Picture, wait_for

pytestmark = pytest.mark.soak
DATA = "/var/lib/pi-controller"
LONGEST_BACK_S = 3.0
LARGEST_LOSS_MS = 100
Figure = Callable[[str, str], None]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bundle(tmp_path_factory.mktemp("dist"))


@pytest.fixture
def box(bundle: Path, tmp_path: Path) -> Iterator[Container]:
    container = boot_with_bundle(tmp_path / "tree", bundle)
    try:
        yield container
    finally:
        container.close()


@pytest.fixture
def figure(capsys: pytest.CaptureFixture[str]) -> Figure:
    def show(what: str, value: str) -> None:
        with capsys.disabled():
            print(f"\n  {what}: {value}", end="")

    return show


def test_an_evening_with_a_hang_and_a_power_cut(box: Container, figure: Figure) -> None:
    began = time.monotonic()
    said = install(box)
    figure("install from the bundle, to READY", f"{time.monotonic() - began:.1f} s")
    assert "Installed: " in said
    for unit in (MANAGER, "pi-controller-web.service", "pi-controller-poweroff.path"):
        assert box.check("systemctl", "is-enabled", unit).strip() == "enabled"
        assert box.check("systemctl", "is-active", unit).strip() == "active"
    figure("core, start to READY", f"{seconds_to_ready(box):.2f} s")

    box.check("pi-controller", "start")
    wait_for(lambda: is_running(box.picture()))
    hung, left_ms = hang(box)
    picture = wait_for(box.picture)
    check_paused(picture, round_=1, left_ms=left_ms, figure=figure, what="hang")
    killed, back = watchdog_times(box, hung)
    figure("hang, watchdog's kill to READY again", f"{back - killed:.2f} s")
    assert back - killed <= LONGEST_BACK_S

    box.check("pi-controller", "resume")
    wait_for(lambda: is_running(box.picture()))
    ends_ms = end_of_phase(box)
    left_ms = ends_ms - boot_clock_ms()
    box.kill()
    box.boot()
    picture = wait_for(box.picture)
    check_paused(picture, round_=1, left_ms=left_ms, figure=figure, what="kill -9 of the whole machine")
    assert box.check("systemctl", "is-active", "pi-controller-web.service").strip() == "active"


def test_a_second_run_changes_nothing(box: Container) -> None:
    install(box)
    before, process = files_of(box.tree, DATA), box.main_pid()
    assert install(box) == "Everything is as it should be: nothing was changed.\n"
    assert differences(before, files_of(box.tree, DATA)) == []
    assert box.main_pid() == process


def test_uninstalling_leaves_nothing(box: Container) -> None:
    before = files_of(box.tree)
    install(box)
    said = box.check("python3", INSTALLER, "uninstall")
    assert said.startswith(f"Removed. Your data stays: {DATA}, /etc/pi-controller/settings.toml;")
    stays = {line.split(":")[0] for line in differences(before, files_of(box.tree, DATA))}
    accounts = {"/etc/passwd", "/etc/shadow", "/etc/group", "/etc/gshadow"}
    folders = {"/opt/pi-controller", "/opt/pi-controller/installed.json"}
    assert stays - accounts - folders == {"/etc/pi-controller", "/etc/pi-controller/settings.toml"}
    assert box.check("python3", INSTALLER, "uninstall", "--purge") == "Removed.\n"
    assert differences(before, files_of(box.tree)) == []
    assert box.run("systemctl", "status", MANAGER).returncode == 4  # systemd: no such unit
    assert "pi-controller" not in box.check("systemctl", "list-unit-files", "--no-pager")


def test_an_upgrade_keeps_the_data_and_can_go_back(box: Container) -> None:
    install(box)
    old, game = current(box), wait_for(box.picture).game_id
    kit = put_later_release(box)
    assert f"Installed: {kit}." in install(box, kit="later")
    assert current(box) == kit
    assert wait_for(box.picture).game_id == game
    assert f"Installed: {old}." in box.check("python3", "/srv/later/systemd/install.py", "rollback")
    assert current(box) == old
    assert wait_for(box.picture).game_id == game


def test_a_release_that_does_not_start_is_taken_back(box: Container) -> None:
    install(box)
    old = current(box)
    put_later_release(box)
    unit = box.tree / "srv/later/systemd/pi-controller-core.service"
    unit.write_text(unit.read_text().replace("pi-controller core ", "pi-controller nothing-like-it "))
    tried = box.run("python3", "/srv/later/systemd/install.py", "install")
    assert tried.returncode == 1
    assert tried.stderr.startswith("The new release does not start: ")
    assert current(box) == old
    assert wait_for(box.picture).phase == "ready"


def test_an_interrupted_installation_is_finished(box: Container) -> None:
    box.check("sh", "-c", f"setsid python3 {INSTALLER} install --settings /srv/settings.toml & "
              "until [ -d /opt/pi-controller/releases/*/lib ]; do :; done; kill -9 -$!")  # fmt: skip
    said = install(box)
    assert said.startswith("An earlier installation was interrupted; it is finished now.\n")
    assert wait_for(box.picture).phase == "ready"
    assert install(box) == "Everything is as it should be: nothing was changed.\n"


def test_a_game_is_not_interrupted_by_an_upgrade(box: Container) -> None:
    install(box)
    box.check("pi-controller", "start")
    wait_for(lambda: is_running(box.picture()))
    put_later_release(box)
    refused = box.run("python3", "/srv/later/systemd/install.py", "install")
    assert refused.returncode == 2
    assert refused.stderr.startswith("A game is being played (round ")
    assert is_running(wait_for(box.picture))


def test_the_wish_to_switch_off_is_granted(box: Container) -> None:
    install(box)
    box.check("sh", "-c", "touch /run/pi-controller/power-off")
    assert box.wait_off() == 0


def test_a_full_disk_is_left_as_it_was(bundle: Path, tmp_path: Path) -> None:
    container = boot_with_bundle(tmp_path / "tree", bundle, "--tmpfs=/opt:size=40M")
    try:
        before = files_of(container.tree)
        tried = container.run("python3", INSTALLER, "install")
        assert tried.returncode == 1
        assert tried.stderr.startswith("Only 41 MB are free for /opt/pi-controller/releases/")
        assert differences(before, files_of(container.tree)) == []
        assert container.check("find", "/opt").split() == ["/opt"]
    finally:
        container.close()


def is_running(picture: Picture | None) -> bool:
    return picture is not None and picture.running


def current(box: Container) -> str:
    return Path(box.check("readlink", "/opt/pi-controller/current").strip()).name


def put_later_release(box: Container) -> str:
    """The same programs under a later name, as /srv/later."""
    kit = box.tree / "srv/later"
    box.check("cp", "--archive", "/srv/kit", "/srv/later")
    note = json.loads((kit / "release.json").read_text())
    note["name"] = "9.9.9-0000beef"
    (kit / "release.json").write_text(json.dumps(note))
    return str(note["name"])


def end_of_phase(box: Container) -> float:
    """When the running phase will be over, on the boot clock."""
    picture = wait_for(box.picture)
    return float(picture.remaining_ms + picture.as_of_ms)


def boot_clock_ms() -> float:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) / 1e6


def hang(box: Container) -> tuple[float, float]:
    """Stop core's process; when, on the journal's clock, and how many milliseconds of the phase remained then."""
    ends_ms, process = end_of_phase(box), box.main_pid()
    box.check("kill", "-STOP", str(process))
    left_ms, now = ends_ms - boot_clock_ms(), time.clock_gettime(time.CLOCK_MONOTONIC)
    wait_for(lambda: box.main_pid() not in (0, process))
    return now, left_ms


def check_paused(picture: Picture, *, round_: int, left_ms: float, figure: Figure, what: str) -> None:
    assert picture.paused
    assert picture.pause_reasons == ["recovery"]
    assert picture.round == round_
    lost = picture.remaining_ms - left_ms
    figure(f"{what}, remaining time after it", f"{lost:+.0f} ms")
    assert abs(lost) <= LARGEST_LOSS_MS


def at(entry: dict[str, Any]) -> float:
    """When a line of the journal was written, in seconds of the monotonic clock."""
    return int(entry["__MONOTONIC_TIMESTAMP"]) / 1e6


def watchdog_times(box: Container, hung: float) -> tuple[float, float]:
    """When the watchdog killed core after it hung, and when core was ready again."""
    wait_for(lambda: starts(box, hung))
    killed = [at(line) for line in box.journal() if "Watchdog timeout" in line["MESSAGE"] and at(line) > hung]
    return killed[0], starts(box, hung)[0]


def starts(box: Container, since: float) -> list[float]:
    return [at(line) for line in box.journal() if line["MESSAGE"].startswith("Started ") and at(line) > since]


def seconds_to_ready(box: Container) -> float:
    began = [at(line) for line in box.journal() if line["MESSAGE"].startswith("Starting ")]
    return starts(box, 0)[0] - began[0]
