"""After repeated resets by the watchdog only the bus works: no drawing in play, no lamps, no claims."""

MOST_RESETS = 3
"""Watchdog resets within a minute from which on the firmware itself is suspected."""
HOPELESS_RESETS = 6
"""From here on even the notice on the displays is left out, in case drawing is what fails."""


class SafeMode:
    def __init__(self, resets):
        self.on = resets >= MOST_RESETS
        self.may_draw = resets < HOPELESS_RESETS

    def leave(self):
        self.on = False
        self.may_draw = True
