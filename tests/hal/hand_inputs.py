"""Event devices as the kernel gives them, moved by a test: sysfs and /dev/input below a folder, and a queue for
each program that has a device open.

As in drivers/input/evdev.c: a queue holds 64 events, and one more takes them all away but SYN_DROPPED and itself;
a program that has grabbed a device is the only one to hear of it; EVIOCGKEY tells the keys as they are and takes
their changes out of the asker's queue; a new clock empties it; what was unplugged answers ENODEV.
"""

import errno
import os
import struct
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from pi_controller.hal.evdev import (
    EVENT,
    EVIOCGKEY,
    EVIOCGRAB,
    EVIOCSCLOCKID,
    KEY_BYTES,
    WORD_BITS,
    EventFiles,
)

QUEUE = 64
SYN, KEY, MSC = 0, 1, 4
REPORT, DROPPED, SCAN = 0, 3, 4
UP, DOWN, REPEAT = 0, 1, 2
SPACE, ENTER, LETTER_B, PAGE_DOWN, LEFT_BUTTON, PEDAL = 57, 28, 48, 109, 0x110, 0x100
Event = tuple[int, int, int]

USB, BLUETOOTH, I8042 = 3, 5, 0x11


@dataclass
class Program:
    """One open file. Its pipe only says that there is something to read."""

    device: "HandDevice"
    ready: int
    tell: int
    clock: int = time.CLOCK_REALTIME
    queue: deque[tuple[int, *Event]] = field(default_factory=deque)


@dataclass
class HandDevice:
    node: str
    plugged: bool = True
    readable: bool = True
    down: set[int] = field(default_factory=set)
    programs: list[Program] = field(default_factory=list)
    holder: Program | None = None
    taken: bool = False
    """Another program has grabbed it."""


class HandFiles(EventFiles):
    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.root = root
        self.now_ns = 5_000_000_000_000
        """CLOCK_BOOTTIME."""
        self.devices_by_node: dict[str, HandDevice] = {}
        self.opened: list[str] = []
        """Nodes in the order of their opening."""
        self._programs: dict[int, Program] = {}
        (root / "dev" / "input" / "by-id").mkdir(parents=True)

    def plug(
        self,
        node: str,
        *,
        name: str = "Big Red Button",
        by_id: str | None = "usb-ACME_Big_Red_Button-event-kbd",
        bus: int = USB,
        phys: str = "usb-0000:00:14.0-2/input0",
        uniq: str = "",
        keys: tuple[int, ...] = (SPACE, ENTER, LETTER_B),
        relative: int = 0,
        down: tuple[int, ...] = (),
    ) -> HandDevice:
        facts = self.root / "sys" / "class" / "input" / node / "device"
        (facts / "id").mkdir(parents=True)
        (facts / "capabilities").mkdir()
        (facts / "id" / "bustype").write_text(f"{bus:04x}\n")
        (facts / "name").write_text(name + "\n")
        (facts / "phys").write_text(phys + "\n")
        (facts / "uniq").write_text(uniq + "\n")
        (facts / "capabilities" / "rel").write_text(f"{relative:x}\n")
        (facts / "capabilities" / "key").write_text(_words(keys) + "\n")
        if by_id is not None:
            (self.root / "dev" / "input" / "by-id" / by_id).symlink_to(f"../{node}")
        device = self.devices_by_node[node] = HandDevice(node, down=set(down))
        return device

    def unplug(self, node: str) -> None:
        device = self.devices_by_node[node]
        device.plugged = False
        for program in device.programs:
            os.close(program.tell)
        for path in (self.root / "dev" / "input" / "by-id").iterdir():
            if path.readlink().name == node:
                path.unlink()
        (self.root / "sys" / "class" / "input" / node).rename(self.root / f"gone-{len(self.opened)}-{node}")

    def emit(self, node: str, *events: Event) -> None:
        """One report of the device, with its SYN_REPORT, as of now."""
        device = self.devices_by_node[node]
        for kind, code, value in events:
            if kind == KEY and value != REPEAT:
                (device.down.add if value else device.down.discard)(code)
        if device.taken:
            return
        for program in [device.holder] if device.holder else device.programs:
            for event in (*events, (SYN, REPORT, 0)):
                self._queue(program, event)

    def key(self, node: str, code: int, value: int) -> None:
        """As a keyboard reports a key: its scan code first."""
        self.emit(node, (MSC, SCAN, 0x70000 + code), (KEY, code, value))

    def typed(self, node: str) -> bool:
        """Whether what is pressed there still reaches the other programs."""
        device = self.devices_by_node[node]
        return device.holder is None and not device.taken

    # What the driver asks for.

    def open(self, node: str) -> int:
        device = self.devices_by_node[node]
        if not device.plugged:
            raise OSError(errno.ENODEV, "")
        if not device.readable:
            raise PermissionError(errno.EACCES, "")
        ready, tell = os.pipe2(os.O_NONBLOCK)
        program = Program(device, ready, tell)
        device.programs.append(program)
        self._programs[ready] = program
        self.opened.append(node)
        return ready

    def read(self, fd: int) -> bytes:
        program = self._programs[fd]
        if not program.device.plugged:
            raise OSError(errno.ENODEV, "")
        data = b"".join(
            EVENT.pack(at_ns // 1_000_000_000, at_ns // 1000 % 1_000_000, kind, code, value)
            for at_ns, kind, code, value in program.queue
        )
        self._empty(program)
        if not data:
            raise BlockingIOError
        return data

    def ioctl(self, fd: int, request: int, argument: bytes | int) -> bytes | int:
        program = self._programs[fd]
        device = program.device
        if not device.plugged:
            raise OSError(errno.ENODEV, "")
        if request == EVIOCGKEY:
            kept = [event for event in program.queue if event[1] != KEY]
            program.queue.clear()
            program.queue.extend(kept)
            return sum(1 << code for code in device.down).to_bytes(KEY_BYTES, "little")
        if request == EVIOCGRAB:
            if device.holder is not None or device.taken:
                raise OSError(errno.EBUSY, "")
            device.holder = program
            return 0
        assert request == EVIOCSCLOCKID
        (program.clock,) = struct.unpack("@i", argument)  # type: ignore[arg-type]
        return 0

    def let_go(self, fd: int) -> None:
        """What close(2) does to the grab."""
        program = self._programs.pop(fd)
        program.device.programs.remove(program)
        if program.device.holder is program:
            program.device.holder = None
        if program.device.plugged:
            os.close(program.tell)

    def close(self, fd: int) -> None:
        self.let_go(fd)
        super().close(fd)

    def _queue(self, program: Program, event: Event) -> None:
        at_ns = self.now_ns if program.clock == time.CLOCK_BOOTTIME else time.time_ns()
        if len(program.queue) == QUEUE:
            program.queue.clear()
            program.queue.append((at_ns, SYN, DROPPED, 0))
        program.queue.append((at_ns, *event))
        os.write(program.tell, b".")

    def _empty(self, program: Program) -> None:
        program.queue.clear()
        while True:
            try:
                if not os.read(program.ready, 4096):
                    return
            except BlockingIOError:
                return


def _words(keys: tuple[int, ...]) -> str:
    bits = sum(1 << key for key in keys)
    words = []
    while bits or not words:
        words.insert(0, f"{bits & ((1 << WORD_BITS) - 1):x}")
        bits >>= WORD_BITS
    return " ".join(words)
