"""Plays the timelines of tests/vectors/behaviour.json, under CPython or MicroPython:
behaviour_check.py ROOT VECTORS prints a line for each difference and at last how many steps there were."""

import json
import sys
from struct import unpack_from

sys.path.append(sys.argv[1] if __name__ == "__main__" else ".")

from table_node.frame import OVERHEAD, Receiver
from table_node.node import Node
from tests.firmware.hand_board import HandBoard, HandFace, HandFiles

BYTE_US = 40
EARLIEST_US, LATEST_US = 300, 8000
FIELDS = {
    3: ("<HHBIBIHBbBBBH", ("epoch", "state_seq", "sun_claim", "sun_at_us", "moon_claim", "moon_at_us", "flags",
                            "vbus", "temperature", "reset", "crc_errors", "missed", "uptime")),
    5: ("<8sBHBBB", ("uid", "hardware", "firmware", "proto_min", "proto_max", "boots")),
    20: ("<HBBB16s", ("offer", "state", "why", "part", "missing")),
}  # fmt: skip
CLAIMS = (
    "none", "holding", "sent", "received", "open", "judge", "rejected", "withdrawn", "confirmed", "wait",
)  # fmt: skip


def of_hex(text):
    return bytes([int(text[at : at + 2], 16) for at in range(0, len(text), 2)])


def echoed(data, how):
    """What of the own bytes comes back, as the timeline says."""
    if how == "damaged":
        return data[:9] + bytes((data[9] ^ 0x41,)) + data[10:]
    return data if how else b""


class EchoBoard(HandBoard):
    how = ""

    def send(self, buffer, count):
        self.bring(echoed(bytes(buffer[:count]), self.how), self.now_us)
        super().send(buffer, count)


def keyed(key):
    """The flash of a node with this key in hex, "": none."""
    return HandFiles({"key": of_hex(key)} if key else {})


class HandNode:
    """The node's firmware. A player of another node has these five: hear, press, run, sent and views."""

    def __init__(self, about, echo, key):
        board = self.board = EchoBoard(uid=of_hex(about["uid"]))
        board.kept = keyed(key)
        board.how = echo
        chance = bytes([about["boots"]] + about["claim_no"])
        self.node = Node(board, [HandFace(board), HandFace(board)], chance=chance)
        self.hear = board.bring
        self.sent = board.sent
        self.views = self.node.views

    def press(self, side, down):
        self.board.pressed[side] = down

    def run(self, until_us):
        board = self.board
        while board.now_us < until_us:
            board.now_us += max(1, min(self.node.step(), 200))


def shown(views):
    """What the players of both sides see."""
    view = views[0]
    link = view.kind not in ("boot", "no_link")
    return {
        "link": link,
        "paused": view.kind == "paused",
        "round": view.round,
        "seconds": None if not link or view.seconds < 0 else view.seconds,
        "claims": [CLAIMS[each.claim] for each in views],
    }


def read(data):
    """An answer as the timelines have it, with all its fields; None: it is no good frame."""
    receiver = Receiver()
    if not [1 for byte in data if receiver.take(byte)] or len(data) != receiver.size + OVERHEAD:
        return None
    found = {name: getattr(receiver, name) for name in ("type", "src", "dst", "seq", "version")}
    layout, names = FIELDS[receiver.type]
    found["fields"] = dict(zip(names, unpack_from(layout, bytes(receiver.payload))))  # noqa: B905 - MicroPython
    if receiver.type == 3:
        found["fields"]["sun_withdraws"] = bool(found["fields"]["flags"] & 4)
    for name in ("uid", "missing"):
        if name in found["fields"]:
            found["fields"][name] = "".join([f"{byte:02x}" for byte in found["fields"][name]])
    return found


def agrees(wanted, found):
    """A field of an answer or of what is shown; numbers [least, greatest] are a range."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(agrees(wanted[name], found[name]) for name in wanted)
    if isinstance(wanted, list) and isinstance(found, int):
        return wanted[0] <= found <= wanted[1]
    return wanted == found


def differences(timeline, node):
    """Sentences: where this node does something else."""
    wrong = []
    asked_us = 0
    for step in timeline["steps"]:
        at_us = step["at_us"]
        node.run(at_us)
        if "line" in step:
            data = of_hex(step["line"])
            node.hear(data, at_us)
            asked_us = at_us + BYTE_US * len(data)
        elif "answers" in step:
            found = [read(data) for _, data in node.sent]
            late = [at - asked_us for at, _ in node.sent if not EARLIEST_US <= at - asked_us <= LATEST_US]
            node.sent[:] = []
            wanted = step["answers"]
            if late or len(found) != len(wanted) or not all(map(agrees, wanted, found)):
                wrong.append(f"{timeline['name']}: at {at_us} answers {found}, too late or soon {late}")
        elif "shows" in step:
            seen = shown(node.views)
            if not agrees(step["shows"], seen):
                wrong.append(f"{timeline['name']}: at {at_us} shows {seen}")
        else:
            node.press(step.get("press", step.get("release")), "press" in step)
    return wrong


def play(vectors, make):
    """All timelines, each on a fresh node of `make(about, echo, key)`; the differences, and how many steps there were."""
    wrong = []
    for timeline in vectors["timelines"]:
        wrong += differences(timeline, make(vectors["node"], timeline["echo"], timeline["key"]))
    return wrong, sum([len(timeline["steps"]) for timeline in vectors["timelines"]])


if __name__ == "__main__":
    with open(sys.argv[2]) as file:  # noqa: PTH123 - MicroPython has no pathlib
        lines, steps = play(json.load(file), HandNode)
    for text in lines:
        print(text)
    print("steps", steps)
