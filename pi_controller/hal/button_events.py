"""What the debouncer says about the pause button. All times are CLOCK_BOOTTIME in nanoseconds."""

from msgspec import Struct

from pi_controller.hal.names import ContactName


class Pressed(Struct, frozen=True):
    """The button was pressed; `at_ns` is the first edge of the closing."""

    at_ns: int


class Released(Struct, frozen=True):
    """The button was let go; `at_ns` is the first edge of the opening. Also ends `HeldSinceBoot`."""

    at_ns: int


class Held(Struct, frozen=True):
    """The button was held for the set time; once a press. `since_ns` is the press."""

    at_ns: int
    since_ns: int


class WireBroken(Struct, frozen=True):
    """The two contacts contradict each other for longer than a hand takes from one to the other.

    `contact` names the one that is not where it rests: "nc" when both are open (broken wire), "no" when both
    are closed (short circuit or a welded contact).
    """

    contact: ContactName
    at_ns: int


class WireMended(Struct, frozen=True):
    """The contacts rest as they should again."""

    at_ns: int


class HeldSinceBoot(Struct, frozen=True):
    """The button was pressed already at the start and stays so: ignored until it is released."""

    at_ns: int


class StuckPressed(Struct, frozen=True):
    """The button is pressed for longer than anybody holds it."""

    at_ns: int


ButtonEvent = Pressed | Released | Held | WireBroken | WireMended | HeldSinceBoot | StuckPressed
