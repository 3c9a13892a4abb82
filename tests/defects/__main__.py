"""Each defect in turn, in a copy of the sources: `python -m tests.defects`; the test named beside it must fail, and pass
without any defect. A test that does not end in time has noticed nothing.

--only TEXT   defects whose name or file has this in it
--search      instead of the named test those that mirror the file, then their folder, to find one that fails
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.defects.catalogue import ROOT, Defect, load

LONGEST_S = 600
PASSED, FAILED = 0, 1
"""pytest's exit status."""
NOT_ENDED = -1
RED = re.compile(r"^(?:FAILED|ERROR) (\S+::\w+)", re.MULTILINE)


def copied(to: Path) -> Path:
    """The files that git knows, as they are now."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        source, target = ROOT / name, to / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target, follow_symlinks=False)
            target.chmod(source.stat().st_mode)
    (to / ".cache").symlink_to(ROOT / ".cache")
    (to / ".venv").symlink_to(ROOT / ".venv")
    return to


def tried(defect: Defect, copy: Path, *, tests: list[str]) -> tuple[int, str]:
    """pytest's exit status in the copy with this defect, and what it said."""
    path = copy / defect.file
    sound = path.read_text(encoding="utf-8")
    path.write_text(defect.spoilt(sound), encoding="utf-8")
    try:
        return run(copy, tests, within_s=LONGEST_S)
    finally:
        path.write_text(sound, encoding="utf-8")


def run(copy: Path, tests: list[str], *, within_s: float) -> tuple[int, str]:
    """pytest's exit status in the copy as it is, and what it said. The programs that tests start run the copy, too."""
    try:
        ended = subprocess.run(
            [sys.executable, "-B", "-m", "pytest", "-x", "-rfE", "-p", "no:cacheprovider", *tests],
            cwd=copy,
            env=os.environ | {"PYTHONPATH": str(copy)},
            capture_output=True,
            text=True,
            check=False,
            timeout=within_s,
        )
    except subprocess.TimeoutExpired:
        return NOT_ENDED, ""
    return ended.returncode, ended.stdout


def noticed(defect: Defect, copy: Path, *, search: bool) -> str | None:
    """The test that fails; None when none does."""
    for place in defect.places if search else [[defect.test]] if defect.test else []:
        status, said = tried(defect, copy, tests=place)
        if status == FAILED:
            red = RED.search(said)
            return red.group(1) if red else place[0]
    return None


def main() -> int:
    """0 when each defect is noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.defects", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--search", action="store_true")
    arguments = parser.parse_args()
    chosen = [
        defect
        for defect in load()
        if arguments.only in f"{defect.name} {defect.file}" and not (arguments.search and defect.test)
    ]
    lost = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder))
        named = sorted({defect.test for defect in chosen if defect.test})
        status, said = run(copy, named, within_s=LONGEST_S * len(named)) if named else (PASSED, "")
        if status != PASSED:
            print(f"{said}\nA named test does not pass without any defect: mend that first.")
            return 1
        for number, defect in enumerate(chosen, 1):
            test = noticed(defect, copy, search=arguments.search)
            lost += test is None
            print(
                f"{number:3}/{len(chosen)} {defect.file}: {defect.name}\n        {test or 'NOT NOTICED'}",
                flush=True,
            )
    print(f"{len(chosen)} defects, {len(chosen) - lost} noticed")
    return int(lost > 0 or not chosen)


if __name__ == "__main__":
    sys.exit(main())
