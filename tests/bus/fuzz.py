"""The long run of mutated frames: python -m tests.bus.fuzz [--frames N]; exit status 1 on a false accept.

Both receivers hear the same damaged line. A frame that was not sent must come out of neither, each must come out of
both or of none, the frame after a damage must come through, and nothing may raise.
"""

import argparse
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from pi_controller.bus.frame import LONGEST_PAYLOAD, Frame, Receiver, encode
from pi_controller.bus.messages import MESSAGES, BadMessage, from_frame
from table_node import frame as node_frame
from table_node import messages as node_messages
from tests.firmware.wire_check import READ, read

CHUNK = 10_000
KINDS = sorted(MESSAGES)


@dataclass
class Account:
    """What became of the mutated frames; `wrong` holds the line's bytes of each false accept and loss, in hex."""

    mutated: int = 0
    unharmed: int = 0
    messages: int = 0
    by: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: "Account") -> None:
        self.mutated += other.mutated
        self.unharmed += other.unharmed
        self.messages += other.messages
        self.by += other.by
        self.wrong += other.wrong


def flip(rng: random.Random, wire: bytearray, _: bytes) -> None:
    for _ in range(rng.choice((1, 1, 2, 3, 4, 5, 6, 8, 16))):
        wire[int(rng.random() * len(wire))] ^= 1 << int(rng.random() * 8)


def insert(rng: random.Random, wire: bytearray, _: bytes) -> None:
    at = int(rng.random() * len(wire))
    wire[at:at] = rng.choice((b"\0", b"\xff", bytes((int(rng.random() * 256),)), rng.randbytes(5)))


def drop(rng: random.Random, wire: bytearray, _: bytes) -> None:
    at = int(rng.random() * len(wire))
    del wire[at : at + rng.choice((1, 1, 1, 2, 3))]


def duplicate(rng: random.Random, wire: bytearray, _: bytes) -> None:
    at = int(rng.random() * len(wire))
    wire[at:at] = wire[at : at + rng.choice((1, 1, 2, 5, 40))]


def swap(rng: random.Random, wire: bytearray, _: bytes) -> None:
    first, second = int(rng.random() * len(wire)), int(rng.random() * len(wire))
    wire[first], wire[second] = wire[second], wire[first]


def truncate(rng: random.Random, wire: bytearray, _: bytes) -> None:
    at = int(rng.random() * len(wire))
    if rng.random() < 0.5:
        del wire[at:]
    else:
        del wire[:at]


def join(rng: random.Random, wire: bytearray, other: bytes) -> None:
    """Without delimiters between, or the beginning of one and the end of the other."""
    keep, skip = rng.choice(((1, 1), (2, 2), (int(rng.random() * 20), int(rng.random() * 20))))
    del wire[len(wire) - min(keep, len(wire)) :]
    wire += other[skip:]


MUTATIONS: tuple[Callable[[random.Random, bytearray, bytes], None], ...] = (
    flip, insert, drop, duplicate, swap, truncate, join,
)  # fmt: skip


class Ends:
    """Both receivers on one line."""

    def __init__(self) -> None:
        self.master = Receiver()
        self.node = node_frame.Receiver()

    def hear(self, line: bytes) -> list[Frame] | None:
        """What came out of both; None when they differ."""
        node = self.node
        heard = [
            Frame(node.version, node.type, node.dst, node.src, node.seq, bytes(node.payload))
            for byte in line
            if node.take(byte)
        ]
        return heard if self.master.feed(line) == heard else None


def any_frame(rng: random.Random) -> Frame:
    """Any header; mostly the right length, and bytes of which many are zero, as on the line."""
    kind = rng.choice(KINDS) if rng.random() < 0.9 else int(rng.random() * 32)
    size = MESSAGES[kind].layout.size if kind in MESSAGES else int(rng.random() * (LONGEST_PAYLOAD + 1))
    payload = bytes(0 if rng.random() < 0.3 else int(rng.random() * 256) for _ in range(size))
    right = MESSAGES[kind].layout.version if kind in MESSAGES else 1
    version = right if rng.random() < 0.9 else int(rng.random() * 8)
    return Frame(
        version,
        kind,
        rng.choice((0, 5, 0xF0, 0xFF)),
        rng.choice((0, 5, 32)),
        int(rng.random() * 256),
        payload,
    )


def read_by_both(frame: Frame, receiver: node_frame.Receiver) -> int:
    """1 when the master's side finds a message in it; what the node takes for readable must not raise either."""
    if frame.type in READ:
        read(READ[frame.type], receiver)
    else:
        node_messages.fits(frame.version, frame.type, len(frame.payload))
    try:
        from_frame(frame)
    except BadMessage:
        return 0
    return 1


def chunk(seed: int, count: int = CHUNK) -> Account:
    """`count` mutated frames from this seed, each followed by one that is as it was sent."""
    rng = random.Random(seed)
    frames = [any_frame(rng) for _ in range(200)]
    wires = [encode(frame) for frame in frames]
    account = Account(mutated=count)
    ends = Ends()
    for _ in range(count):
        chosen = [int(rng.random() * len(frames)) for _ in range(3)]
        line = bytearray(wires[chosen[0]])
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            mutation = rng.choice(MUTATIONS)
            account.by[mutation.__name__] += 1
            mutation(rng, line, wires[chosen[1]])
            line = line or bytearray(b"\0")
        line += wires[chosen[2]]
        heard = ends.hear(bytes(line))
        sent = [frames[at] for at in chosen]
        if not heard or heard[-1] != sent[-1] or any(frame not in sent for frame in heard):
            account.wrong.append(line.hex())
            continue
        account.unharmed += len(heard) - 1
        account.messages += read_by_both(heard[-1], ends.node)
    return account


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutated frames from fixed seeds against both receivers.")
    parser.add_argument("--frames", type=int, default=10**7, help="mutated frames (default 10000000)")
    parser.add_argument("--jobs", type=int, default=None, help="processes (default: one for each core)")
    arguments = parser.parse_args()
    if arguments.frames < CHUNK:
        parser.error(f"--frames must be {CHUNK} or more, not {arguments.frames}")
    began = time.perf_counter()
    total = Account()
    seeds = range(-(-arguments.frames // CHUNK))
    with multiprocessing.Pool(arguments.jobs) as pool:
        for done, account in enumerate(pool.imap_unordered(chunk, seeds), start=1):
            total.add(account)
            if done % max(1, len(seeds) // 20) == 0:
                print(f"{done * 100 // len(seeds):3d} %", file=sys.stderr, flush=True)
    took = time.perf_counter() - began
    print(f"{total.mutated} mutated frames in {took:.0f} s: {dict(sorted(total.by.items()))}")
    print(f"{total.unharmed} came through unharmed, {total.messages} whole ones held a message")
    print(f"{len(total.wrong)} false accepts, losses or differences")
    for line in total.wrong[:20]:
        print(f"  {line}")
    return 1 if total.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
