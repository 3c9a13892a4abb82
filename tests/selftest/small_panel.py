"""A panel and its computer as they really are: what is forced, what one sees and hears, what hands do to
it."""

from dataclasses import dataclass, field, replace
from typing import Literal

from pi_controller.hal.roles import ClockFacts, DiskFacts, SupplyFacts, SystemFacts, WatchdogFacts
from pi_controller.protocol.probes import (
    ButtonPress,
    DiskChecked,
    Edge,
    Fitted,
    Inputs,
    JournalChecked,
    PanelCurrent,
    PortView,
    Sounded,
)

MS = 1_000_000
PRESSED_NS = 150 * MS
TRAVEL_NS = 8 * MS
HEALTHY_BOUNCE_NS = 1 * MS
SUPPLY = SupplyFacts(
    under_voltage=False, throttled=False, under_voltage_since_boot=False, throttled_since_boot=False
)
CLOCK = ClockFacts(rtc="ds3231", rtc_runs=True, rtc_ahead_s=0.2, synchronised=True, source="arch_sys_counter")
DISK = DiskFacts(free_bytes=20_000_000_000, size_bytes=32_000_000_000, errors=0, root="overlay")
FACTS = SystemFacts(
    model="Raspberry Pi 4 Model B",
    kernel="6.12",
    supply=SUPPLY,
    temperature_c=48.0,
    clock=CLOCK,
    disk=DISK,
    watchdog=WatchdogFacts(name="bcm2835", armed=True, timeout_s=14),
    sound_cards=("card",),
)
CHECKED_DISK = DiskChecked(
    p50_ms=4.0, p99_ms=20.0, worst_ms=22.0, verified=True, free_bytes=20_000_000_000, errors=0
)


def port(segment: str = "A") -> PortView:
    return PortView(
        segment=segment,
        port=f"/dev/tablebus/row-{segment}",
        present=True,
        driver="ftdi_sio",
        latency_timer_ms=1,
        holder=None,
    )


