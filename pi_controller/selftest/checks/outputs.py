"""The currents of the panel's lamps and buzzer: flowing or not, too much, and other than at the last test."""

from pi_controller.hal.names import LampName
from pi_controller.protocol.probes import PanelCurrent
from pi_controller.protocol.sentences import view
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.verdicts import Record
from pi_controller.sentence import Sentence

NAMES: dict[str, Sentence] = {
    "sun": Sentence("selftest.sun_lamp"),
    "moon": Sentence("selftest.moon_lamp"),
    "pause": Sentence("selftest.pause_lamp"),
}
PLUGS: dict[str, str] = {"sun": "J3", "moon": "J4", "pause": "J6"}
FUSES: dict[str, str] = {"sun": "F3", "moon": "F4", "pause": "F6"}
LEAST_V, MOST_V = 21.6, 26.4
"""24 V, 10 % either way."""
MOST_SAG_V = 1.5
REST_A = 0.02
"""With all outputs off nothing else hangs on the panel's 24 V."""
FLOWS_A = 0.005
"""The smallest signal lamp takes more; the sensor tells 0.25 mA."""
SHORT_A = 2.0
"""More than any fuse of an output lets through for long."""
CHANGED = 0.3
"""The sensor and its shunt are good for 2 %, lamps change by some 10 % with heat and supply."""


def judge_rest(record: Record, rest: PanelCurrent) -> PanelCurrent:
    """Supply and current with all outputs off."""
    holds = LEAST_V <= rest.volts <= MOST_V
    record.value(
        Sentence("selftest.panels_supply"),
        rest.volts,
        "V",
        limit=Sentence("selftest.21_6_to_26_4"),
        ok=holds,
    )
    still = rest.amps <= REST_A
    record.value(
        Sentence("selftest.current_with_all_dark"),
        rest.amps * 1000,
        "mA",
        limit=Sentence("selftest.at_most", limit=round(REST_A * 1000)),
        ok=still,
    )
    if not holds:
        record.fault(
            Sentence("selftest.panels_24_v_supply"), Sentence("selftest.panel_has_only_v", volts=rest.volts)
        )
    if not still:
        record.fault(
            Sentence("selftest.driver_of_the_panel"),
            Sentence("selftest.current_flows_with_all_dark", current=rest.amps * 1000),
        )
    return rest


def is_usual(found: PanelCurrent, rest: PanelCurrent) -> bool:
    return FLOWS_A <= found.amps - rest.amps <= SHORT_A


def judge_lamp(
    record: Record,
    hall: HallUnderTest,
    lamp: LampName,
    *,
    rest: PanelCurrent,
    found: PanelCurrent,
    fuse_holds: bool | None = None,
    sag_is_told: bool = False,
) -> bool:
    """Whether it takes its current; `fuse_holds`: what else hangs on its fuse has its 24 V. `sag_is_told`: by
    another check of the session."""
    name, amps, sag = NAMES[lamp], found.amps - rest.amps, rest.volts - found.volts
    ok = is_usual(found, rest)
    limit = Sentence("selftest.ma_to_ma", least=round(FLOWS_A * 1000), most=round(SHORT_A * 1000))
    record.value(Sentence("selftest.current_of", lamp=name), amps * 1000, "mA", limit=limit, ok=ok)
    if rest.volts < LEAST_V:
        return False
    if amps < FLOWS_A:
        _no_current(record, lamp, fuse_holds=fuse_holds)
    elif amps > SHORT_A:
        record.fault(
            Sentence("selftest.wires_of_the", lamp=name),
            Sentence("selftest.too_much_current", lamp=name, current=amps * 1000),
        )
    elif sag > MOST_SAG_V and not sag_is_told:
        record.fault(
            Sentence("selftest.panels_24_v_supply"),
            Sentence("selftest.panels_supply_sags", volts=sag, lamp=name),
        )
    else:
        judge_since(record, hall, figure=Sentence("selftest.current_of", lamp=name), part=name, amps=amps)
    return ok


def _no_current(record: Record, lamp: LampName, *, fuse_holds: bool | None) -> None:
    name, plug, fuse = NAMES[lamp], PLUGS[lamp], FUSES[lamp]
    if fuse_holds is None:
        record.fault(
            Sentence("selftest.fuse_wire_or_lamp_of", lamp=name),
            Sentence("selftest.no_current_flows", lamp=name, fuse=fuse, plug=plug),
        )
    elif fuse_holds:
        record.fault(
            Sentence("selftest.wire_or_lamp_of", lamp=name),
            Sentence("selftest.no_current_but_its_fuse_holds", lamp=name, fuse=fuse, plug=plug),
        )
    else:
        record.fault(
            Sentence("selftest.fuse_of", lamp=name, fuse=fuse),
            Sentence("selftest.nothing_behind_the_fuse", lamp=name, fuse=fuse, plug=plug),
        )


def judge_since(
    record: Record, hall: HallUnderTest, *, figure: Sentence, part: Sentence, amps: float
) -> None:
    """A warning where this output takes much more or less than at the last test."""
    before = hall.before(hall.code)
    for value in () if before is None else before.values:
        was = value.value
        if value.name_key == view(figure) and isinstance(was, int | float) and was >= FLOWS_A * 1000:
            now = amps * 1000
            if abs(now / was - 1) > CHANGED:
                told = Sentence("selftest.current_has_changed", part=part, before=was, now=now)
                record.fault(part, told, severity="warning")
            return
