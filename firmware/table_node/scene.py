"""Fills a view from what the node knows: the newest STATE, seats, countdown, the link, claims and orders."""

from table_node import messages as m
from table_node import view as v
from table_node.countdown import whole
from table_node.lights import FULL, HALF

_KINDS = {v.READY: "ready", v.ROBBER: "robber", v.ENDED: "ended"}
_TIMED = ("round", "robber", "paused", "counting")
_ASKED = {
    m.IDENTIFY_NAME: "identify",
    m.IDENTIFY_ENROL: "enrol",
    m.IDENTIFY_PATTERN: "pattern",
    m.IDENTIFY_WALK: "walk",
}
BOOT_SECONDS = 2


class Notice:
    """What IDENTIFY asked for, until its time is over."""

    def __init__(self):
        self.what = m.IDENTIFY_OFF
        self.number = 0
        self._seconds = 0

    def take(self, identify):
        self.what = identify.what if identify.seconds else m.IDENTIFY_OFF
        self.number = identify.number
        self._seconds = identify.seconds

    def stop(self):
        self.what = m.IDENTIFY_OFF

    def second(self):
        if self._seconds:
            self._seconds -= 1
        else:
            self.what = m.IDENTIFY_OFF

    def contrast(self, usual):
        """Of the displays: a pattern has its own."""
        if self.what != m.IDENTIFY_PATTERN:
            return usual
        return HALF if self.number & m.HALF_CONTRAST else FULL


class Seats:
    """Names and signs of the seats, as far as the master has told them."""

    def __init__(self):
        self._heard = m.Seat()
        self.forget()

    def forget(self):
        self._names = [""] * m.MOST_SEATS
        self._signs = bytearray(m.MOST_SEATS)
        self.of_sides = (v.HEXAGON, v.HEXAGON)  # signs of the first two

    def hear(self, frame, epoch):
        """A SEAT; True when that is news. Those of another master are not this game's."""
        seat = self._heard
        if not m.fits(frame.version, m.SEAT, frame.size) or not seat.read(frame.payload):
            return False
        return seat.epoch == epoch and self._take(seat)

    def _take(self, seat):
        name = seat.name.decode()
        sign = seat.sign if seat.sign < v.SIGNS else v.HEXAGON
        if name == self._names[seat.index] and sign == self._signs[seat.index]:
            return False
        self._names[seat.index] = name
        self._signs[seat.index] = sign
        self.of_sides = (self._signs[v.SUN], self._signs[v.MOON])
        return True

    def name(self, index, words):
        """Empty for NO_SEAT; a seat that is not known, or has no name, is called by its number."""
        if index == m.NO_SEAT:
            return ""
        return self._names[index] or words.SEAT.format(number=index + 1)

    def sign(self, index):
        return v.HEXAGON if index == m.NO_SEAT else self._signs[index]


def kind(node):
    """What is to be shown; the first that holds."""
    if node.safe.on:
        return "safe"
    if node.update and node.update.busy():
        return "update"
    if node.notice.what in _ASKED:
        return _ASKED[node.notice.what]
    if not node.link.alive:
        return "boot" if node.vitals.seconds < BOOT_SECONDS and not node.heard else "no_link"
    return _in_play(node.state)


def _in_play(state):
    if state.phase == v.ENDED:
        return "ended"
    if state.flags & m.COUNTING_IN:
        return "counting"
    if state.flags & m.PAUSED:
        return "paused"
    return _KINDS.get(state.phase, "round")


def _side(flags, sun, moon):
    if flags & sun:
        return v.SUN
    return v.MOON if flags & moon else v.NOBODY


def _due(state):
    """The seat that is spoken of: the one that acts, and while nobody does yet the first that will."""
    acting = state.acting & 15
    if acting == m.NO_SEAT and state.flags & m.COUNTING_IN:
        return state.acting >> 4 & 15
    return acting


def take_words(views, state, languages):
    """The same language on both sides: another one with another phase, if there are two."""
    words = languages.words(1 if state.flags & m.SECOND_LANGUAGE else 0)
    for view in views:
        view.words = words


def take_seats(views, state, seats):
    """What changes with a STATE or a SEAT. In a game of Sun and Moon there is nothing to do."""
    if state.acting == m.SIDES_ALONE and views[0].signs is v.SIDES_SIGNS:
        return
    due = _due(state)
    for view in views:
        view.name = seats.name(due, view.words)
        view.sign = seats.sign(due)
        view.signs = v.SIDES_SIGNS if state.acting == m.SIDES_ALONE else seats.of_sides


def take_state(view, state):
    """What changes only with a STATE."""
    flags = state.flags
    view.phase = state.phase
    view.active = _side(flags, m.SUN_ACTIVE, m.MOON_ACTIVE)
    view.next_side = _side(flags, m.NEXT_SUN, m.NEXT_MOON)
    view.duration = state.duration
    view.round = state.round
    view.dice = state.dice
    view.sum = (state.dice >> 4) + (state.dice & 15)
    view.last = state.last
    view.target = state.target
    view.reasons = state.reasons
    view.robber_possible = bool(flags & m.ROBBER_POSSIBLE)
    view.last_round = bool(flags & m.LAST_ROUND)
    view.claims_pause = bool(flags & m.CLAIMS_PAUSE)
    view.maintenance = bool(flags & m.MAINTENANCE)


def take_node(view, node):
    """What changes with orders and the passing of seconds."""
    view.board = node.board_name
    view.address = node.address.number
    view.number = node.update.percent() if node.update else node.notice.number
    view.update = node.outdated
    view.minutes = node.vitals.minutes()
    view.message = node.said.text
    view.page = node.said.page
    shifted = node.notice.what != m.IDENTIFY_PATTERN
    view.shift_x = node.care.shift_x if shifted else 0
    view.shift_y = node.care.shift_y if shifted else 0


def take_time(views, node, master_us):
    """What changes by itself, on all sides alike: `master_us` is the master's time now."""
    now = kind(node)
    seconds, tenths = -1, 0
    if now in _TIMED and views[0].duration:
        seconds = node.countdown.seconds(master_us)
        tenths = whole(node.countdown.left(master_us), 100_000)
    resume = node.countdown.resume(master_us) if now == "counting" else 0
    for view in views:
        view.kind = now
        view.seconds = seconds
        view.tenths_left = tenths
        view.resume = resume


def take_claim(view, point, side):
    view.own_side = side
    view.claim = point.claim.shown
    view.hold = point.fill
    view.withdrawing = point.claim.withdrawing
    if point.fill and not point.claim.stands():
        view.claim = v.HOLDING
    if view.kind == "walk":
        view.number = point.claim.number
    elif view.kind == "pattern":
        view.number = _pattern(view.number, side)


def _pattern(number, side):
    """What the display of this side shows of a test; the same when it is asked again."""
    dark = number & (m.DARK_MOON if side else m.DARK_SUN)
    return m.BLACK if dark else number & m.PATTERN


def shine(node):
    """Contrast and power of the displays."""
    usual = node.care.contrast(node.brightness)
    node.stage.light(node.notice.contrast(usual), on=node.care.power())
