"""The simulated computer: its facts, serial adapters, disk and sound card, healthy until somebody sets a
fault.
"""

import errno
import os
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from pi_controller.hal.ina226 import (
    BUS,
    BUS_STEP_V,
    CONFIGURATION,
    DIE,
    DIE_IS,
    MAKER,
    MAKER_IS,
    SHUNT,
    SHUNT_OHM,
    SHUNT_STEP_V,
)
from pi_controller.hal.roles import ClockFacts, DiskFacts, PanelPower, SupplyFacts, SystemFacts, WatchdogFacts
from pi_controller.hal.serial.port import Holder, PortFacts, survey
from pi_controller.hal.sound.orders import Order
from pi_controller.journal.files import DiskFiles
from pi_controller.sentence import Sentence

HEALTHY = SystemFacts(
    model="simulated computer",
    kernel="simulated",
    supply=SupplyFacts(
        under_voltage=False, throttled=False, under_voltage_since_boot=False, throttled_since_boot=False
    ),
    temperature_c=48.0,
    clock=ClockFacts(
        rtc="rtc-simulated", rtc_runs=True, rtc_ahead_s=0.0, synchronised=False, source="arch_sys_counter"
    ),
    disk=DiskFacts(free_bytes=0, size_bytes=0, errors=0, root="overlay"),
    watchdog=WatchdogFacts(name="simulated watchdog", armed=True, timeout_s=14),
    sound_cards=("simulated card",),
)


class SimFacts:
    """`read` is that of `hal.system.facts.FactsReader`; the space of the state folder's disk is the real one
    until it is changed."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir
        self._changed: dict[str, object] = {}

    def change(self, name: str, value: object) -> None:
        """Let the computer say this from now on; `name` is such as `temperature_c` or `supply.throttled`, and
        a whole group such as `clock` may become None where the computer need not say it.

        Raises ValueError, with all names or with what the value must be.
        """
        if name not in NAMES:
            raise ValueError(f"sim: {name} is no fact of the computer; the facts are {', '.join(NAMES)}.")
        before = dict(self._changed)
        self._changed[name] = value
        try:
            self._with_space(0, 0)
        except msgspec.ValidationError as error:
            self._changed = before
            raise ValueError(f"sim: {name} cannot be {value!r}: {error}.") from error

    def read(self) -> SystemFacts:
        space = os.statvfs(self._state_dir)
        return self._with_space(space.f_bavail * space.f_frsize, space.f_blocks * space.f_frsize)

    def _with_space(self, free_bytes: int, size_bytes: int) -> SystemFacts:
        facts = msgspec.to_builtins(HEALTHY)
        facts["disk"]["free_bytes"], facts["disk"]["size_bytes"] = free_bytes, size_bytes
        for name, value in sorted(self._changed.items(), key=lambda changed: changed[0].count(".")):
            group, _, inner = name.partition(".")
            if not inner:
                facts[group] = value
            elif facts[group] is not None:
                facts[group][inner] = value
        return msgspec.convert(facts, SystemFacts)


msgspec.json.Decoder(SystemFacts)  # made known before there are threads: docs/decisions/0072

NAMES = tuple(
    sorted(
        [
            *msgspec.to_builtins(HEALTHY),
            *(
                f"{group}.{name}"
                for group, facts in msgspec.to_builtins(HEALTHY).items()
                if isinstance(facts, dict)
                for name in facts
            ),
        ]
    )
)


DRIVER = "ftdi_sio"
LONG_MS, SHORT_MS = 16, 1
STRANGER = Holder(812, "minicom")


class SimAdapters:
    """`facts` are the port's real ones, as of a pseudo-terminal, until a fault is set."""

    def __init__(self) -> None:
        self._latency_ms: int | None = None
        self._held = False

    def facts(self, port: Path) -> PortFacts:
        """Raises OSError as `survey` does."""
        found = survey(port)
        if found.present and self._latency_ms is not None:
            found = replace(found, driver=DRIVER, latency_timer_ms=self._latency_ms)
        return replace(found, holder=STRANGER) if found.present and self._held else found

    def set_latency(self, ms: int) -> None:
        """From now on the ports are FTDI's, with this latency timer."""
        self._latency_ms = ms

    def hold(self, *, held: bool) -> None:
        """Another program has the ports, or has them no more."""
        self._held = held


