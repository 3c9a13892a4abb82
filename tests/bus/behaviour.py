"""Writes tests/vectors/behaviour.json: python -m tests.bus.behaviour

Timelines by PROTOCOL.md, sections 5, 8, 10 and 15: what is on the line, and what a node answers and shows then.
"""

import hashlib
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.bus.vectors import MESSAGES, SINCE, UID, field_bytes, wire

FILE = Path(__file__).parents[1] / "vectors" / "behaviour.json"
NODE = {"uid": UID, "boots": 17, "claim_no": [100, 200]}
MS = 1000
OWN, OTHER = 500, 501
FREE, HEALTH, INFO, PONG, PROGRESS = 0xF0, 3, 5, 10, 20
KEY, NO_KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", ""
KEY_MARK = hashlib.sha256(bytes.fromhex(KEY)).hexdigest()[:8]
ADDRESS = 5
ENDS_US = 60_500_000
Step = dict[str, Any]


def frame(
    name: str, *, seq: int = 42, dst: int | None = None, version: int | None = None, **fields: Any
) -> str:
    """In hex; fields that are not given are as in the vectors of that message."""
    kind, usual_dst, src, table = MESSAGES[name]
    values = {field: values[0] for field, _, values in table} | fields
    payload = b"".join(field_bytes(values[field], size) for field, size, _ in table)
    addresses = (kind, usual_dst if dst is None else dst, src, seq)
    return wire(SINCE.get(name, 1) if version is None else version, addresses, payload).hex()


def line(at_us: int, *frames: str) -> Step:
    return {"at_us": at_us, "line": "".join(frames)}


def state(at_us: int, epoch: int = OWN, number: int = 7, **fields: Any) -> Step:
    """Round 3, Sun is active, the time runs; of another epoch round 9."""
    values = {"flags": 9, "left_us": ENDS_US - at_us, "round": 3 if epoch == OWN else 9} | fields
    said_us = values.pop("said_us", at_us)
    clock = 1_000_000 if epoch == OWN else 5_000_000
    return line(at_us, frame("STATE", epoch=epoch, state_seq=number, master_us=clock + said_us, **values))


def states(from_us: int, to_us: int, every_us: int = 200 * MS, **how: Any) -> list[Step]:
    return [state(at_us, **how) for at_us in range(from_us, to_us, every_us)]


def ask(at_us: int, asked: str, *answers: Step) -> list[Step]:
    return [line(at_us, asked), {"at_us": at_us + 15 * MS, "answers": list(answers)}]


def answer(kind: int, src: int = ADDRESS, version: int = 1, **fields: Any) -> Step:
    return {"type": kind, "src": src, "dst": 0, "seq": 42, "version": version, "fields": fields}


def poll(at_us: int, epoch: int = OWN, sun: tuple[int, int] = (0, 0), **fields: Any) -> list[Step]:
    """Answered by a HEALTH with these fields."""
    asked = frame("POLL", epoch=epoch, sun_claim=sun[0], sun_status=sun[1], moon_claim=0, moon_status=0)
    return ask(at_us, asked, answer(HEALTH, **fields))


def shows(at_us: int, **what: Any) -> Step:
    return {"at_us": at_us, "shows": what}


def press(at_us: int, side: int = 0, *, until_us: int) -> list[Step]:
    return [{"at_us": at_us, "press": side}, {"at_us": until_us, "release": side}]


SEATED = ask(10 * MS, frame("ASSIGN"), answer(INFO, uid=UID, proto_min=1, boots=17))
JOINED = [*SEATED, *states(100 * MS, 1000 * MS)]
AT = 1050 * MS
SILENT = [line(AT, frame("POLL")), {"at_us": AT + 15 * MS, "answers": []}]
OTHERS = "ffffffffffffffff"


def linked(to_us: int, **how: Any) -> list[Step]:
    """The own master lives from 0.1 s to this time."""
    return [*SEATED, *states(100 * MS, to_us, **how)]


