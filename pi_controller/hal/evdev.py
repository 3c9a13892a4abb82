"""A key of a USB or Bluetooth device as the pause button, through the kernel's event devices (linux/input.h).

    button = EvdevButton(KeyChoice("by-id/usb-…-event-kbd", 57), clock=clock, on_error=tell)
    button.listen(report)

Which devices there are is read from sysfs. Only the chosen one is opened; it is grabbed, so that it types
nowhere. While a person chooses, all that come into question are, for that time.
"""

import contextlib
import errno
import fcntl
import logging
import os
import pwd
import select
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Annotated, Final

from msgspec import Meta, Struct

from pi_controller.defects import run_catching
from pi_controller.hal.roles import Clock, Closing, ContactChange, Contacts, HardwareError
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence

log = logging.getLogger(__name__)

# What is chosen, and what the kernel tells of a device without its being opened.


LAST_KEY: Final = 0x2FF
LONGEST_NAME: Final = 80
LONGEST_IDENTITY: Final = 300


class KeyChoice(Struct, frozen=True, forbid_unknown_fields=True):
    """The key that is the pause button. `device` is its name in /dev/input, such as `by-id/usb-…-event-kbd`,
    or of one that has none there its name and number, or place; `name` is for people."""

    device: Annotated[str, Meta(min_length=1, max_length=LONGEST_IDENTITY)]
    key: Annotated[int, Meta(ge=1, le=LAST_KEY)]
    name: Annotated[str, Meta(max_length=LONGEST_NAME)] = ""


@dataclass(frozen=True, slots=True)
class InputDevice:
    """A device with keys that may be a button. `node` is its file in /dev/input at present."""

    node: str
    identity: str
    name: str


USB, BLUETOOTH = 3, 5
"""Buses of linux/input.h. A laptop's own keyboard is on another one, as is its power switch."""
MOVES_POINTER = 0b11
"""REL_X and REL_Y: a mouse that was grabbed could not take the choice back."""


def may_be_button(code: int) -> bool:
    """All keys but the buttons of mice (0x110) and of what touches or draws (0x140)."""
    return 0 < code <= LAST_KEY and not (0x110 <= code < 0x120 or 0x140 <= code < 0x160)


# The kernel's interface.


EVENT = struct.Struct("@llHHi")
"""Seconds, microseconds, type, code, value."""
EVENTS_AT_ONCE = 64
EV_SYN, EV_KEY = 0, 1
SYN_DROPPED = 3
UP, DOWN = 0, 1
"""Values of a key; 2 is its repeat."""
KEY_BYTES = LAST_KEY // 8 + 1
EVIOCGKEY = 2 << 30 | KEY_BYTES << 16 | 0x4518
EVIOCGRAB = 1 << 30 | 4 << 16 | 0x4590
EVIOCSCLOCKID = 1 << 30 | 4 << 16 | 0x45A0
WORD_BITS = 8 * struct.calcsize("l")


class EventFiles:
    """Event devices of this computer; `root` stands in the place of /."""

    def __init__(self, root: Path = Path("/")) -> None:
        self._dev = root / "dev" / "input"
        self._sys = root / "sys" / "class" / "input"

    def devices(self) -> list[InputDevice]:
        """Those that may be a button, none of them opened."""
        names = dict(self._names())
        found = []
        for folder in sorted(self._sys.glob("event*")):
            with contextlib.suppress(OSError, ValueError):  # it was unplugged while it was looked at
                if _may_be_chosen(folder / "device"):
                    name = _fact(folder, "name")
                    place = _fact(folder, "uniq") or _fact(folder, "phys")
                    identity = names.get(folder.name, f"{name} @ {place}")[:LONGEST_IDENTITY]
                    found.append(InputDevice(folder.name, identity, name[:LONGEST_NAME]))
        return found

    def open(self, node: str) -> int:
        """Raises OSError."""
        return os.open(self._dev / node, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)

    def read(self, fd: int) -> bytes:
        """Whole events. Raises OSError; BlockingIOError when there are none."""
        return os.read(fd, EVENT.size * EVENTS_AT_ONCE)

    def ioctl(self, fd: int, request: int, argument: bytes | int) -> bytes | int:
        """Raises OSError."""
        return fcntl.ioctl(fd, request, argument)

    def close(self, fd: int) -> None:
        """The kernel ends a grab."""
        os.close(fd)

    def _names(self) -> Iterator[tuple[str, str]]:
        """What udev calls them."""
        for link in sorted((self._dev / "by-id").glob("*")):
            with contextlib.suppress(OSError):
                yield link.readlink().name, f"by-id/{link.name}"


