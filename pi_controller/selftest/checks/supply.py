"""PWR and TMP: the controller's own supply and heat."""

from typing import get_args

from pi_controller.hal.facts import SupplyFacts
from pi_controller.hal.names import LampName
from pi_controller.selftest.hall import Hall
from pi_controller.selftest.outcome import Outcome, Record, not_fitted

LOAD_S = 0.5
"""All lamps burn for so long while the supply is looked at."""
LAMPS: tuple[LampName, ...] = get_args(LampName)
WARM_C = 70.0
HOT_C = 80.0
"""Above it the processor slows down by itself."""
SUPPLY = "the controller's power supply and its cable"
COOLING = "the controller's heat sink or fan"


def pwr(hall: Hall) -> Outcome:
    """The firmware's alarm bits now, under the load of the lamps, and since boot."""
    before = hall.probes.facts()
    if before.supply is None:
        return not_fitted("This computer does not watch its own supply.")
    loaded = _under_load(hall, before.supply) if hall.level == "field" else before.supply
    record = Record()
    now = before.supply.under_voltage
    record.value("under-voltage now", _yes(now), limit="no", ok=not now)
    record.value(
        "under-voltage with all lamps lit",
        _yes(loaded.under_voltage),
        limit="no",
        ok=not loaded.under_voltage,
    )
    earlier = before.supply.under_voltage_since_boot
    record.value("under-voltage since boot", _yes(earlier), limit="no", ok=not earlier)
    if now or loaded.under_voltage:
        when = "" if now else " as soon as the lamps are lit"
        record.fault(
            SUPPLY,
            f"The controller gets less than 4.63 V{when}: use a power supply of its maker, with its own"
            " short cable.",
        )
    elif earlier:
        record.fault(
            SUPPLY,
            "The controller's supply was too low at some time since it was switched on: look at plug and"
            " cable.",
            severity="warning",
        )
    return record.outcome("The supply holds.")


def tmp(hall: Hall) -> Outcome:
    """Temperature of the processor, and whether it was slowed down for it."""
    facts = hall.probes.facts()
    if facts.temperature_c is None:
        return not_fitted("This computer does not tell its temperature.")
    record = Record()
    hot = facts.temperature_c
    record.value("temperature", hot, "°C", limit="below 70, warning up to 80", ok=hot < WARM_C)
    slow = facts.supply is not None and facts.supply.throttled and not facts.supply.under_voltage
    record.value("slowed down now", _yes(slow), limit="no", ok=not slow)
    if hot > HOT_C:
        record.fault(COOLING, f"The controller is at {hot:.0f} °C: see to its heat sink, fan and air slots.")
    elif slow:
        record.fault(
            COOLING, f"The controller has slowed down, at {hot:.0f} °C: see to its heat sink and fan."
        )
    elif hot >= WARM_C:
        record.fault(
            COOLING,
            f"The controller is warm, {hot:.0f} °C: give it air before the hall is full.",
            severity="warning",
        )
    return record.outcome("The controller is cool enough.")


def _under_load(hall: Hall, before: SupplyFacts) -> SupplyFacts:
    for lamp in LAMPS:
        hall.probes.lamp(lamp, lit=True)
    hall.pause(LOAD_S)
    found = hall.probes.facts().supply
    for lamp in LAMPS:
        hall.probes.lamp(lamp, lit=False)
    return found or before


def _yes(bit: bool) -> str:  # noqa: FBT001 - a word for it
    return "yes" if bit else "no"
