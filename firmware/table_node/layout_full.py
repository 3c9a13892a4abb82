"""Where everything stands on a display of 128 × 64: a bar of two pages, below it six pages for the rest."""

from table_node import symbols, view
from table_node.canvas import COUNT, NAME, SMALL, TEXT, WIDTH, Canvas
from table_node.layout_parts import HOT, NOTED, RIGHT, ROOM, SAID, edge, has_bar, poster_sign, says, shows_bar
from table_node.layout_said import Lines
from table_node.phrases import claim_words, clock, goal, notes, plays, said, walked, why_paused

BAR_PAGES = 2
PART = ""
"""Yielded where what is drawn so far may be shown; like False it says that there is more."""
LEFT = 2  # of the countdown
COUNT_WIDTH = 60  # of two of its digits, with their lit field
BESIDE_SAID = 34  # width of the countdown, and of the roll, beside a message
SIDES_16 = (symbols.SUN_16, symbols.MOON_16)
# By the view's `sign`.
SIGNS_16 = (symbols.HEXAGON_16, symbols.SUN_16, symbols.MOON_16)
SIGNS_32 = (symbols.HEXAGON_32, symbols.SUN_32, symbols.MOON_32)
SIGNS_48 = (symbols.HEXAGON_48, symbols.SUN_48, symbols.MOON_48)
CLAIM_SIGNS = (
    None,
    None,
    symbols.HOURGLASS_16,
    symbols.TICK_16,
    symbols.DIRECTOR_16,
    symbols.DIRECTOR_16,
    symbols.CROSS_16,
    symbols.TICK_16,
    symbols.TROPHY_16,
    None,
)


