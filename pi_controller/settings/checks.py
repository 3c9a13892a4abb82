"""What a type cannot say about settings: ordered lists, text with a form, pins and segments in each other's
way."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from pathlib import PurePosixPath
from typing import Any

from pi_controller.bus.values import MOST_SEGMENTS
from pi_controller.game.commands import LONGEST_PHASE_S, Step, check_schedule
from pi_controller.settings import pins
from pi_controller.settings.fault import did_you_mean
from pi_controller.settings.sections import Settings
from pi_controller.settings.toml import excerpt, toml_text

EXAMPLE = '[{ name = "A", port = "/dev/tablebus/row-A" }]'
KEYS = ("name", "port")
NAME = re.compile(r"[A-Z]\Z")


def segment_problems(written: Any) -> Iterator[str]:
    """What is wrong with [tables] segments as written in the file."""
    if not isinstance(written, list) or len(written) > MOST_SEGMENTS:
        yield (
            f"[tables] segments = {excerpt(written)} is not a list of at most {MOST_SEGMENTS} segments; "
            f"write for example segments = {EXAMPLE}."
        )
        return
    holder: dict[tuple[str, str], int] = {}
    for number, segment in enumerate(written, 1):
        place = f"[tables] segments, segment {number} = {excerpt(segment)}"
        for problem in _problems(segment):
            yield f"{place}: {problem}"
        for key, value in _unique(segment):
            first = holder.setdefault((key, value), number)
            if first != number:
                yield f"{place}: segment {first} has this {key} already; give each segment its own."


def _problems(segment: Any) -> Iterator[str]:
    if not isinstance(segment, dict):
        yield 'a segment is written as { name = "A", port = "/dev/tablebus/row-A" }.'
        return
    for key in sorted(segment.keys() - set(KEYS)):
        yield f"{excerpt(key)} is not known here; {did_you_mean(key, KEYS)}"
    for key in KEYS:
        if key not in segment:
            yield f'{key} is missing; write {{ name = "A", port = "/dev/tablebus/row-A" }}.'
    if "name" in segment and not _is_name(segment["name"]):
        yield "name must be one letter from A to Z in quotes."
    if "port" in segment and not _is_port(segment["port"]):
        yield 'port must be the full path of a serial port in quotes, such as "/dev/tablebus/row-A".'


def _unique(segment: Any) -> Iterator[tuple[str, str]]:
    """What no second segment may have; nothing of a value that is wrong already."""
    if not isinstance(segment, dict):
        return
    if _is_name(segment.get("name")):
        yield "name", segment["name"]
    if _is_port(segment.get("port")):
        yield "port", str(PurePosixPath(segment["port"]))


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and NAME.match(value) is not None


def _is_port(value: Any) -> bool:
    return (
        isinstance(value, str)
        and value.isprintable()
        and PurePosixPath(value).is_absolute()
        and PurePosixPath(value).name != ""
    )


SCHEDULE_EXAMPLE = "[{ from_round = 1, seconds = 35 }, { from_round = 11, seconds = 45 }]"
STEP_KEYS = ("from_round", "seconds")
MOST_STEPS = 100
MOST_NAMED = 3
HOST_NAME = re.compile(
    r"(?=.{1,253}\Z)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*\Z"
)


BUS_PATHS = frozenset({"display.bus", "display.i2c_port", "display.spi_port", "display.spi_device"})


def schedule_problems(written: Any) -> Iterator[str]:
    """What is wrong with [game] schedule as written in the file."""
    if not isinstance(written, list) or not 1 <= len(written) <= MOST_STEPS:
        yield (
            f"[game] schedule = {excerpt(written)} is not a list of 1 to {MOST_STEPS} steps; "
            f"write for example schedule = {SCHEDULE_EXAMPLE}."
        )
        return
    found: list[str] = []
    for number, step in enumerate(written, 1):
        place = f"[game] schedule, step {number} = {excerpt(step)}"
        found += [f"{place}: {problem}" for problem in _step_problems(step)]
    yield from found
    if not found:
        try:
            check_schedule(tuple(Step(**step) for step in written))
        except ValueError as problem:
            example = f"write for example schedule = {SCHEDULE_EXAMPLE}"
            yield f"[game] schedule = {excerpt(written)}: {problem}; {example}."


def _step_problems(step: Any) -> Iterator[str]:
    if not isinstance(step, dict):
        yield "a step is written as { from_round = 11, seconds = 45 }."
        return
    yield from (
        f"{excerpt(key)} is not known here; {did_you_mean(key, STEP_KEYS)}"
        for key in step.keys() - set(STEP_KEYS)
    )
    yield from (
        f"{key} is missing; write {{ from_round = 11, seconds = 45 }}."
        for key in STEP_KEYS
        if key not in step
    )
    if "from_round" in step and (type(step["from_round"]) is not int or not 1 <= step["from_round"] <= 9999):
        yield "from_round must be a whole number from 1 to 9999."
    if "seconds" in step and (
        type(step["seconds"]) not in {int, float} or not 1 <= step["seconds"] <= LONGEST_PHASE_S
    ):
        yield f"seconds must be a number from 1 to {LONGEST_PHASE_S}."


def robber_target_problem(targets: tuple[int | str, ...]) -> str | None:
    if not targets:
        return "it names no target; leave the line out for all of them"
    if 7 in targets:
        return 'a 7 cannot be a target; write "desert" for it'
    twice = sorted(toml_text(target) for target, times in Counter(targets).items() if times > 1)
    return f"it names {' and '.join(twice)} more than once; write each target once" if twice else None


def host_problem(host: str) -> str | None:
    return (
        None
        if _is_host(host)
        else 'it is neither an address nor a name; write for example "127.0.0.1" or "0.0.0.0"'
    )


def allowed_hosts_problem(hosts: tuple[str, ...]) -> str | None:
    wrong = [excerpt(host) for host in hosts if not _is_host(host)][:MOST_NAMED]
    if wrong:
        return f'{", ".join(wrong)}: write names without http:// and port, for example ["clock.local"]'
    return None


def trusted_proxies_problem(addresses: tuple[str, ...]) -> str | None:
    wrong = [excerpt(address) for address in addresses if not _is_address(address)][:MOST_NAMED]
    if wrong:
        return f'{", ".join(wrong)}: write addresses without port, for example ["127.0.0.1"]'
    return None


def hall_name_problem(name: str) -> str | None:
    return None if name.isprintable() else "it must be printable text on one line"


def second_copy_problem(folder: str) -> str | None:
    if folder and (not PurePosixPath(folder).is_absolute() or not folder.isprintable()):
        return 'it is not a full path; write for example "/media/stick/games", or "" for no second copy'
    return None


def sound_device_problem(device: str) -> str | None:
    if not device or device.startswith("-") or not device.isprintable() or " " in device:
        return (
            'it is no ALSA device; write a name of `aplay -L`, "default", or "none" where there is no sound'
        )
    return None


LIST_CHECKS: dict[str, Callable[[Any], Iterator[str]]] = {
    "game.schedule": schedule_problems,
    "tables.segments": segment_problems,
}
"""By `section.key`: everything that is wrong with a list as written in the file, in sentences."""

LEAF_CHECKS: dict[str, Callable[[Any], str | None]] = {
    "hall.name": hall_name_problem,
    "game.robber_targets": robber_target_problem,
    "web.host": host_problem,
    "web.allowed_hosts": allowed_hosts_problem,
    "web.trusted_proxies": trusted_proxies_problem,
    "journal.second_copy": second_copy_problem,
    "sound.device": sound_device_problem,
}
"""By `section.key`: what is wrong with a value of the right type, with the remedy; None when nothing is."""


def pin_problems(settings: Settings, unreadable: frozenset[str]) -> Iterator[str]:
    """Pins that are reserved, used twice or taken by a bus in use; paths in `unreadable` are left aside."""
    used = {path: pin for path, pin in used_pins(settings).items() if path not in unreadable}
    buses = {} if unreadable & BUS_PATHS else bus_pins(settings)
    holder: dict[int, str] = {}
    for path, pin in used.items():
        place = written(path, pin)
        if pin in pins.RESERVED:
            yield f"{place}: BCM {pin} is reserved for {pins.RESERVED[pin]}; choose another pin."
        elif pin in buses:
            yield f"{place}: BCM {pin} belongs to {buses[pin]}, which the display uses; choose another pin."
        elif pin in holder:
            yield f"{place}: BCM {pin} is used already by {holder[pin]}; give each its own pin."
        holder.setdefault(pin, place)


def select_problems(settings: Settings, unreadable: frozenset[str]) -> Iterator[str]:
    """A chip select that the SPI bus does not have."""
    port, device = settings.display.spi_port, settings.display.spi_device
    if not unreadable & BUS_PATHS and device >= len(pins.SPI_SELECT[port]):
        place = written("display.spi_device", device)
        yield f"{place}: SPI bus {port} has only the chip selects 0 and 1; write one of them."


def used_pins(settings: Settings) -> dict[str, int]:
    """BCM numbers by `section.key`, as far as the other settings put them to use."""
    table = settings.pins
    used = {f"pins.{name}": getattr(table, name) for name in table.__struct_fields__}
    if settings.pause_button.contacts == "no":
        del used["pins.pause_nc"]
    if settings.hardware.shutdown_button == "none":
        del used["pins.shutdown_button"]
    if settings.hardware.display == "luma" and settings.display.bus == "spi":
        used |= {
            f"display.{name}": getattr(settings.display, name) for name in ("spi_dc_pin", "spi_reset_pin")
        }
    return used


def bus_pins(settings: Settings) -> dict[int, str]:
    """BCM numbers that the display's bus takes for itself, and that bus's name."""
    display = settings.display
    if settings.hardware.display != "luma":
        return {}
    if display.bus == "i2c":
        return dict.fromkeys(pins.I2C.get(display.i2c_port, ()), f"I2C bus {display.i2c_port}")
    select = pins.SPI_SELECT[display.spi_port]
    taken = pins.SPI_DATA[display.spi_port] + (
        select if display.spi_port == 0 else select[: display.spi_device + 1]
    )
    return dict.fromkeys(taken, f"SPI bus {display.spi_port}")


def written(path: str, value: Any) -> str:
    """A setting as it stands in the file, such as `[pins] sun_lamp = 12`."""
    section, key = path.split(".")
    return f"[{section}] {key} = {excerpt(value)}"


def _is_host(host: str) -> bool:
    return _is_address(host) or (HOST_NAME.match(host) is not None and not host.replace(".", "").isdigit())


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
