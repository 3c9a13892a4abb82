"""The pages about parts and cost, and the same for another size: `python -m tools.parts.files 35`."""

import argparse
import sys
from pathlib import Path

from tools import bom
from tools.kicad_files import BOARDS, DrawingError
from tools.parts import catalogue, prices
from tools.parts import pages as texts
from tools.verdict import verdict

ROOT = Path(__file__).parents[2]
MOST = 200
ERRORS = (bom.BomError, prices.PriceError, catalogue.PartsError, DrawingError)
"""Of a file that somebody edited; each says where, and what to change."""


def pages(root: Path) -> dict[str, str]:
    """By their paths below the repository."""
    folder = root / "hardware"
    read = {name: (folder / name).read_text(encoding="utf-8") for name in ("bom.csv", "prices.csv")}
    items, known = bom.read(read["bom.csv"]), catalogue.load(root)
    halls = {size: bom.counts(size) for size in bom.SIZES}
    board_parts, cost = texts.needs(known), prices.read(read["prices.csv"])
    return {
        "hardware/costs.md": prices.page(items, halls, cost),
        "hardware/shopping.md": texts.shopping(halls),
        "hardware/shopping.csv": texts.shopping_list(items, halls, known, cost),
        "hardware/order.csv": texts.order_list(halls, board_parts),
        "hardware/unverified.md": texts.unverified(items, board_parts, known),
        **{f"hardware/{name}/parts.csv": texts.parts_list(name, known) for name in BOARDS},
    }


def costs(boards: int, price_file: Path) -> str:
    """The cost sheet's table for one size; BomError or PriceError for files that cannot be read."""
    items = bom.read((ROOT / "hardware" / "bom.csv").read_text(encoding="utf-8"))
    found = prices.read(price_file.read_text(encoding="utf-8"))
    return "\n".join(prices.table(items, {boards: bom.counts(boards)}, found))


def shopping(boards: int) -> str:
    """What to buy of each line and of each order code on the boards."""
    items, known = bom.read((ROOT / "hardware" / "bom.csv").read_text(encoding="utf-8")), catalogue.load(ROOT)
    counts = bom.counts(boards)
    lines = [f"{item.bought(counts):6}  {item.id}  {item.part}" for item in items]
    needs = texts.needs(known)
    lines += [f"{need.bought(boards):6}  {need.order.maker} {need.order.code}" for need in needs]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="costs", description="Cost sheet and shopping list of a hall with so many boards."
    )
    parser.add_argument("boards", type=int, help=f"tables of the hall, 1 to {MOST}")
    parser.add_argument(
        "--prices", type=Path, default=ROOT / "hardware" / "prices.csv", help="another price file"
    )
    parser.add_argument("--shopping", action="store_true", help="pieces to buy in place of their cost")
    given = parser.parse_args()
    if not 1 <= given.boards <= MOST:
        parser.error(f"boards must be 1 to {MOST}")

    def run() -> tuple[()]:
        print(shopping(given.boards) if given.shopping else costs(given.boards, given.prices))
        return ()

    return verdict(run, *ERRORS, OSError)


if __name__ == "__main__":
    sys.exit(main())
