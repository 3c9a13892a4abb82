"""All words on the tables' displays. The places they must fit in stand in the layouts."""

SIDES = ("Sun", "Moon")

YOUR_TURN = "YOUR TURN"
PLAYS = ("Sun plays", "Moon plays")
YOU_PLAY = "You play"
# Of a seat that is no side: its name, and this; and what one is called whose name is not known.
THEY_PLAY = " plays"
SEAT = "Seat"
WAS = "was"
ROUND = "round"
LAST_ROUND = ("last", "round")
UPDATE = ("update", "me")
FOUNDING = "Founding"

ROBBER = "ROBBER"
ROBBER_HEADING = "Robber"
DESERT = "desert"
TO = "to"

PAUSE = "PAUSE"
PAUSE_REMARK = "nobody moves"
# By bit of the reason, each in two lines; then what is said of it beside a more important one.
REASONS = (
    (4, "A claim is", "checked", "claim"),
    (8, "Technical", "check", "check"),
    (2, "Director", "paused", "director"),
    (1, "Button", "pressed", "button"),
    (16, "After a", "restart", "restart"),
)
AND = "and "

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
PRESS_HERE = "Press here"

WALK = "WALK TEST"
# By `claim` of the view, up to received.
WALKED = ("Press here", "", "sent", "heard")

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
# Instead of these, on half a display.
SHORT_CLAIMS = {
    "Call the director": "Call director",
    "Wait for your side": "Wait your turn",
    "Director comes": "On the way",
    "Hold: take back": "Take back",
}
TAKE_BACK = "Hold: take back"
TAKING_BACK = "Taking back ..."
