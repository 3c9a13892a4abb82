"""Time on the wire: how long bytes take, and the 32-bit microseconds that messages carry."""

BITS_A_BYTE = 10
"""Start bit, eight data bits, stop bit."""
AHEAD_US = 1_000_000
"""A node may take the time to be later than it is, by less than this."""
_WRAP = 1 << 32


def wire_us(wire_bytes: int, baud: int) -> int:
    """Microseconds, rounded, from the first start bit to the end of the last stop bit, without gaps."""
    return (wire_bytes * BITS_A_BYTE * 1_000_000 + baud // 2) // baud


def to_u32(us: int) -> int:
    """Master time as messages carry it: mod 2^32, which wraps every 71.6 minutes."""
    return us % _WRAP


def near(u32: int, now_us: int) -> int:
    """The time, in whole microseconds, that `to_u32` maps to `u32` and that is nearest to `now_us`: from
    35.8 minutes before it (which wins a tie) until just under that after it. Below zero only for moments
    before a clock that has just begun."""
    return now_us + (u32 - now_us + _WRAP // 2) % _WRAP - _WRAP // 2


def past(u32: int, now_us: int) -> int:
    """The moment that a node means by `u32`: up to 71.6 minutes back, never later than now and never below
    zero."""
    ahead_us = now_us + AHEAD_US
    return max(0, min(now_us, ahead_us - (ahead_us - u32) % _WRAP))
