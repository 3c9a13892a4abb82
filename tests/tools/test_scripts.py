"""The set-up scripts' answers where a machine lacks something, on a copy of the checkout with fake programs."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.needs import program

SCRIPTS = [*sorted((ROOT / "tools").glob("*.sh")), ROOT / ".ci" / "run"]


class Machine:
    """A checkout and a folder of fake programs in front of the real ones."""

    def __init__(self, folder: Path) -> None:
        self.checkout = folder / "checkout"
        self.programs = folder / "programs"
        self.programs.mkdir(parents=True)
        shutil.copytree(ROOT / "tools", self.checkout / "tools")
        (self.checkout / "requirements").mkdir()
        (self.checkout / "pyproject.toml").write_text("")

    def fake(self, name: str, body: str) -> Path:
        path = self.programs / name
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)
        return path

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.checkout / "tools" / script, *arguments],
            env={"PATH": f"{self.programs}:/usr/local/bin:/usr/bin:/bin", "HOME": str(self.checkout)},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    (made.checkout / "tools" / "packages.txt").write_text(
        "# comment\n\nbash bash\nabsent-program absent\n/absent/file more\n"
    )
    made.fake("apt-get", 'echo "$@" >> "$(dirname "$0")/calls"')
    made.fake("sudo", "exit 1")
    made.fake("id", "echo 1000")
    made.fake("micropython", "exit 0")
    return made


def test_who_may_not_install_is_told_the_one_command(machine: Machine) -> None:
    answer = machine.run("packages.sh")
    assert answer.returncode == 1
    command = "sudo apt-get install -y --no-install-recommends absent more"
    assert answer.stderr == f"System packages are missing for the tests; run: {command}\n"


def test_root_installs_after_an_update(machine: Machine) -> None:
    machine.fake("id", "echo 0")
    assert machine.run("packages.sh").returncode == 0
    calls = (machine.programs / "calls").read_text().splitlines()
    assert calls == ["update -q", "install -y --no-install-recommends absent more"]


def test_a_sudo_that_asks_nothing_is_used(machine: Machine) -> None:
    machine.fake("sudo", 'shift; "$@"')
    assert machine.run("packages.sh").returncode == 0
    assert (machine.programs / "calls").read_text().startswith("update")


def test_an_installation_that_fails_is_one_sentence(machine: Machine) -> None:
    machine.fake("id", "echo 0")
    machine.fake("apt-get", "echo no network; exit 100")
    answer = machine.run("packages.sh")
    assert answer.returncode == 1
    assert answer.stderr.startswith(
        "no network\nSystem packages could not be installed; when the machine has"
    )


def test_nothing_missing_is_silent(machine: Machine) -> None:
    (machine.checkout / "tools" / "packages.txt").write_text("bash bash\n/bin coreutils\n")
    answer = machine.run("packages.sh")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")


def test_a_micropython_of_the_machine_is_enough(machine: Machine) -> None:
    answer = machine.run("micropython.sh")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")
    assert not (machine.programs / "calls").exists()


KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
debian_keys = pytest.mark.skipif(not KEYS.exists(), reason="debian-archive-keyring is not installed")


@debian_keys
def test_without_network_micropython_is_one_sentence(machine: Machine) -> None:
    """An old one of the machine does not count; every mirror of the machine is asked."""
    machine.fake("micropython", "exit 1")
    mirrors = " ".join(
        f"\\'http://{place}/dists/bookworm/InRelease\\'"
        for place in ("one.invalid/debian", "one.invalid/debian-security", "two.invalid/debian")
    )
    machine.fake(
        "apt-get",
        f"[[ $* == *--print-uris* ]] && printf '%s\\n' {mirrors} || {{ echo no network; exit 100; }}",
    )
    answer = machine.run("micropython.sh")
    assert answer.returncode == 1
    assert answer.stderr == (
        "no network\nno network\nMicroPython could not be fetched from this machine's Debian mirror; "
        "when the machine has a network again, run: tools/micropython.sh\n"
    )
    assert list((machine.checkout / ".cache").iterdir()) == []


@debian_keys
def test_without_network_kicad_is_one_sentence(machine: Machine) -> None:
    machine.fake(
        "apt-get",
        "[[ $* == *--print-uris* ]] && echo \\'http://one.invalid/debian/dists/bookworm/InRelease\\' ||"
        " { echo no network; exit 100; }",
    )
    answer = machine.run("kicad.sh", "kicad-cli", "version")
    assert answer.returncode == 1
    assert answer.stderr == (
        "fetching KiCad into .cache/kicad: 200 MB, one or two minutes\nno network\nKiCad could not be fetched "
        "from this machine's Debian mirror; when the machine has a network again, run: tools/kicad.sh\n"
    )
    assert list((machine.checkout / ".cache").iterdir()) == []


@debian_keys
def test_micropython_is_fetched_into_the_cache_and_found_there(machine: Machine) -> None:
    """The mirror is the machine's own, and what comes from it is signed by Debian."""
    machine.fake("micropython", "exit 1")
    lists = 'cp "$(dirname "$0")"/../checkout/.cache/micropython-*/sources.list "$(dirname "$0")"/seen'
    machine.fake(
        "apt-get",
        f"""case "$*" in
            *--print-uris*) echo "'http://one.invalid/debian/dists/bookworm/InRelease' x 0" ;;
            *update) {lists} ;;
            *) touch a.deb ;;
        esac""",
    )
    program = 'mkdir -p "$3/usr/bin" "$3/usr/lib/some-linux-gnu"; '
    loader = 'printf \'#!/bin/sh\\nshift 2; exec "$@"\\n\' >"$3/usr/lib/some-linux-gnu/ld-linux-some.so.2"; '
    inside = 'printf \'#!/bin/sh\\n\' >"$3/usr/bin/micropython"; chmod -R 755 "$3/usr"'
    machine.fake("dpkg-deb", program + loader + inside)
    answer = machine.run("micropython.sh")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout == "fetching MicroPython into .cache/micropython\n"
    assert sorted(path.name for path in (machine.checkout / ".cache" / "micropython").iterdir()) == [
        "micropython",
        "root",
    ]
    assert (machine.programs / "seen").read_text() == (
        "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://one.invalid/debian trixie main\n"
    )
    again = machine.run("micropython.sh")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")


