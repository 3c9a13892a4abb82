"""The drawings before KiCad's own judgement: `python -m tools.hardware check|board`.

check: electrical rules of both sheets, their nets against our own reader and the pin map, board rules and
the board against its sheet, then planted errors that must be found.
What a board house needs goes to build/hardware/.
board: routes the node's board anew, fills its areas of ground, and draws the pictures of the documents.
"""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from tools.drawings import board, node
from tools.drawings.nets import DrawingError, compare, pads, read, same_joints
from tools.pinmap import PinmapError, load

ROOT = Path(__file__).parent.parent
HARDWARE = ROOT / "hardware"
WORK = ROOT / ".cache" / "kicad" / "root" / "work"
BUILT = ROOT / "build" / "hardware"
BOARDS = ("panel", "node")
FOUND = 5
"""Exit status of kicad-cli for violations."""
ERC = ("sch", "erc", "--severity-all", "--exit-code-violations")
DRC = ("pcb", "drc", "--severity-all", "--schematic-parity", "--exit-code-violations")
FILL = """import pcbnew, sys
board = pcbnew.LoadBoard(sys.argv[1])
pcbnew.ZONE_FILLER(board).Fill(board.Zones())
pcbnew.SaveBoard(sys.argv[1], board)
"""


class CheckError(Exception):
    """A check failed; the text says which and why."""