class FullLayout:
    """Draws a view on a whole display. `x` is how far the picture has wandered."""

    def __init__(self, canvas):
        self.canvas = canvas
        self.x = 0
        self.said = Lines(TEXT, 3)
        # The lit field of a pause without its notes, made ahead of its time for this `x`.
        self._pause = Canvas(bytearray(BAR_PAGES * WIDTH))
        self._pause_x = -1
        self._pause_words = None
        self.scenes = {
            "boot": self._boot,
            "no_link": self._no_link,
            "ready": self._ready,
            "round": self._round,
            "robber": self._robber,
            "paused": self._paused,
            "counting": self._counting,
            "ended": self._ended,
            "identify": self._identify,
            "enrol": self._enrol,
            "walk": self._walk,
            "update": self._update,
            "safe": self._safe,
        }

    def draw(self, seen):
        """Everything anew, in steps of two milliseconds or so: yields between them, and PART when what stands
        in the bar may be shown before the rest is drawn."""
        self.x = seen.shift_x
        self.canvas.erase(0, 0, 128, BAR_PAGES if shows_bar(seen) else 8)
        more = self._said(seen) if says(seen) else self.scenes[seen.kind](seen)
        if more:
            yield from more

    def draw_seconds(self, seen):
        """Only the countdown, where this kind shows one; in steps, like `draw`."""
        if says(seen):
            return self._count_beside(seen) if seen.kind in ("round", "robber") else None
        if seen.kind == "robber":
            return self._count(seen, 66)
        return self._count(seen, LEFT) if seen.kind == "round" and shows_bar(seen) else None

    def draw_hold(self, seen):
        """Only the bar that fills while the button is held."""
        if has_bar(seen) and shows_bar(seen):
            self.canvas.erase(0, 0, 128, BAR_PAGES)
            self._claim_bar(seen)

    def prepare(self, seen):
        """What a pause shows first, where the picture stands now."""
        if self._pause_x != self.x or self._pause_words is not seen.words:
            self._pause_x = self.x
            self._pause_words = seen.words
            self._pause.clear()
            self._lead(self._pause, symbols.PAUSE_16, seen.words.PAUSE)
            self._pause.invert(0, 0, self.x + NOTED, BAR_PAGES)

    # Scenes of play

    def _round(self, seen):
        if seen.phase == view.FOUNDING:
            text = plays(seen.words, seen.name) if seen.name else seen.words.FOUNDING
            yield from self._poster(seen, SIGNS_48[poster_sign(seen)], text)
            return
        yield from self._heading(seen)
        yield from self._count(seen, LEFT)
        yield
        if seen.sum:
            self._right_aligned(NAME, str(seen.sum), 2)
        yield
        self._dice(seen)
        yield
        if seen.last and seen.seconds < 100:
            self.canvas.centred(SMALL, seen.words.WAS, self.x + 62, self.x + RIGHT, 5)
            self.canvas.centred(TEXT, str(seen.last), self.x + 62, self.x + RIGHT, 6)

    def _robber(self, seen):
        yield from self._heading(seen)
        self._target(seen, 5)
        yield
        yield from self._count(seen, 66)

    def _paused(self, seen):
        if seen.claim == view.CONFIRMED:
            yield from self._ended(seen)
            return
        yield from self._heading(seen)
        canvas, x = self.canvas, self.x
        first, second = said(seen)
        if first:
            canvas.text(TEXT, first[1], x + 2, 2)
            yield
            canvas.text(TEXT, first[2], x + 2, 4)
            yield
        canvas.text(SMALL, second or seen.words.PAUSE_REMARK, x + 2, 6)
        yield
        if seen.seconds >= 0:
            self._right_aligned(NAME, clock(seen.seconds), 2)
        yield
        if seen.phase == view.ROBBER and seen.target:
            self._right_aligned(TEXT, goal(seen), 6)
        else:
            self._dice(seen)

    def _counting(self, seen):
        text = seen.words.STARTS_IN if seen.phase == view.READY else seen.words.GOES_ON
        yield from self._bar(seen, None, text, filled=True)
        self.canvas.centred(COUNT, str(seen.resume), self.x, self.x + 60, 2)
        yield
        side = seen.next_side if seen.active == view.NOBODY else seen.active
        if seen.name:
            sign, text = SIGNS_32[seen.sign], plays(seen.words, seen.name)
        elif side == view.NOBODY:
            return
        else:
            sign = symbols.SUN_32 if side == view.SUN else symbols.MOON_32
            text = seen.words.YOU_PLAY if side == seen.own_side else seen.words.PLAYS[side]
        self.canvas.symbol(sign, self.x + 75, 2)
        self.canvas.centred(TEXT, text, self.x + 57, self.x + ROOM, 6)

    def _ready(self, seen):
        text = seen.words.MAINTENANCE if seen.maintenance else seen.words.READY
        return self._poster(seen, SIGNS_48[poster_sign(seen)], text)

    def _ended(self, seen):
        if seen.claim == view.CONFIRMED:
            return self._lines(
                symbols.TROPHY_48, (seen.words.WINNER, seen.words.CONGRATULATIONS), filled=True
            )
        return self._lines(symbols.FLAG_48, (seen.words.ENDED, seen.words.THANKS), filled=False)

    def _said(self, seen):
        """The director's message, beside countdown and roll where there are some."""
        yield from self._heading(seen)
        counted = seen.seconds >= 0 and seen.kind in ("round", "robber", "paused")
        left = SAID if counted else LEFT
        if counted:
            yield from self._count_beside(seen)
            self._dice(seen, 1)
            yield
        why = why_paused(seen, ROOM - left)
        self.said.of_a_page = 2 if why else 3
        yield from self.said.prepare(seen.message, ROOM - left)
        lines = self.said.page(seen.page % self.said.pages())
        page = BAR_PAGES + self.said.of_a_page - len(lines)
        for number, line in enumerate(lines):
            self.canvas.text(TEXT, line, self.x + left, page + 2 * number)
            yield
        for number, line in enumerate(why):
            self.canvas.text(SMALL, line, self.x + left, 6 + number)

    # Scenes outside play

    def _boot(self, seen):
        self.canvas.text(TEXT, seen.words.NODE, self.x + 2, 1)
        yield
        self.canvas.text(TEXT, seen.words.VERSION.format(version=seen.version), self.x + 2, 3)
        yield
        self.canvas.text(SMALL, seen.uid, self.x + 2, 6)

    def _no_link(self, seen):
        return self._notice(symbols.CUT_48, seen.words.NO_LINK, seen.words.LOOK)

    def _identify(self, seen):
        self._huge(seen.board or str(seen.address))
        yield
        self.canvas.invert(0, 0, 128, 8)

    def _enrol(self, seen):
        canvas, x = self.canvas, self.x
        canvas.symbol(symbols.DOWN_48, x + 2, 1)
        canvas.centred(TEXT, " ".join(seen.words.PRESS_HERE), x + 50, x + ROOM, 0)
        yield
        canvas.centred(COUNT, str(seen.number), x + 50, x + ROOM, 2)

    def _walk(self, seen):
        canvas, x = self.canvas, self.x
        canvas.centred(TEXT, seen.words.WALK, x, x + ROOM, 0)
        canvas.invert(0, 0, 128, BAR_PAGES)
        yield
        if seen.claim == view.NO_CLAIM:
            canvas.symbol(symbols.DOWN_48, x + 2, 2)
            self._board(seen, x + 54, 2)
            yield
            canvas.centred(TEXT, walked(seen), x + 54, x + ROOM, 6)
            return
        canvas.centred(COUNT, str(seen.number), x, x + RIGHT, 2)
        yield
        sign = CLAIM_SIGNS[seen.claim]
        if sign:
            canvas.symbol(sign, x + RIGHT + 8, 2)
        canvas.centred(SMALL, walked(seen), x + RIGHT, x + ROOM, 5)

    def _update(self, seen):
        words = seen.words
        yield from self._notice(symbols.DOWN_48, words.NEW_FIRMWARE, ("", f"{seen.number} %"))
        yield
        for number, line in enumerate(words.LEAVE_PLUGGED):
            self.canvas.centred(SMALL, line, self.x + 54, self.x + ROOM, 2 + number)

    def _safe(self, seen):
        return self._notice(symbols.WARNING_48, seen.words.SAFE, seen.words.CALL)

    # Parts

    def _notice(self, sign, heading, lines):
        """A lit heading, a symbol, two lines."""
        canvas, x = self.canvas, self.x
        canvas.centred(TEXT, heading, x, x + ROOM, 0)
        yield
        canvas.invert(0, 0, 128, BAR_PAGES)
        canvas.symbol(sign, x + 2, 2)
        yield
        canvas.centred(TEXT, lines[0], x + 54, x + ROOM, 3)
        yield
        canvas.centred(TEXT, lines[1], x + 54, x + ROOM, 5)

    def _heading(self, seen):
        """The bar of a picture of play, or with a message."""
        words = seen.words
        if seen.kind == "paused":
            return self._bar(seen, symbols.PAUSE_16, words.PAUSE, filled=True)
        if seen.kind == "ended":
            return self._bar(seen, None, words.ENDED, filled=True, noted=False)
        if seen.kind == "ready":
            text = words.MAINTENANCE if seen.maintenance else seen.board or words.READY
            return self._bar(seen, SIGNS_16[poster_sign(seen)], text, filled=True, noted=False)
        if seen.kind == "robber":
            desert = seen.target == view.DESERT
            text = words.ROBBER_TO_DESERT if desert else words.ROBBER_TO.format(number=seen.target)
            return self._bar(seen, symbols.ROBBER_16, text, filled=False, noted=False)
        if seen.name:
            own = seen.active == seen.own_side
            return self._bar(seen, SIGNS_16[seen.sign], plays(words, seen.name), filled=own)
        if seen.active == view.NOBODY:
            return self._bar(seen, None, "", filled=False)
        if seen.active == seen.own_side:
            return self._bar(seen, SIDES_16[seen.own_side], words.YOUR_TURN, filled=True)
        return self._bar(seen, SIDES_16[seen.active], words.PLAYS[seen.active], filled=False)

    def _bar(self, seen, sign, text, filled, noted=True):
        """The top two pages: a symbol, a heading, and two small lines at the right of the lit field. What is
        below them is there until they have been shown."""
        upper, lower = notes(seen) if noted else ("", "")
        if has_bar(seen):
            self._claim_bar(seen)
            yield PART
        elif self._is_prepared(seen, sign) and edge(upper, lower) == NOTED:
            for start in range(0, BAR_PAGES * WIDTH, WIDTH):
                end = start + self.x + NOTED
                self.canvas.pixels[start:end] = self._pause.pixels[start:end]
            yield PART
            self._notes(upper, lower)
            yield
        else:
            self._lead(self.canvas, sign, text)
            yield
            self._notes(upper, lower)
            yield
            if filled:
                self.canvas.invert(0, 0, min(WIDTH, self.x + edge(upper, lower)), BAR_PAGES)
            yield PART
        self.canvas.erase(0, BAR_PAGES, 128, 8 - BAR_PAGES)

    def _is_prepared(self, seen, sign):
        return sign is symbols.PAUSE_16 and self._pause_x == self.x and self._pause_words is seen.words

    def _lead(self, canvas, sign, text):
        """A symbol and a heading."""
        left = canvas.symbol(sign, self.x + 2, 0) if sign else self.x
        canvas.text(TEXT, text, left + 2, 0)

    def _notes(self, upper, lower):
        self._right_aligned(SMALL, upper, 0)
        self._right_aligned(SMALL, lower, 1)

    def _claim_bar(self, seen):
        """What became of the claim, in place of the heading; it fills while the button is held."""
        canvas = self.canvas
        text = claim_words(seen)
        sign = symbols.HOURGLASS_16 if seen.withdrawing else CLAIM_SIGNS[seen.claim]
        width = TEXT.width(text) + (sign[0] + 4 if sign else 0)
        left = self.x + max(2, (ROOM - width) // 2)
        if sign:
            left = canvas.symbol(sign, left, 0) + 4
        canvas.text(TEXT, text, left, 0)
        lit = seen.hold * 128 // 255
        if not lit and seen.claim not in (view.NO_CLAIM, view.HOLDING):
            lit = 128
        canvas.invert(0, 0, lit, BAR_PAGES)

    def _count(self, seen, left):
        """The countdown from this column on, in a light field when time is running out."""
        canvas, x = self.canvas, self.x + left
        canvas.erase(x - 2, 2, COUNT_WIDTH, 6)
        yield
        if seen.seconds < 0:
            return
        text = clock(seen.seconds)
        if seen.seconds < 100:
            canvas.centred(COUNT, text, x - 2, x - 2 + COUNT_WIDTH, 2)
        elif left == LEFT:
            canvas.text(COUNT, text, x, 2)
        else:
            canvas.centred(NAME, text, x, self.x + ROOM, 3)
        if seen.seconds <= HOT:
            yield
            canvas.invert(x - 2, 2, COUNT_WIDTH, 6)

    def _count_beside(self, seen):
        """The countdown beside a message."""
        canvas, x = self.canvas, self.x
        canvas.erase(x, BAR_PAGES, BESIDE_SAID, 4)
        yield
        text = clock(seen.seconds)
        if seen.seconds >= 100:
            canvas.centred(TEXT, text, x, x + BESIDE_SAID, 3)
            return
        canvas.centred(NAME, text, x, x + BESIDE_SAID, BAR_PAGES)
        if seen.seconds <= HOT and seen.kind != "paused":
            canvas.invert(x, BAR_PAGES, BESIDE_SAID, 4)

    def _dice(self, seen, left=RIGHT):
        if seen.dice:
            self.canvas.symbol(symbols.DICE[seen.dice >> 4], self.x + left, 6)
            self.canvas.symbol(symbols.DICE[seen.dice & 15], self.x + left + 17, 6)

    def _target(self, seen, left):
        canvas, x = self.canvas, self.x + left
        if seen.target == view.DESERT:
            canvas.symbol(symbols.DESERT_48, x, 2)
        elif seen.target:
            canvas.symbol(symbols.HEXAGON_48, x, 2)
            text = str(seen.target)
            canvas.over(NAME, text, x + 24 - NAME.width(text) // 2, 3)

    def _poster(self, seen, sign, text):
        """A symbol, the board's name, and a word."""
        canvas, x = self.canvas, self.x
        canvas.symbol(sign, x + 2, 1)
        self._board(seen, x + 53, 1)
        yield
        canvas.centred(TEXT, text, x + 53, x + ROOM, 5)

    def _board(self, seen, left, page):
        """Its name, large where it has room."""
        right = self.x + ROOM
        if NAME.width(seen.board) <= right - left:
            self.canvas.centred(NAME, seen.board, left, right, page)
        else:
            self.canvas.centred(TEXT, seen.board, left, right, page + 1)

    def _lines(self, sign, lines, filled):
        canvas, x = self.canvas, self.x
        canvas.symbol(sign, x + 2, 1)
        canvas.centred(TEXT, lines[0], x + 50, x + ROOM, 2)
        yield
        canvas.centred(SMALL, lines[1], x + 50, x + ROOM, 5)
        yield
        if filled:
            canvas.invert(0, 0, 128, 8)

    def _huge(self, name):
        """Twice as large where it has room and no letter hangs below the line."""
        canvas = self.canvas
        width = 2 * NAME.width(name)
        if width <= ROOM and not any(letter in name for letter in "gjpqy"):
            canvas.double(NAME, name, self.x + (ROOM - width) // 2)
        else:
            canvas.centred(NAME, name, self.x, self.x + ROOM, 2)

    def _right_aligned(self, font, text, page):
        self.canvas.text(font, text, self.x + ROOM - font.width(text), page)
