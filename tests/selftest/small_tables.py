"""Tables as they really are, and what the bus and the eyes make of them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pi_controller.bus.messages import MEASURE_SINCE
from pi_controller.bus.values import (
    DARK_MOON,
    DARK_SUN,
    HALF_CONTRAST,
    PATTERNS,
    ButtonsView,
    DisplaysView,
    NodeView,
    ResetCause,
)
from pi_controller.virtual_hall.board import IDEAL, Tolerances
from pi_controller.vocabulary import SIDES, Side

FIRMWARE = "1.4"
LIT = 255
PICO_W = 0.25
EFFICIENCY = 0.85
BLACK_MA, FACE_MA, CHECKER_MA = 10.0, 40.0, 85.0
WHITE_MA = {"white": 160.0, "checker": CHECKER_MA}
"""Of one 2.42-inch display, by picture; the others are nearly black."""
LAMP_MA = 14.0
SHORTED_LAMP_MA, SHORT_MA = 32.0, 600.0
RAIL_V = 5.0
"""Lamps, and through a linear regulator the displays, hang on the converter's output."""


@dataclass
class Table:
    """One node and its places. `label` is what is written on the table. `loss`: part of the test frames that
    stay unanswered; `swap`: what the roster tells the node of its orientation."""

    label: str
    uid: str
    segment: str = "A"
    answers: bool = True
    address_twice: bool = False
    outdated: bool = False
    firmware: str = FIRMWARE
    tests: bool = True
    protocol: int = 6
    supply_v: float | None = None
    """What arrives, whatever the cables do; None: what the cables let through."""
    stub_ohm: float = 0.0
    deaf_to_loop: bool = False
    tolerances: Tolerances = IDEAL
    temperature_c: int = 25
    boots: int = 1
    reset: ResetCause = "power"
    missed: int = 0
    safe_mode: bool = False
    silent_displays: set[Side] = field(default_factory=set)
    dark: set[Side] = field(default_factory=set)
    torn: set[Side] = field(default_factory=set)
    """Their displays take their current and show something else."""
    displays_shorted: bool = False
    measures: bool = True
    """Its board is of revision 2."""
    lamp_ma: list[float] = field(default_factory=lambda: [LAMP_MA] * 4)
    display_ma: dict[Side, float] = field(default_factory=lambda: dict.fromkeys(SIDES, 1.0))
    """Times what displays usually take."""
    dead_lamps: set[int] = field(default_factory=set)
    shorted_lamps: set[int] = field(default_factory=set)
    burning_lamps: set[int] = field(default_factory=set)
    dead_buttons: set[Side] = field(default_factory=set)
    stuck: set[Side] = field(default_factory=set)
    crossed: bool = False
    swap: bool = False
    loss: float = 0.0
    p50_ms: float = 1.1
    p99_ms: float = 2.4
    drift_us: int | None = 400
    acknowledged_ms: float | None = 180.0
    watchdog: bool = True
    hung_until: float | None = None
    what: str = "off"
    number: int = 0

    def told(self, what: str, number: int) -> None:
        if self.tests or what in ("name", "enrol", "off"):
            self.what, self.number = what, number

    def side(self, place: Side) -> Side:
        """What the node takes this place for."""
        return SIDES[SIDES.index(place) ^ self.crossed ^ self.swap]

    def lamps(self) -> tuple[bool, ...]:
        """What burns: at the Sun place, the Moon place, and their buttons."""
        lit = []
        for at in range(4):
            bit = at ^ (self.crossed ^ self.swap)
            driven = self.what == "lamps" and bool(self.number >> bit & 1) and self.answers
            lit.append((driven and at not in self.dead_lamps) or at in self.burning_lamps)
        return tuple(lit)

    def shows(self, place: Side, pattern: int) -> bool:
        """Whether the display there shows this pattern."""
        if self.what != "pattern" or self.displays_shorted or not self.answers:
            return False
        whole = place not in self.dark | self.silent_displays | self.torn
        return whole and self._pattern(self.side(place)) == PATTERNS[pattern]

    def _pattern(self, side: Side) -> str:
        """What a node draws there: what it does not know is all white."""
        if self.protocol < MEASURE_SINCE:
            return PATTERNS[self.number] if self.number < len(PATTERNS) else "white"
        dark = self.number & (DARK_SUN if side == "sun" else DARK_MOON)
        return "black" if dark else PATTERNS[self.number & 255]

    def displays_ma(self) -> float:
        """Through both displays, at 3.3 V."""
        if not self.answers:
            return 0.0
        dark = self.dark | self.silent_displays
        return SHORT_MA * self.displays_shorted + sum(
            self._display_ma(self.side(place)) * self.display_ma[place]
            for place in SIDES
            if place not in dark
        )

    def _display_ma(self, side: Side) -> float:
        if self.what != "pattern":
            return FACE_MA
        lit = WHITE_MA.get(self._pattern(side), BLACK_MA) - BLACK_MA
        halved = self.protocol >= MEASURE_SINCE and self.number & HALF_CONTRAST
        return BLACK_MA + lit * (0.5 if halved else 1.0)

    def lamps_ma(self) -> float:
        """Through all lamps, as the node feels it."""
        if not self.answers:
            return 0.0
        return sum(
            SHORTED_LAMP_MA if at in self.shorted_lamps else self.lamp_ma[at]
            for at, burns in enumerate(self.lamps())
            if burns
        )

    def watts(self) -> float:
        """That it takes from the line."""
        behind = PICO_W + (self.displays_ma() + self.lamps_ma()) / 1000 * RAIL_V
        return behind / EFFICIENCY if self.answers else 0.0

    def view(self, board: str | None, *, lost: bool, supply_v: float) -> NodeView:
        state = (
            "lost" if lost else "duplicate" if self.address_twice else "outdated" if self.outdated else "good"
        )
        return NodeView(
            uid=self.uid,
            segment=self.segment,
            address=1,
            state=state,  # type: ignore[arg-type]
            board=board,
            swapped=self.swap,
            hardware=1,
            firmware=self.firmware,
            protocols=(1, self.protocol),
            boots=self.boots,
            age_ms=100,
            uptime_min=5,
            supply_v=supply_v,
            temperature_c=round(self.temperature_c + self.tolerances.temperature_c),
            reset=self.reset,
            safe_mode=self.safe_mode,
            displays=DisplaysView(
                sun="sun" not in self.silent_displays, moon="moon" not in self.silent_displays
            ),
            stuck=ButtonsView(sun="sun" in self.stuck, moon="moon" in self.stuck),
            good=1000,
            missed=self.missed,
            crc_errors=0,
            states_missed=0,
            round_trip_ms=None,
        )


def rows_of(counts: dict[str, int]) -> dict[str, list[str]]:
    """Labels of rows of so many boards."""
    return {row: [f"{row}{place}" for place in range(1, count + 1)] for row, count in counts.items()}


def tables_of(labels: Iterable[str]) -> dict[str, Table]:
    return {label: Table(label, f"{number:016x}") for number, label in enumerate(labels, 1)}
