"""OSC for light and sound desks: what a picture says as messages of their own addresses, over UDP."""

import contextlib
import socket
from collections.abc import Callable, Iterator, Sequence

from pythonosc.osc_message_builder import OscMessageBuilder

from pi_controller.protocol.picture import Picture
from pi_controller.vocabulary import SIDES

Values = dict[str, tuple[int | str, ...]]
Target = tuple[str, int]
"""Of `settings.checks.osc_target`: an address in digits and a port."""
NOBODY = "none"
"""In place of a side: OSC's nil is unknown to many desks."""
ROUNDING_MS = 1
"""By which the remaining time of two pictures may differ that mean the same moment."""


def values(picture: Picture, now_us: int) -> Values:
    """By the last part of the address; `now_us` on the clock of the core that made the picture.

    Numbers are integers, since many desks know no truth value: `remaining` in milliseconds of game time,
    `claims` how many are open, `sun`, `moon` and `paused` 1 or 0. At most one of these three is 1: they are
    for desks that read numbers only, and `paused` comes before the side. Without dice both are 0.
    """
    passed_us = max(0, int((now_us - picture.as_of_us) * picture.rate)) if picture.running else 0
    return {
        "phase": (picture.phase,),
        "round": (picture.round,),
        "side": (picture.side or NOBODY,),
        **{name: (int(picture.side == name and not picture.paused),) for name in SIDES},
        "paused": (int(picture.paused),),
        "remaining": (-(-max(0, picture.remaining_us - passed_us) // 1000),),
        "dice": picture.dice or (0, 0),
        "claims": (sum(claim.status == "open" for claim in picture.claims),),
    }


def changed(before: Picture | None, after: Picture, now_us: int) -> Values:
    """What `after` says otherwise, and with it always how much time remains: desks count on from there."""
    said = values(after, now_us)
    if before is None:
        return said
    earlier = values(before, now_us)
    found = {name: value for name, value in said.items() if earlier[name] != value}
    if found.keys() == {"remaining"} and _apart_ms(said, earlier) <= ROUNDING_MS:
        return {}
    return found | {"remaining": said["remaining"]} if found else {}


def _apart_ms(one: Values, other: Values) -> int:
    return abs(int(one["remaining"][0]) - int(other["remaining"][0]))


def datagrams(hall: str, said: Values) -> Iterator[bytes]:
    """One message each: not every desk opens a bundle."""
    for name, arguments in said.items():
        message = OscMessageBuilder(address=f"/controller/{hall}/{name}")
        for argument in arguments:
            message.add_arg(argument)
        yield message.build().dgram


class OscOutput:
    """Sends to all targets. UDP may lose a message, so everything is to be repeated once a second."""

    def __init__(self, hall: str, targets: Sequence[Target], boot_ns: Callable[[], int]) -> None:
        """`boot_ns` is the clock of the core whose pictures are shown."""
        self._hall = hall
        self._targets = targets
        self._boot_ns = boot_ns
        self._sockets: dict[socket.AddressFamily, socket.socket] = {}
        self._picture: Picture | None = None

    def show(self, picture: Picture) -> None:
        """Sends what has changed; nothing waits, and what cannot be sent now is left to the next `repeat`."""
        before, self._picture = self._picture, picture
        self._send(changed(before, picture, self._boot_ns() // 1000))

    def repeat(self) -> None:
        """Sends everything, the remaining time as of now."""
        if self._picture is not None:
            self._send(values(self._picture, self._boot_ns() // 1000))

    def close(self) -> None:
        for one in self._sockets.values():
            one.close()
        self._sockets.clear()

    def _send(self, said: Values) -> None:
        for message in datagrams(self._hall, said):
            for target in self._targets:
                with contextlib.suppress(OSError):  # a desk that is off, or a network that is not there yet
                    self._socket(target[0]).sendto(message, target)

    def _socket(self, host: str) -> socket.socket:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        if family not in self._sockets:
            self._sockets[family] = made = socket.socket(family, socket.SOCK_DGRAM)
            made.settimeout(0)
            if family is socket.AF_INET:
                made.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        return self._sockets[family]
