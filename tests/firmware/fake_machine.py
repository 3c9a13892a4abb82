"""MicroPython's `machine` for a Pico as far as the firmware uses it; time moves only as the parts use it up."""

from types import ModuleType, SimpleNamespace
from typing import ClassVar

from pi_controller.hal.names import DisplayController
from pi_controller.hal.sim.display_bus import DisplayImage

BITS_OF_A_BYTE = 10
POLL_US = 5
"""What one look at the driver's pin takes."""
QUEUE, STEPS_OF_A_BIT = 8, 8
READ_US, CHANNELS = 8, 3
"""What an analogue reading takes at the least; so many are read in turn."""


class Reset(BaseException):
    """The processor was reset."""


class FakePico:
    """One Pico: levels of its pins by GPIO number, its UART, SPI, analogue inputs and watchdog."""

    def __init__(self, *, cause: int = 1) -> None:
        self.now_us = 1_000_000
        self.cause = cause
        self.levels: dict[int, int] = {}
        self.duties: dict[int, int] = {}
        self.analogue: dict[int, int] = {}
        self.held_low: set[int] = set()
        """Pins that something on the board holds against a pull-up."""
        self.readings = self.ripple = 0
        """Every other analogue reading is by so much higher."""
        self.glasses: dict[int, DisplayImage] = {}
        self.data_line = self.reset_line = -1
        self.memory: dict[int, int] = {}
        self.fed: list[int] = []
        self.watchdog_ms: int | None = None
        self.log: list[tuple[str, int, int]] = []
        self.sent: list[bytes] = []
        self.incoming = bytearray()
        self.echoes = False
        self.never_done = False
        self.driven = -1
        self.speaks_until = 0
        """The driver's pin, which a state machine sets, and until when it is on."""
        self.spi_fails = False
        self.hz = 125_000_000
        self.spi_baud = 0
        self.transfers: list[tuple[int, int]] = []

    def glass(self, select: int, controller: DisplayController) -> DisplayImage:
        self.glasses[select] = DisplayImage(controller)
        return self.glasses[select]

    def set(self, number: int, level: int) -> None:
        before = self.levels.get(number)
        self.levels[number] = level
        self.log.append(("pin", number, level))
        if number == self.reset_line and before != 0 and level == 0:
            for glass in self.glasses.values():
                glass.reset()

    def transfer(self, data: bytes) -> None:
        if self.spi_fails:
            raise OSError(5)
        is_data = self.levels[self.data_line]
        self.transfers.append((is_data, len(data)))
        self.now_us += len(data) * 8 * 1_000_000 // self.spi_baud
        for select, glass in self.glasses.items():
            if self.levels.get(select) == 0:
                (glass.data if is_data else glass.command)(bytes(data))

    def set_freq(self, hz: int) -> None:
        self.hz = hz

    def rp2(self) -> ModuleType:
        """To be put in place of `rp2`."""
        made = ModuleType("rp2")
        names = ("OUT_LOW", "OUT_HIGH", "SHIFT_RIGHT", "JOIN_TX")
        made.__dict__.update(
            PIO=SimpleNamespace(**{name: at for at, name in enumerate(names)}),
            asm_pio=lambda **_how: lambda program: program.__name__,
            StateMachine=type("StateMachine", (StateMachine,), {"pico": self}),
        )
        return made

    def module(self) -> ModuleType:
        """To be put in place of `machine`."""
        made = ModuleType("machine")
        for part in (Pin, UART, SPI, PWM, ADC, WDT):
            setattr(made, part.__name__, type(part.__name__, (part,), {"pico": self}))
        made.__dict__.update(
            mem32=Memory(self.memory),
            unique_id=lambda: bytes.fromhex("e6614c311b7f4a2d"),
            freq=self.set_freq,
            reset_cause=lambda: self.cause,
            reset=reset,
            idle=reset,  # who waits for ever meets the watchdog
            PWRON_RESET=1,
            WDT_RESET=3,
        )
        return made


