"""The Pico as the node sees it (node.py says what a board is)."""

import os
import sys
import time
from time import ticks_add, ticks_diff, ticks_us

import machine
import rp2

from table_node import pins
from table_node.readings import Readings
from table_node.resets import ResetLog
from table_node.rs485 import Rs485
from table_node.speaker import STEPS_OF_A_BIT, speak

BAUD = 250_000
WATCHDOG_MS = 2000
"""A hung node is back within 3 s. The RP2040 can count to 8,388 ms at most (its data sheet, erratum E1)."""
RECORD = "node.bin"
_SLOT = "slot"
FIRST_BOARD, SECOND_BOARD = 1, 2
"""Kinds of node in INFO: a Pico on a board of revision 1, or of revision 2, which measures currents."""

POWER, WATCHDOG, SOFT, OTHER = 0, 1, 2, 3

_LAMPS = (pins.SUN_LAMP, pins.MOON_LAMP, pins.SUN_CLAIM_LAMP, pins.MOON_CLAIM_LAMP)
_BUTTONS = (pins.SUN_BUTTON, pins.MOON_BUTTON)
_LAMP_HZ = 1000
_SUPPLY_STEP_MV = 200
# Sensor of the chip: 0.706 V at 27 degrees Celsius, -1.721 mV a degree (RP2040 data sheet, 4.9.5).
_SENSOR_V = 0.706
_SENSOR_STEP_V = 0.001721
_FULL = 65535
# Of the watchdog's registers, in both data sheets: control, and the first word that survives a reset.
_RP2040 = 0x40058000
_BASE = 0x400D8000 if "RP2350" in getattr(sys.implementation, "_machine", "") else _RP2040
_FIRST_WORD = _BASE + 0x0C
_SECOND_US = 1_000_000
# The voltage regulator's register of the RP2040 (data sheet, 2.10.6): on, 1.15 V; and the time that it needs.
_CORE_VOLTAGE = 0x40064000
_VOLTS_1_15 = 0xC1
_STEADY_US = 1000
_FASTEST_HZ = 200_000_000


class Scratch:
    """The watchdog's words that keep their value over its reset; the first four are free for programs."""

    def read(self, index):
        return machine.mem32[_FIRST_WORD + 4 * index] & 0xFFFFFFFF

    def write(self, index, value):
        machine.mem32[_FIRST_WORD + 4 * index] = value


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def full_speed():
    """Before anything else is opened: lines and lamps take their clocks from what holds then.

    The RP2040 is good for 200 MHz with 1.15 V for its core instead of 1.1 V; the RP2350 is fast as it starts.
    """
    if _BASE == _RP2040:
        machine.mem32[_CORE_VOLTAGE] = _VOLTS_1_15
        time.sleep_us(_STEADY_US)
        machine.freq(_FASTEST_HZ)


class PicoBoard:
    """Pins, bus, sensors and watchdog. The line is let go of first of all."""

    ticks_us = staticmethod(ticks_us)
    ticks_diff = staticmethod(ticks_diff)
    ticks_add = staticmethod(ticks_add)

    def __init__(self):
        self._enable = machine.Pin(pins.DRIVER_ENABLE, machine.Pin.OUT, value=0)
        # The receiver's pin rests high when no cable holds it.
        self._receive = machine.Pin(pins.UART_RX, machine.Pin.IN, machine.Pin.PULL_UP)
        self._transmit = machine.Pin(pins.UART_TX, machine.Pin.OUT, value=1)
        self._uart = None
        self._bus = Rs485(self._line, self._enable, BAUD)
        self.read = self._bus.read
        self.send = self._bus.send
        self.set_baud = self._bus.set_baud
        self.uid = machine.unique_id()
        self._buttons = [machine.Pin(number, machine.Pin.IN, machine.Pin.PULL_UP) for number in _BUTTONS]
        self._lamps = [machine.PWM(machine.Pin(number), freq=_LAMP_HZ, duty_u16=0) for number in _LAMPS]
        self._levels = [0] * len(_LAMPS)
        self._readings = Readings()
        self.measure = self._readings.take
        self.hardware = SECOND_BOARD if self._readings.lamps else FIRST_BOARD
        self._sensor = machine.ADC(machine.ADC.CORE_TEMP)
        by_watchdog = machine.reset_cause() == machine.WDT_RESET
        self._log = ResetLog(Scratch(), by_watchdog)
        self.reset = self._cause(by_watchdog)
        self._watchdog = None
        self._second = ticks_us()
        self._seconds = 0

    def _line(self, baud):
        """A UART that listens and a state machine that speaks. The UART takes both pins each time: first."""
        if self._uart is None:
            self._uart = machine.UART(
                0, baudrate=baud, tx=self._transmit, rx=self._receive, rxbuf=1024, txbuf=32, timeout=0
            )
        else:
            self._uart.init(baudrate=baud)
        speaker = rp2.StateMachine(
            0,
            speak,
            freq=STEPS_OF_A_BIT * baud,
            out_base=self._transmit,
            set_base=self._transmit,
            sideset_base=self._enable,
        )
        speaker.active(1)
        return self._uart, speaker

    def arm(self):
        """From now on `feed` must be called every 3 s."""
        self._watchdog = machine.WDT(timeout=WATCHDOG_MS)

    def feed(self):
        if self._watchdog is not None:
            self._watchdog.feed()
        if ticks_diff(ticks_us(), self._second) >= _SECOND_US:
            self._second = ticks_add(self._second, _SECOND_US)
            self._seconds += 1
            self._log.alive(self._seconds)

    def button(self, side):
        return self._buttons[side].value() == 0

    def lamp(self, which, level):
        """0 to 255."""
        if self._levels[which] != level:
            self._levels[which] = level
            self._lamps[which].duty_u16(level * 257)

    def supply(self):
        """In steps of 0.2 V."""
        return round(self._readings.supply_mv() / _SUPPLY_STEP_MV)

    def temperature(self):
        """Of the chip, degrees Celsius."""
        volts = self._sensor.read_u16() * 3.3 / _FULL
        return round(27 - (volts - _SENSOR_V) / _SENSOR_STEP_V)

    def load(self):
        return _read(RECORD)

    def slot(self):
        """What the loader left (start.py), or None."""
        return _read(_SLOT)

    def files(self):
        """The flash, for new firmware (update.py)."""
        from table_node.files import Files  # noqa: PLC0415 - in play its memory is free

        return Files()

    def save(self, record):
        """Stops everything for up to 0.4 s: a write to flash switches all interrupts off."""
        with open(RECORD + ".new", "wb") as file:
            file.write(record)
        os.rename(RECORD + ".new", RECORD)

    def resets(self):
        """By the watchdog within the last minute."""
        return self._log.recent()

    def reboot(self):
        """As the master orders."""
        self._log.ask()
        machine.reset()

    def hang(self):
        """As the master orders, until the watchdog bites; nothing happens while there is none."""
        while self._watchdog is not None:
            machine.idle()

    def crash(self):
        """After a fault of the program; counted like a reset by the watchdog."""
        machine.reset()

    def _cause(self, by_watchdog):
        if self._log.asked:
            return SOFT
        if by_watchdog:
            return WATCHDOG
        return POWER if machine.reset_cause() == machine.PWRON_RESET else OTHER
