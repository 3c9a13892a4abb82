"""The drawings before KiCad's own judgement: `python -m tools.hardware check|board|pictures`.

check: electrical rules of the sheets, their nets against our own reader and the pin map, board rules and the
boards against their sheets, then planted errors that must be found. What a board house needs goes to
build/hardware/.
board: routes the boards anew, or only those that are named, fills their areas of ground, and draws the
pictures.
pictures: draws them without routing, after the parts of an older board got their models.
"""

import argparse
import re
import shutil
import sys
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from tools.boxes.models import with_models
from tools.drawings import board, netlist, node, panel
from tools.drawings.nets import DrawingError, compare, opened, pads, read, same_joints
from tools.drawings.router import NoWayError
from tools.drawings.sexpr import dump, parse
from tools.kicad import HARDWARE, ROOT, CheckError, Copy
from tools.parts import catalogue, houses
from tools.pinmap import PinmapError, load
from tools.planted import PLANTED
from tools.verdict import verdict

BUILT = ROOT / "build" / "hardware"
BOARDS = {"panel": (panel.sheet, panel.PLAN), "node": (node.sheet, node.PLAN)}
GERBERS = "pcb export gerbers --layers F.Cu,B.Cu,F.Paste,F.SilkS,F.Mask,B.Mask,Edge.Cuts -o"


def check() -> None:
    """Everything; raises CheckError, DrawingError or PinmapError at the first fault."""
    pinmap = load(HARDWARE / "pinmap.toml")
    listed = netlist.load(HARDWARE / "netlist.toml")
    netlist.bear(listed)
    copy = Copy("checked")
    for name in BOARDS:
        copy.electrical(name)
        nets = read(copy.file(name, "kicad_sch"))
        compare(name, nets, pinmap)
        sheet = opened(copy.file(name, "kicad_sch"))
        netlist.fits(name, sheet, listed.boards[name])
        netlist.connectors_fit(name, sheet, pinmap, listed.connectors)
        same_joints(f"KiCad's nets of the {name}", copy.nets(name), nets)
        print(
            f"{name}: electrical rules kept; {len(nets)} nets, as KiCad reads them, and as pin map and "
            "netlist.toml say"
        )
        copy.board_rules(name)
        same_joints(f"the {name}'s board", pads(copy.file(name, "kicad_pcb")), nets)
        print(f"{name}: board rules kept; board and sheet have the same parts and nets")
    planted_in_sheets(listed.boards)
    planted_in_boards()
    shutil.rmtree(BUILT, ignore_errors=True)
    for name in BOARDS:
        fabrication(copy, name)


def planted_in_sheets(wanted: dict[str, netlist.Wanted]) -> None:
    """Each error of tools/planted.py in a copy of its sheet; raises CheckError for one that is not found."""
    copy = Copy("planted")
    sheets = {name: copy.file(name, "kicad_sch").read_text(encoding="utf-8") for name in BOARDS}
    for board_name, error in ((name, error) for name, errors in PLANTED.items() for error in errors):
        sheet = parse(sheets[board_name])
        error.spoil(sheet)
        copy.file(board_name, "kicad_sch").write_text(dump(sheet), encoding="utf-8")
        what = f"{board_name}: {error.what}"
        _found(what, error.says, _told(netlist.fits, board_name, sheet, wanted[board_name]))
        if error.kicad:
            _found(f"{what} (KiCad)", f"[{error.kicad}]", _told(copy.electrical, board_name))


def _told(judge: Callable[..., None], *given: object) -> str:
    """What the judge complains of."""
    try:
        judge(*given)
    except (CheckError, DrawingError) as error:
        return str(error)
    return ""


def _found(what: str, wanted: str, told: str) -> None:
    if wanted not in told:
        instead = f'; it says "{told}"' if told else ""
        raise CheckError(f'planted error not found: {what}; this check does not say "{wanted}"{instead}.')
    print(f"planted error found: {what}")


def planted_in_boards() -> None:
    """Errors in a copy of a board that must be found; raises CheckError for one that is not."""
    for what, ending, spoil, says in (
        ("a track was moved", "kicad_pcb", _moved_track, "tracks_crossing"),
        ("the sheet has another value", "kicad_sch", _other_value, "footprint_symbol_mismatch"),
    ):
        copy = Copy("planted")
        path = copy.file("node", ending)
        path.write_text(spoil(path.read_text(encoding="utf-8")), encoding="utf-8")
        _found(what, says, _told(copy.board_rules, "node"))


def _cut(text: str, begin: str, spoil: Callable[[str], str]) -> str:
    """`text` with the first list that begins so changed by `spoil`."""
    start = text.index(begin)
    depth, end = 0, start
    while True:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
        if depth == 0:
            return text[:start] + spoil(text[start:end]) + text[end:]


def _moved_track(text: str) -> str:
    return _cut(text, "(segment", lambda track: track.replace("(start ", "(start 1", 1))


def _other_value(text: str) -> str:
    return text.replace('"Value" "THVD2410"', '"Value" "THVD1410"')


