"""Side lamps and claim lamps: levels 0-255 as a function of the view and the time, and a limit on flashing.

Nothing flashes at 3 Hz or more, whatever comes: patterns stay at 2 Hz, and `Lamp` lets a lamp turn from
brighter to darker or back at most every 170 ms.
"""

from table_node import view as v

REVERSAL_US = 170_000
FULL = 255
HALF = 127
_ACKNOWLEDGED = (v.RECEIVED, v.OPEN, v.CONFIRMED)
_DIM = 40
_HALF = 140
_CUE_TENTHS = 10
_LAST_SECONDS = 5


def side_lamp(view, side, ms):
    """Level of the lamp of `side` (SUN or MOON); `ms` is the master's time, so that tables flash together."""
    kind = view.kind
    if kind == "round":
        return _in_round(view, side)
    if kind == "robber":
        return FULL if ms // 500 % 2 == side else 0
    if kind == "paused":
        return _DIM + _wave(ms, 2000, _HALF - _DIM)
    if kind == "counting":
        return _HALF
    if kind in ("ready", "ended"):
        return _DIM
    if kind == "identify":
        return FULL if ms % 1000 < 500 else 0
    return 0


def claim_lamp(view, ms):
    """Level of the lamp of the view's own claim button. Steady only for what the master has acknowledged."""
    if view.kind == "safe":
        return 0
    if view.hold:
        return view.hold
    if view.kind == "enrol" or (view.kind == "walk" and view.claim == v.NO_CLAIM):
        return ms % 2000 * FULL // 2000
    if view.claim == v.SENT or view.withdrawing:
        return FULL if ms % 500 < 250 else 0
    if view.claim == v.JUDGE_COMES:
        return _DIM + _wave(ms, 2000, FULL - _DIM)
    if view.claim in _ACKNOWLEDGED:
        return FULL
    return 0


def test_lamp(which, number):
    """Level of a lamp in a test: lit when its bit of `number` is set."""
    return FULL if number >> which & 1 else 0


def _in_round(view, side):
    last = 0 < view.seconds <= _LAST_SECONDS
    if view.active != side:
        return _DIM if last and view.next_side == side else 0
    begun = view.duration - view.tenths_left
    if view.duration and begun < _CUE_TENTHS:
        return FULL if begun % 5 < 3 else 0
    if last:
        return FULL if not 0 < view.tenths_left % 10 < 5 else _DIM
    return FULL


def _wave(ms, period, height):
    """A triangle from 0 up to `height` and back."""
    half = period // 2
    at = ms % period
    return (at if at < half else period - at) * height // half


class Lamp:
    """One lamp of the board; writes only what differs, and turns back no sooner than 170 ms."""

    def __init__(self, board, which):
        self._board = board
        self._which = which
        self.level = 0
        self._rising = False
        self._turned = board.ticks_us()
        board.lamp(which, 0)

    def show(self, level, ticks):
        if level == self.level:
            return
        rising = level > self.level
        if rising != self._rising:
            if 0 <= self._board.ticks_diff(ticks, self._turned) < REVERSAL_US:
                return
            self._rising = rising
            self._turned = ticks
        self.level = level
        self._board.lamp(self._which, level)
