"""hardware/bom.csv, and how often each of its lines is needed in halls of several sizes."""

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass

from pi_controller.paper.hall import PaperHall
from pi_controller.roster.model import Board, Roster, Row
from pi_controller.supply.zone import SupplyWiring

SIZES = (20, 50, 200)
LONGEST_ROW = 25
"""Boards; 200 boards are then 8 rows, one for each of the 8 segments of a controller."""
PER = ("node", "table_cable", "zone_cable", "chain", "zone", "hall")
COLUMNS = (
    "id", "part", "per", "quantity", "spare_percent", "source", "alternatives", "note",
)  # fmt: skip


class BomError(ValueError):
    """A line that cannot be rolled up; the text says which and what to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line of bom.csv: `quantity` for each `per` of the hall, and so many per cent of spares."""

    id: str
    part: str
    per: str
    quantity: float
    spare_percent: float
    source: str
    alternatives: str
    note: str

    @property
    def name(self) -> str:
        """The part without what follows a comma or a colon."""
        return self.part.split(",")[0].split(":")[0]

    def needed(self, counts: Mapping[str, int]) -> int:
        return math.ceil(self.quantity * counts[self.per])

    def bought(self, counts: Mapping[str, int]) -> int:
        """With spares."""
        return math.ceil(self.needed(counts) * (1 + self.spare_percent / 100) - 1e-9)


def read(text: str) -> list[Item]:
    """BomError names the first line that is wrong."""
    rows = csv.DictReader(io.StringIO(text))
    if tuple(rows.fieldnames or ()) != COLUMNS:
        raise BomError(f"hardware/bom.csv must have the columns {', '.join(COLUMNS)}.")
    items: list[Item] = []
    for line, row in enumerate(rows, 2):
        item = _item(row, f"hardware/bom.csv, line {line}")
        if item.id in {other.id for other in items}:
            raise BomError(
                f"hardware/bom.csv, line {line}: {item.id} is there twice; give it an id of its own."
            )
        items.append(item)
    return items


def rows_of(boards: int) -> list[int]:
    """Even rows of at most LONGEST_ROW."""
    count = math.ceil(boards / LONGEST_ROW)
    return [boards // count + (1 if row < boards % count else 0) for row in range(count)]


def counts(boards: int) -> dict[str, int]:
    """How many of each `per` a hall of so many boards has, cabled as `pi-controller paper` proposes."""
    lengths = rows_of(boards)
    rows = tuple(
        Row(name=f"R{row}", boards=tuple(Board(name=f"{row}-{place}") for place in range(length)))
        for row, length in enumerate(lengths)
    )
    hall = PaperHall(roster=Roster(rows=rows), wiring=SupplyWiring())
    kinds = [cable.kind for cable in hall.cables]
    return {
        "node": boards,
        "table_cable": kinds.count("table"),
        "zone_cable": kinds.count("zone"),
        "chain": len(hall.chains),
        "zone": len(hall.plan.zones),
        "hall": 1,
    }


def _item(row: dict[str, str | None], where: str) -> Item:
    missing = [name for name in COLUMNS if row.get(name) is None]
    if missing or None in row:
        raise BomError(f"{where}: it must have {len(COLUMNS)} cells; put texts with commas in quotes.")
    cells = {name: (row[name] or "").strip() for name in COLUMNS}
    for name in ("id", "part", "source"):
        if not cells[name]:
            raise BomError(f"{where}: `{name}` is empty; fill it in.")
    if cells["per"] not in PER:
        raise BomError(f"{where}: per {cells['per']!r} is not one of {', '.join(PER)}.")
    numbers = {name: _number(cells.pop(name), name, where) for name in COLUMNS[3:5]}
    if numbers["quantity"] == 0:
        raise BomError(f"{where}: quantity must be above 0.")
    return Item(**cells, **numbers)


def _number(text: str, name: str, where: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found < math.inf:
        raise BomError(f"{where}: {name} {text!r} must be a number from 0 up.")
    return found


def sizes(halls: Mapping[int, Mapping[str, int]]) -> list[str]:
    """A table of halls, by their boards: rows, chains, zones, cables."""
    lines = ["| Boards | Rows | Chains | Zones | Table cables | Zone cables |", "|---|---|---|---|---|---|"]
    for size, found in halls.items():
        rows = rows_of(size)
        columns = (found[name] for name in ("chain", "zone", "table_cable", "zone_cable"))
        lines.append(f"| {size} | {len(rows)} of {max(rows)} | {' | '.join(map(str, columns))} |")
    return lines
