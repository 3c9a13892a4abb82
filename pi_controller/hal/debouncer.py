"""Debouncing: presses of the pause button from the edges of its contacts. Pure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from msgspec import Struct

from pi_controller.hal.names import ContactName, WiredContacts
from pi_controller.hal.roles import ContactChange, Contacts

# Events of the debouncer. All times are CLOCK_BOOTTIME in ns.


class Pressed(Struct, frozen=True):
    """The button was pressed; `at_ns` is the first edge of the closing."""

    at_ns: int


class Released(Struct, frozen=True):
    """The button was let go; `at_ns` is the first edge of the opening. Also ends `HeldSinceBoot`."""

    at_ns: int


class Held(Struct, frozen=True):
    """The button was held for the set time; reported once per press. `since_ns` is the press."""

    at_ns: int
    since_ns: int


class WireBroken(Struct, frozen=True):
    """The two contacts contradict each other for longer than a press takes from one to the other.

    `contact` is the one not at rest: "nc" if both are open (broken wire), "no" if both are closed (short
    circuit or a welded contact).
    """

    contact: ContactName
    at_ns: int


class WireMended(Struct, frozen=True):
    """The contacts are at rest as they should be again."""

    at_ns: int


class HeldSinceBoot(Struct, frozen=True):
    """The button was already pressed at the start: ignored until it is released."""

    at_ns: int


class StuckPressed(Struct, frozen=True):
    """The button is pressed for longer than anybody would hold it."""

    at_ns: int


ButtonEvent = Pressed | Released | Held | WireBroken | WireMended | HeldSinceBoot | StuckPressed


# The longest bounce whose first edge still counts as the time of a press: twice the 50 ms that worn
# arcade buttons show. Without a limit, steady noise would date a press minutes back.
LONGEST_BOUNCE_NS = 100_000_000
# Earlier than any bounce that could still be going on.
_NEVER_NS = -LONGEST_BOUNCE_NS - 1


class Contact:
    """Level, last edge, and for each level the first edge towards it since the contact was last at rest
    elsewhere.

    `rests_closed` is the level when nobody presses, assumed until the first edge or sample.
    """

    def __init__(self, *, rests_closed: bool, settle_ns: int) -> None:
        self.closed = rests_closed
        self.heard = False
        self.last_ns = 0
        self.last_closing_ns = 0
        self.opened_unseen = False
        self._settle_ns = settle_ns
        self._first_ns = {True: _NEVER_NS, False: _NEVER_NS}

    @property
    def first_closed_ns(self) -> int:
        return self._first_ns[True]

    @property
    def first_open_ns(self) -> int:
        return self._first_ns[False]

    def begin(self, *, closed: bool, at_ns: int) -> None:
        """Set the level without an edge."""
        self.closed = closed
        self.heard = True
        self.last_ns = self.last_closing_ns = at_ns
        self._first_ns[closed] = at_ns

    def edge(self, *, closed: bool, at_ns: int) -> None:
        """Take an edge. A late one may move the first edge back, but never the last one."""
        if self.heard and closed == self.closed:
            self._first_ns[closed] = min(self._first_ns[closed], at_ns)
        elif not self.heard or self._is_new(closed=closed, at_ns=at_ns):
            self._first_ns[closed] = at_ns
        self.heard = True
        self.closed = closed
        self.opened_unseen = False
        self.last_ns = max(self.last_ns, at_ns)
        if closed:
            self.last_closing_ns = self.last_ns

    def found_open(self, at_ns: int) -> None:
        """A level poll found the contact open though no opening edge has arrived (yet)."""
        self.edge(closed=False, at_ns=at_ns)
        self.opened_unseen = True

    def _is_new(self, *, closed: bool, at_ns: int) -> bool:
        rested = at_ns - self.last_ns >= self._settle_ns
        return rested or at_ns - self._first_ns[closed] > LONGEST_BOUNCE_NS


# A release is counted after this time: nobody releases and presses again within 20 ms, and a worn contact
# that interrupts for less does not end a press.
RELEASE_NS = 20_000_000
# Longer than the longest hold setting that makes sense, shorter than a round.
STUCK_NS = 30_000_000_000
# A start takes well under a second; somebody who presses during it has released by then.
BOOT_PRESS_NS = 3_000_000_000

_Step = tuple[int, Callable[[int], None]]


@dataclass(slots=True)
class _Press:
    since_ns: int
    from_boot: bool = False
    held: bool = False
    told: bool = False


class Debouncer:
    """Reports each press once, with the time of its first edge.

    A press counts after `stable_ns` without an edge at the closed NO contact, or after `agree_ns` if the NC
    contact has opened as well. With a broken NC wire, or an NC contact that stayed closed while NO moved
    (welded), the NO contact alone counts after `stable_ns`; with an NO contact that stays closed, the NC
    contact alone. A broken NO wire looks like a broken NC wire at each press: the fault is reported, the
    press is lost. `hold_ns` 0: holding is never reported.
    """

    def __init__(
        self,
        *,
        contacts: WiredContacts,
        hold_ns: int,
        stable_ns: int = 4_000_000,
        agree_ns: int = 1_000_000,
        wire_fault_ns: int = 100_000_000,
    ) -> None:
        if hold_ns < 0 or min(stable_ns, agree_ns, wire_fault_ns) <= 0:
            raise ValueError("Times of the pause button must be positive; only hold_ns may be 0 (never).")
        self._hold_ns = hold_ns
        self._stable_ns = stable_ns
        self._agree_ns = agree_ns
        self._wire_fault_ns = wire_fault_ns
        self._no = Contact(rests_closed=False, settle_ns=stable_ns)
        self._nc = Contact(rests_closed=True, settle_ns=stable_ns) if contacts == "nc_no" else None
        self._nc_welded = False
        self._fault: ContactName | None = None
        self._press: _Press | None = None
        self._sampled = False
        self._events: list[ButtonEvent] = []
        self._step: _Step | None = None

    @property
    def fault(self) -> ContactName | None:
        """The present wire fault, as in `WireBroken.contact`; None without one."""
        return self._fault

    @property
    def pressed(self) -> bool:
        """True while a counted press lasts."""
        return self._press is not None and not self._press.from_boot

    def coming_press(self) -> tuple[int, int] | None:
        """For a press that has begun but does not count yet: its time, and when it will count if no edge
        comes. None otherwise."""
        if self._press is not None or not self._reads_pressed():
            return None
        return self._since_ns(), self._counts_ns()

    def change(self, change: ContactChange) -> None:
        """Take one edge. Edges of one contact come in order; they may be late or lost."""
        contact = self._no if change.contact == "no" else self._nc
        if contact is None:
            raise ValueError('An edge of the NC contact came, but contacts = "no" says that none is wired.')
        self._run(change.at_ns)
        if contact is self._no and not change.closed:
            self._opening(change.at_ns)
        contact.edge(closed=change.closed, at_ns=change.at_ns)
        if contact is self._nc and not change.closed:
            self._nc_welded = False
        self._step = self._next_step()

    def sample(self, contacts: Contacts, at_ns: int) -> None:
        """Take the levels read at `at_ns`; this replaces lost edges."""
        first, self._sampled = not self._sampled, True
        silent = not self._no.heard
        if self._nc is not None:
            if contacts.nc_closed is None:
                raise ValueError('The NC contact was not read, but contacts = "nc_no" needs both.')
            self._take_level(self._nc, closed=contacts.nc_closed, at_ns=at_ns)
        self._take_level(self._no, closed=contacts.no_closed, at_ns=at_ns)
        if first and silent and self._reads_pressed():
            self._press = _Press(at_ns, from_boot=True)
        self._step = self._next_step()

    def due_ns(self) -> int | None:
        """When `advance` will next have something to report, if no edge comes."""
        if self._events:
            return self._events[0].at_ns
        return self._step[0] if self._step else None

    def advance(self, now_ns: int) -> tuple[ButtonEvent, ...]:
        """Events that are certain by `now_ns` and were not reported before."""
        self._run(now_ns)
        events, self._events = tuple(self._events), []
        return events

    def _take_level(self, contact: Contact, *, closed: bool, at_ns: int) -> None:
        if not contact.heard:
            contact.begin(closed=closed, at_ns=at_ns)
        elif closed == contact.closed:
            return
        elif contact is self._no and not closed and self._press is None:
            # When it opened is unknown, so it may not have been closed long enough. A late edge will tell.
            contact.found_open(at_ns)
        else:
            contact.edge(closed=closed, at_ns=at_ns)
        if contact is self._nc and not closed:
            self._nc_welded = False

    def _opening(self, at_ns: int) -> None:
        if self._fault == "no" and self._nc is not None and self._nc.closed:
            self._nc_welded = True
        late_proof = self._no.opened_unseen and at_ns - self._no.last_closing_ns >= self._stable_ns
        if late_proof and self._press is None and self._nc_went_along():
            self._begin_press(at_ns)

    def _nc_went_along(self) -> bool:
        """True if NC opened with the last closing of NO, or cannot tell."""
        if self._nc is None or self._nc_welded or not self._nc.closed:
            return True
        return self._nc.first_open_ns >= self._no.first_closed_ns - self._wire_fault_ns

    def _reads_pressed(self) -> bool:
        return self._no.closed and (self._nc is None or not self._nc.closed or self._nc_welded)

    def _run(self, now_ns: int) -> None:
        while self._step is not None and self._step[0] <= now_ns:
            due_ns, act = self._step
            act(due_ns)
            self._step = self._next_step()

    def _next_step(self) -> _Step | None:
        press = self._press_step()
        wire = self._wire_step()
        if press is None or wire is None:
            return press or wire
        return press if press[0] <= wire[0] else wire

    def _press_step(self) -> _Step | None:
        if self._press is None:
            return (self._counts_ns(), self._begin_press) if self._reads_pressed() else None
        if not self._reads_pressed():
            mover = self._nc if self._no.closed and self._nc is not None else self._no
            return mover.last_ns + RELEASE_NS, self._end_press
        return min(self._long_steps(self._press), key=lambda step: step[0], default=None)

    def _long_steps(self, press: _Press) -> Iterator[_Step]:
        if press.from_boot:
            if not press.told:
                yield press.since_ns + BOOT_PRESS_NS, lambda at_ns: self._tell(HeldSinceBoot(at_ns))
            return
        if self._hold_ns and not press.held:
            yield press.since_ns + self._hold_ns, self._tell_held
        if not press.told:
            yield press.since_ns + STUCK_NS, lambda at_ns: self._tell(StuckPressed(at_ns))

    def _wire_step(self) -> _Step | None:
        if self._nc is None:
            return None
        settled_ns = max(self._no.last_ns, self._nc.last_ns) + self._wire_fault_ns
        if self._no.closed == self._nc.closed:
            odd: ContactName = "no" if self._no.closed else "nc"
            return (settled_ns, self._tell_broken) if odd != self._fault else None
        if self._fault is not None and self._nc.closed:
            return settled_ns, self._tell_mended
        return None

    def _counts_ns(self) -> int:
        alone_ns = self._no.last_ns + self._stable_ns
        if self._nc is None or self._nc_welded or self._fault == "nc":
            return alone_ns
        if self._fault == "no":
            return self._nc.last_ns + self._stable_ns
        return min(alone_ns, max(self._no.last_ns, self._nc.last_ns) + self._agree_ns)

    def _since_ns(self) -> int:
        if self._fault == "no" and self._nc is not None and not self._nc_welded:
            return self._nc.first_open_ns
        return self._no.first_closed_ns

    def _begin_press(self, _at_ns: int) -> None:
        since_ns = self._since_ns()
        self._press = _Press(since_ns)
        self._events.append(Pressed(since_ns))

    def _end_press(self, _at_ns: int) -> None:
        press, self._press = self._press, None
        if press is None:
            return
        mover = self._nc if self._no.closed and self._nc is not None else self._no
        left_ns = mover.first_closed_ns if mover is self._nc else mover.first_open_ns
        left_ns = max(left_ns, press.since_ns)
        if press.from_boot and not press.told:
            if left_ns - press.since_ns < self._stable_ns:
                return
            self._events.append(Pressed(press.since_ns))
        self._events.append(Released(left_ns))

    def _tell(self, event: ButtonEvent) -> None:
        if self._press is not None:
            self._press.told = True
        self._events.append(event)

    def _tell_held(self, at_ns: int) -> None:
        if self._press is not None:
            self._press.held = True
            self._events.append(Held(at_ns, self._press.since_ns))

    def _tell_broken(self, at_ns: int) -> None:
        self._fault = "no" if self._no.closed else "nc"
        self._events.append(WireBroken(self._fault, at_ns))

    def _tell_mended(self, at_ns: int) -> None:
        self._fault = None
        self._events.append(WireMended(at_ns))