def _fact(folder: Path, name: str) -> str:
    text = (folder / "device" / name).read_text(encoding="utf-8", errors="replace").strip()
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _may_be_chosen(device: Path) -> bool:
    bus = int((device / "id" / "bustype").read_text(), 16)
    pointer = _bits(device / "capabilities" / "rel") & MOVES_POINTER
    keys = _bits(device / "capabilities" / "key")
    has_key = any(keys >> code & 1 and may_be_button(code) for code in range(keys.bit_length()))
    return bus in {USB, BLUETOOTH} and not pointer and has_key


def _bits(file: Path) -> int:
    """A bitmap as sysfs has it: words of the machine, the highest first."""
    bits = 0
    for word in file.read_text().split():
        bits = bits << WORD_BITS | int(word, 16)
    return bits


@dataclass(frozen=True, slots=True)
class KeyChange:
    code: int
    down: bool
    at_ns: int
    """CLOCK_BOOTTIME at the kernel's interrupt, in whole µs."""


class EventDevice:
    """An open event device. Raises OSError; then nothing stays open."""

    def __init__(self, inputs: EventFiles, device: InputDevice) -> None:
        self.device = device
        self.down: frozenset[int] = frozenset()
        self._inputs = inputs
        self._grabbed = False
        self.fd = inputs.open(device.node)
        try:
            inputs.ioctl(self.fd, EVIOCSCLOCKID, struct.pack("@i", time.CLOCK_BOOTTIME))
            self._ask(0)
        except OSError:
            self.close()
            raise

    def read(self) -> list[KeyChange]:
        """What has happened at the keys. Raises OSError, also when it was unplugged."""
        try:
            data = self._inputs.read(self.fd)
        except BlockingIOError:
            return []
        if not data:
            raise OSError(errno.ENODEV, "")
        changes: list[KeyChange] = []
        at_ns = 0
        for seconds, us, kind, code, value in EVENT.iter_unpack(data):
            at_ns = (seconds * 1_000_000 + us) * 1_000
            if kind == EV_SYN and code == SYN_DROPPED:
                return changes + self._ask(at_ns)  # what was read after it is older than the answer
            if kind == EV_KEY and value in {UP, DOWN} and (code in self.down) != bool(value):
                changes.append(KeyChange(code, bool(value), at_ns))
                self.down ^= {code}
        return changes if self._grabbed else changes + self._ask(at_ns)

    def close(self) -> None:
        self._inputs.close(self.fd)

    def _ask(self, at_ns: int) -> list[KeyChange]:
        """The keys as they are now, in the place of what the kernel still has of earlier changes, which it
        drops with the answer. Once none is held the device is grabbed: before, other programs would hear of
        no release and go on repeating the key."""
        bits = self._inputs.ioctl(self.fd, EVIOCGKEY, bytes(KEY_BYTES))
        keys = int.from_bytes(bits, "little") if isinstance(bits, bytes) else 0
        before = self.down
        self.down = frozenset(code for code in range(keys.bit_length()) if keys >> code & 1)
        if not self._grabbed and not self.down:
            self._inputs.ioctl(self.fd, EVIOCGRAB, 1)
            self._grabbed = True
        return [KeyChange(code, code in self.down, at_ns) for code in sorted(before ^ self.down)]


# The button.


LOOK_S = 1.0
"""Interval at which a device that is not there is looked for, and new ones while a person chooses."""
OLDEST_STAMP_NS = 1_000_000_000
SHORTEST_NS = 1_000_000
"""A press is told to be at least so long: its device has debounced it, and may send both changes in one
report. Above what the debouncer asks for."""

BROKE_OFF = Sentence("button.usb_broke_off")
"""The driver's thread has ended with a defect of this program."""

Chosen = Callable[[KeyChoice | Sentence], None]


@dataclass(slots=True)
class _Choosing:
    until_ns: int
    done: Chosen
    pressed: set[tuple[int, int]] = field(default_factory=set)
    """Device and code."""
    refused: bool = False
    """A device could not be read for want of rights."""


def start_thread(run: Callable[[], None]) -> Callable[[], None]:
    """Start it; what is returned waits for its end, a second at most."""
    thread = threading.Thread(target=run, name="usb-button", daemon=True)
    thread.start()
    return lambda: thread.join(timeout=1.0)


