"""One Pico after the other: waits until the next is plugged in, installs, says when it may be changed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pi_controller.flashing.errors import FlashingError
from pi_controller.flashing.ports import Port


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """One Pico is through; `trouble` is None when it is a node now."""

    port: Port
    sentence: str
    trouble: FlashingError | None


def one_after_the_other(
    ports: Callable[[], tuple[Port, ...]],
    install: Callable[[str], str],
    wait: Callable[[], None],
) -> Iterator[Done]:
    """Installs on every Pico as it is plugged in, also on those that are there already; never ends by itself.

    `install` takes the device and returns a sentence. A Pico that was unplugged has its turn again. One that
    only starts anew, as it does after the installation, has not: it is soon back with the same serial.
    """
    served: set[str] = set()
    missing: dict[str, int] = {}
    seen: set[str] = set()
    while True:
        present = ports()
        _forget_the_unplugged(served, missing, {port.serial for port in present})
        # A port needs a moment until the system has given it its access rights: it must be there twice.
        ready = [port for port in present if port.serial in seen - served]
        seen = {port.serial for port in present}
        if not ready:
            wait()
            continue
        port = ready[0]
        served.add(port.serial)
        try:
            yield Done(port=port, sentence=install(port.device), trouble=None)
        except FlashingError as trouble:
            yield Done(port=port, sentence=str(trouble), trouble=trouble)


LOOKS_OF_A_RESTART = 6
"""A Pico that starts anew is away from USB for about a second; the caller looks every half second."""


def _forget_the_unplugged(served: set[str], missing: dict[str, int], present: set[str]) -> None:
    for serial in tuple(served):
        missing[serial] = 0 if serial in present else missing.get(serial, 0) + 1
        if missing[serial] >= LOOKS_OF_A_RESTART:
            served.discard(serial)
            del missing[serial]
