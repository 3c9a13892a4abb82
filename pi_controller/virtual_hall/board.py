"""The simulated circuit board of a table node: what the firmware sees of its hardware, and what may be
wrong.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from pi_controller.protocol.simulated import Do, VirtualAction
from pi_controller.supply.zone import SupplyWiring
from pi_controller.virtual_hall.flash import VirtualFlash
from pi_controller.vocabulary import SIDES
from table_node import start

# What one board differs in from the next: drawn anew for each virtual node, within what the data sheets
# allow.


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


LAMP_OF_A_BUTTON = 2
"""Lamps are numbered as the firmware does: side 0 and 1, then those of their buttons."""


@dataclass
class BoardDefects:
    """Of one node; None and False: as it should be. Places are counted as the players sit, the Sun's first;
    while they are `crossed`, each is plugged into the other one's connector."""

    supply_v: float | None = None
    temperature_c: int | None = None
    drift_ppm: float | None = None
    noise: float = 0.0
    dark: list[bool] = field(default_factory=lambda: [False, False])
    stuck: list[bool] = field(default_factory=lambda: [False, False])
    dead_lamps: set[int] = field(default_factory=set)
    crossed: bool = False
    firmware: tuple[int, int] | None = None

    def names(self) -> list[VirtualAction]:
        """What is wrong."""
        wrong: dict[VirtualAction, bool] = {
            "supply": self.supply_v is not None,
            "temperature": self.temperature_c is not None,
            "drift": self.drift_ppm is not None,
            "noise": self.noise > 0,
            "dark": any(self.dark),
            "stuck": any(self.stuck),
            "dead_lamp": bool(self.dead_lamps),
            "crossed": self.crossed,
            "firmware": self.firmware is not None,
        }
        return [name for name, is_so in wrong.items() if is_so]

    def spoil(self, action: Do) -> None:
        """What `action`, whose fields have been checked, does to the node."""
        value = action.value or 0.0
        place = SIDES.index(action.side or "sun")
        match action.do:
            case "supply":
                self.supply_v = value
            case "temperature":
                self.temperature_c = round(value)
            case "drift":
                self.drift_ppm = value
            case "noise":
                self.noise = value
            case "dark":
                self.dark[place] = True
            case "stuck":
                self.stuck[place] = True
            case "dead_lamp":
                self.dead_lamps.add(place + LAMP_OF_A_BUTTON * (value > 0))
            case "crossed":
                self.crossed = True
            case "firmware":
                tenths = round(value * 10)
                self.firmware = (tenths // 10, tenths % 10)


TICKS = 1 << 30
"""MicroPython's ticks count modulo this."""
POWER, WATCHDOG, SOFT = 0, 1, 2
"""Causes of a reset, as on the wire (firmware/PROTOCOL.md)."""
SUPPLY_V = 24.0
BRIGHTEST = 255
PROCESSOR_W = 0.25
RAIL_V = 5.0
EFFICIENCY = SupplyWiring().efficiency
TEMPERATURE_C = 25
MEASURE_US = 2_000
"""That three times 64 readings of the converter take; the firmware allows 4 ms (table_node/node.py)."""
MINUTE_US = 60_000_000


class Rebooted(BaseException):
    """The firmware has reset its own processor."""


class Hung(BaseException):
    """The firmware stands still, as ordered, until the watchdog bites."""


class VirtualBoard:
    """The board object of the firmware (`table_node/node.py` says what it needs).

    `now_us` is set from outside, in microseconds of the hall; the crystal counts parts per million faster.
    `lamps` are levels at the connectors, `pressed` buttons at the places; between them lie the `defects`.
    `flash` outlives a restart.
    `say` puts bytes on the cable from a time on and returns when they are over, `tune` changes the baud rate.
    What it measures and how soon it answers is wrong by its `tolerances`; the noise of its readings comes
    from `random`.
    """

    def __init__(
        self,
        *,
        uid: bytes,
        say: Callable[[bytes, int], int],
        tune: Callable[[int], None],
        tolerances: Tolerances = IDEAL,
        random: Random | None = None,
    ) -> None:
        self.uid = uid
        self.hardware = 0
        self.reset = POWER
        self.now_us = 0
        self.fed_us: int | None = None
        self.lamps = [0, 0, 0, 0]
        self.pressed = [False, False]
        self.incoming = bytearray()
        self.said = b""
        """What was sent last."""
        self._say = say
        self._tune = tune
        self.defects = BoardDefects()
        self.tolerances = tolerances
        self._random = random or Random(0)  # noqa: S311 - noise, not secrets
        self.rail_v: Callable[[], float] = lambda: SUPPLY_V
        """What stands at the node's jack now."""
        self.displays_ma: Callable[[], float] = lambda: 0.0
        """What its displays take now."""
        self.loop_closed: Callable[[], bool] = lambda: True
        """Whether the spare wire is whole from here to the terminator."""
        self._rate = 1 + tolerances.crystal_ppm / 1e6
        self._ticks = 0.0
        self._ticks_at_us = 0
        self._record: bytes | None = None
        self.deaf_until_us = 0
        self.flash = VirtualFlash(
            random=Random(uid.hex()),  # noqa: S311 - times of a flash
            now_us=lambda: self.now_us,
            spend=self._stand_still,
        )
        self._watchdog_resets: list[int] = []

    def start(self, reset: int, now_us: int) -> None:
        """As after a reset; what is in flash stays, what was received is gone."""
        self.reset = reset
        self.now_us = now_us
        self.fed_us = None
        self.incoming.clear()
        self.said = b""
        self.lamps[:] = [0, 0, 0, 0]
        if reset == WATCHDOG:
            self._watchdog_resets.append(now_us)

    def read(self, buffer: bytearray) -> int:
        """Received bytes to the beginning of `buffer`; how many."""
        count = min(len(buffer), len(self.incoming))
        if count:
            buffer[:count] = self.incoming[:count]
            del self.incoming[:count]
        return count

    def send(self, buffer: bytearray, count: int) -> None:
        """Returns when the last byte is over."""
        self.said = bytes(buffer[:count])
        begins_us = self.now_us + round(self.tolerances.turnaround_ms * 1000)
        self.now_us = max(self.now_us, self._say(self.said, begins_us))

    def set_baud(self, baud: int) -> None:
        self._tune(baud)

    def button(self, side: int) -> bool:
        place = side ^ self.defects.crossed
        return self.pressed[place] or self.defects.stuck[place]

    def lamp(self, which: int, level: int) -> None:
        self.lamps[which] = level

    def seen_lamps(self) -> list[int]:
        """Of the places, as one sees them."""
        wrong = self.defects
        return [0 if at in wrong.dead_lamps else self.lamps[at ^ wrong.crossed] for at in range(4)]

    def supply(self) -> int:
        return round(self.tolerances.tell_supply(self.volts(), self._random) / 0.2)

    def measure(self, measured: Any) -> None:
        """Into the firmware's own object (table_node/messages.py)."""
        parts = self.tolerances
        self.now_us += MEASURE_US
        measured.supply_mv = round(max(0.0, parts.read_supply(self.volts(), self._random)) * 1000)
        measured.spread_mv = round(parts.read_spread(self._random) * 1000)
        measured.lamps = round(parts.read_lamps(self.lamps_ma()) * 100)
        measured.displays = round(parts.read_displays(self.displays_ma()) * 10)
        measured.loop = self.loop_closed()

    def volts(self) -> float:
        """At the jack, as it is."""
        wrong = self.defects.supply_v
        return self.rail_v() if wrong is None else wrong

    def lamps_ma(self) -> float:
        """What its lamps take now; a dead one takes nothing."""
        levels = zip(self.tolerances.lamps_ma, self.seen_lamps(), strict=True)
        return sum(milliamps * level / BRIGHTEST for milliamps, level in levels)

    def watts(self) -> float:
        """That it takes from the line now: displays and lamps hang on 5 V behind the converter."""
        behind = PROCESSOR_W + RAIL_V * (self.displays_ma() + self.lamps_ma()) / 1000
        return behind / EFFICIENCY

    def temperature(self) -> int:
        wrong = self.defects.temperature_c
        return round((TEMPERATURE_C if wrong is None else wrong) + self.tolerances.temperature_c)

    def retune(self, now_us: int) -> None:
        """The crystal runs from now on as the defects say; its count goes on from where it is."""
        self._ticks += (now_us - self._ticks_at_us) * self._rate
        self._ticks_at_us = now_us
        wrong = self.defects.drift_ppm
        self._rate = 1 + (self.tolerances.crystal_ppm if wrong is None else wrong) / 1e6

    def feed(self) -> None:
        self.fed_us = self.now_us

    def ticks_us(self) -> int:
        return int(self._ticks + (self.now_us - self._ticks_at_us) * self._rate) % TICKS

    @staticmethod
    def ticks_diff(end: int, start: int) -> int:
        return (end - start + TICKS // 2) % TICKS - TICKS // 2

    @staticmethod
    def ticks_add(ticks: int, delta: int) -> int:
        return (ticks + delta) % TICKS

    def load(self) -> bytes | None:
        return self._record

    def save(self, record: bytes) -> None:
        self._record = bytes(record)

    def slot(self) -> bytes | None:
        """What the loader left."""
        return self.flash.kept.get(start.SLOT)

    def files(self) -> VirtualFlash:
        return self.flash

    def _stand_still(self, us: int) -> None:
        """A write to flash switches all interrupts off: what comes meanwhile is lost."""
        self.now_us += us
        self.deaf_until_us = self.now_us

    def reboot(self) -> None:
        raise Rebooted

    def hang(self) -> None:
        raise Hung

    def resets(self) -> int:
        """By the watchdog, in the last minute."""
        return sum(self.now_us - at_us < MINUTE_US for at_us in self._watchdog_resets)
