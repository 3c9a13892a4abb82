"""A hand on the pause button, for the tests of its debouncer; and a timer that never runs out."""

from pi_controller.hal.debouncer import ButtonEvent, Debouncer
from pi_controller.hal.roles import ContactChange, Contacts

MS = 1_000_000


class NoTimer:
    """For a buzzer whose tone is never too long."""

    def __init__(self, _after_s: float, _act: object) -> None: ...

    def cancel(self) -> None: ...


class Hand:
    """A button with one or two contacts in front of its debouncer; every call gives times in ms."""

    def __init__(self, contacts: str = "no", *, hold_ms: int = 0, start_ms: float = 0, pressed: bool = False):
        self.pair = contacts == "nc_no"
        self.debouncer = Debouncer(contacts=contacts, hold_ns=hold_ms * MS)
        self.sample(start_ms, no=pressed, nc=not pressed)

    def sample(self, at: float, *, no: bool, nc: bool = True) -> None:
        self.debouncer.sample(Contacts(no_closed=no, nc_closed=nc if self.pair else None), round(at * MS))

    def no(self, at: float, *, closed: bool) -> None:
        self.debouncer.change(ContactChange("no", closed, round(at * MS)))

    def nc(self, at: float, *, closed: bool) -> None:
        self.debouncer.change(ContactChange("nc", closed, round(at * MS)))

    def press(self, at: float) -> None:
        if self.pair:
            self.nc(at, closed=False)
        self.no(at, closed=True)

    def release(self, at: float) -> None:
        self.no(at, closed=False)
        if self.pair:
            self.nc(at, closed=True)

    def until(self, at: float) -> list[ButtonEvent]:
        return list(self.debouncer.advance(round(at * MS)))

    @property
    def due(self) -> float | None:
        due = self.debouncer.due_ns()
        return None if due is None else due / MS