def reset() -> None:
    raise Reset


class Part:
    """Something of this Pico."""

    pico: FakePico


class Pin(Part):
    IN, OUT, PULL_UP, PULL_DOWN = 0, 1, 1, 2
    pulls: ClassVar[dict[int, int | None]] = {}

    def __init__(
        self, number: int, mode: int = -1, pull: int | None = None, value: int | None = None
    ) -> None:
        self.number = number
        Pin.pulls[number] = pull
        if value is not None:
            self.pico.set(number, value)
        elif mode == Pin.IN:
            held = number in self.pico.held_low
            self.pico.levels.setdefault(number, 1 if pull == Pin.PULL_UP and not held else 0)

    def value(self) -> int:
        if self.number == self.pico.driven:
            self.pico.now_us += POLL_US
            return int(self.pico.never_done or self.pico.now_us < self.pico.speaks_until)
        return self.pico.levels[self.number]

    def __call__(self, level: int) -> None:
        self.pico.set(self.number, level)


class UART(Part):
    def __init__(self, _number: int, *, baudrate: int, **_how: object) -> None:
        self.baud = baudrate

    def init(self, *, baudrate: int) -> None:
        self.baud = baudrate

    def any(self) -> int:
        return len(self.pico.incoming)

    def readinto(self, buffer: bytearray, count: int) -> int | None:
        taken = bytes(self.pico.incoming[:count])
        del self.pico.incoming[:count]
        buffer[: len(taken)] = taken
        return len(taken) or None


class StateMachine(Part):
    """`rp2.StateMachine` with the transmitter: the driver's pin is high until the last byte is over."""

    def __init__(self, _number: int, program: str, *, freq: int, sideset_base: Pin, **_pins: Pin) -> None:
        assert program == "speak"
        self.baud = freq // STEPS_OF_A_BIT
        self.enable = sideset_base.number
        self.pico.driven = self.enable

    def active(self, on: int) -> None:
        assert on

    def put(self, data: memoryview) -> None:
        """Returns when the rest fits into the queue of eight."""
        said, pico = bytes(data), self.pico
        pico.sent.append(said)
        pico.log.append(("put", len(said), pico.now_us))
        bytes_us = BITS_OF_A_BYTE * 1_000_000
        pico.speaks_until = pico.now_us + len(said) * bytes_us // self.baud
        pico.now_us += max(0, len(said) - QUEUE) * bytes_us // self.baud
        if pico.echoes:
            pico.incoming += said


class SPI(Part):
    def __init__(self, _number: int, *, baudrate: int, sck: Pin, mosi: Pin) -> None:
        self.pico.spi_baud = baudrate

    def write(self, data: bytes) -> None:
        self.pico.transfer(data)


class PWM(Part):
    def __init__(self, pin: Pin, *, freq: int, duty_u16: int) -> None:
        self.number = pin.number
        self.pico.duties[self.number] = duty_u16

    def duty_u16(self, duty: int) -> None:
        self.pico.duties[self.number] = duty


class ADC(Part):
    CORE_TEMP = 4

    def __init__(self, number: int) -> None:
        self.number = number

    def read_u16(self) -> int:
        pico = self.pico
        pico.now_us += READ_US
        pico.readings += 1
        return pico.analogue.get(self.number, 0) + pico.ripple * (pico.readings // CHANNELS % 2)


class WDT(Part):
    def __init__(self, *, timeout: int) -> None:
        self.pico.watchdog_ms = timeout

    def feed(self) -> None:
        self.pico.fed.append(self.pico.now_us)


class Memory:
    """Words of the address space; 0 where nothing was written."""

    def __init__(self, words: dict[int, int]) -> None:
        self._words = words

    def __getitem__(self, address: int) -> int:
        return self._words.get(address, 0)

    def __setitem__(self, address: int, value: int) -> None:
        self._words[address] = value