def test_a_python_that_is_not_there_is_named(machine: Machine) -> None:
    answer = machine.run("environment.sh", "python3.99", ".venv", "run")
    assert answer.returncode == 1
    assert (
        answer.stderr == "python3.99 is not there; install Python 3.11 or newer, or name one: make PYTHON=…\n"
    )


def test_an_old_python_is_refused(machine: Machine) -> None:
    old = machine.fake("old", '[ "$1" = --version ] && echo Python 3.9.2 || exit 1')
    answer = machine.run("environment.sh", str(old), ".venv", "run")
    assert answer.returncode == 1
    assert answer.stderr == "Python 3.9.2 is too old; name Python 3.11 or newer: make PYTHON=…\n"


def test_a_missing_venv_module_is_one_sentence(machine: Machine) -> None:
    bare = machine.fake("bare", f'case $2 in *ensurepip*) exit 1 ;; esac; exec "{sys.executable}" "$@"')
    answer = machine.run("environment.sh", str(bare), ".venv", "run")
    assert answer.returncode == 1
    assert answer.stderr == (
        "Python's venv module is missing; install it with: apt-get install python3-venv (as root)\n"
    )


def fake_python(machine: Machine, version: str) -> str:
    """A Python whose `-m venv` makes a copy of itself and whose pip writes down what it is asked."""
    calls = machine.programs / "calls"
    body = f"""case "$1 $2" in
        *base_prefix*) echo {version} ;;
        "-m venv") mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
        "-m pip") echo "$@" >> {calls}
            packages=.venv/lib/python{version}/site-packages
            mkdir -p $packages && echo "import finder" >$packages/__editable__.pi_controller-1.2.pth ;;
    esac"""
    return str(machine.fake(f"python-{version}", body))


def test_the_environment_is_made_once_and_again_for_another_python_or_lock(machine: Machine) -> None:
    for kind in ("run", "dev"):
        (machine.checkout / "requirements" / f"{kind}.txt").write_text(kind)

    def installations(version: str, kind: str) -> int:
        before = len(calls.read_text().splitlines()) if calls.exists() else 0
        answer = machine.run("environment.sh", fake_python(machine, version), ".venv", kind)
        assert (answer.returncode, answer.stderr) == (0, "")
        return len(calls.read_text().splitlines()) - before

    calls = machine.programs / "calls"
    assert [installations("3.11", "run"), installations("3.11", "run")] == [2, 0]
    assert [installations("3.11", "dev"), installations("3.11", "run")] == [2, 0]
    assert [installations("3.13", "run"), installations("3.13", "dev")] == [2, 2]
    (machine.checkout / "requirements" / "dev.txt").write_text("other")
    assert installations("3.13", "dev") == 2
    (paths,) = (machine.checkout / ".venv").rglob("__editable__.*")
    assert paths.read_text().splitlines() == [str(machine.checkout), str(machine.checkout / "firmware")]
    assert "--require-hashes -r requirements/dev.txt" in calls.read_text()
    assert all("--quiet --quiet" in call for call in calls.read_text().splitlines()), (
        "errors only, no warnings"
    )


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_has_no_known_trap(script: Path) -> None:
    answer = subprocess.run([program("shellcheck"), script], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout


def test_make_alone_prints_every_target() -> None:
    menu = subprocess.run(
        ["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = [line.split()[1] for line in menu.stdout.splitlines()]
    assert {
        "run",
        "test",
        "check",
        "fairness",
        "soak",
        "rules",
        "fuzz",
        "bench",
        "screenshots",
        "lock",
        "clean",
    } <= set(names)
    assert all(line.startswith("make ") and len(line.split()) > 2 for line in menu.stdout.splitlines())


def test_every_module_that_make_runs_is_there() -> None:
    modules = re.findall(r"-m ((?:tests|tools)[.\w]+)", (ROOT / "Makefile").read_text())
    assert len(modules) >= 5
    places = [ROOT / name.replace(".", "/") for name in modules]
    assert [str(place) for place in places if not module_at(place)] == []


def module_at(place: Path) -> bool:
    return place.with_suffix(".py").exists() or (place / "__main__.py").exists()
