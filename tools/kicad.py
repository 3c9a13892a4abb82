"""Runs KiCad's command line on a copy of hardware/ (see kicad.sh, which fetches it)."""

import shutil
import subprocess
from pathlib import Path

from tools.kicad_files import HARDWARE, file, netlist

ROOT = Path(__file__).parent.parent
WORK = ROOT / ".cache" / "kicad" / "root" / "drawings"
VIOLATIONS = 5
"""Exit status of kicad-cli where a rule is broken."""


class CheckError(Exception):
    """A check failed; the text says which and why."""


def run(*arguments: str, status: tuple[int, ...] = (0,)) -> int:
    """A program of KiCad's tree; raises CheckError with its last words for another exit status."""
    command = [str(ROOT / "tools" / "kicad.sh"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in status:
        words = "\n".join((done.stdout + done.stderr).strip().splitlines()[-5:])
        raise CheckError(f"{' '.join(arguments[:4])} ended with {done.returncode}:\n{words}")
    return done.returncode


class Copy:
    """A fresh copy of hardware/ where KiCad can see it."""

    def __init__(self, name: str) -> None:
        run("kicad-cli", "version")
        self.place = WORK / name
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(HARDWARE, self.place)

    def file(self, name: str, ending: str) -> Path:
        """Of the board called so."""
        return file(name, ending, self.place)

    def inside(self, path: Path) -> str:
        """The path as KiCad sees it."""
        return f"/drawings/{path.relative_to(WORK)}"

    def cli(self, words: str, *arguments: Path | str, status: tuple[int, ...] = (0,)) -> int:
        """kicad-cli with these words; paths are given as KiCad sees them. Raises CheckError."""
        seen = (self.inside(item) if isinstance(item, Path) else item for item in arguments)
        return run("kicad-cli", *words.split(), *seen, status=status)

    def electrical(self, name: str) -> None:
        """Raises CheckError with KiCad's report where the sheet breaks an electrical rule."""
        self._judged("sch erc", name, "kicad_sch")

    def board_rules(self, name: str) -> None:
        """The same for the board, and for a part or net that differs from its sheet."""
        self._judged("pcb drc --schematic-parity", name, "kicad_pcb")

    def nets(self, name: str) -> dict[tuple[str, str], str]:
        """(reference, pin) → net, as KiCad reads the sheet."""
        out = self.file(name, "net")
        self.cli("sch export netlist --format kicadsexpr -o", out, self.file(name, "kicad_sch"))
        return netlist(out.read_text(encoding="utf-8"))

    def _judged(self, words: str, name: str, ending: str) -> None:
        report = self.file(name, "report")
        options = f"{words} --severity-all --exit-code-violations -o"
        if self.cli(options, report, self.file(name, ending), status=(0, VIOLATIONS)):
            raise CheckError(report.read_text(encoding="utf-8"))
