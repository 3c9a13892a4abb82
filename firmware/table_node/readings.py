"""What a node measures: its supply, and from board revision 2 on its currents and the spare wire."""

import sys
from array import array

import machine

from table_node import pins

READINGS = 64
_FULL = 65535
_FULL_MV = 3300
_SUPPLY_BY = 11  # 100 kOhm and 10 kOhm
_LAMPS_OHM = 2.2
_DISPLAYS_OHM = 2.0  # 0.1 Ohm, amplified by 20
# Of a least step of `read_u16`: in mV, in 10 µA, in 0.1 mA.
_SUPPLY = _FULL_MV * _SUPPLY_BY / _FULL
_LAMPS = _FULL_MV * 100 / _LAMPS_OHM / _FULL
_DISPLAYS = _FULL_MV * 10 / _DISPLAYS_OHM / _FULL
# The pin's pad, in both data sheets. A pad of the RP2350 that is kept on as an input feeds a weak source with
# up to 120 µA (erratum E9), so that this one is on for the moment of the reading alone.
_PADS = 0x40038000 if "RP2350" in getattr(sys.implementation, "_machine", "") else 0x4001C000
_PAD = _PADS + 4 + 4 * pins.LOOP
_SET_BITS = 0x2000
_CLEAR_BITS = 0x3000
_INPUT_ON = 1 << 6


class Readings:
    """`lamps` and `displays` are None on a board that does not measure them. To be made while all is dark."""

    def __init__(self):
        self.supply = machine.ADC(pins.SUPPLY)
        self._volts = array("H", bytes(2 * READINGS))
        self.lamps = _driven(pins.LAMP_CURRENT)
        self.displays = _driven(pins.DISPLAY_CURRENT)
        # It may have no pull-up, which would hold an open wire and a closed one alike.
        self.loop = machine.Pin(pins.LOOP, machine.Pin.IN) if self.lamps else None
        machine.mem32[_PAD + _CLEAR_BITS] = _INPUT_ON

    def supply_mv(self):
        """One reading."""
        return round(self.supply.read_u16() * _SUPPLY)

    def take(self, measured):
        """Into a measuring.Measured: means of 64 readings each, taken in turn, so that they spread over more
        than the 1 ms in which a dimmed lamp is on and off once."""
        volts = self._volts
        supply = self.supply.read_u16
        # Without a circuit the supply is read once more: it takes as long.
        lamps = (self.lamps or self.supply).read_u16
        displays = (self.displays or self.supply).read_u16
        lit = shown = 0
        for at in range(READINGS):
            volts[at] = supply()
            lit += lamps()
            shown += displays()
        measured.supply_mv = round(sum(volts) * _SUPPLY / READINGS)
        measured.spread_mv = round((max(volts) - min(volts)) * _SUPPLY)
        measured.lamps = round(lit * _LAMPS / READINGS) if self.lamps else None
        measured.displays = round(shown * _DISPLAYS / READINGS) if self.displays else None
        measured.loop = _is_closed(self.loop) if self.loop else None


def _is_closed(loop):
    machine.mem32[_PAD + _SET_BITS] = _INPUT_ON
    closed = loop.value() == 0
    machine.mem32[_PAD + _CLEAR_BITS] = _INPUT_ON
    return closed


def _driven(number):
    """The converter at this pin; None where nothing holds it against the pull-up of 50 kOhm or more."""
    held = machine.Pin(number, machine.Pin.IN, machine.Pin.PULL_UP).value() == 0
    return machine.ADC(number) if held else None
