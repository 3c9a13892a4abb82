"""Every drawing file that is made from the pin map, by its path below the repository."""

import csv
import io
import json
from itertools import groupby
from pathlib import Path

from tools.drawings import node, panel
from tools.drawings.footprints import modules
from tools.drawings.schematic import Part, Sheet
from tools.drawings.sexpr import Text, dump
from tools.drawings.symbols import LIBRARY, library, pi_header, pico
from tools.parts import catalogue
from tools.parts.catalogue import Catalogue
from tools.pinmap import Pinmap

ROOT = Path(__file__).parents[2]

RULES = {
    "min_clearance": 0.2,
    "min_track_width": 0.2,
    "min_via_diameter": 0.6,
    "min_through_hole_diameter": 0.3,
    "min_copper_edge_clearance": 0.5,
    "min_hole_to_hole": 0.25,
    "min_resolved_spokes": 1,
}
"""Millimetres that every board house keeps without extra cost; our own choice. One spoke to the areas of
ground is enough, because each ground pad has a track as well."""


def drawings(pinmap: Pinmap) -> dict[str, str]:
    """Symbol library, sheets, projects and lists of parts."""
    files = {f"hardware/library/{LIBRARY}.kicad_sym": dump(library((pi_header(pinmap), pico(pinmap)))) + "\n"}
    files |= modules()
    known = catalogue.load(ROOT)
    for sheet in (panel.sheet(pinmap), node.sheet(pinmap)):
        place = f"hardware/{sheet.name}"
        files[f"{place}/{sheet.name}.kicad_sch"] = sheet.file()
        files[f"{place}/{sheet.name}.kicad_pro"] = _project(sheet.name)
        files[f"{place}/parts.csv"] = parts_list(sheet, known)
        files[f"{place}/sym-lib-table"] = _table("sym_lib_table", f"{LIBRARY}.kicad_sym")
        files[f"{place}/fp-lib-table"] = _table("fp_lib_table", f"{LIBRARY}.pretty")
    return files


def _table(kind: str, file: str) -> str:
    row = [
        "lib", ["name", Text(LIBRARY)], ["type", Text("KiCad")],
        ["uri", Text(f"${{KIPRJMOD}}/../library/{file}")],
        ["options", Text("")], ["descr", Text("Symbols and footprints of this project")],
    ]  # fmt: skip
    return dump([kind, ["version", 7], row]) + "\n"


def _project(name: str) -> str:
    """KiCad's own rules hold; no check is switched off."""
    project = {
        "board": {"design_settings": {"rules": RULES}},
        "meta": {"filename": f"{name}.kicad_pro", "version": 3},
    }
    return json.dumps(project, indent=2) + "\n"


def parts_list(sheet: Sheet, known: Catalogue) -> str:
    """CSV with a line for each kind of part; its head names the columns."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("references", "count", "value", "description", "maker", "code", "footprint"))
    listed = [part for part in sheet.parts.values() if part.symbol.prefix not in {"#PWR", "#FLG", "H", "TP"}]
    for kind, same in groupby(sorted(listed, key=_order), key=lambda part: part.kind):
        refs = [part.ref for part in same]
        order = known.order(kind)
        writer.writerow(
            (" ".join(refs), len(refs), kind.value, kind.description, order.maker, order.code, kind.footprint)
        )
    return out.getvalue()


def _order(part: Part) -> tuple[str, str, str, int]:
    letters = part.ref.rstrip("0123456789")
    return letters, part.kind.footprint, part.kind.value, int(part.ref[len(letters) :])
