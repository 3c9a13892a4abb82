"""What a picture has, and the room in it.

Nothing is wider than `ROOM`, so that the picture can wander to the right by up to three pixels.
"""

from table_node import view
from table_node.canvas import WIDTH

ROOM = 125
NOTED = 89  # width of a lit field beside notes, which are at most 34 pixels wide
RIGHT = 92  # left edge of the column with the roll
SAID = 40  # left edge of a message beside countdown and roll
HOT = 5  # seconds from which on the countdown stands in a light field

SAID_KINDS = ("ready", "round", "robber", "paused", "ended")


def says(seen):
    """Whether the director's message stands in this picture. A winner's own one has no room for it, and while
    counting in nobody reads."""
    if not seen.message or seen.kind not in SAID_KINDS:
        return False
    return seen.claim != view.CONFIRMED or seen.kind in ("round", "robber")


def shows_bar(seen):
    """Whether this picture has a bar above and the rest below."""
    if seen.kind == "round":
        return seen.phase != view.FOUNDING or says(seen)
    if seen.kind == "paused":
        return seen.claim != view.CONFIRMED
    return says(seen) or seen.kind in ("robber", "counting")


def has_bar(seen):
    """Whether the bar speaks of a claim."""
    return seen.claim != view.NO_CLAIM and seen.kind in ("round", "robber", "paused", "counting")


def poster_sign(seen):
    """That of the seat that acts, otherwise of the own side's."""
    return seen.sign if seen.name else seen.signs[seen.own_side]


def edge(upper, lower):
    """Where a lit field ends beside these notes, from the picture's left edge; without any it has no end."""
    return NOTED if upper or lower else WIDTH
