"""hardware/prices.csv, which whoever asks for offers fills in, and the cost sheet computed from it."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tools.bom import Item

COLUMNS = ("id", "eur_low", "eur_high", "basis", "date", "from", "note")
BASES = ("", "estimate", "offer", "receipt")


class PriceError(ValueError):
    """A line that cannot be used; the text says which and what to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Of one piece, in euro; `basis` says where it comes from."""

    low: float
    high: float
    basis: str


def read(text: str) -> dict[str, Price | None]:
    """By the id of a line of bom.csv; None: nobody filled it in."""
    rows = csv.DictReader(io.StringIO(text))
    if tuple(rows.fieldnames or ()) != COLUMNS:
        raise PriceError(f"hardware/prices.csv must have the columns {', '.join(COLUMNS)}.")
    found: dict[str, Price | None] = {}
    for line, row in enumerate(rows, 2):
        where = f"hardware/prices.csv, line {line}"
        if row["id"] in found or not row["id"]:
            raise PriceError(f"{where}: the id {row['id']!r} is empty or there twice.")
        found[row["id"]] = _price(row, where)
    return found


def page(
    items: Sequence[Item],
    halls: Mapping[int, Mapping[str, int]],
    prices: Mapping[str, Price | None],
) -> str:
    """The cost sheet: sums for each size of hall, of what has a price, and what has none."""
    lines = [
        "# Cost sheet",
        "",
        "For anyone who plans what a hall costs. State: **paper**. Made by `make generate` from",
        "[bom.csv](bom.csv) and [prices.csv](prices.csv): write a price there and run it again.",
        "",
        "Euro, by the prices and pieces of the [shopping list](shopping.md), without postage, customs and",
        "tools. A price is an estimate from experience with single pieces unless it says otherwise; no offer",
        'was asked for. Each line, or another size: `make costs ARGS="35"`, with `--shopping` for pieces.',
        "",
        *sums(items, halls, prices),
    ]
    return "\n".join(lines) + "\n"


def table(
    items: Sequence[Item], halls: Mapping[int, Mapping[str, int]], prices: Mapping[str, Price | None]
) -> list[str]:
    """Each line that has a price, and the sums."""
    head = " | ".join(f"{size} boards" for size in halls)
    lines = [f"| | Part | Each | {head} |", "|---|---|---|" + "--:|" * len(halls)]
    for item in items:
        if not (price := prices.get(item.id)):
            continue
        cells = [between(n * price.low, n * price.high) for n in map(item.bought, halls.values())]
        lines.append(f"| {item.id} | {item.name} | {each(price)} | {' | '.join(cells)} |")
    return [*lines, "", *sums(items, halls, prices)]


def sums(
    items: Sequence[Item], halls: Mapping[int, Mapping[str, int]], prices: Mapping[str, Price | None]
) -> list[str]:
    """A table of what has a price, and the ids of what has none."""
    lines = ["| Boards | Together | Per board |", "|--:|--:|--:|"]
    for size, found in halls.items():
        low, high = total(items, found, prices)
        lines.append(f"| {size} | **{between(low, high)}** | {between(low / size, high / size)} |")
    missing = [item.id for item in items if not prices.get(item.id)]
    told = f"No price yet: {', '.join(missing)}." if missing else "Every line has a price."
    return [*lines, "", told]


def total(
    items: Sequence[Item], counts: Mapping[str, int], prices: Mapping[str, Price | None]
) -> tuple[float, float]:
    """Low and high, of the lines that have a price."""
    priced = [(item.bought(counts), price) for item in items if (price := prices.get(item.id))]
    return sum(n * price.low for n, price in priced), sum(n * price.high for n, price in priced)


def each(price: Price) -> str:
    """Of one piece; an estimate needs no word."""
    basis = "" if price.basis == "estimate" else f" ({price.basis})"
    return f"{between(price.low, price.high)}{basis}"


def between(low: float, high: float) -> str:
    return f"{low:.3g}-{high:.3g}" if high < 10 else f"{low:.0f}-{high:.0f}"


def _price(row: dict[str, str], where: str) -> Price | None:
    low, high, basis = row["eur_low"].strip(), row["eur_high"].strip(), row["basis"].strip()
    if basis not in BASES:
        raise PriceError(f"{where}: basis {basis!r} is not one of {', '.join(BASES[1:])}, or empty.")
    if not low and not high:
        return None
    try:
        price = Price(low=float(low or high), high=float(high or low), basis=basis)
    except ValueError:
        price = Price(low=math.nan, high=math.nan, basis=basis)
    if not 0 <= price.low <= price.high < math.inf:
        raise PriceError(f"{where}: eur_low and eur_high must be numbers from 0 up, the low one first.")
    if not basis:
        raise PriceError(f"{where}: say in `basis` where the price comes from: {', '.join(BASES[1:])}.")
    return price