def fabrication(copy: Copy, name: str) -> None:
    """The sheet as PDF, and everything for the board house as one archive, in build/hardware/."""
    inside, out = copy.file(name, "kicad_pcb"), copy.place / "fabrication" / name
    out.mkdir(parents=True)
    copy.cli(GERBERS, out, inside)
    copy.cli("pcb export drill -o", f"{copy.inside(out)}/", inside)
    copy.cli("pcb export pos --format csv --units mm -o", out / f"{name}-positions.csv", inside)
    copy.cli("pcb export step --board-only -o", out / f"{name}.step", inside)
    shutil.copy(copy.place / name / "parts.csv", out / f"{name}-parts.csv")
    houses_files(out, name)
    BUILT.mkdir(parents=True, exist_ok=True)
    with ZipFile(BUILT / f"{name}-fabrication.zip", "w", ZIP_DEFLATED) as archive:
        for path in sorted(out.iterdir()):
            archive.write(path, path.name)
    sheet = copy.place / "fabrication" / f"{name}.pdf"
    copy.cli("sch export pdf -o", sheet, copy.file(name, "kicad_sch"))
    shutil.copy(sheet, BUILT)
    archive_name = f"{BUILT.relative_to(ROOT)}/{name}-fabrication.zip"
    print(f"for the board house: {archive_name} (never built: a prototype first)")


def houses_files(out: Path, name: str) -> None:
    """Lists of parts and placements in the columns of two board houses, against KiCad's own placement."""
    sheet, plan = BOARDS[name]
    placed = board.place(sheet(load(HARDWARE / "pinmap.toml")), plan)
    positions = (out / f"{name}-positions.csv").read_text(encoding="utf-8")
    wrong = houses.differences(placed, positions)
    if wrong:
        raise CheckError(f"{name}, placement: {'; '.join(wrong)}.")
    BUILT.mkdir(parents=True, exist_ok=True)
    for path in houses.write(BUILT, name, placed, catalogue.load(ROOT)):
        shutil.copy(path, out)
        print(f"{name}: {path.relative_to(ROOT)}")


def new_boards(names: list[str]) -> None:
    """Route, fill, judge and draw; takes minutes. Raises CheckError, NoWayError or PinmapError."""
    pinmap = load(HARDWARE / "pinmap.toml")
    copy = Copy("drawn")
    for name in names:
        sheet, plan = BOARDS[name]
        file = copy.file(name, "kicad_pcb")
        file.write_text(board.board(sheet(pinmap), plan, copy.nets(name)), encoding="utf-8")
        copy.fill(name)
        copy.board_rules(name)
        shutil.copy(file, HARDWARE / name)
        pictures(copy, name)


def drawn_again(names: list[str]) -> None:
    """Pictures of the boards as they are. Raises CheckError where KiCad cannot draw one."""
    for name in names:
        path = HARDWARE / name / f"{name}.kicad_pcb"
        path.write_text(with_models(path.read_text(encoding="utf-8")), encoding="utf-8")
    copy = Copy("drawn")
    for name in names:
        copy.board_rules(name)
        pictures(copy, name)


def pictures(copy: Copy, name: str) -> None:
    """hardware/NAME/pictures: sheet and board as the documents show them."""
    place, inside = HARDWARE / name / "pictures", copy.file(name, "kicad_pcb")
    place.mkdir(exist_ok=True)
    copy.cli("sch export svg -o", copy.place / name, copy.file(name, "kicad_sch"))
    _png(copy.file(name, "svg"), place / "sheet.png", wide=1980)
    for layer, file in (("F.Cu", "front"), ("B.Cu", "back")):
        out = copy.place / f"{file}.svg"
        only = f"--mode-single --page-size-mode 2 --exclude-drawing-sheet --layers {layer},F.SilkS,Edge.Cuts"
        copy.cli(f"pcb export svg {only} -o", out, inside)
        _png(out, place / f"copper_{file}.png", wide=1300)
    out = copy.place / "board.png"
    copy.cli("pcb render --side top --zoom 1.15 -w 1300 -h 1000 --background opaque -o", out, inside)
    shutil.copy(out, place)
    parts = copy.place / "parts.png"
    copy.cli(
        "pcb render --rotate '-45,0,20' --zoom 0.95 -w 1300 -h 900 --background opaque -o", parts, inside
    )
    shutil.copy(parts, place)


def _png(svg: Path, out: Path, *, wide: int) -> None:
    """Draw `svg` on white, `wide` pixels across, by the browser of the page tests.
    ValueError for a file without a size."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  (a browser, which `check` does not need)

    text = svg.read_text(encoding="utf-8")
    size = re.search(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"', text)
    if size is None:
        raise ValueError(f"{svg.name} says no size; export it again.")
    high = round(wide * float(size[2]) / float(size[1]))
    data = b64encode(text.encode()).decode()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": wide, "height": high})
        style = f"display:block;width:{wide}px;height:{high}px"
        source = f"data:image/svg+xml;base64,{data}"
        page.set_content(f'<body style="margin:0;background:#fff"><img src="{source}" style="{style}">')
        page.wait_for_function("document.images[0].complete")
        page.screenshot(path=str(out))
        browser.close()


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="hardware", description="Checks or redraws the drawings with KiCad."
    )
    parser.add_argument("do", choices=("check", "board", "pictures"))
    parser.add_argument("names", nargs="*", metavar="NAME", help="boards to route; all of them if none")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in BOARDS]
    if unknown:
        parser.error(f"{unknown[0]} is no board; the boards are {' and '.join(BOARDS)}")

    def run() -> tuple[()]:
        if given.do == "check":
            check()
        else:
            draw = new_boards if given.do == "board" else drawn_again
            draw(given.names or list(BOARDS))
        return ()

    return verdict(run, CheckError, DrawingError, NoWayError, PinmapError, catalogue.PartsError)


if __name__ == "__main__":
    sys.exit(main())
