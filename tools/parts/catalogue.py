"""hardware/parts.toml: what is ordered for a kind of part, and whether its package meets the footprint."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tools.kicad_files import Footprint, Kind, Pad, Part

NEAR = 0.15
"""Millimetres by which a row of holes may differ from the part's wires, over its whole length."""
SLACK = 0.05
"""Millimetres that a lead may be wider than its pad."""


class PartsError(ValueError):
    """The file cannot be used; the text says where and what to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is written on an order. `seen`: code and package were read in the source or where it is quoted."""

    maker: str
    code: str
    package: str
    source: str
    second: str
    seen: bool
    open: str = ""
    also: str = ""
    """Another [[part]] that is bought with each piece."""
    jlc: str = ""
    """The part in JLC's own list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """Of a part, as its maker draws it, in millimetres; None and 0 where it says nothing."""

    footprints: tuple[str, ...]
    lead: float
    pins: int = 0
    span: tuple[float, float] | None = None
    pitch: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    packages: dict[str, Package]
    parts: dict[str, Order] = field(repr=False)
    series: dict[str, Order] = field(repr=False)
    items: dict[str, Order] = field(repr=False)
    codes: tuple[tuple[re.Pattern[str], str], ...] = field(repr=False)

    def order(self, kind: Kind) -> Order:
        """PartsError when nothing stands for it in parts.toml."""
        found = (
            self.parts.get(f"{kind.value}/{kind.footprint}")
            or self.parts.get(kind.value)
            or self.series.get(kind.footprint)
        )
        if found is None:
            raise PartsError(
                f"hardware/parts.toml has no {kind.value!r} on {kind.footprint}; add a [[part]] for it."
            )
        names = {"value": _short(kind.value), "value4": _four(kind.value), "pins": kind.pins}
        return replace(found, code=found.code.format(**names), second=found.second.format(**names))

    def package_of(self, code: str) -> str:
        """That the code itself names; empty where it names none. PartsError when it seems to name two."""
        found = {package for pattern, package in self.codes if pattern.search(code)}
        if len(found) > 1:
            raise PartsError(f"hardware/parts.toml: {code} matches [[code]] patterns of {sorted(found)}.")
        return next(iter(found), "")

    def faults(self, kind: Kind, footprint: Footprint) -> list[str]:
        """Why this kind's part would not fit its place on the board; PartsError when there is no part."""
        order = self.order(kind)
        package = self.packages[order.package]
        if kind.footprint not in package.footprints:
            return [f"{order.code} comes in {order.package}, which is not the footprint {kind.footprint}"]
        said = self.package_of(order.code)
        if said and said != order.package and kind.footprint not in self.packages[said].footprints:
            return [f"the code {order.code} means {said}, not {order.package}"]
        return [f"{order.code}: {fault}" for fault in faults(package, footprint)]


def read(text: str) -> Catalogue:
    """PartsError names the first entry that is wrong."""
    data = tomllib.loads(text)
    packages = {
        name: Package(**{key: tuple(cell) if isinstance(cell, list) else cell for key, cell in entry.items()})
        for name, entry in data["package"].items()
    }
    made = Catalogue(
        packages=packages,
        parts=_orders(data["part"], "values"),
        series=_orders(data["series"], "footprints"),
        items=_orders(data["item"], "ids"),
        codes=tuple((re.compile(entry["pattern"]), entry["package"]) for entry in data["code"]),
    )
    for order in made.parts.values():
        if order.also and order.also not in made.parts:
            raise PartsError(f"hardware/parts.toml, {order.code}: also {order.also!r} is no [[part]].")
    used = [order.package for order in (*made.parts.values(), *made.series.values())]
    for name in [*used, *(package for _, package in made.codes)]:
        if name not in packages:
            raise PartsError(f"hardware/parts.toml: there is no package {name!r}; add it or mend the name.")
    return made


def load(root: Path) -> Catalogue:
    """Of this checkout."""
    return read((root / "hardware" / "parts.toml").read_text(encoding="utf-8"))


def kinds(parts: dict[str, Part]) -> dict[Kind, list[str]]:
    """What a sheet's parts are: each kind that is bought, with its references in order."""
    found: dict[Kind, list[str]] = {}
    for part in parts.values():
        if part.bought:
            found.setdefault(part.kind, []).append(part.ref)
    return {kind: sorted(refs, key=by_number) for kind, refs in found.items()}


def faults(package: Package, footprint: Footprint) -> list[str]:
    """Where pads or holes miss the leads."""
    pads = [pad for pad in footprint.pads if pad.number]
    numbers = {pad.number for pad in pads}
    if package.pins and len(numbers) != package.pins:
        return [f"{package.pins} pins, {len(numbers)} pads"]
    return [*_tips(package, pads), *_widths(package, pads), *_rows(package, pads)]


def _tips(package: Package, pads: Iterable[Pad]) -> list[str]:
    if package.span is None:
        return []
    least, most = (length / 2 for length in package.span)
    found = []
    for pad in pads:
        inner, outer = abs(pad.x) - pad.wide / 2, abs(pad.x) + pad.wide / 2
        if outer < most or inner > least:
            found.append(
                f"pad {pad.number} is at {inner:.2f} to {outer:.2f} mm, its lead ends at {least} to {most}"
            )
    return found


def _widths(package: Package, pads: Iterable[Pad]) -> list[str]:
    return [
        f"pad {pad.number} takes {room} mm, its lead has {package.lead}"
        for pad in pads
        if (room := pad.drill or pad.high) + SLACK < package.lead
    ]


def _rows(package: Package, pads: list[Pad]) -> list[str]:
    """Pins 1, 2 … as far as they stand in one line."""
    if not package.pitch:
        return []
    first = pads[0]
    row = [pad for pad in pads if pad.x == first.x] if len(pads) > 2 and pads[1].x == first.x else pads
    line = [max(abs(pad.x - first.x), abs(pad.y - first.y)) for pad in row]
    return [
        f"pin {pad.number} stands {at:.2f} mm from pin {first.number}, the part's {index * package.pitch:.2f}"
        for index, (pad, at) in enumerate(zip(row, line, strict=True))
        if abs(at - index * package.pitch) > NEAR
    ]


def _orders(entries: list[dict[str, Any]], key: str) -> dict[str, Order]:
    found: dict[str, Order] = {}
    for entry in entries:
        names = entry.pop(key)
        try:
            order = Order(package=entry.pop("package", ""), **entry)
        except TypeError as wrong:
            raise PartsError(f"hardware/parts.toml, {names}: {wrong}.") from wrong
        if not (order.maker and order.code and order.source and order.second):
            raise PartsError(
                f"hardware/parts.toml, {names}: maker, code, source and second must be filled in."
            )
        for name in names:
            if name in found:
                raise PartsError(f"hardware/parts.toml: {name!r} is there twice.")
            found[name] = order
    return found


def _short(value: str) -> str:
    """4k7 → 4K7, 100 → 100R, 10k → 10K, as Yageo writes resistors."""
    text = value.upper().replace(".", "R")
    return text if re.search("[RKM]", text) else f"{text}R"


def _four(value: str) -> str:
    """4k7 → 4K70, 100 → 100R, 10k → 10K0, as Vishay writes them."""
    text = _short(value)
    return text.ljust(4, "0")[:4]


def by_number(ref: str) -> tuple[str, int]:
    """R2 comes before R10."""
    letters = ref.rstrip("0123456789")
    return letters, int(ref[len(letters) :])