def program(*arguments: str, status: tuple[int, ...] = (0,)) -> int:
    """Run in KiCad's tree; raises CheckError with the program's words for another exit status."""
    done = subprocess.run(
        [ROOT / "tools" / "kicad.sh", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode not in status:
        words = "\n".join((done.stdout + done.stderr).strip().splitlines()[-5:])
        raise CheckError(f"{' '.join(arguments[:3])} ended with {done.returncode}:\n{words}")
    return done.returncode


def kicad(*arguments: str, status: tuple[int, ...] = (0,)) -> int:
    return program("kicad-cli", *arguments, status=status)


def copied(name: str) -> Path:
    """A fresh copy of hardware/ where KiCad can see it; its path inside is /work/NAME."""
    program("kicad-cli", "version")
    place = WORK / name
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(HARDWARE, place)
    return place


def electrical(copy: Path, name: str) -> bool:
    """Whether the sheet keeps all electrical rules; the report lies beside it."""
    sheet = f"/work/{copy.name}/{name}/{name}"
    return kicad(*ERC, "-o", f"{sheet}.erc", f"{sheet}.kicad_sch", status=(0, FOUND)) == 0


def board_rules(copy: Path) -> bool:
    """Whether the board keeps all board rules and has its sheet's parts and nets."""
    file = f"/work/{copy.name}/node/node"
    return kicad(*DRC, "-o", f"{file}.drc", f"{file}.kicad_pcb", status=(0, FOUND)) == 0


def netlist(copy: Path, name: str) -> dict[tuple[str, str], str]:
    """KiCad's own list of nets."""
    file = f"/work/{copy.name}/{name}/{name}"
    kicad("sch", "export", "netlist", "--format", "kicadsexpr", "-o", f"{file}.net", f"{file}.kicad_sch")
    return board.read_nets((copy / name / f"{name}.net").read_text(encoding="utf-8"))


def check() -> None:
    """Everything; raises CheckError, DrawingError or PinmapError at the first fault."""
    pinmap = load(HARDWARE / "pinmap.toml")
    copy = copied("checked")
    for name in BOARDS:
        sheet = copy / name / f"{name}.kicad_sch"
        if not electrical(copy, name):
            raise CheckError(sheet.with_suffix(".erc").read_text(encoding="utf-8"))
        print(f"{name}: electrical rules kept")
        nets = read(sheet)
        compare(name, nets, pinmap)
        same_joints(f"KiCad's nets of the {name}", netlist(copy, name), nets)
        print(f"{name}: {len(nets)} nets as KiCad reads them and as the pin map says")
    if not board_rules(copy):
        raise CheckError((copy / "node" / "node.drc").read_text(encoding="utf-8"))
    same_joints(
        "the node's board", pads(copy / "node" / "node.kicad_pcb"), read(copy / "node" / "node.kicad_sch")
    )
    print("node: board rules kept, board and sheet have the same parts and nets")
    planted()
    fabrication(copy)


def planted() -> None:
    """Errors in a copy that must be found; raises CheckError for one that is not."""
    for what, file, spoil, caught in (
        (
            "a wire taken from the sheet",
            "node/node.kicad_sch",
            _without_a_wire,
            lambda c: electrical(c, "node"),
        ),
        ("a track moved", "node/node.kicad_pcb", _moved_track, board_rules),
        ("another value on the sheet", "node/node.kicad_sch", _other_value, board_rules),
    ):
        copy = copied("planted")
        path = copy / file
        path.write_text(spoil(path.read_text(encoding="utf-8")), encoding="utf-8")
        if caught(copy):
            raise CheckError(f"planted error not found: {what}; the check does not check.")
        print(f"planted error found: {what}")


def _cut(text: str, begin: str, spoil: Callable[[str], str]) -> str:
    """`text` with the first list that begins so changed by `spoil`."""
    start = text.index(begin)
    depth, end = 0, start
    while True:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
        if depth == 0:
            return text[:start] + spoil(text[start:end]) + text[end:]


def _without_a_wire(text: str) -> str:
    return _cut(text, "(wire", lambda _: "")


def _moved_track(text: str) -> str:
    return _cut(text, "(segment", lambda track: track.replace("(start ", "(start 1", 1))


def _other_value(text: str) -> str:
    return text.replace('"Value" "THVD2410"', '"Value" "THVD1410"')


def fabrication(copy: Path) -> None:
    """Sheets as PDF and everything for the board house as one archive, in build/hardware/."""
    inside, out = f"/work/{copy.name}/node/node.kicad_pcb", f"/work/{copy.name}/fab"
    shutil.rmtree(BUILT, ignore_errors=True)
    BUILT.mkdir(parents=True)
    (copy / "fab").mkdir()
    layers = "F.Cu,B.Cu,F.Paste,F.SilkS,F.Mask,B.Mask,Edge.Cuts"
    kicad("pcb", "export", "gerbers", "--layers", layers, "-o", f"{out}/", inside)
    kicad("pcb", "export", "drill", "-o", f"{out}/", inside)
    kicad(
        "pcb", "export", "pos", "--format", "csv", "--units", "mm", "-o", f"{out}/node-positions.csv", inside
    )
    kicad("pcb", "export", "step", "--board-only", "-o", f"{out}/node.step", inside)
    shutil.copy(copy / "node" / "parts.csv", copy / "fab" / "node-parts.csv")
    with ZipFile(BUILT / "node-fabrication.zip", "w", ZIP_DEFLATED) as archive:
        for path in sorted((copy / "fab").iterdir()):
            archive.write(path, path.name)
    for name in BOARDS:
        kicad("sch", "export", "pdf", "-o", f"{out}/{name}.pdf", f"/work/{copy.name}/{name}/{name}.kicad_sch")
        shutil.copy(copy / "fab" / f"{name}.pdf", BUILT)
    print(
        f"for the board house: {BUILT.relative_to(ROOT)}/node-fabrication.zip; never built: a prototype first"
    )


def new_board() -> None:
    """Route, fill and draw; takes minutes. Raises CheckError where the board breaks a rule."""
    copy = copied("drawn")
    file = copy / "node" / "node.kicad_pcb"
    text = board.board(node.sheet(load(HARDWARE / "pinmap.toml")), netlist(copy, "node"))
    file.write_text(text, encoding="utf-8")
    (copy / "fill.py").write_text(FILL, encoding="utf-8")
    program("python3", f"/work/{copy.name}/fill.py", f"/work/{copy.name}/node/node.kicad_pcb")
    if not board_rules(copy):
        raise CheckError((copy / "node" / "node.drc").read_text(encoding="utf-8"))
    shutil.copy(file, HARDWARE / "node")
    pictures(copy)


def pictures(copy: Path) -> None:
    """hardware/*/pictures: sheets and board as the documents show them."""
    from tools.drawings.pictures import png  # noqa: PLC0415  (needs a browser, which `check` does not)

    for name in BOARDS:
        place = HARDWARE / name / "pictures"
        place.mkdir(exist_ok=True)
        kicad(
            "sch",
            "export",
            "svg",
            "-o",
            f"/work/{copy.name}/{name}",
            f"/work/{copy.name}/{name}/{name}.kicad_sch",
        )
        png(copy / name / f"{name}.svg", place / f"{name}.png", wide=1980)
    board_file = f"/work/{copy.name}/node/node.kicad_pcb"
    for layer, file in (("F.Cu", "front"), ("B.Cu", "back")):
        only = ("--mode-single", "--page-size-mode", "2", "--exclude-drawing-sheet")
        out = f"/work/{copy.name}/node/{file}.svg"
        kicad("pcb", "export", "svg", *only, "--layers", f"{layer},F.SilkS,Edge.Cuts", "-o", out, board_file)
        png(copy / "node" / f"{file}.svg", HARDWARE / "node" / "pictures" / f"copper_{file}.png", wide=1300)
    out = f"/work/{copy.name}/node/board.png"
    kicad(
        "pcb",
        "render",
        "--side",
        "top",
        "-w",
        "1300",
        "-h",
        "1000",
        "--background",
        "opaque",
        "-o",
        out,
        board_file,
    )
    shutil.copy(copy / "node" / "board.png", HARDWARE / "node" / "pictures" / "board.png")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="hardware", description="Checks or redraws the drawings with KiCad."
    )
    parser.add_argument("do", choices=("check", "board"))
    try:
        {"check": check, "board": new_board}[parser.parse_args().do]()
    except (CheckError, DrawingError, PinmapError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
