"""What a player sees: draws of a view what differs from the last time, into a display's buffer."""

from table_node.canvas import Canvas
from table_node.layout_full import FullLayout
from table_node.layout_half import HalfLayout

# A change of one of these draws everything anew. The countdown and the filling bar are drawn by themselves.
STANDING = (
    "kind",
    "own_side",
    "active",
    "next_side",
    "phase",
    "resume",
    "round",
    "dice",
    "sum",
    "last",
    "target",
    "reasons",
    "last_round",
    "claim",
    "withdrawing",
    "board",
    "number",
    "address",
    "uid",
    "version",
    "update",
    "maintenance",
    "shift_x",
)


class Face:
    """One player's place.

    `display` has `buffer` (1,024 bytes, or 512 for half a display), finds out by itself which pages differ,
    and is told by how many rows the whole picture is to stand lower (`shift_y`).
    """

    def __init__(self, display):
        self.display = display
        canvas = Canvas(display.buffer)
        self.layout = FullLayout(canvas) if canvas.pages == 8 else HalfLayout(canvas)
        self.standing = [None] * len(STANDING)
        self.seconds = self.hold = -1

    def draw(self, view):
        """Bring the buffer up to date; quick when nothing has changed."""
        anew = self._differs(view)
        self.display.shift_y = view.shift_y
        seconds, hold = view.seconds, view.hold
        if view.kind == "paused":
            anew = anew or seconds != self.seconds
        if (hold > 0) != (self.hold > 0) or (seconds >= 100) != (self.seconds >= 100):
            anew = True
        if anew:
            self.layout.draw(view)
        else:
            if seconds != self.seconds:
                self.layout.draw_seconds(view)
            if hold != self.hold:
                self.layout.draw_hold(view)
        self.seconds = seconds
        self.hold = hold

    def _differs(self, view):
        standing = self.standing
        differs = False
        for index, name in enumerate(STANDING):
            value = getattr(view, name)
            if standing[index] != value:
                standing[index] = value
                differs = True
        return differs
