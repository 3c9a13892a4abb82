"""Installing, again, upgrading, going back and uninstalling, on a machine that is a folder."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from pi_install.files import PutFile
from pi_install.main import main
from pi_install.plan import CURSORS, FREQUENCY, SETTINGS, invisible_cursor
from pi_install.record import load
from tests.architecture.sources import ROOT
from tests.systemd.fake_machine import CONFIG, FakeMachine, make_kit, tree

UNCHANGED = "Everything is as it should be: nothing was changed.\n"
RELEASES = "/opt/pi-controller/releases"


def test_a_dry_run_changes_nothing_and_names_every_step(
    machine: FakeMachine, kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(machine)
    assert main(["install", "--dry-run"], machine, kit) == 0
    said = capsys.readouterr().out
    assert tree(machine) == before
    assert "would put release 0.1.0-0000beef into" in said
    assert (
        "would make users pi-controller and groups gpio, i2c, spi, dialout, audio, input where they are missing"
        in said
    )
    assert said.endswith(" steps to do; nothing was changed.\n")


def test_an_installation_is_whole(machine: FakeMachine, kit: Path) -> None:
    assert main(["install"], machine, kit) == 0
    assert machine.at("/opt/pi-controller/current").readlink() == Path(f"{RELEASES}/0.1.0-0000beef")
    first = machine.at(SETTINGS).read_text()
    assert '\nhost = "0.0.0.0"\n' in first
    assert first.endswith("staff_port = 8443\nstaff_tls = true\n")
    wanted = machine.at("/etc/systemd/system/multi-user.target.wants")
    assert sorted(path.name for path in wanted.iterdir()) == [
        "pi-controller-core.service", "pi-controller-links.service", "pi-controller-poweroff.path",
        "pi-controller-selftest.service", "pi-controller-web.service",
    ]  # fmt: skip
    assert machine.at("/etc/systemd/system/ModemManager.service").readlink() == Path("/dev/null")
    assert machine.at("/usr/local/bin/pi-controller").stat().st_mode & 0o777 == 0o755
    assert (
        "RuntimeWatchdogSec=14\n"
        in machine.at("/etc/systemd/system.conf.d/60-pi-controller.conf").read_text()
    )


def test_a_second_run_changes_nothing(
    machine: FakeMachine, kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["install"], machine, kit)
    before = tree(machine)
    capsys.readouterr()
    machine.calls.clear()
    assert main(["install"], machine, kit) == 0
    assert capsys.readouterr().out == UNCHANGED
    assert tree(machine) == before
    assert {call[2:4] for call in machine.calls} == {("--quiet", "is-enabled")}


def test_settings_of_the_owner_are_never_overwritten(machine: FakeMachine, kit: Path) -> None:
    machine.at(SETTINGS).parent.mkdir()
    machine.at(SETTINGS).write_text("# mine\n")
    main(["install"], machine, kit)
    assert machine.at(SETTINGS).read_text() == "# mine\n"


def test_the_first_settings_can_be_given(machine: FakeMachine, kit: Path, tmp_path: Path) -> None:
    (tmp_path / "hall.toml").write_text("[web]\nport = 80\n")
    main(["install", "--settings", str(tmp_path / "hall.toml")], machine, kit)
    assert machine.at(SETTINGS).read_text() == "[web]\nport = 80\n"


def test_uninstalling_leaves_data_settings_and_their_user(
    machine: FakeMachine, kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(machine)
    main(["install"], machine, kit)
    machine.at("/var/lib/pi-controller").mkdir()
    assert main(["uninstall"], machine, kit) == 0
    assert (
        "Your data stays: /var/lib/pi-controller, /etc/pi-controller/settings.toml;"
        in capsys.readouterr().out
    )
    assert sorted(tree(machine).keys() - before.keys()) == [
        "etc/pi-controller", "etc/pi-controller/settings.toml", "opt/pi-controller",
        "opt/pi-controller/installed.json", "var/lib/pi-controller",
    ]  # fmt: skip
    assert main(["uninstall", "--purge"], machine, kit) == 0
    assert tree(machine) == before


def test_purging_leaves_nothing_on_a_pi(pi: FakeMachine, kit: Path) -> None:
    before = tree(pi)
    main(["install"], pi, kit)
    assert main(["uninstall", "--purge"], pi, kit) == 0
    assert tree(pi) == before


def test_uninstalling_says_what_it_would_do(
    machine: FakeMachine, kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["install"], machine, kit)
    before = tree(machine)
    capsys.readouterr()
    assert main(["uninstall", "--dry-run"], machine, kit) == 0
    assert tree(machine) == before
    assert capsys.readouterr().out.startswith("would undo: ")


def test_a_file_of_somebody_else_comes_back(machine: FakeMachine, kit: Path) -> None:
    rules = machine.at("/etc/udev/rules.d/60-pi-controller.rules")
    rules.parent.mkdir(parents=True)
    rules.write_text("# by hand\n")
    main(["install"], machine, kit)
    assert rules.read_text() != "# by hand\n"
    main(["uninstall", "--purge"], machine, kit)
    assert rules.read_text() == "# by hand\n"


def test_files_that_only_an_older_release_had_go_too(machine: FakeMachine, kit: Path) -> None:
    before = tree(machine)
    main(["install"], machine, kit)
    record = load(machine)
    PutFile("/etc/udev/rules.d/59-older.rules", b"# older\n").do(machine, record)
    main(["uninstall", "--purge"], machine, kit)
    assert tree(machine) == before


def test_an_upgrade_keeps_two_releases_and_can_go_back(
    machine: FakeMachine, kit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["install"], machine, kit)
    for number in (2, 3):
        assert main(["install"], machine, make_kit(tmp_path / f"kit{number}", f"0.{number}.0-0000beef")) == 0
    assert releases(machine) == ["0.2.0-0000beef", "0.3.0-0000beef"]
    assert main(["rollback"], machine, kit) == 0
    assert machine.at("/opt/pi-controller/current").readlink().name == "0.2.0-0000beef"
    assert main(["rollback"], machine, kit) == 0
    assert machine.at("/opt/pi-controller/current").readlink().name == "0.3.0-0000beef"


def test_going_back_to_a_release_without_links_takes_their_unit_away(
    machine: FakeMachine, kit: Path, tmp_path: Path
) -> None:
    for unit in ("links", "broker"):
        (kit / f"systemd/pi-controller-{unit}.service").unlink()
    units = machine.at("/etc/systemd/system")
    main(["install"], machine, kit)
    before = tree(machine)
    main(["install"], machine, make_kit(tmp_path / "later", "0.2.0-0000beef"))
    assert (units / "multi-user.target.wants/pi-controller-links.service").is_symlink()
    assert main(["rollback"], machine, kit) == 0
    assert {path for path in tree(machine).keys() ^ before.keys() if "systemd/system" in path} == set()
    assert main(["rollback"], machine, kit) == 0
    assert (units / "multi-user.target.wants/pi-controller-links.service").is_symlink()
    assert (units / "pi-controller-broker.service").is_file()


def test_what_a_brokers_setup_has_made_stays_until_it_is_purged(
    machine: FakeMachine, kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(machine)
    main(["install"], machine, kit)
    place = machine.at("/etc/pi-controller/broker/server")
    place.mkdir(parents=True)
    (place / "passwords").write_text("main:x\n")
    main(["uninstall"], machine, kit)
    assert "/etc/pi-controller/broker;" in capsys.readouterr().out
    assert (place / "passwords").exists()
    main(["uninstall", "--purge"], machine, kit)
    assert tree(machine) == before


def test_without_an_earlier_release_there_is_nothing_to_go_back_to(
    machine: FakeMachine, kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["install"], machine, kit)
    assert main(["rollback"], machine, kit) == 2
    assert capsys.readouterr().err == "There is no release before this one to go back to.\n"


def test_what_fails_on_the_way_is_taken_back(
    machine: FakeMachine, kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(machine)
    machine.refuse.add("mask")
    assert main(["install"], machine, kit) == 1
    assert capsys.readouterr().err.endswith("failed: systemctl says no\n")
    assert tree(machine) == before


def test_an_upgrade_that_fails_leaves_the_release_before(
    machine: FakeMachine, kit: Path, tmp_path: Path
) -> None:
    main(["install"], machine, kit)
    later = make_kit(tmp_path / "later", "0.2.0-0000beef")
    unit = later / "systemd/pi-controller-web.service"
    unit.write_text(unit.read_text() + "# later\n")
    before = tree(machine)
    machine.refuse.add("enable")
    assert main(["install"], machine, later) == 1
    assert tree(machine) == before


def test_an_interrupted_installation_is_finished(
    machine: FakeMachine, kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    half = machine.at(f"{RELEASES}/0.1.0-0000beef/lib")
    half.mkdir(parents=True)
    machine.at("/opt/pi-controller/installed.json").write_text(
        json.dumps({"version": 1, "finished": False, "notes": {}})
    )
    assert main(["install"], machine, kit) == 0
    assert capsys.readouterr().out.startswith(
        "An earlier installation was interrupted; it is finished now.\n"
    )
    assert not half.exists()
    assert json.loads(machine.at("/opt/pi-controller/installed.json").read_text())["finished"]


def test_the_boot_settings_of_a_pi_get_a_block_of_their_own(
    pi: FakeMachine, kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = pi.at("/boot/firmware/config.txt")
    assert main(["install"], pi, kit) == 0
    assert "come with the next start of the machine: sudo reboot" in capsys.readouterr().out
    assert config.read_text() == CONFIG + (
        "# pi-controller: begin\n[all]\ndtparam=i2c_arm=on\ndtparam=spi=on\ndtparam=watchdog=on\n"
        "dtoverlay=i2c-rtc,ds3231\n# pi-controller: end\n"
    )
    assert config.with_name("config.txt.before-pi-controller").read_text() == CONFIG
    pi.at("/proc/sys/kernel/random/boot_id").write_text("second-start\n")
    main(["install"], pi, kit)
    assert "I2C" not in capsys.readouterr().out


def test_the_hall_screen_is_put_on_a_pi_and_can_be_left_out(pi: FakeMachine, kit: Path) -> None:
    wanted = pi.at("/etc/systemd/system/multi-user.target.wants/pi-controller-kiosk.service")
    main(["install"], pi, kit)
    assert wanted.is_symlink()
    assert pi.at(f"{CURSORS}/left_ptr").read_bytes() == invisible_cursor()
    assert main(["install", "--no-kiosk"], pi, kit) == 0
    assert not wanted.is_symlink()
    assert not pi.at("/etc/systemd/system/pi-controller-kiosk.service").exists()
    assert not pi.at("/etc/chromium").exists()


def test_a_pi_keeps_its_full_frequency_unless_it_is_left_to_the_system(
    pi: FakeMachine, kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = pi.at(f"/etc/systemd/system/multi-user.target.wants/{FREQUENCY}")
    main(["install"], pi, kit)
    assert wanted.is_symlink()
    assert main(["install", "--frequency=system", "--dry-run"], pi, kit) == 0
    assert wanted.is_symlink()
    assert main(["install", "--frequency=system"], pi, kit) == 0
    assert "\nleave the processor's frequency to the system\nInstalled: " in capsys.readouterr().out
    assert not wanted.is_symlink()
    assert not pi.at(f"/etc/systemd/system/{FREQUENCY}").exists()
    main(["install"], pi, kit)
    assert not wanted.is_symlink(), "an upgrade keeps to what was said"
    main(["install", "--frequency=full"], pi, kit)
    assert wanted.is_symlink()


def test_another_machine_keeps_its_frequency_unless_it_is_asked_for(machine: FakeMachine, kit: Path) -> None:
    before = tree(machine)
    wanted = machine.at(f"/etc/systemd/system/multi-user.target.wants/{FREQUENCY}")
    main(["install"], machine, kit)
    assert not wanted.exists()
    main(["install", "--frequency=full"], machine, kit)
    assert wanted.is_symlink()
    main(["uninstall", "--purge"], machine, kit)
    assert tree(machine) == before


def test_going_back_to_a_release_without_the_frequency_takes_its_unit_away(
    pi: FakeMachine, kit: Path, tmp_path: Path
) -> None:
    (kit / "systemd" / FREQUENCY).unlink()
    main(["install"], pi, kit)
    unit = pi.at(f"/etc/systemd/system/{FREQUENCY}")
    assert not unit.exists()
    main(["install"], pi, make_kit(tmp_path / "later", "0.2.0-0000beef"))
    assert unit.exists()
    assert main(["rollback"], pi, kit) == 0
    assert not unit.exists()
    assert not pi.at(f"/etc/systemd/system/multi-user.target.wants/{FREQUENCY}").is_symlink()


class Sysfs:
    """Two of the kernel's policies, and the unit's commands run on them."""

    def __init__(self, folder: Path) -> None:
        self.policies, self.run_time = folder / "cpufreq", folder / "run"
        self.run_time.mkdir()
        for name in ("policy0", "policy4"):
            (self.policies / name).mkdir(parents=True)
            (self.policies / name / "scaling_governor").write_text("ondemand\n")

    def governors(self) -> list[str]:
        return sorted(file.read_text().strip() for file in self.policies.glob("*/scaling_governor"))

    def run(self, key: str) -> None:
        lines = (ROOT / "systemd" / FREQUENCY).read_text().splitlines()
        (line,) = (line.partition("=")[2] for line in lines if line.startswith(f"{key}="))
        command = line.replace("/sys/devices/system/cpu/cpufreq", str(self.policies)).replace("$$", "$")
        environment = {"RUNTIME_DIRECTORY": str(self.run_time), "PATH": "/usr/bin:/bin"}
        subprocess.run(shlex.split(command), check=True, env=environment)


def test_the_units_end_brings_each_governor_back(tmp_path: Path) -> None:
    sysfs = Sysfs(tmp_path)
    (sysfs.policies / "policy4/scaling_governor").write_text("schedutil\n")
    sysfs.run("ExecStart")
    assert sysfs.governors() == ["performance", "performance"]
    sysfs.run("ExecStop")
    assert sysfs.governors() == ["ondemand", "schedutil"]


def test_missing_packages_are_installed_and_stay(
    pi: FakeMachine, kit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pi.answers["dpkg-query"] = "not-installed"
    main(["install", "--no-kiosk"], pi, kit)
    asked = [call for call in pi.calls if call[0] == "apt-get"]
    assert [call[4:] for call in asked] == [
        ("python3-lgpio", "python3-spidev"),
        ("alsa-utils", "espeak-ng", "libasound2"),
    ]
    capsys.readouterr()
    main(["uninstall"], pi, kit)
    assert (
        "sudo apt purge alsa-utils espeak-ng libasound2 python3-lgpio python3-spidev\n"
        in capsys.readouterr().out
    )


def releases(machine: FakeMachine) -> list[str]:
    return sorted(path.name for path in machine.at(RELEASES).iterdir())