def stolen(every_us: int) -> list[Step]:
    foreign = [
        state(at, OTHER, 9) for at in range(1020 * MS, 6000 * MS, every_us) if at % (200 * MS) != 100 * MS
    ]
    looks = [shows(at, link=True, round=3) for at in range(1150 * MS, 6000 * MS, 200 * MS)]
    asked = [
        step
        for at in range(1_103_000 + every_us // 5, 6_000_000, 600_000)
        for step in poll(at, epoch=OWN, missed=0)
    ]
    return [*linked(6000 * MS), *foreign, *looks, *asked]


def claimed(*more: Step, to_us: int = 6000 * MS) -> list[Step]:
    """Sun's button is held from 1.05 to 1.75 s."""
    return [*linked(to_us), *press(AT, until_us=1750 * MS), *more]


TOUCHED = [1_000_000 + AT - 20 * MS, 1_000_000 + AT + 20 * MS]
TOLD = {"sun_claim": 101, "sun_at_us": TOUCHED, "moon_claim": 0}

IN_REPAIR = {"phase": 0, "flags": 1 << 9, "left_us": 0, "duration": 0, "round": 0}
OFFER = 48_879
IMAGE_BYTES = 100
"""Five blocks."""


def repaired(*more: Step, **how: Any) -> list[Step]:
    """In maintenance, to 3 s."""
    return [*linked(3000 * MS, **{**IN_REPAIR, **how}), *more]


def missing(*blocks: int) -> str:
    bits = sum(1 << block for block in blocks)
    return bits.to_bytes(16, "little").hex()


def told(at_us: int, asked: str, state: int, **fields: Any) -> list[Step]:
    """Answered by a PROGRESS with this state; of a message of version 7 with these fields."""
    return ask(at_us, asked, answer(PROGRESS, version=7, state=state, **fields))


def offer(**fields: Any) -> str:
    return frame("OFFER", **{"offer": OFFER, "size": IMAGE_BYTES, "key": KEY_MARK, **fields})


def asks(what: int = 0, number: int = OFFER) -> str:
    return frame("STEP", offer=number, what=what)


def said(at_us: int, *blocks: int, number: int = OFFER, part: int = 0) -> Step:
    return line(at_us, *(frame("BLOCK", offer=number, part=part, block=at) for at in blocks))


FETCHING, REFUSED = 1, 6
WANTED = {"offer": OFFER, "why": 0, "part": 0}

TIMELINES: dict[str, tuple[int, list[Step], str]] = {
    "the first STATE alone does not count, the second does": (5, [
        *SEATED, shows(90 * MS, link=False), state(100 * MS), shows(160 * MS, link=False),
        *poll(200 * MS, epoch=0), state(300 * MS), shows(360 * MS, link=True, round=3, seconds=61),
        *poll(400 * MS, epoch=OWN, state_seq=7),
    ], ""),
    "a foreign STATE every 40 ms beside the own master takes nobody": (5, stolen(40 * MS), ""),
    "a foreign STATE every 100 ms beside the own master takes nobody": (5, stolen(100 * MS), ""),
    "the 1.0 s begin anew with each STATE of the own epoch": (5, [
        *linked(1000 * MS), *states(1700 * MS, 6000 * MS, 900 * MS), *states(1050 * MS, 6000 * MS, 100 * MS, epoch=OTHER, number=9),
        *(shows(at, round=3) for at in range(1120 * MS, 6000 * MS, 100 * MS)), *poll(5380 * MS, epoch=OWN),
    ], ""),
    "another epoch counts once the own one was silent for 1.0 s": (5, [
        *linked(2000 * MS), *states(1050 * MS, 5000 * MS, 100 * MS, epoch=OTHER, number=9),
        shows(2870 * MS, link=True, round=3), *poll(2880 * MS, epoch=OWN),
        shows(3200 * MS, link=True, round=9), *poll(3210 * MS, epoch=OTHER, state_seq=9),
        *states(4020 * MS, 5000 * MS, number=8), shows(4980 * MS, round=9),
    ], ""),
    "no link 2.0 s after the last STATE": (5, [
        *JOINED, shows(2600 * MS, link=True), shows(3200 * MS, link=False, seconds=None),
    ], ""),
    "a STATE that comes again keeps no link": (5, [
        *linked(800 * MS), *states(900 * MS, 4000 * MS, said_us=700 * MS),
        shows(2400 * MS, link=True), shows(3000 * MS, link=False),
    ], ""),
    "an older number changes nothing": (5, [
        *JOINED, state(AT, number=6, round=2), shows(AT + 60 * MS, round=3), *poll(AT + 70 * MS, state_seq=7),
    ], ""),
    "a PAUSE counts in the own epoch with the very next number only": (5, [
        *JOINED, line(AT, frame("PAUSE", epoch=OTHER, state_seq=8)), line(AT + 5 * MS, frame("PAUSE", epoch=OWN, state_seq=9)),
        shows(AT + 60 * MS, paused=False), line(AT + 70 * MS, frame("PAUSE", epoch=OWN, state_seq=8, left_us=33_400_000)),
        shows(AT + 130 * MS, paused=True, seconds=34, round=3), *poll(AT + 140 * MS, state_seq=8),
    ], ""),
    "an address holds 10 s in another epoch that does not poll it": (5, [
        *JOINED, *states(2100 * MS, 14_000 * MS, epoch=OTHER, number=9),
        *ask(11_011 * MS, frame("POLL", epoch=OWN), answer(HEALTH, epoch=OTHER)), line(13_011 * MS, frame("POLL")), {"at_us": 13_026 * MS, "answers": []},
    ], ""),
    "a POLL of the new epoch keeps the address": (5, [
        *JOINED, *states(2100 * MS, 14_000 * MS, epoch=OTHER, number=9),
        *ask(3011 * MS, frame("POLL", epoch=OTHER), answer(HEALTH, epoch=OTHER, state_seq=9)), *poll(13_011 * MS),
    ], ""),
    "DISCOVER is answered in the slot, and not with an address": (5, [
        *ask(10 * MS, frame("DISCOVER", salt=0, slots=1), answer(INFO, FREE, uid=UID)),
        *ask(100 * MS, frame("ASSIGN"), answer(INFO)),
        *ask(200 * MS, frame("DISCOVER", salt=0, slots=1)),
    ], ""),
    "who hears its address given to another is unassigned": (5, [
        *JOINED, *ask(AT - 25 * MS, frame("ASSIGN", uid=OTHERS)), *SILENT,
    ], ""),
    "an answer from the own address by another takes it away": (10, [
        *JOINED, *ask(AT - 25 * MS, frame("HEALTH", seq=99)), *SILENT,
    ], ""),
    "a POLL in version 2 and a SEAT in version 3 are dropped": (9, [
        *JOINED, *ask(AT, frame("POLL", version=2)), line(AT + 20 * MS, frame("SEAT", version=3, epoch=OWN)), *poll(AT + 60 * MS),
    ], ""),
    "own bytes that come back are left out": (10, [
        *JOINED, *poll(AT, crc_errors=0), *poll(AT + 60 * MS, crc_errors=0), *poll(AT + 110 * MS, crc_errors=0),
    ], "whole"),
    "own bytes that come back differently are a damaged frame": (10, [
        *JOINED, *poll(AT, crc_errors=1), *poll(AT + 60 * MS, crc_errors=2),
    ], "damaged"),
    "a byte between request and answer keeps the node silent": (10, [
        *JOINED, *ask(AT, frame("POLL") + "55"), *poll(AT + 60 * MS, crc_errors=1),
    ], ""),
    "noise in front of a frame costs nothing but itself": (10, [
        *JOINED, line(AT, "00ffff00fe00"), *ask(AT + 10 * MS, "ffff" + frame("POLL"), answer(HEALTH, crc_errors=3)),
        *ask(AT + 40 * MS, frame("POLL")[:14] + frame("POLL"), answer(HEALTH, crc_errors=4)),
        *ask(AT + 80 * MS, "55" * 300 + frame("POLL"), answer(HEALTH, crc_errors=5)),
    ], ""),
    "a claim is told until it is acknowledged, and as long as it stands": (8, claimed(
        shows(1800 * MS, claims=["sent", "none"]), *poll(1820 * MS, **TOLD), *poll(1950 * MS, **TOLD),
        shows(1970 * MS, claims=["sent", "none"]), *poll(2050 * MS, sun=(101, 1), **TOLD), shows(2085 * MS, claims=["received", "none"]),
        *poll(2150 * MS, sun=(101, 2), **TOLD), shows(2190 * MS, claims=["open", "none"]),
        *poll(2350 * MS, sun=(101, 4), sun_claim=0, sun_at_us=0), shows(2390 * MS, claims=["rejected", "none"]),
        shows(6800 * MS, claims=["none", "none"]),
    ), ""),
    "a claim that the master has lost is told again": (8, claimed(
        *poll(2050 * MS, sun=(101, 1), **TOLD), shows(2085 * MS, claims=["received", "none"]),
        *poll(2150 * MS, sun=(0, 0), **TOLD), shows(2190 * MS, claims=["sent", "none"]),
        *poll(2350 * MS, sun=(100, 4), **TOLD), shows(2390 * MS, claims=["sent", "none"]),
        *poll(2450 * MS, epoch=OWN, sun=(101, 1), **TOLD), shows(2490 * MS, claims=["received", "none"]),
    ), ""),
    "a short touch is no claim": (8, [
        *linked(3000 * MS), *press(AT, until_us=1550 * MS), *poll(2050 * MS, sun_claim=0), shows(2085 * MS, claims=["none", "none"]),
    ], ""),
    "who holds while the other side is active is told to wait": (8, [
        *linked(3000 * MS), *press(AT, 1, until_us=1750 * MS), shows(1800 * MS, claims=["none", "wait"]), *poll(1850 * MS, moon_claim=0),
    ], ""),
    "holding again takes a claim back until the master says so": (8, claimed(
        *poll(2050 * MS, sun=(101, 1), **TOLD, sun_withdraws=False), *press(2150 * MS, until_us=2850 * MS),
        *poll(3050 * MS, sun=(101, 1), **TOLD, sun_withdraws=True), *poll(3150 * MS, sun=(101, 5), sun_claim=0, sun_withdraws=False), shows(3190 * MS, claims=["withdrawn", "none"]),
    ), ""),
    "without maintenance an offer is refused": (15, [*JOINED, *told(AT, offer(), REFUSED, offer=OFFER, why=1, missing=missing())], ""),
    "a node without a key refuses": (15, repaired(*told(AT, offer(), REFUSED, offer=OFFER, why=2, missing=missing())), ""),
    "a node with another key refuses": (15, repaired(*told(AT, offer(key="00000000"), REFUSED, offer=OFFER, why=3)), ""),
    "a block that is missing is told until it has come": (15, repaired(
        *told(AT, offer(), FETCHING, **WANTED, missing=missing(0, 1, 2, 3, 4)),
        said(1310 * MS, 0, 1, 3, 4), *told(1350 * MS, asks(), FETCHING, **WANTED, missing=missing(2)),
        said(1510 * MS, 2, number=9), said(1520 * MS, 2, part=1), *told(1550 * MS, asks(), FETCHING, **WANTED, missing=missing(2)),
        said(1710 * MS, 2, 2), *told(1750 * MS, asks(), FETCHING, **WANTED, missing=missing()),
    ), ""),
    "an offer that comes again goes on, another one begins anew": (15, repaired(
        *told(AT, offer(), FETCHING, **WANTED), said(1310 * MS, 0, 1), *told(1350 * MS, offer(), FETCHING, **WANTED, missing=missing(2, 3, 4)),
        *told(1550 * MS, offer(offer=9), FETCHING, offer=9, missing=missing(0, 1, 2, 3, 4)),
    ), ""),
    "a step of another offer changes nothing": (15, repaired(
        *told(AT, asks(), 0, offer=0, why=0, part=0, missing=missing()), *told(1250 * MS, offer(), FETCHING, **WANTED),
        *told(1450 * MS, asks(3, number=9), FETCHING, **WANTED), *told(1650 * MS, asks(1), FETCHING, **WANTED),
        *told(1850 * MS, asks(3), 0, offer=0, missing=missing()),
    ), ""),
    "OFFER and STEP in version 6, and to everybody, are dropped": (15, repaired(
        *ask(AT, frame("STEP", version=6)), *ask(1250 * MS, frame("OFFER", dst=0xFF)), *poll(1450 * MS),
    ), ""),
}  # fmt: skip
KEYLESS = ("a node without a key refuses",)


def in_order(steps: list[Step]) -> list[Step]:
    """By time; what is on the line never overlaps."""
    found = sorted(steps, key=lambda step: step["at_us"])
    said = [step for step in found if "line" in step]
    for one, following in pairwise(said):
        assert one["at_us"] + 40 * (len(one["line"]) // 2) < following["at_us"], following
    for at, step in enumerate(found):
        assert "answers" not in step or "line" in found[at - 1], step
    return found


def text() -> str:
    """The whole file, a step a line."""
    rows = [
        f'{{"name": {json.dumps(name)}, "section": {section}, "echo": {json.dumps(echo)}, "key": {json.dumps(NO_KEY if name in KEYLESS else KEY)}, "steps": [\n'
        + ",\n".join(json.dumps(step) for step in in_order(steps))
        + "\n]}"
        for name, (section, steps, echo) in TIMELINES.items()
    ]
    return f'{{"node": {json.dumps(NODE)},\n"timelines": [\n' + ",\n".join(rows) + "]}\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="ascii")