SLOW_S = 0.3
SLOW_EVERY = 16
"""Every how many writes is slow: enough to show in the worst of 64 writes while the test still ends soon."""


class SimDisk(DiskFiles):
    """Real files, with the faults that somebody has set."""

    def __init__(self, *, wait: Callable[[float], None] = time.sleep) -> None:
        self.slow = False
        self.damaged = False
        self._wait = wait
        self._syncs = 0

    def spoil(self, *, slow: bool = False, damaged: bool = False) -> None:
        """Set these faults, and no others."""
        self.slow, self.damaged = slow, damaged

    def sync(self, fd: int) -> None:
        super().sync(fd)
        self._syncs += 1
        if self.slow and self._syncs % SLOW_EVERY == 0:
            self._wait(SLOW_S)

    def read_back(self, path: Path, start: int = 0, size: int = -1) -> bytes:
        content = super().read_back(path, start, size)
        return bytes(byte ^ 1 for byte in content) if self.damaged else content


class SimPlayer:
    """In the place of the player's process: keeps the newest orders, and plays nothing."""

    def __init__(self) -> None:
        self.orders: deque[Order] = deque(maxlen=100)

    def send(self, order: Order) -> None:
        self.orders.append(order)

    def close(self) -> None:
        """Nothing was opened."""


DEAD = Sentence("sound.simulated_plug_pulled")


class SimSound:
    """Implements `roles.Sound`; plays in no time. `played` are the lengths in milliseconds."""

    def __init__(self) -> None:
        self.played: list[int] = []
        self.dead = False

    def pull(self, *, dead: bool) -> None:
        """Unplug the card, or plug it in again."""
        self.dead = dead

    def play_tone(self, ms: int) -> Sentence | None:
        if self.dead:
            return DEAD
        self.played.append(ms)
        return None


# The simulated INA226 decodes the bytes of real I2C messages and measures what it is given.


READ = 0x0001
"""Flag of a message that reads (linux/i2c.h)."""
RESET_CONFIGURATION = 0x4127
CONTINUOUS = 0b111


class SimIna226:
    """In the place of smbus2.SMBus. `power` is what flows now; `absent`: nothing answers."""

    def __init__(self, power: Callable[[], PanelPower], *, address: int = 0x40) -> None:
        self.absent = False
        self.die = DIE_IS
        self.configuration = RESET_CONFIGURATION
        self._power = power
        self._address = address
        self._pointer = 0

    def i2c_rdwr(self, *i2c_msgs: Any) -> None:
        """OSError as the kernel raises it when nobody acknowledges."""
        for message in i2c_msgs:
            if self.absent or message.addr != self._address:
                raise OSError(errno.EREMOTEIO, "Remote I/O error")
            if message.flags & READ:
                self._answer(message)
            else:
                self._hear(bytes(message))

    def close(self) -> None:
        """Nothing was opened."""

    def _hear(self, data: bytes) -> None:
        self._pointer = data[0]
        if len(data) == 1:
            return
        value = int.from_bytes(data[1:3], "big")
        if self._pointer == CONFIGURATION:
            self.configuration = RESET_CONFIGURATION if value & 0x8000 else value

    def _answer(self, message: Any) -> None:
        for at, byte in enumerate(self._register().to_bytes(2, "big")[: message.len]):
            message.buf[at] = bytes([byte])

    def _register(self) -> int:
        power = self._power() if self.configuration & 0b111 == CONTINUOUS else PanelPower(amps=0.0, volts=0.0)
        held = {
            CONFIGURATION: self.configuration,
            SHUNT: _clipped(power.amps * SHUNT_OHM / SHUNT_STEP_V) & 0xFFFF,
            BUS: min(0x7FFF, max(0, round(power.volts / BUS_STEP_V))),
            MAKER: MAKER_IS,
            DIE: self.die,
        }
        return held.get(self._pointer, 0)


def _clipped(steps: float) -> int:
    return max(-0x8000, min(0x7FFF, round(steps)))
