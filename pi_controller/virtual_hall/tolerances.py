"""What one board differs in from the next: drawn anew for each virtual node, within what the data sheets
allow."""

from dataclasses import dataclass
from random import Random

FULL_SCALE_V = 36.3
"""At the line: 3.3 V behind the divider of 100 kOhm and 10 kOhm."""
STEP_V = FULL_SCALE_V / 4096
"""Of the 12-bit converter, at the line."""
WIDE_STEPS_AT = (512, 1536, 2560, 3584)
"""Codes that swallow some of their neighbours (RP2040-E11)."""
WIDE_STEP = 9
READINGS = 64
"""MEASURED is the mean of so many."""
SPREAD = 4.7
"""Standard deviations between the least and the greatest of them, on the average; 0.7 more or less."""
SPREAD_VARIES = 0.7
LAMP_MA = 18.0
SIDE_LAMP_MA = (8.0, 20.7)
CLAIM_LAMP_MA = (5.0, 35.0)
"""Of lamps at their brightest, behind their resistors: any make (hardware/spice/node_lamps.cir)."""
DISPLAYS_DIFFER = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerances:
    """Of one board; the defaults are those of a board without any. Gains are factors of a reading."""

    supply_gain: float = 1.0
    supply_offset_v: float = 0.0
    noise_v: float = 0.0
    """Of one reading, root mean square."""
    wide_step: float = 0.0
    """Codes that each of WIDE_STEPS_AT swallows."""
    lamps_gain: float = 1.0
    displays_gain: float = 1.0
    displays_offset_ma: float = 0.0
    temperature_c: float = 0.0
    """By so much its sensor tells too much."""
    crystal_ppm: float = 0.0
    turnaround_ms: float = 0.0
    """In which it answers later than the fastest."""
    lamps_ma: tuple[float, ...] = (LAMP_MA,) * 4
    """That its lamps really take: of Sun, Moon and their buttons."""
    glass_gains: tuple[float, ...] = (1.0, 1.0)
    """By what its two displays take more than the usual one."""

    def read_supply(self, volts: float, random: Random) -> float:
        """What the board measures, in volts at the line: the mean of READINGS."""
        noise = random.gauss(0.0, self.noise_v / READINGS**0.5) if self.noise_v else 0.0
        code = (volts * self.supply_gain + self.supply_offset_v) / STEP_V
        wide = sum(_swallowed(code, at, self.wide_step) for at in WIDE_STEPS_AT)
        return (code + wide) * STEP_V + noise

    def tell_supply(self, volts: float, random: Random) -> float:
        """As HEALTH tells it, in steps of 0.2 V."""
        return round(self.read_supply(volts, random) / 0.2) * 0.2

    def read_spread(self, random: Random) -> float:
        """Between the least and the greatest of READINGS, in volts at the line."""
        return max(0.0, random.gauss(SPREAD, SPREAD_VARIES) * self.noise_v) if self.noise_v else 0.0

    def read_lamps(self, milliamps: float) -> float:
        return max(0.0, milliamps * self.lamps_gain)

    def read_displays(self, milliamps: float) -> float:
        return max(0.0, milliamps * self.displays_gain + self.displays_offset_ma)


IDEAL = Tolerances()


def draw(random: Random) -> Tolerances:
    """One board as it may come from the drawer.

    Reference: the Pico's 3.3 V, 1 %. Divider: two resistors of 1 %, of which 10/11 counts. Offset: 4 codes.
    Shunts 1 %, INA180 1 % and 0.15 mV. Temperature: 1 % of the reference is 4 degrees, 3 more by the diode.
    Crystal 30 ppm, and 20 more by its temperature and age.
    """
    reference = random.uniform(-0.01, 0.01)
    hung = Random(str(reference))  # noqa: S311 - what hangs on the board: no secret
    upper, lower = random.uniform(-0.01, 0.01), random.uniform(-0.01, 0.01)
    return Tolerances(
        supply_gain=(1 - (upper - lower) * 10 / 11) / (1 + reference),
        supply_offset_v=random.uniform(-4, 4) * STEP_V,
        noise_v=random.uniform(1, 4) * STEP_V,
        wide_step=random.uniform(WIDE_STEP - 2, WIDE_STEP),
        lamps_gain=(1 + random.uniform(-0.01, 0.01)) / (1 + reference),
        displays_gain=(1 + random.uniform(-0.01, 0.01)) * (1 + random.uniform(-0.01, 0.01)) / (1 + reference),
        displays_offset_ma=random.uniform(-1.5, 1.5),
        temperature_c=400 * reference + random.uniform(-3, 3),
        crystal_ppm=random.uniform(-50, 50),
        turnaround_ms=random.uniform(0, 1.5),
        lamps_ma=tuple(hung.uniform(*between) for between in (SIDE_LAMP_MA,) * 2 + (CLAIM_LAMP_MA,) * 2),
        glass_gains=tuple(hung.uniform(1 - DISPLAYS_DIFFER, 1 + DISPLAYS_DIFFER) for _ in range(2)),
    )


def _swallowed(code: float, at: int, wide: float) -> float:
    """By how much the reading lies above the code: half of the wide step before it, less half behind it."""
    return 0.0 if not wide else (-wide / 2 if code < at else wide / 2)
