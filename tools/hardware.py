"""The boards before KiCad's own judgement: `python -m tools.hardware check|release`.

check: electrical rules of the sheets, their nets as KiCad and our own reader find them, netlist.toml, pin
map, marks, board rules, the boards against their sheets; then planted errors that must be found.
release: the same without the planted errors, then build/hardware/NAME-release.zip for the board house.
"""

import argparse
import shutil
import sys
from collections.abc import Callable
from zipfile import ZIP_DEFLATED, ZipFile

from tools import netlist
from tools.kicad import ROOT, CheckError, Copy
from tools.kicad_files import (
    BOARDS,
    HARDWARE,
    DrawingError,
    board,
    dump,
    joined,
    opened,
    parse,
    same_joints,
    sheet_parts,
)
from tools.marks import unmarked
from tools.parts import catalogue, houses
from tools.pinmap import PinmapError, load
from tools.planted import planted
from tools.verdict import verdict

BUILT = ROOT / "build" / "hardware"
GERBERS = "pcb export gerbers --layers F.Cu,B.Cu,F.Paste,F.SilkS,F.Mask,B.Mask,Edge.Cuts -o"


def kept() -> Copy:
    """Rules, nets and marks of both boards; CheckError, DrawingError or PinmapError for the first fault."""
    pinmap = load(HARDWARE / "pinmap.toml")
    listed = netlist.load(HARDWARE / "netlist.toml")
    netlist.bear(listed)
    copy = Copy("checked")
    for name in BOARDS:
        copy.electrical(name)
        sheet, layout = opened(copy.file(name, "kicad_sch")), board(copy.file(name, "kicad_pcb"))
        nets = joined(sheet)
        netlist.compare(name, nets, pinmap)
        netlist.fits(name, sheet, listed.boards[name])
        netlist.connectors_fit(name, sheet, pinmap, listed.connectors)
        same_joints(f"KiCad's nets of the {name}", copy.nets(name), nets)
        print(
            f"{name}: electrical rules kept; {len(nets)} nets, as KiCad reads them, and as pin map and "
            "netlist.toml say"
        )
        copy.board_rules(name)
        same_joints(f"the {name}'s board", layout.pads, nets)
        if missing := unmarked(layout, sheet_parts(name), pinmap):
            raise CheckError("\n".join(missing))
        print(f"{name}: board rules kept; board and sheet have the same parts and nets, each pin its mark")
    return copy


def check() -> None:
    """What `kept` says, and each planted error; raises CheckError for one that is not found."""
    kept()
    planted_in_sheets(netlist.load(HARDWARE / "netlist.toml").boards)
    planted_in_boards()


def planted_in_sheets(wanted: dict[str, netlist.Wanted]) -> None:
    """Each error of hardware/planted.toml in a copy of its sheet; CheckError for one not found."""
    copy = Copy("planted")
    sheets = {name: copy.file(name, "kicad_sch").read_text(encoding="utf-8") for name in BOARDS}
    for name, error in (
        (name, error) for name, errors in planted(HARDWARE / "planted.toml").items() for error in errors
    ):
        sheet = parse(sheets[name])
        error.spoil(sheet)
        copy.file(name, "kicad_sch").write_text(dump(sheet), encoding="utf-8")
        what = f"{name}: {error.what}"
        _found(what, error.says, _told(netlist.fits, name, sheet, wanted[name]))
        if error.kicad:
            _found(f"{what} (KiCad)", f"[{error.kicad}]", _told(copy.electrical, name))


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


def _moved_track(text: str) -> str:
    """The board with its first track begun 100 mm and more away."""
    head, begin, track = text.partition("(segment")
    return head + begin + track.replace("(start ", "(start 1", 1)


def _other_value(text: str) -> str:
    return text.replace('"Value" "THVD2410"', '"Value" "THVD1410"')


def release() -> None:
    """An archive for each board: Gerber, drill, STEP, sheet, and lists and placement for the house.
    Raises what `kept` raises, or PartsError for a part that cannot be ordered or placed."""
    copy, known = kept(), catalogue.load(ROOT)
    shutil.rmtree(BUILT, ignore_errors=True)
    BUILT.mkdir(parents=True)
    for name in BOARDS:
        inside, out = copy.file(name, "kicad_pcb"), copy.place / "release" / name
        out.mkdir(parents=True)
        copy.cli(GERBERS, out, inside)
        copy.cli("pcb export drill -o", f"{copy.inside(out)}/", inside)
        copy.cli("pcb export pos --format csv --units mm -o", out / f"{name}-positions.csv", inside)
        copy.cli("pcb export step --board-only -o", out / f"{name}.step", inside)
        copy.cli("sch export pdf -o", out / f"{name}.pdf", copy.file(name, "kicad_sch"))
        shutil.copy(copy.place / name / "parts.csv", out / f"{name}-parts.csv")
        layout = board(inside)
        positions = (out / f"{name}-positions.csv").read_text(encoding="utf-8")
        for what, text in (
            ("parts", houses.parts_file(layout, sheet_parts(name), known)),
            ("placement", houses.placement(layout, positions)),
        ):
            (out / f"{name}-jlc-{what}.csv").write_text(text, encoding="utf-8")
        archive_name = BUILT / f"{name}-release.zip"
        with ZipFile(archive_name, "w", ZIP_DEFLATED) as archive:
            for path in sorted(out.iterdir()):
                archive.write(path, path.name)
        print(f"for the board house: {archive_name.relative_to(ROOT)} (never built: a prototype first)")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="hardware", description="Checks the boards, or packs them for a house."
    )
    parser.add_argument("do", choices=("check", "release"))
    given = parser.parse_args()

    def run() -> tuple[()]:
        check() if given.do == "check" else release()
        return ()

    return verdict(run, CheckError, DrawingError, PinmapError, catalogue.PartsError)


if __name__ == "__main__":
    sys.exit(main())
