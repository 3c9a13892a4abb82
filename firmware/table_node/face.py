"""What a player sees: draws of a view what differs from the last time, into a display's buffer."""

from table_node import pattern
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
        canvas = self.canvas = Canvas(display.buffer)
        self.layout = FullLayout(canvas) if canvas.pages == 8 else HalfLayout(canvas)
        self.standing = [None] * len(STANDING)
        self.seconds = self.hold = -1
        self.steps = None  # of a picture that is being drawn anew

    def draw(self, view):
        """One step of two milliseconds or so towards the picture of this view; True when the buffer holds it,
        PART when the part that is drawn may be shown before the rest.

        Quick when nothing has changed.
        """
        self.display.shift_y = view.shift_y
        if self._anew(view):
            self.steps = (
                pattern.draw(self.canvas, view.number) if view.kind == "pattern" else self.layout.draw(view)
            )
            self.seconds = view.seconds
            self.hold = view.hold
        if not self.steps and view.seconds != self.seconds:
            self.seconds = view.seconds
            self.steps = self.layout.draw_seconds(view)
        if self.steps:
            for part in self.steps:
                return False if part is None else part
            # What has changed meanwhile is drawn at the next call.
            self.steps = None
            return False
        if view.hold != self.hold:
            self.hold = view.hold
            self.layout.draw_hold(view)
        return True

    def _anew(self, view):
        """Whether more than the countdown or the bar is another.

        A frozen countdown has no place of its own; the others have different ones from 100 s on, and the bar
        has other words as long as the button is held.
        """
        differs = self._differs(view)
        other = view.kind == "paused" and view.seconds != self.seconds
        longer = (view.seconds >= 100) != (self.seconds >= 100)
        return differs or other or longer or (view.hold > 0) != (self.hold > 0)

    def _differs(self, view):
        standing = self.standing
        differs = False
        for index, name in enumerate(STANDING):
            value = getattr(view, name)
            if standing[index] != value:
                standing[index] = value
                differs = True
        return differs
