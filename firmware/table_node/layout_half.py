"""Where everything stands on half a display of 128 × 32, for two players who share one.

The number stands at the left, a heading and one line at the right.
"""

from table_node import symbols, view
from table_node.canvas import NAME, SMALL, TEXT
from table_node.layout_full import SIGNS_16, SIGNS_32
from table_node.layout_parts import HOT, ROOM, has_bar, poster_sign, says
from table_node.layout_said import Lines
from table_node.phrases import clock, goal, plays, said, short_claim_words, walked

LEFT_WIDTH = 34
RIGHT = 36
COUNTED = ("round", "robber", "paused")
SIGN = 18
"""Columns for a seat's sign beside its name."""


class HalfLayout:
    """Draws a view on half a display."""

    def __init__(self, canvas):
        self.canvas = canvas
        self.x = 0
        self.said = Lines(SMALL, 2)

    def draw(self, seen):
        """Everything anew, in steps of a few milliseconds: yields between them."""
        self.x = seen.shift_x
        self.canvas.clear()
        self._left(seen)
        yield
        self._heading(seen)
        yield
        if says(seen):
            yield from self.said.prepare(seen.message, ROOM - RIGHT)
        self._line(seen)
        if seen.kind == "identify":
            self.canvas.invert(0, 0, 128, 4)

    def draw_seconds(self, seen):
        """Only the countdown, where this kind shows one."""
        if seen.kind in COUNTED:
            self._left(seen)

    def prepare(self, _seen):
        """Nothing is made ahead of its time."""

    def draw_hold(self, seen):
        """Only the heading, which fills while the button is held."""
        if has_bar(seen):
            self.canvas.erase(self.x + RIGHT, 0, 128 - self.x - RIGHT, 2)
            self._heading(seen)
            if seen.kind == "robber":
                self._line(seen)  # its field reaches up beside the heading

    def _left(self, seen):
        canvas, x = self.canvas, self.x
        canvas.erase(x, 0, LEFT_WIDTH, 4)
        sign = left_sign(seen)
        if sign:
            canvas.symbol(sign, x + 1, 0)
        elif seen.kind == "enrol":
            canvas.centred(NAME, str(seen.number), x, x + LEFT_WIDTH, 0)
        elif seen.kind == "walk" and seen.claim != view.NO_CLAIM:
            text = str(seen.number)
            font, page = (NAME, 0) if NAME.width(text) <= LEFT_WIDTH else (TEXT, 1)
            canvas.centred(font, text, x, x + LEFT_WIDTH, page)
        elif seen.kind == "update":
            canvas.centred(NAME, str(seen.number), x, x + LEFT_WIDTH, 0)
        elif seen.kind == "counting":
            canvas.centred(NAME, str(seen.resume), x, x + LEFT_WIDTH, 0)
        elif seen.kind not in COUNTED:
            return
        elif seen.seconds >= 100:
            canvas.centred(TEXT, clock(seen.seconds), x, x + LEFT_WIDTH, 1)
        elif seen.seconds >= 0:
            canvas.centred(NAME, clock(seen.seconds), x, x + LEFT_WIDTH, 0)
            if seen.seconds <= HOT and seen.kind != "paused":
                canvas.invert(x, 0, LEFT_WIDTH, 4)

    def _heading(self, seen):
        canvas, left = self.canvas, self.x + RIGHT
        if seen.kind == "round" and seen.name and not has_bar(seen):
            canvas.symbol(SIGNS_16[seen.sign], left, 0)
            canvas.text(TEXT, heading(seen), left + SIGN, 0)
        else:
            self._words(heading(seen), 0, 33 if seen.kind == "robber" else 0)
        lit = 0
        if has_bar(seen):
            standing = seen.claim != view.HOLDING and not seen.hold
            lit = 128 - left if standing else seen.hold * (128 - left) // 255
        elif bright(seen):
            lit = 128 - left
        canvas.invert(left, 0, lit, 2)

    def _line(self, seen):
        """A page of the message, and after its last one what else stands there."""
        if says(seen):
            pages = self.said.pages()
            page = seen.page % (pages + 1)
            if page < pages:
                self._page(page)
                return
        if seen.kind == "round":
            self._roll(seen)
        elif seen.kind == "identify":
            font = NAME if NAME.width(seen.board) <= ROOM else TEXT
            self.canvas.centred(font, seen.board or str(seen.address), self.x, self.x + ROOM, 0)
        elif seen.kind == "robber":
            self._target(seen)
        else:
            self._words(line(seen), 2)

    def _page(self, number):
        for at, line in enumerate(self.said.page(number)):
            self.canvas.text(SMALL, line, self.x + RIGHT, 2 + at)

    def _roll(self, seen):
        canvas, left = self.canvas, self.x + RIGHT
        if not seen.dice:
            return
        canvas.symbol(symbols.DICE[seen.dice >> 4], left, 2)
        canvas.symbol(symbols.DICE[seen.dice & 15], left + 17, 2)
        canvas.centred(TEXT, str(seen.sum), left + 36, left + 62, 2)
        if seen.last:
            canvas.centred(SMALL, seen.words.WAS, left + 66, self.x + ROOM, 2)
            canvas.centred(SMALL, str(seen.last), left + 66, self.x + ROOM, 3)

    def _target(self, seen):
        canvas, place = self.canvas, self.x + ROOM - 32
        self._words(goal(seen), 2, 33)
        if seen.target == view.DESERT:
            canvas.symbol(symbols.DESERT_32, place, 0)
        elif seen.target:
            text = str(seen.target)
            canvas.symbol(symbols.HEXAGON_32, place, 0)
            canvas.over(TEXT, text, place + 16 - TEXT.width(text) // 2, 1)

    def _words(self, text, page, less=0):
        """In large letters where they fit, else in two small lines."""
        canvas, left, right = self.canvas, self.x + RIGHT, self.x + ROOM - less
        if TEXT.width(text) <= right - left:
            canvas.centred(TEXT, text, left, right, page)
            return
        parts = text.split(" ")
        middle = (len(parts) + 1) // 2
        canvas.centred(SMALL, " ".join(parts[:middle]), left, right, page)
        canvas.centred(SMALL, " ".join(parts[middle:]), left, right, page + 1)


def bright(seen):
    """Whether the heading stands in a lit field."""
    if seen.kind == "round":
        return seen.active == seen.own_side and seen.phase != view.FOUNDING
    if seen.kind == "ended":
        return seen.claim == view.CONFIRMED
    return seen.kind in ("paused", "counting", "safe", "no_link", "walk", "update")


def left_sign(seen):
    """The symbol in place of a number, or None."""
    if seen.kind == "ready" or (seen.kind == "round" and seen.phase == view.FOUNDING):
        return SIGNS_32[poster_sign(seen)]
    if seen.kind == "no_link":
        return symbols.CUT_32
    if seen.kind == "safe":
        return symbols.WARNING_32
    if seen.kind == "ended":
        return symbols.TROPHY_32 if seen.claim == view.CONFIRMED else symbols.FLAG_32
    if seen.kind == "paused" and seen.seconds < 0:
        return symbols.PAUSE_32
    return None


def heading(seen):
    words = seen.words
    if has_bar(seen):
        return short_claim_words(seen)
    if seen.kind == "round":
        if seen.name:
            return plays(seen.words, seen.name)
        if seen.phase == view.FOUNDING:
            return words.FOUNDING
        if seen.active == seen.own_side:
            return words.YOUR_TURN
        return "" if seen.active == view.NOBODY else words.PLAYS[seen.active]
    if seen.kind == "counting":
        return words.STARTS_IN if seen.phase == view.READY else words.GOES_ON
    if seen.kind == "ended":
        return words.WINNER if seen.claim == view.CONFIRMED else words.ENDED
    if seen.kind == "ready":
        return words.MAINTENANCE if seen.maintenance else words.READY
    return {
        "boot": words.NODE,
        "no_link": words.NO_LINK,
        "robber": words.ROBBER,
        "paused": words.PAUSE,
        "identify": "",
        "enrol": words.PRESS_HERE[0],
        "walk": words.WALK,
        "update": words.NEW_FIRMWARE,
        "safe": words.SAFE,
    }[seen.kind]


def line(seen):
    words = seen.words
    if seen.kind == "paused":
        first, _ = said(seen)
        return " ".join(first[1:3]).rstrip() if first else words.PAUSE_REMARK
    if seen.kind == "counting":
        if seen.name:
            return plays(seen.words, seen.name)
        side = seen.next_side if seen.active == view.NOBODY else seen.active
        if side == view.NOBODY:
            return ""
        return words.YOU_PLAY if side == seen.own_side else words.PLAYS[side]
    if seen.kind == "ready":
        return seen.board
    if seen.kind == "walk":
        return walked(seen)
    return {
        "boot": seen.version,
        "no_link": " ".join(words.LOOK),
        "ended": words.THANKS,
        "enrol": words.PRESS_HERE[1],
        "update": " ".join(words.LEAVE_PLUGGED),
        "safe": " ".join(words.CALL),
    }.get(seen.kind, "")
