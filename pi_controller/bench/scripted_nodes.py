"""Scripted table nodes behind pseudo-terminals, in a process of their own: they answer as PROTOCOL.md asks.

python -m pi_controller.bench.scripted_nodes 250000 32 7,8,9   (baud rate, nodes of each segment, descriptors)

Tells on its standard output, for each state frame whose round is a new one: the round, and the CLOCK_BOOTTIME
in nanoseconds at which the frame was complete. Ends when its standard input does.
"""

import os
import select
import sys
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from pi_controller.bench.processes import boot_ns
from pi_controller.bus.discovery import SLOW_BAUD
from pi_controller.bus.frame import MASTER, UNASSIGNED, Frame, Receiver, encode, to_u32, wire_us
from pi_controller.bus.messages import (
    Assign,
    Discover,
    HealthMessage,
    Info,
    Order,
    Ping,
    Poll,
    Pong,
    StateMessage,
    from_frame,
    to_frame,
)

TURN_US = 500
SLOW_POLL_TURN_US = 4_000
"""From the end of a request, and of a poll at the fallback rate, to the beginning of its answer; a node needs
300 to 5,000."""

REST_S = 0.25


@dataclass(slots=True)
class PendingAnswer:
    """Begins at `begin_us`, is there whole at `end_us`."""

    begin_us: int
    end_us: int
    data: bytes
    to_poll: bool


class ScriptedRow:
    """The nodes of one segment. `said` are the answers that are still to come."""

    def __init__(self, *, segment: int, nodes: int, baud: int, on_round: Callable[[int], None]) -> None:
        self.said: list[PendingAnswer] = []
        self._baud = baud
        self._on_round = on_round
        self._receiver = Receiver()
        self._uids = [f"{segment:08x}{number:08x}" for number in range(nodes)]
        self._addresses: dict[str, int] = {}
        self._state = StateMessage(epoch=0, state_seq=0, master_us=0)

    def hear(self, data: bytes, now_us: int) -> None:
        """These bytes are there now; a node that has not begun to answer stays silent."""
        self.said = [answer for answer in self.said if answer.begin_us <= now_us or not answer.to_poll]
        for frame in self._receiver.feed(data):
            if frame.src == MASTER:
                self._take(frame, now_us)

    def due(self, now_us: int) -> list[bytes]:
        """What is to be sent by now; two answers in one slot damage each other."""
        ready = [answer for answer in self.said if answer.end_us <= now_us]
        self.said = [answer for answer in self.said if answer.end_us > now_us]
        slots = Counter(answer.begin_us for answer in ready)
        return [
            answer.data if slots[answer.begin_us] == 1 else bytes(reversed(answer.data)) for answer in ready
        ]

    def _take(self, frame: Frame, now_us: int) -> None:
        message = from_frame(frame)
        if isinstance(message, StateMessage):
            if message.round != self._state.round:
                self._on_round(message.round)
            self._state = message
        elif isinstance(message, Poll | Order) and frame.dst in self._addresses.values():
            state = self._state
            health = HealthMessage(epoch=state.epoch, state_seq=state.state_seq, vbus=120, temperature=31)
            slow = isinstance(message, Poll) and self._baud < SLOW_BAUD
            turn_us = SLOW_POLL_TURN_US if slow else TURN_US
            self._say(to_frame(health, dst=MASTER, src=frame.dst, seq=frame.seq), now_us + turn_us)
            if isinstance(message, Order) and message.what == "forget":
                self._give_up(frame.dst)
        elif isinstance(message, Ping) and frame.dst in self._addresses.values():
            pong = Pong(data=message.data, master_us=to_u32(now_us) or 1)
            self._say(to_frame(pong, dst=MASTER, src=frame.dst, seq=frame.seq), now_us + TURN_US)
        elif isinstance(message, Assign) and message.uid in self._uids:
            self._give_up(message.address)
            self._addresses[message.uid] = message.address
            self._say(self._info(message.uid, message.address, frame.seq), now_us + TURN_US)
        elif isinstance(message, Discover):
            self._find(message, frame.seq, now_us)

    def _give_up(self, address: int) -> None:
        self._addresses = {uid: its for uid, its in self._addresses.items() if its != address}

    def _find(self, message: Discover, seq: int, now_us: int) -> None:
        for uid in self._uids:
            if uid not in self._addresses:
                key = bytes.fromhex(uid) + message.salt.to_bytes(2, "little")
                slot_us = zlib.crc32(key) % message.slots * message.slot_ms * 1000
                self._say(self._info(uid, UNASSIGNED, seq), now_us + TURN_US + slot_us, to_poll=False)

    def _info(self, uid: str, src: int, seq: int) -> Frame:
        return to_frame(Info(uid=uid, hardware=1, firmware=(1, 0)), dst=MASTER, src=src, seq=seq)

    def _say(self, frame: Frame, begin_us: int, *, to_poll: bool = True) -> None:
        data = encode(frame)
        self.said.append(PendingAnswer(begin_us, begin_us + wire_us(len(data), self._baud), data, to_poll))


def serve(rows: dict[int, ScriptedRow], *, until: int) -> None:
    """Answer on these descriptors until the descriptor `until` has come to its end."""
    while True:
        due_us = min((answer.end_us for row in rows.values() for answer in row.said), default=None)
        rest_s = REST_S if due_us is None else max(0.0, due_us / 1e6 - boot_ns() / 1e9)
        ready, _, _ = select.select([until, *rows], [], [], rest_s)
        if until in ready:
            return
        for fd in ready:
            rows[fd].hear(_read(fd), boot_ns() // 1000)
        for fd, row in rows.items():
            for data in row.due(boot_ns() // 1000):
                os.write(fd, data)


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, 4096)
    except OSError:  # nobody has the other end open
        select.select([], [], [], 0.01)
        return b""


def _tell(round_number: int) -> None:
    os.write(sys.stdout.fileno(), b"%d %d\n" % (round_number, boot_ns()))


def main(given: list[str]) -> None:
    baud, nodes = int(given[0]), int(given[1])
    fds = [int(fd) for fd in given[2].split(",")]
    rows = {
        fd: ScriptedRow(segment=segment, nodes=nodes, baud=baud, on_round=_tell)
        for segment, fd in enumerate(fds)
    }
    serve(rows, until=sys.stdin.fileno())


if __name__ == "__main__":
    main(sys.argv[1:])
