"""All words on the tables' displays. Capitals are headings; the places they must fit in stand in the layouts."""

SIDES = ("Sun", "Moon")

YOUR_TURN = "YOUR TURN"
PLAYS = ("Sun plays", "Moon plays")
STARTS = ("Sun starts", "Moon starts")
NEXT = ("next: Sun", "next: Moon")
YOU_START = "you start"
YOU_NEXT = "you are next"
WAS = "was"
ROUND = "round"
LAST = "last"
UPDATE = ("update", "me")
FOUNDING = "Founding"

ROBBER = "ROBBER"
ROBBER_TO = "move to"
DESERT = "desert"
TO = "to"

PAUSE = "PAUSE"
PAUSE_REMARK = "hands off the board"
# By bit of the reason, each in two lines; then what is said of it beside a more important one.
REASONS = (
    (4, "A claim is", "checked", "claim"),
    (8, "Technical", "check", "check"),
    (2, "Director", "paused", "director"),
    (1, "Button", "pressed", "button"),
    (16, "After a", "restart", "restart"),
)
AND = "and:"

GOES_ON = "GOES ON IN"
STARTS_IN = "STARTS IN"

READY = "Ready"
MAINTENANCE = "In repair"
ENDED = "Game over"
THANKS = "thank you!"
WINNER = "WINNER"
CONGRATULATIONS = "well played!"

NO_LINK = "NO LINK"
LOOK = ("Look at the", "hall screen")

PRESS = "Press"
HERE = "here"

SAFE = ("SAFE MODE", "call the", "technician")

NODE = "Table node"
VERSION = "version"
ADDRESS = "address"
TOO_OLD = ("OLD FIRMWARE", "install", "MicroPython", "1.25 or newer")

# By `claim` of the view, from holding on.
CLAIMS = (
    "",
    "Call the director",
    "Calling ...",
    "Call received",
    "Director asked",
    "Director comes",
    "Claim rejected",
    "Taken back",
    "WINNER",
    "Wait for your side",
)
TAKE_BACK = "Hold: take back"
TAKING_BACK = "Taking back ..."