@dataclass
class SmallPanel:
    """The attributes are the truth; the methods are eyes, ears and hands."""

    fitted: Fitted = field(
        default_factory=lambda: Fitted(
            simulated=False,
            contacts="nc_no",
            buzzer=True,
            longest_tone_ms=1000,
            display="ssd1306",
            sound="default",
            segments=["A"],
            baud=250000,
            second_copy=False,
            panel_current=True,
        )
    )
    facts: SystemFacts = FACTS
    ports: list[PortView] = field(default_factory=lambda: [port()])
    disk: list[DiskChecked] = field(default_factory=lambda: [CHECKED_DISK])
    """One for each time that it is asked; the last one from then on."""
    journal: JournalChecked = field(default_factory=lambda: JournalChecked(written_ms=8.0, verified=True))
    sounded: Sounded = field(default_factory=lambda: Sounded(played=True))
    loudspeakers: bool = True
    dips_under_load: bool = False
    busy: bool = False
    """Its processors."""
    forced: dict[str, bool] = field(default_factory=dict)
    dead_lamps: set[str] = field(default_factory=set)
    burning_lamps: set[str] = field(default_factory=set)
    open_lamps: set[str] = field(default_factory=set)
    """Their circuit is broken: no current flows."""
    pause_fuse_blown: bool = False
    """Lamp and contacts of the pause button hang behind it."""
    lamp_a: float = 0.25
    weak_lamps: set[str] = field(default_factory=set)
    """They take half of that."""
    buzzer_a: float = 0.05
    shorted: str | None = None
    leak_a: float = 0.0
    volts: float = 24.1
    inner_ohm: float = 0.2
    gain: float = 1.0
    """Of the sensor: its shunt and its own error."""
    crossed: bool = False
    buzzer_dead: bool = False
    read_late: int = 0
    """So many times from now on the current is read when the tone is over already."""
    chirps: int = 0
    tone_heard: bool = False
    pattern: str = "none"
    display_trouble: str | None = None
    torn_display: bool = False
    nc_broken: bool = False
    no_broken: bool = False
    no_welded: bool = False
    held_down: bool = False
    felt: bool = True
    travel_ns: int = TRAVEL_NS
    """From one contact to the other."""
    deaf: int = 0
    """So many presses from now on are not felt."""
    bounce_ns: int = HEALTHY_BOUNCE_NS
    lamp_after_ns: int | None = 30 * MS
    edges: list[Edge] = field(default_factory=list)
    presses: list[ButtonPress] = field(default_factory=list)

    def change_supply(self, **changes: bool) -> None:
        self.facts = replace(self.facts, supply=replace(SUPPLY, **changes))

    def change_clock(self, **changes: object) -> None:
        self.facts = replace(self.facts, clock=replace(CLOCK, **changes))  # type: ignore[arg-type]

    def facts_now(self) -> SystemFacts:
        if self.dips_under_load and self.busy:
            return replace(self.facts, supply=replace(SUPPLY, under_voltage=True))
        return self.facts

    def lit(self) -> set[str]:
        """The lamps that one sees burn."""
        wires = {"sun": "moon", "moon": "sun"} if self.crossed else {}
        driven = {wires.get(lamp, lamp) for lamp, lit in self.forced.items() if lit}
        return (driven - self.dead_lamps - self._open()) | self.burning_lamps

    def _open(self) -> set[str]:
        return self.open_lamps | ({"pause"} if self.pause_fuse_blown else set())

    def current(self, *, buzzes: bool = False) -> PanelCurrent:
        """What the sensor tells: a dead lamp may still take its current, an open circuit takes none."""
        driven = {lamp for lamp, lit in self.forced.items() if lit} - self._open()
        amps = self.lamp_a * (len(driven) - len(driven & self.weak_lamps) / 2)
        amps += self.buzzer_a * (buzzes and not self.buzzer_dead) + self.leak_a
        amps += 3.0 * (self.shorted in driven)
        return PanelCurrent(amps=amps * self.gain, volts=self.volts - self.inner_ohm * amps)

    def felt_amps(self) -> float | None:
        """Amperes while the buzzer sounds, where there is a sensor and it is read in time."""
        if self.read_late:
            self.read_late -= 1
            return None
        return self.current(buzzes=True).amps if self.fitted.panel_current else None

    def contacts(self, now_ns: int) -> Inputs:
        no = (self.held_down or self.no_welded) and not self.pause_fuse_blown
        nc = not (self.nc_broken or self.held_down or self.pause_fuse_blown)
        return Inputs(no_closed=no, nc_closed=nc if self.fitted.contacts == "nc_no" else None, now_ns=now_ns)

    def press(self, now_ns: int) -> int:
        """A whole press; when it is over."""
        two = self.fitted.contacts == "nc_no"
        if two and not self.nc_broken:
            self._move("nc", now_ns, closed=False)
        if not self.no_broken:
            self._move("no", now_ns + self.travel_ns, closed=True)
            self._move("no", now_ns + PRESSED_NS, closed=False)
        if two and not self.nc_broken:
            self._move("nc", now_ns + PRESSED_NS + self.travel_ns, closed=True)
        if self.deaf:
            self.deaf -= 1
        elif self.felt and not self.no_broken:
            lit = None if self.lamp_after_ns is None else now_ns + self.lamp_after_ns
            self.presses.append(ButtonPress(at_ns=now_ns, acknowledged_ns=lit))
        return now_ns + 2 * PRESSED_NS

    def _move(self, contact: Literal["nc", "no"], at_ns: int, *, closed: bool) -> None:
        """There, back and there again; the last edge when it has settled."""
        for part, level in ((0, closed), (1, not closed), (2, closed)):
            at = at_ns + self.bounce_ns * part // 2
            self.edges.append(Edge(contact=contact, closed=level, at_ns=at, trusted=True))
