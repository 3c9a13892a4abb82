"""What a player sees: draws of a view what differs from the last time, into a display's buffer."""

from table_node import pattern
from table_node.canvas import Canvas
from table_node.layout_full import FullLayout
from table_node.layout_half import HalfLayout

# Kinds that both sides see alike; `own_side` is the second of what stands.
ALIKE = ("boot", "no_link", "robber", "paused", "ended", "identify", "enrol", "update", "safe")
_BESIDES_SIDE = 2
MINUTES = 10_000  # a countdown that no game has


class Face:
    """One player's place.

    `display` has `buffer` (1,024 bytes, or 512 for half a display), finds out by itself which pages differ,
    and is told by how many rows the whole picture is to stand lower (`shift_y`).
    """

    def __init__(self, display):
        self.display = display
        canvas = self.canvas = Canvas(display.buffer)
        self.layout = FullLayout(canvas) if canvas.pages == 8 else HalfLayout(canvas)
        self.standing = (None,)  # what was drawn last
        self.seconds = self.hold = -1
        self.steps = None  # of a picture that is being drawn anew
        self.look = 0  # for which of the view's looks it was compared
        self.twin = self  # the face that is drawn before this one, if there is another
        self.alone = True  # nothing is to be had from it

    def draw(self, view):
        """One step of two milliseconds or so towards the picture of this view; True when the buffer holds it,
        PART when the part that is drawn may be shown before the rest.

        Quick when nothing has changed.
        """
        if self.steps and view.look == self.look:
            if self.alone or self.twin.steps:
                return self._step()
            self.alone = True
            return self._take_over(view) or self._step()
        self.look = view.look
        self.display.shift_y = view.shift_y
        if self._anew(view):
            self.alone = self.twin is self or view.kind not in ALIKE
            self.steps = (
                pattern.draw(self.canvas, view.number) if view.kind == "pattern" else self.layout.draw(view)
            )
            self.seconds = view.seconds
            self.hold = view.hold
        elif self.steps and view.seconds != self.seconds:
            self.seconds = MINUTES if self.seconds >= 100 else -2  # nobody knows which of them will stand
        if not self.steps and view.seconds != self.seconds:
            self.alone = True
            self.seconds = view.seconds
            self.steps = self.layout.draw_seconds(view)
        if self.steps:
            return self._step()
        if view.hold != self.hold:
            self.hold = view.hold
            self.layout.draw_hold(view)
        self.layout.prepare(view)
        return True

    def _take_over(self, view):
        """Whether the other face has drawn the same picture already: then it is copied."""
        own, other = self.standing, self.twin.standing
        same = own[0] == other[0] and own[_BESIDES_SIDE:] == other[_BESIDES_SIDE:]
        if not same or self.twin.seconds != view.seconds or self.twin.hold != view.hold:
            return False
        self.display.buffer[:] = self.twin.display.buffer
        self.seconds, self.hold = view.seconds, view.hold
        self.steps = None
        return True

    def _step(self):
        for part in self.steps or ():
            return False if part is None else part
        # What has changed meanwhile is drawn at the next call.
        self.steps = None
        return False

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
        stands = standing(view)
        if stands == self.standing:
            return False
        self.standing = stands
        return True


def standing(view):
    """What draws everything anew when it changes. The countdown and the filling bar are drawn by themselves.

    Written out, since looking a field up by its name takes twenty times as long.
    """
    return (
        view.kind,
        view.own_side,
        view.words,
        view.active,
        view.next_side,
        view.name,
        view.sign,
        view.signs,
        view.phase,
        view.resume,
        view.round,
        view.dice,
        view.sum,
        view.last,
        view.target,
        view.reasons,
        view.last_round,
        view.claim,
        view.withdrawing,
        view.board,
        view.number,
        view.address,
        view.uid,
        view.version,
        view.update,
        view.maintenance,
        view.message,
        view.page,
        view.shift_x,
    )
