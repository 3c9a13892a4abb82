"""A plan as a table and as sentences, for screens and for paper."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from pi_controller.sentence import Sentence
from pi_controller.supply.zone import SupplyPlan, Zone

Cell: TypeAlias = "str | Sentence"
"""Of the table; text that is the same in all languages stands as it is."""

HEAD = (
    Sentence("supply.column_row"),
    Sentence("supply.column_boards"),
    Sentence("supply.column_injector"),
    Sentence("supply.column_last_v"),
    Sentence("supply.column_feed_a"),
    Sentence("supply.column_contact_a"),
    Sentence("supply.column_step_v"),
    Sentence("supply.column_shift_v"),
    Sentence("supply.column_supply"),
    Sentence("supply.column_fuse"),
)


def assumptions(plan: SupplyPlan) -> Sentence:
    """What the figures hold for."""
    wiring = plan.wiring
    metal = (
        Sentence("supply.copper_clad_aluminium")
        if wiring.copper_clad_aluminium
        else Sentence("supply.copper")
    )
    basis = Sentence(
        "supply.assumptions",
        volts=wiring.volts,
        watts=wiring.watts,
        efficiency=wiring.efficiency,
        hop_m=wiring.hop_m,
        conductors=wiring.conductors,
        cable=wiring.gauge if "mm2" in wiring.gauge else f"AWG {wiring.gauge}",
        metal=metal,
    )
    if not wiring.lead_m:
        return basis
    return Sentence(
        "supply.assumptions_with_lead", basis=basis, lead_m=wiring.lead_m, gauge=wiring.lead_gauge
    )


def rows(plan: SupplyPlan, names: Sequence[str]) -> Iterator[tuple[Cell, ...]]:
    """One line a zone, under HEAD. `names` of the rows, in the plan's order."""
    for name, zones in zip(names, plan.rows, strict=True):
        for zone in zones:
            yield (name, _span(zone), _place(zone), *_values(zone))


def troubles(plan: SupplyPlan, names: Sequence[str]) -> list[Sentence]:
    """Why it must not be built like this."""
    return [_in_row(name, fault) for name, zone in _named(plan, names) for fault in zone.faults]


def remarks(plan: SupplyPlan, names: Sequence[str]) -> list[Sentence]:
    """What is worth knowing although it holds: of single zones, then what is so in most of them."""
    found = [_in_row(name, remark) for name, zone in _named(plan, names) for remark in zone.remarks]
    if any(zone.supply_limits_first for zone in plan.zones):
        found.append(Sentence("supply.supply_limits_a_short"))
    return found


def to_buy(plan: SupplyPlan) -> list[tuple[Sentence, int]]:
    """Supplies, injectors and fuses with their number; zones without a fitting part are left out."""
    zones, volts = plan.zones, plan.wiring.volts
    supplies = Counter(zone.supply_w for zone in zones if zone.supply_w)
    fuses = Counter(zone.fuse_a for zone in zones if zone.fuse_a)
    return [
        (Sentence("supply.injector"), len(zones)),
        *(
            (Sentence("supply.supply", volts=volts, watts=watts), count)
            for watts, count in sorted(supplies.items())
        ),
        *((Sentence("supply.fuse", amps=amps), count) for amps, count in sorted(fuses.items())),
    ]


def values(plan: SupplyPlan, names: Sequence[str]) -> dict[str, object]:
    """JSON but for the sentences in it. Units are in the names; null where a zone collapses or no
    part is large enough."""
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


def _zone(zone: Zone) -> dict[str, object]:
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
        "sure_a": round(zone.sure_a, 2),
        "supply_w": zone.supply_w,
        "fuse_a": zone.fuse_a,
        "faults": list(zone.faults),
        "remarks": list(zone.remarks),
    }


def _named(plan: SupplyPlan, names: Sequence[str]) -> Iterator[tuple[str, Zone]]:
    for name, zones in zip(names, plan.rows, strict=True):
        yield from ((name, zone) for zone in zones)


def _in_row(row: str, fault: Sentence) -> Sentence:
    return Sentence("supply.in_row", row=row, fault=fault)


def _values(zone: Zone) -> tuple[Cell, ...]:
    settled = zone.settled
    if settled is None:
        return (Sentence("supply.value_collapses"), "-", "-", "-", "-", "-", "-")
    return (
        Sentence("supply.one_decimal", value=settled.last_v),
        Sentence("supply.two_decimals", value=settled.feed_a),
        Sentence("supply.two_decimals", value=zone.contact_a),
        Sentence("supply.two_decimals", value=zone.step_v),
        Sentence("supply.one_decimal", value=zone.shift_v),
        f"{zone.supply_w} W" if zone.supply_w else "-",
        Sentence("supply.slow_fuse", amps=zone.fuse_a) if zone.fuse_a else "-",
    )


def _span(zone: Zone) -> str:
    return f"{zone.first}" if zone.first == zone.last else f"{zone.first}-{zone.last}"


def _place(zone: Zone) -> Sentence:
    if zone.injector_after == 0:
        return Sentence("supply.before_the_first")
    return Sentence("supply.after", board=zone.injector_after)
