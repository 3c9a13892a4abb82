"""MEASURE and MEASURED of protocol 6 (PROTOCOL.md): what a node measures when it is asked."""

from struct import pack_into

MEASURED_SIZE = 9
_NOT_FITTED = 0xFFFF
_NO_LOOP = 255


class Measure:
    def read(self, payload):
        return payload[0] == 0


class Measured:
    """What `pack_measured` sends. A board sets what it can measure; None: it has no circuit for it."""

    def __init__(self):
        self.supply_mv = None
        self.spread_mv = None
        self.lamps = None  # 10 µA
        self.displays = None  # 0.1 mA
        self.loop = None  # True: joined to ground


def pack_measured(into, measured):
    """Writes the payload to the beginning of `into`; returns its size. Numbers stay at their field's end."""
    loop = _NO_LOOP if measured.loop is None else int(measured.loop)
    numbers = measured.supply_mv, measured.spread_mv, measured.lamps, measured.displays
    pack_into("<HHHHB", into, 0, *[_number(number) for number in numbers], loop)
    return MEASURED_SIZE


def _number(value):
    return _NOT_FITTED if value is None else min(value, _NOT_FITTED - 1)
