"""The fingerprint of the source: the same in a checkout and in a wheel, another one after any change."""

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import pi_controller
from pi_controller import software
from pi_controller.software import counted, fingerprint, known, own, reckon
from tests.architecture.sources import ROOT

PACKAGE = Path(pi_controller.__file__).parent
NOT_COUNTED = (".map", ".po", ".d.ts", ".md", ".toml", ".typed")


def copied(folder: Path) -> Path:
    return Path(shutil.copytree(PACKAGE, folder / "copy", ignore=shutil.ignore_patterns("__pycache__")))


def test_every_file_of_the_package_counts_but_for_what_changes_nothing() -> None:
    told = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "pi_controller"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    files = {name.removeprefix("pi_controller/") for name in told.split("\0") if name}
    assert set(counted(PACKAGE)) == {name for name in files if not name.endswith(NOT_COUNTED)}


def test_a_wheel_has_the_fingerprint_of_the_checkout_that_it_was_built_from(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pi_controller", "firmware"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    build = [
        sys.executable,
        "-c",
        "import sys; from setuptools import build_meta as b; b.build_wheel(sys.argv[1])",
    ]
    subprocess.run([*build, str(tmp_path)], cwd=source, capture_output=True, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "installed")
    installed = tmp_path / "installed" / "pi_controller"
    compile_all = [sys.executable, "-m", "compileall", "-q", str(installed)]
    subprocess.run(compile_all, check=True)
    assert fingerprint(installed) == fingerprint(PACKAGE)
    assert re.fullmatch("[0-9a-f]{12}", fingerprint(PACKAGE))


@pytest.mark.parametrize(
    "name",
    ["game/game.py", "web/pages/bundles/phone.js", "web/verify.html", "locale/pl/LC_MESSAGES/controller.mo"],
)
def test_a_changed_file_changes_it(tmp_path: Path, name: str) -> None:
    copy = copied(tmp_path)
    before = fingerprint(copy)
    with (copy / name).open("ab") as file:
        file.write(b"\n")
    assert fingerprint(copy) != before == fingerprint(PACKAGE)


def test_a_renamed_file_changes_it(tmp_path: Path) -> None:
    copy = copied(tmp_path)
    (copy / "sentence.py").rename(copy / "sentences.py")
    assert fingerprint(copy) != fingerprint(PACKAGE)


def test_what_python_and_editors_leave_does_not(tmp_path: Path) -> None:
    copy = copied(tmp_path)
    for name in (
        "sentence.py~",
        ".sentence.py.swp",
        "__pycache__/sentence.cpython-311.pyc",
        "locale/pl/new.po",
    ):
        place = copy / name
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(b"?")
    assert fingerprint(copy) == fingerprint(PACKAGE)


def test_it_is_empty_where_the_files_cannot_be_read(tmp_path: Path) -> None:
    assert fingerprint(tmp_path / "nowhere") == ""


def test_nobody_waits_for_it_and_it_is_reckoned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reckoned: list[Path] = []

    def count(package: Path) -> str:
        reckoned.append(package)
        return fingerprint(package)

    own.cache_clear()
    monkeypatch.setattr(software, "fingerprint", count)
    assert (known().version, known().source, reckoned) == (pi_controller.__version__, "", [])
    reckon()
    assert known() == own()
    assert known().source
    assert reckoned == [PACKAGE]
