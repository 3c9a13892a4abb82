"""What is said of a view, in words, on whole displays and on halves."""

from table_node import view
from table_node.canvas import SMALL, TEXT

PLAYS_ROOM = 68
"""Pixels for who plays, the narrowest of the places where it stands."""


def plays(words, name):
    """Of a seat with this name; the name alone where both have no room, cut off where it has none either."""
    text = words.SEAT_PLAYS.format(seat=name)
    if TEXT.width(text) > PLAYS_ROOM:
        text = name
    while TEXT.width(text) > PLAYS_ROOM:
        text = text[:-1]
    return text


def claim_words(seen):
    words = seen.words
    if seen.withdrawing:
        return words.TAKING_BACK
    if seen.hold and seen.claim > view.HOLDING:
        return words.TAKE_BACK
    return words.CLAIMS[seen.claim]


def short_claim_words(seen):
    """On half a display."""
    words = seen.words
    if seen.withdrawing:
        return words.TAKING_BACK
    if seen.hold and seen.claim > view.HOLDING:
        return words.SHORT_TAKE_BACK
    return words.SHORT_CLAIMS[seen.claim]


def walked(seen):
    """What a walk says of the own press."""
    if seen.claim == view.NO_CLAIM:
        return " ".join(seen.words.PRESS_HERE)
    return seen.words.WALKED[min(seen.claim, view.RECEIVED)]


def notes(seen):
    """Two small lines beside the heading: what is most worth knowing."""
    if seen.update:
        return seen.words.UPDATE
    if seen.last_round:
        return seen.words.LAST_ROUND
    if seen.round:
        return seen.words.ROUND, str(seen.round)
    return "", ""


def said(seen):
    """The most important reason of the pause, and in a line the next one."""
    reasons = seen.reasons
    held = [reason for reason in seen.words.REASONS if reasons & reason[0]]
    if len(held) < 2:
        return (held[0] if held else None), ""
    return held[0], held[1][3]


def why_paused(seen, room):
    """The reason of a pause in two small lines of at most this width, the next one in the second where the
    first has room in one; nothing when it is no pause."""
    first, second = said(seen) if seen.kind == "paused" else (None, "")
    if not first:
        return ()
    whole = first[1] + " " + first[2]
    return (whole, second) if second and SMALL.width(whole) <= room else first[1:3]


def goal(seen):
    """Where the robber goes."""
    words = seen.words
    return words.DESERT if seen.target == view.DESERT else words.TO.format(number=seen.target)


def clock(seconds):
    """Seconds below 100 as they are, then minutes and seconds."""
    if seconds < 100:
        return str(seconds)
    return "{}:{:02d}".format(min(seconds // 60, 9), seconds % 60)
