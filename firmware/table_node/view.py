"""What one side of the table sees: filled in by the node, drawn by the face.

A node holds one view for each of its two sides (places at the table), in the order of its connectors. It
sets every field before each drawing; a face only reads. A face has the attribute `display` and the method
`draw(view)`, one step that changes nothing but the display's buffer (False: another step is needed); the
node calls `display.flush(budget_us)`, `display.contrast(level)`, `display.power(on)`, and reads `display.ok`.
"""

from table_node import words_en

SUN = 0
MOON = 1
NOBODY = -1

# `sign` and `signs`, as on the wire
HEXAGON = 0  # of a seat whose own sign is not drawn here
SIGNS = 3  # that one, Sun's, Moon's
SIDES_SIGNS = (1, 2)

KINDS = (
    "boot",  # version and unique id, in the first 2 s
    "no_link",  # "no link, look at the hall screen"; no number at all
    "ready",  # a game is armed
    "round",  # also a turn and the founding of the classic rules: see `phase`
    "robber",
    "paused",  # reasons; the frozen seconds; `phase` says what was frozen
    "counting",  # `resume` is the 3, 2, 1
    "ended",
    "identify",  # board's name, address and unique id, large
    "enrol",  # "press here", `number`
    "pattern",  # of a test: `number` is that of IDENTIFY
    "walk",  # a test of the buttons: `number` is that of the own claim, `claim` what became of it
    "update",  # new firmware comes: `number` is how many of a hundred parts are there
    "safe",  # safe mode after repeated resets: only the bus works
)

# `phase`, as on the wire
READY = 0
ROUND = 1
ROBBER = 2
ENDED = 3
FOUNDING = 4
TURN = 5

# `target`
DESERT = 7

# bits of `reasons`
BUTTON = 1
DIRECTOR = 2
CLAIM = 4
FAULT = 8
RECOVERY = 16

# `claim`: from RECEIVED on the poll's status plus 2
NO_CLAIM = 0
HOLDING = 1
SENT = 2
RECEIVED = 3
OPEN = 4
JUDGE_COMES = 5
REJECTED = 6
WITHDRAWN = 7
CONFIRMED = 8
WAIT_FOR_YOUR_SIDE = 9


class View:
    """Plain fields; all numbers are small integers."""

    def __init__(self):
        self.words = words_en  # the module of the language that stands
        self.look = 0  # another number whenever it has been filled
        self.kind = "boot"
        self.own_side = SUN  # SUN or MOON: whose place this is; another one after a swap
        self.active = NOBODY  # SUN, MOON or NOBODY
        self.next_side = NOBODY
        self.name = ""  # of the seat that acts, or will after counting in; "" while it is simply Sun or Moon
        self.sign = HEXAGON  # of that seat
        self.signs = SIDES_SIGNS  # of the seats that the two sides stand for
        self.phase = READY
        self.seconds = -1  # to show, rounded up; -1: this kind or phase has no countdown
        self.tenths_left = 0  # 0.1 s, for a bar
        self.duration = 0  # 0.1 s, of the phase; 0: no countdown
        self.resume = 0  # 3, 2, 1 of counting in; 0 none
        self.round = 0
        self.dice = 0  # first die in the high nibble, second in the low; 0 none
        self.sum = 0  # 2-12, 0 none
        self.last = 0  # sum of the roll before, 0 none
        self.target = 0  # 0 none, 2-6 and 8-12, DESERT
        self.reasons = 0
        self.robber_possible = False
        self.last_round = False
        self.claims_pause = False  # a claim pauses at once; otherwise the director is asked
        self.claim = NO_CLAIM
        self.hold = 0  # 0-255: how far the hold has filled; with a claim that stands: taking it back
        self.withdrawing = False  # taking back was asked for and is not acknowledged yet
        self.board = ""  # at most 6 characters, "" not known
        self.number = 0  # of identify, enrol, pattern, walk and update
        self.address = 0  # 1-32, 0 none
        self.uid = ""  # 16 hex digits
        self.version = ""  # of the firmware, "1.0"
        self.minutes = 0  # since power-on
        self.update = False  # "update me": no common protocol version with the master
        self.maintenance = False
        self.message = ""  # the director's
        self.page = 0  # of it: how many have stood before, beyond the last one on
        self.shift_x = 0  # 0-3 pixels, against burning in
        self.shift_y = 0  # 0-1 pixels
