"""What is said of a view, in words, on whole displays and on halves."""

from table_node import view, words
from table_node.canvas import TEXT

PLAYS_ROOM = 68
"""Pixels for who plays, the narrowest of the places where it stands."""


def plays(name):
    """Of a seat with this name; the name alone where both have no room, cut off where it has none either."""
    text = name + words.THEY_PLAY
    if TEXT.width(text) > PLAYS_ROOM:
        text = name
    while TEXT.width(text) > PLAYS_ROOM:
        text = text[:-1]
    return text


def claim_words(seen):
    if seen.withdrawing:
        return words.TAKING_BACK
    if seen.hold and seen.claim > view.HOLDING:
        return words.TAKE_BACK
    return words.CLAIMS[seen.claim]


def walked(seen):
    """What a walk says of the own press."""
    return words.WALKED[min(seen.claim, view.RECEIVED)]


def notes(seen):
    """Two small lines beside the heading: what is most worth knowing."""
    if seen.update:
        return words.UPDATE
    if seen.last_round:
        return words.LAST_ROUND
    if seen.round:
        return words.ROUND, str(seen.round)
    return "", ""


def said(reasons):
    """The most important reason of the pause, and in a line the next one."""
    held = [reason for reason in words.REASONS if reasons & reason[0]]
    if len(held) < 2:
        return (held[0] if held else None), ""
    return held[0], words.AND + held[1][3]


def goal(seen):
    """Where the robber goes."""
    return words.DESERT if seen.target == view.DESERT else words.TO + " " + str(seen.target)


def clock(seconds):
    """Seconds below 100 as they are, then minutes and seconds."""
    if seconds < 100:
        return str(seconds)
    return "{}:{:02d}".format(min(seconds // 60, 9), seconds % 60)
