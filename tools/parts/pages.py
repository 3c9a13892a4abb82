"""Lists and pages for buyers: what to buy by shop, and everything that could not be verified."""

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tools import bom
from tools.bom import Item
from tools.kicad_files import BOARDS, sheet_parts
from tools.parts import prices
from tools.parts.catalogue import Catalogue, Order, by_number, kinds
from tools.parts.prices import Price

SPARE_BOARDS = {"node": 0.1, "panel": 0.0}
"""Boards built beyond those the hall needs, as a part of them."""
LOOSE = 5
"""Small parts laid in beyond that, of each code: some jump from the tweezers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """One order code on the boards; `counts` are pieces on one board, by the board's name."""

    order: Order
    what: str
    counts: Mapping[str, int]

    def bought(self, boards: int) -> int:
        """For a hall of so many tables, spares and loose pieces in it."""
        halls = {"node": boards, "panel": 1}
        built = {name: math.ceil(halls[name] * (1 + spare) - 1e-9) for name, spare in SPARE_BOARDS.items()}
        return sum(count * built[name] for name, count in self.counts.items()) + LOOSE


def needs(catalogue: Catalogue) -> list[Need]:
    """Of both sheets, sorted by maker and code; the same code on both boards is one line."""
    found: dict[str, tuple[Order, str, dict[str, int]]] = {}
    for board in BOARDS:
        for kind, refs in kinds(sheet_parts(board)).items():
            order = catalogue.order(kind)
            bought = [(order, kind.description)]
            if order.also:
                bought.append((catalogue.parts[order.also], order.also))
            for each, what in bought:
                counts = found.setdefault(each.code, (each, what, {}))[2]
                counts[board] = counts.get(board, 0) + len(refs)
    made = [Need(order=order, what=what, counts=counts) for order, what, counts in found.values()]
    return sorted(made, key=lambda need: (need.order.maker, need.order.code))


def parts_list(board: str, catalogue: Catalogue) -> str:
    """CSV with a line for each kind of part of a sheet; its head names the columns."""
    lines = []
    for kind, refs in kinds(sheet_parts(board)).items():
        order = catalogue.order(kind)
        cells = (kind.value, kind.description, order.maker, order.code, kind.footprint)
        lines.append((by_number(refs[0])[0], kind.footprint, kind.value, (" ".join(refs), len(refs), *cells)))
    names = ("references", "count", "value", "description", "maker", "code", "footprint")
    return _csv(names, [line for *_, line in sorted(lines)])


def shopping(halls: Mapping[int, Mapping[str, int]]) -> str:
    lines = [
        "# Shopping list for 20, 50 and 200 boards",
        "",
        "For anyone who buys the parts. State: **paper**. Made by `make generate` from [bom.csv](bom.csv),",
        "[parts.toml](parts.toml), [prices.csv](prices.csv) and the sheets. Open the lists in a spreadsheet:",
        "",
        "- [shopping.csv](shopping.csv): everything around the boards, by shop, with code, second source,",
        "  price of a piece, pieces, notes;",
        "- [order.csv](order.csv): parts of the boards, to upload to a distributor: N03 and H06, with N01",
        "  (the Pico) and N04 (the converter), which you order once;",
        "- [tools.csv](tools.csv): tools.",
        "",
        "Buy for two nodes first, and the rest when they work. Pieces include spares: 10 % for the nodes,",
        f"and in order.csv {LOOSE} loose pieces of each code. `code_read` no: see",
        "[unverified.md](unverified.md). Sums: [costs.md](costs.md). Another size:",
        '`make costs ARGS="35 --shopping"`. Rows are fed and divided into zones as `pi-controller paper`',
        "proposes:",
        "",
        *bom.sizes(halls),
    ]
    return "\n".join(lines) + "\n"


def shopping_list(
    items: Sequence[Item],
    halls: Mapping[int, Mapping[str, int]],
    catalogue: Catalogue,
    costs: Mapping[str, Price | None],
) -> str:
    """CSV with a line for each line of bom.csv, sorted by shop; its head names the columns."""
    shops = list(dict.fromkeys(item.source for item in items))
    lines = []
    for item in sorted(items, key=lambda item: shops.index(item.source)):
        order, price = catalogue.items.get(item.id), costs.get(item.id)
        bought = (item.bought(found) for found in halls.values())
        named = (order.maker, order.code, _read(order), order.second) if order else ("", "", "", "")
        cost = prices.each(price) if price else ""
        lines.append((item.source, item.id, item.part, *named, item.alternatives, cost, *bought, item.note))
    names = ("shop", "id", "part", "maker", "code", "code_read", "second_source", "alternatives", "eur_each")
    return _csv((*names, *_counts(halls), "note"), lines)


def order_list(halls: Mapping[int, Mapping[str, int]], board_parts: Sequence[Need]) -> str:
    """CSV with a line for each order code on the boards; its head names the columns."""
    lines = [
        (
            need.order.maker,
            need.order.code,
            _read(need.order),
            need.what,
            need.order.second,
            *(need.bought(size) for size in halls),
        )
        for need in board_parts
    ]
    return _csv(("maker", "code", "code_read", "description", "second_source", *_counts(halls)), lines)


def unverified(items: Sequence[Item], board_parts: Sequence[Need], catalogue: Catalogue) -> str:
    """What nobody has read in a data sheet or catalogue yet."""
    lines = [
        "# What could not be verified",
        "",
        "For anyone who buys parts or verifies them. State: **paper**. Made by `make generate` from",
        "[parts.toml](parts.toml).",
        "",
        "Nothing in this folder was bought, held or measured. Of the parts below, in addition, the order",
        "code or its package was not read in a data sheet or in several independent lists that quote it, or",
        "something else is not known. If you look one up, set `seen = true` there and name the document.",
        "",
        "| Part | Code read | Not known |",
        "|---|---|---|",
    ]
    named = [(f"{need.order.maker} {need.order.code}", need.order) for need in board_parts]
    named += [
        (f"{item.id} {item.name if _is_any(order) else _name(order)}", order)
        for item in items
        if (order := catalogue.items.get(item.id))
    ]
    doubtful = [(what, order) for what, order in named if not order.seen or order.open]
    lines += [
        f"| {what} | {'yes' if order.seen else '**no**'} | {order.open or '-'} |" for what, order in doubtful
    ]
    bare = [item.id for item in items if item.id not in catalogue.items]
    lines += [
        "",
        f"{len(named) - len(doubtful)} of {len(named)} lines: an order code that was read, nothing open.",
        f"Without a code, as they are made or printed here: {', '.join(bare)}. Also not verified: the",
        "rotation of every part in JLC's preview, JLC's part numbers (where none is given the house finds",
        "the part by maker's code), all prices without offer or receipt.",
    ]
    return "\n".join(lines) + "\n"


def _is_any(order: Order) -> bool:
    """Bought by its description: no maker and no code are named."""
    return not order.seen and order.maker.split()[0] in {"any", "no"}


def _read(order: Order) -> str:
    return "yes" if order.seen else "no"


def _counts(halls: Iterable[int]) -> Iterator[str]:
    return (f"for_{size}" for size in halls)


def _csv(names: Iterable[object], lines: Iterable[Iterable[object]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([names, *lines])
    return out.getvalue()


def _name(order: Order) -> str:
    return order.code if order.maker == "any" else f"{order.maker} {order.code}"
