"""A plan as a table and as sentences, for screens and for paper."""

from collections.abc import Iterator, Sequence
from typing import Any

from pi_controller.supply.plan import Plan
from pi_controller.supply.zone import Zone

HEAD = (
    "Row", "Boards", "Injector", "Last V", "Feed A", "Contact A", "Step V", "0 V shift", "Supply", "Fuse",
)  # fmt: skip


def assumptions(plan: Plan) -> str:
    """What the figures hold for."""
    wiring = plan.wiring
    cable = wiring.gauge if "mm2" in wiring.gauge else f"AWG {wiring.gauge}"
    copper = "copper-clad aluminium" if wiring.copper_clad_aluminium else "copper"
    lead = f", lead-in {wiring.lead_m:g} m of {wiring.lead_gauge}" if wiring.lead_m else ""
    return (
        f"{wiring.volts:g} V, {wiring.watts:g} W a node behind a converter of {wiring.efficiency:.0%},"
        f" {wiring.hop_m:g} m from board to board, {wiring.conductors} × {cable} {copper} for each rail{lead}"
    )


def rows(plan: Plan, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """One line a zone, under HEAD. `names` of the rows, in the plan's order."""
    for name, zones in zip(names, plan.rows, strict=True):
        for zone in zones:
            yield (name, _span(zone), _place(zone), *_values(zone))


def troubles(plan: Plan, names: Sequence[str]) -> list[str]:
    """Why it must not be built like this."""
    return [f"Row {name}, {fault}." for name, zone in _named(plan, names) for fault in zone.faults]


def remarks(plan: Plan, names: Sequence[str]) -> list[str]:
    """What is worth knowing although it holds."""
    return [f"Row {name}, {remark}." for name, zone in _named(plan, names) for remark in zone.remarks]


def to_buy(plan: Plan) -> list[tuple[str, int]]:
    """Supplies, injectors and fuses with their number; zones without a fitting part are left out."""
    zones = plan.zones
    supplies = [f"supply {plan.wiring.volts:g} V, {zone.supply_w} W" for zone in zones if zone.supply_w]
    fuses = [f"fuse T {zone.fuse_a:g} A" for zone in zones if zone.fuse_a]
    parts = [*sorted(set(supplies)), *sorted(set(fuses))]
    counted = [(part, [*supplies, *fuses].count(part)) for part in parts]
    return [("injector", len(zones)), *counted]


def values(plan: Plan, names: Sequence[str]) -> dict[str, Any]:
    """Plain JSON: units are in the names; null where a zone collapses or no part is large enough."""
    wiring = plan.wiring
    return {
        "volts": wiring.volts,
        "watts": wiring.watts,
        "efficiency": wiring.efficiency,
        "gauge": wiring.gauge,
        "hop_m": wiring.hop_m,
        "conductors": wiring.conductors,
        "contact_mohm": wiring.contact_mohm,
        "copper_clad_aluminium": wiring.copper_clad_aluminium,
        "lead_m": wiring.lead_m,
        "lead_gauge": wiring.lead_gauge,
        "holds": plan.holds,
        "zones": [{"row": name, **_zone(zone)} for name, zone in _named(plan, names)],
    }


def _zone(zone: Zone) -> dict[str, Any]:
    settled = zone.settled
    return {
        "first": zone.first,
        "last": zone.last,
        "feed": zone.feed,
        "injector_after": zone.injector_after,
        "collapses": settled is None,
        "node_v": [round(v, 3) for v in zone.volts],
        "last_v": None if settled is None else round(settled.last_v, 3),
        "feed_a": None if settled is None else round(settled.feed_a, 3),
        "contact_a": None if settled is None else round(zone.contact_a, 3),
        "step_v": None if settled is None else round(zone.step_v, 3),
        "shift_v": None if settled is None else round(zone.shift_v, 3),
        "short_a": round(zone.short_a, 2),
        "supply_w": zone.supply_w,
        "fuse_a": zone.fuse_a,
        "faults": list(zone.faults),
        "remarks": list(zone.remarks),
    }


def _named(plan: Plan, names: Sequence[str]) -> Iterator[tuple[str, Zone]]:
    for name, zones in zip(names, plan.rows, strict=True):
        yield from ((name, zone) for zone in zones)


def _values(zone: Zone) -> tuple[str, ...]:
    settled = zone.settled
    if settled is None:
        return ("collapses", "-", "-", "-", "-", "-", "-")
    return (
        f"{settled.last_v:.1f}",
        f"{settled.feed_a:.2f}",
        f"{zone.contact_a:.2f}",
        f"{zone.step_v:.2f}",
        f"{zone.shift_v:.1f}",
        f"{zone.supply_w} W" if zone.supply_w else "-",
        f"T {zone.fuse_a:g} A" if zone.fuse_a else "-",
    )


def _span(zone: Zone) -> str:
    return f"{zone.first}" if zone.first == zone.last else f"{zone.first}-{zone.last}"


def _place(zone: Zone) -> str:
    return "before 1" if zone.injector_after == 0 else f"after {zone.injector_after}"
