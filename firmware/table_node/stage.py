"""When to look at the clock and to draw: in short slices, between the frames on the cable."""

from table_node.layout_full import PART

LOOK_US = 20_000
_SLICE_US = 1700
"""A slice of sending to a display: six pages of 281 µs, which are a picture without its bar. The node must
answer within 5 ms."""
_NEXT_SLICE_US = 500
_IMPATIENT_US = 4_000
"""On a line that is never quiet drawing goes on all the same, as often as this: the first bytes of a picture
are some fifteen slices away, and are to go out within 100 ms. A request is noticed 2 ms late at most."""
_SERVED_US = 1_000_000
_LEFT_US = 300_000
"""Since all was drawn: then what is half drawn is finished first, whatever comes."""
_UNKNOWN = -2


class Stage:
    """Takes turns: look (fill the views, set the lamps), draw side 0, draw side 1, rest until it is time."""

    def __init__(self, board, faces, look_us=LOOK_US):
        self._look_us = look_us
        self._diff = board.ticks_diff
        self._add = board.ticks_add
        self.faces = faces
        self._queue = []  # sides to be drawn, the next one first
        self._made = self._part = False
        self.hurried = True  # there is news that was not looked at
        self._looked = self._flip = self._worked = self._drawn = board.ticks_us()
        self._lit = [_UNKNOWN] * len(faces)

    def hurry(self):
        """There is news: look at the next opportunity."""
        self.hurried = True

    def start_over(self, now):
        """Another picture is to be seen: what is half drawn is left so, unless that has happened for long."""
        self.hurried = True
        if self._diff(now, self._drawn) < _LEFT_US:
            self._queue.clear()
            self._made = self._part = False

    def may_work(self, now, *, quiet):
        """`quiet`: no frame is coming in."""
        if not quiet and self._diff(now, self._worked) < _IMPATIENT_US:
            return False
        self._worked = now
        return True

    def is_drawn(self):
        """What was looked at last stands on all displays."""
        return not self._queue

    def is_shown(self):
        """So it is, and nothing has happened since."""
        return not (self._queue or self.hurried)

    def time_to_look(self, now):
        if not self.is_drawn():
            return False
        late = self._diff(now, self._looked) >= self._look_us
        return self.hurried or late or self._diff(now, self._flip) >= 0

    def looked(self, now, to_flip_us):
        """The views are filled; in `to_flip_us` another second is to be shown. Now they are drawn."""
        self._looked = now
        self._flip = self._add(now, to_flip_us)
        self.hurried = False
        for side in range(len(self.faces)):
            self._queue.append(side)

    def draw(self, views, now):
        """One slice of work, if there is any: a step of drawing, or some pages of what is drawn. What may be
        shown first is drawn on all sides before the rest of the first."""
        if self.is_drawn():
            return
        side = self._queue[0]
        face = self.faces[side]
        if self._made or self._part:
            if face.display.flush(_SLICE_US) or not face.display.ok:
                if self._made:
                    self.skip(now)
                else:
                    self._part = False
                    self._queue.append(self._queue.pop(0))
            return
        # A face may take several steps; a simple one draws all at once and says nothing.
        said = face.draw(views[side])
        self._part = said == PART
        self._made = said is not False and not self._part

    def skip(self, now):
        """On to the next side: this one is drawn, does not answer, or must not be drawn."""
        if self._queue:
            self._queue.pop(0)
        self._made = self._part = False
        if not self._queue:
            self._drawn = now

    def served(self, now):
        """Whether every display has had its turn in the last second."""
        return self._diff(now, self._drawn) < _SERVED_US

    def rest(self, now):
        """Microseconds until there is work."""
        if self.hurried or not self.is_drawn():
            return _NEXT_SLICE_US
        left = min(self._diff(self._flip, now), self._look_us - self._diff(now, self._looked))
        return left if left > 0 else _NEXT_SLICE_US

    def light(self, contrast, *, on):
        """Contrast 0-255 and power of all displays; told again to one that has come back."""
        wanted = contrast if on else -1
        for side, face in enumerate(self.faces):
            display = face.display
            if not display.ok:
                self._lit[side] = _UNKNOWN
            elif self._lit[side] != wanted:
                self._lit[side] = wanted
                display.power(on)
                if on:
                    display.contrast(contrast)