class EvdevButton(Closing):
    """Implements `roles.PauseButton`, at rest as long as nothing is chosen. `contacts` raises HardwareError
    while the chosen device is not there, cannot be used, or is held down since it was found: such a press
    does not count.

    `on_error` is called on the driver's thread with what the listener raised; `start` has the driver's thread
    run.
    """

    def __init__(
        self,
        choice: KeyChoice | None,
        *,
        clock: Clock,
        on_error: Callable[[Exception], None],
        inputs: EventFiles | None = None,
        start: Callable[[Callable[[], None]], Callable[[], None]] = start_thread,
    ) -> None:
        self.choice = choice
        self.presses = 0
        """So many since the start of the driver."""
        self.trouble: Sentence | None = None
        """Why the chosen device is not the button at present."""
        self.pressed = False
        self._clock = clock
        self._on_error = on_error
        self._inputs = inputs or EventFiles()
        self._start = start
        self._ended: Callable[[], None] = lambda: None
        self._report: Callable[[ContactChange], None] | None = None
        self._orders: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._over = False
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._poll = select.poll()
        self._poll.register(self._wake, select.POLLIN)
        self._open: dict[int, EventDevice] = {}
        self._own: EventDevice | None = None
        """The chosen one, which is in `_open`."""
        self._held_when_found = False
        self._closed_ns = 0
        self._choosing: _Choosing | None = None

    def listen(self, report: Callable[[ContactChange], None]) -> None:
        """Hand each change to `report`, and begin to look for the device."""
        self._report = report
        self._ended = self._start(self._run)

    def contacts(self) -> Contacts:
        """Its level by the newest event. Raises HardwareError."""
        if (trouble := self.trouble) is not None:
            raise HardwareError(trouble)
        return Contacts(no_closed=self.pressed, nc_closed=None)

    @property
    def choosing(self) -> bool:
        return self._choosing is not None

    def choose(self, seconds: float, done: Chosen) -> None:
        """Listen to all devices that may be a button, take the first key that is pressed and let go, and use
        it. `done` hears of it, or why nothing was chosen, on the driver's thread, and must only hand over."""
        if self.trouble == BROKE_OFF:
            done(BROKE_OFF)
            return
        asked = _Choosing(self._clock.boot_ns() + round(seconds * 1e9), done)
        self._choosing = asked
        self._order(self._close_others)

    def stop_choosing(self) -> None:
        """Nothing is chosen; `done` is not called."""
        self._choosing = None
        self._order(self._close_others)

    def use(self, choice: KeyChoice | None) -> None:
        """From now on this key is the button; None: there is none."""
        self._order(lambda: self._use(choice))

    def close(self) -> None:
        """End the thread and release the devices; may be called twice."""
        if self._over:
            return
        self._over, self._report = True, None
        os.eventfd_write(self._wake, 1)
        self._ended()
        self._release()
        os.close(self._wake)

    def turn(self, wait_ms: float | None) -> None:
        """One round of the driver's thread: wait so long, or (None) until something comes, and act."""
        ready = [fd for fd, _ in self._poll.poll(wait_ms)]
        if self._wake in ready:
            os.eventfd_read(self._wake)
        with contextlib.suppress(Empty):
            while True:
                self._orders.get_nowait()()
        for fd in ready:
            if fd in self._open:
                self._take(self._open[fd])
        self._look()

    def _run(self) -> None:
        error = run_catching(self._serve)
        self._release()
        if error is not None:
            self.trouble, self._choosing = BROKE_OFF, None
            log.error("the thread of the USB button ended", exc_info=error)

    def _serve(self) -> None:
        while not self._over:
            missing = self.choice is not None and self._own is None
            self.turn(LOOK_S * 1000 if missing or self._choosing is not None else None)

    def _order(self, act: Callable[[], None]) -> None:
        self._orders.put(act)
        if not self._over:
            os.eventfd_write(self._wake, 1)

    # Devices.

    def _use(self, choice: KeyChoice | None) -> None:
        self._forget_own()
        self.choice, self.trouble = choice, None

    def _look(self) -> None:
        """Open what is to be open and is there."""
        choosing = self._choosing
        if choosing is not None and self._clock.boot_ns() >= choosing.until_ns:
            nothing = Sentence("button.usb_nothing_pressed")
            self._end_choosing(choosing, no_rights() if choosing.refused else nothing)
            choosing = None
        choice = self.choice
        wanted = choice is not None and self._own is None
        if not wanted and choosing is None:
            return
        there = self._inputs.devices()
        if choice is not None and wanted:
            own = next((device for device in there if device.identity == choice.device), None)
            self.trouble = self._find(choice, own)
        if choosing is not None:
            self._open_all(choosing, there)

    def _find(self, choice: KeyChoice, device: InputDevice | None) -> Sentence | None:
        """What keeps the chosen device from being the button."""
        name = choice.name or choice.device
        if device is None:
            return Sentence("button.usb_away", device=name)
        already = next((each for each in self._open.values() if each.device.node == device.node), None)
        try:
            own = already or self._opened(device)
        except OSError as error:
            if error.errno == errno.EACCES:
                return no_rights()
            return Sentence("button.usb_unusable", device=name, why=why(error))
        self._own, self._held_when_found = own, choice.key in own.down
        return Sentence("button.usb_held", device=name) if self._held_when_found else None

    def _open_all(self, choosing: _Choosing, there: list[InputDevice]) -> None:
        known = {each.device.node for each in self._open.values()}
        tried = [device for device in there if device.node not in known]
        refused = 0
        for device in tried:
            try:
                self._opened(device)
            except OSError as error:  # another program has it, or it has just gone
                refused += error.errno == errno.EACCES
        choosing.refused = choosing.refused or refused > 0
        if refused and refused == len(there):
            self._end_choosing(choosing, no_rights())

    def _opened(self, device: InputDevice) -> EventDevice:
        opened = EventDevice(self._inputs, device)
        self._open[opened.fd] = opened
        self._poll.register(opened.fd, select.POLLIN)
        return opened

    def _close(self, device: EventDevice) -> None:
        self._poll.unregister(device.fd)
        del self._open[device.fd]
        device.close()

    def _close_others(self) -> None:
        for device in list(self._open.values()):
            if device is not self._own:
                self._close(device)

    def _forget_own(self) -> None:
        """A button that is taken away is not pressed any more."""
        if self._own is not None:
            self._close(self._own)
        self._own, self._held_when_found = None, False
        if self.pressed:
            self._edge(KeyChange(0, down=False, at_ns=self._clock.boot_ns()))

    def _release(self) -> None:
        for device in list(self._open.values()):
            self._close(device)
        self._own = None

    # Keys.

    def _take(self, device: EventDevice) -> None:
        try:
            changes = device.read()
        except OSError:
            if device is self._own:
                self._forget_own()
            else:
                self._close(device)
            return
        for change in changes:
            if self._own is device and self.choice is not None and change.code == self.choice.key:
                self._own_key(change)
            if self._choosing is not None and may_be_button(change.code):
                self._candidate(self._choosing, device, change)

    def _own_key(self, change: KeyChange) -> None:
        if not self._held_when_found:
            self._edge(change)
        elif not change.down:
            self._held_when_found, self.trouble = False, None

    def _edge(self, change: KeyChange) -> None:
        now_ns = self._clock.boot_ns()
        trusted = 0 <= now_ns - change.at_ns <= OLDEST_STAMP_NS
        at_ns = change.at_ns if trusted else now_ns
        if change.down:
            self._closed_ns = at_ns
            self.presses += 1
        else:
            at_ns = max(at_ns, self._closed_ns + SHORTEST_NS)
        self.pressed = change.down
        report = self._report
        if report is None:
            return
        edge = ContactChange(contact="no", closed=change.down, at_ns=at_ns, trusted=trusted)
        if (error := run_catching(lambda: report(edge))) is not None:
            self._on_error(error)

    def _candidate(self, choosing: _Choosing, device: EventDevice, change: KeyChange) -> None:
        key = (device.fd, change.code)
        if change.down:
            choosing.pressed.add(key)
        elif key in choosing.pressed:
            found = device.device
            self._end_choosing(choosing, KeyChoice(found.identity, change.code, found.name))

    def _end_choosing(self, choosing: _Choosing, outcome: KeyChoice | Sentence) -> None:
        if self._choosing is not choosing:  # it was stopped meanwhile
            return
        self._choosing = None
        if isinstance(outcome, KeyChoice) and outcome != self.choice:
            self._use(outcome)
        self._close_others()
        choosing.done(outcome)


def no_rights() -> Sentence:
    """Why no device can be read, with the command that changes it."""
    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        user = str(os.geteuid())
    return Sentence("button.usb_no_rights", user=user)
