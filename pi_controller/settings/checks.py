"""What a type cannot say about settings: ordered lists, text with a form, pins and segments in each other's
way."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, ip_address
from pathlib import PurePosixPath
from typing import Any

from pi_controller.bus.frame import MOST_SEGMENTS
from pi_controller.game.commands import LONGEST_PHASE_S, Step, check_schedule
from pi_controller.sentence import Sentence, listed, sentence_of
from pi_controller.settings import event, pins
from pi_controller.settings.fault import did_you_mean, excerpt, toml_text
from pi_controller.settings.sections import Settings

KEYS = ("name", "port")
NAME = re.compile(r"[A-Z]\Z")
_PORT = re.compile(r"[0-9]{1,5}")


def segment_problems(written: Any) -> Iterator[Sentence]:
    """What is wrong with [tables] segments as written in the file."""
    if not isinstance(written, list) or len(written) > MOST_SEGMENTS:
        yield Sentence("settings.no_list_of_segments", value=excerpt(written), most=MOST_SEGMENTS)
        return
    holder: dict[tuple[str, str], int] = {}
    for number, segment in enumerate(written, 1):
        problems = [*_problems(segment), *_taken(segment, number, holder)]
        for problem in problems:
            yield Sentence("settings.in_segment", number=number, segment=excerpt(segment), problem=problem)


def _taken(segment: Any, number: int, holder: dict[tuple[str, str], int]) -> Iterator[Sentence]:
    for key, value in _unique(segment):
        first = holder.setdefault((key, value), number)
        if first != number:
            yield Sentence("settings.segment_has_it_already", first=first, key=key)


def _problems(segment: Any) -> Iterator[Sentence]:
    if not isinstance(segment, dict):
        yield Sentence("settings.form_of_a_segment")
        return
    for key in sorted(segment.keys() - set(KEYS)):
        yield Sentence("settings.not_known_here", key=excerpt(key), remedy=did_you_mean(key, KEYS))
    for key in KEYS:
        if key not in segment:
            yield Sentence("settings.segment_lacks", key=key)
    if "name" in segment and not _is_name(segment["name"]):
        yield Sentence("settings.form_of_a_segments_name")
    if "port" in segment and not _is_port(segment["port"]):
        yield Sentence("settings.form_of_a_segments_port")


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


STEP_KEYS = ("from_round", "seconds")
MOST_STEPS = 100
MOST_NAMED = 3
LAST_PRINTED = 0xFFFF
"""Emoji and other small pictures stand behind it: the fonts of paper have none of them."""
LONGEST_WIFI_NAME = 32
SHORTEST_WIFI_PASSWORD = 8
MOST_LINES = 8
"""Prepared by the hall; more buttons are not found in time."""
MOST_LANGUAGES = 2
"""In turn on the screens and from the loudspeakers; a third would come too seldom to be of use."""
HOST_NAME = re.compile(
    r"(?=.{1,253}\Z)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*\Z"
)


BUS_PATHS = frozenset({"display.bus", "display.i2c_port", "display.spi_port", "display.spi_device"})


def schedule_problems(written: Any) -> Iterator[Sentence]:
    """What is wrong with [game] schedule as written in the file."""
    if not isinstance(written, list) or not 1 <= len(written) <= MOST_STEPS:
        yield Sentence("settings.no_list_of_steps", value=excerpt(written), most=MOST_STEPS)
        return
    found = [
        Sentence("settings.in_step", number=number, step=excerpt(step), problem=problem)
        for number, step in enumerate(written, 1)
        for problem in _step_problems(step)
    ]
    yield from found
    if not found:
        try:
            check_schedule(tuple(Step(**step) for step in written))
        except ValueError as problem:
            yield Sentence("settings.schedule_wrong", value=excerpt(written), problem=sentence_of(problem))


def _step_problems(step: Any) -> Iterator[Sentence]:
    if not isinstance(step, dict):
        yield Sentence("settings.form_of_a_step")
        return
    for key in step.keys() - set(STEP_KEYS):
        yield Sentence("settings.not_known_here", key=excerpt(key), remedy=did_you_mean(key, STEP_KEYS))
    for key in STEP_KEYS:
        if key not in step:
            yield Sentence("settings.step_lacks", key=key)
    if "from_round" in step and (type(step["from_round"]) is not int or not 1 <= step["from_round"] <= 9999):
        yield Sentence("settings.form_of_from_round", most=9999)
    if "seconds" in step and (
        type(step["seconds"]) not in {int, float} or not 1 <= step["seconds"] <= LONGEST_PHASE_S
    ):
        yield Sentence("settings.form_of_seconds", most=LONGEST_PHASE_S)


def robber_target_problem(targets: tuple[int | str, ...]) -> Sentence | None:
    if not targets:
        return Sentence("settings.no_target")
    if 7 in targets:
        return Sentence("settings.seven_is_no_target")
    twice = sorted(toml_text(target) for target, times in Counter(targets).items() if times > 1)
    return Sentence("settings.target_twice", targets=listed(twice)) if twice else None


def host_problem(host: str) -> Sentence | None:
    return None if _is_host(host) else Sentence("settings.no_host")


def staff_host_problem(host: str) -> Sentence | None:
    return host_problem(host) if host else None


def allowed_hosts_problem(hosts: tuple[str, ...]) -> Sentence | None:
    wrong = [excerpt(host) for host in hosts if not _is_host(host)][:MOST_NAMED]
    return Sentence("settings.no_host_names", values=listed(wrong)) if wrong else None


def trusted_proxies_problem(addresses: tuple[str, ...]) -> Sentence | None:
    wrong = [excerpt(address) for address in addresses if not _is_address(address)][:MOST_NAMED]
    return Sentence("settings.no_addresses", values=listed(wrong)) if wrong else None


def hall_name_problem(name: str) -> Sentence | None:
    if not name.isprintable():
        return Sentence("settings.not_on_one_line")
    picture = next((sign for sign in name if ord(sign) > LAST_PRINTED), None)
    return None if picture is None else Sentence("settings.sign_not_printed", sign=picture)


def lines_problem(lines: tuple[str, ...]) -> Sentence | None:
    if len(lines) > MOST_LINES:
        return Sentence("settings.too_many_lines", most=MOST_LINES)
    return None if all(map(str.isprintable, lines)) else Sentence("settings.not_on_one_line")


def hall_languages_problem(languages: tuple[str, ...]) -> Sentence | None:
    if not languages:
        return Sentence("settings.no_language")
    if len(languages) > MOST_LANGUAGES:
        return Sentence("settings.too_many_languages", most=MOST_LANGUAGES)
    if len(set(languages)) < len(languages):
        return Sentence("settings.language_twice", language=toml_text(languages[0]))
    return None


def second_copy_problem(folder: str) -> Sentence | None:
    if folder and (not PurePosixPath(folder).is_absolute() or not folder.isprintable()):
        return Sentence("settings.no_full_path")
    return None


def wifi_name_problem(name: str) -> Sentence | None:
    """IEEE 802.11 has 32 octets for it."""
    length = len(name.encode("utf-8", "surrogatepass"))
    if length > LONGEST_WIFI_NAME:
        return Sentence("settings.wifi_name_too_long", bytes=length, most=LONGEST_WIFI_NAME)
    return None if name.isprintable() else Sentence("settings.not_on_one_line")


def wifi_password_problem(password: str) -> Sentence | None:
    """A passphrase as IEEE 802.11 (J.4.1) has it: 8 to 63 characters of ASCII; empty for an open network."""
    if password and not (
        len(password) >= SHORTEST_WIFI_PASSWORD and password.isascii() and password.isprintable()
    ):
        return Sentence("settings.no_wifi_password", least=SHORTEST_WIFI_PASSWORD)
    return None


def osc_problem(targets: tuple[str, ...]) -> Sentence | None:
    for one in targets:
        try:
            osc_target(one)
        except ValueError:
            return Sentence("settings.osc_target", value=excerpt(one))
    return None


def osc_target(text: str) -> tuple[str, int]:
    """The address and the port of `192.0.2.7:9000` or `[2001:db8::7]:9000`; anything else is a ValueError.

    A name would have to be looked up, and who asks for it waits.
    """
    host, _, port = text.rpartition(":")
    if not _PORT.fullmatch(port) or not 0 < int(port) < 1 << 16:
        raise ValueError(f"{text!r} has no port")
    bracketed = host.startswith("[") and host.endswith("]")
    return str(ip_address(host[1:-1]) if bracketed else IPv4Address(host)), int(port)


def sound_device_problem(device: str) -> Sentence | None:
    if not device or device.startswith("-") or not device.isprintable() or " " in device:
        return Sentence("settings.no_sound_device")
    return None


LIST_CHECKS: dict[str, Callable[[Any], Iterator[Sentence]]] = {
    "game.schedule": schedule_problems,
    "tables.segments": segment_problems,
}
"""By `section.key`: everything that is wrong with a list as written in the file."""

LEAF_CHECKS: dict[str, Callable[[Any], Sentence | None]] = {
    "hall.name": hall_name_problem,
    "hall.languages": hall_languages_problem,
    "event.name": hall_name_problem,
    "event.logo": event.logo_problem,
    "event.colours": event.colours_problem,
    "event.lines": lines_problem,
    "game.robber_targets": robber_target_problem,
    "web.host": host_problem,
    "web.staff_host": staff_host_problem,
    "web.allowed_hosts": allowed_hosts_problem,
    "web.trusted_proxies": trusted_proxies_problem,
    "web.wifi_name": wifi_name_problem,
    "web.wifi_password": wifi_password_problem,
    "journal.second_copy": second_copy_problem,
    "sound.device": sound_device_problem,
    "links.osc": osc_problem,
}
"""By `section.key`: what is wrong with a value of the right type, with the remedy; None when nothing is."""


def pin_problems(settings: Settings, unreadable: frozenset[str]) -> Iterator[Sentence]:
    """Pins that are reserved, used twice or taken by a bus in use; paths in `unreadable` are left aside."""
    used = {path: pin for path, pin in used_pins(settings).items() if path not in unreadable}
    buses = {} if unreadable & BUS_PATHS else bus_pins(settings)
    holder: dict[int, str] = {}
    for path, pin in used.items():
        place = written(path, pin)
        if pin in pins.RESERVED:
            yield Sentence("settings.pin_reserved", setting=place, pin=pin)
        elif pin in buses:
            yield Sentence("settings.pin_of_a_bus", setting=place, pin=pin, bus=buses[pin])
        elif pin in holder:
            yield Sentence("settings.pin_twice", setting=place, pin=pin, first=holder[pin])
        holder.setdefault(pin, place)


def select_problems(settings: Settings, unreadable: frozenset[str]) -> Iterator[Sentence]:
    """A chip select that the SPI bus does not have."""
    port, device = settings.display.spi_port, settings.display.spi_device
    if not unreadable & BUS_PATHS and device >= len(pins.SPI_SELECT[port]):
        place = written("display.spi_device", device)
        yield Sentence("settings.no_such_chip_select", setting=place, port=port)


def port_problems(settings: Settings, _unreadable: frozenset[str]) -> Iterator[Sentence]:
    """Two listeners at one port, encryption without a port or a key."""
    web = settings.web
    if web.port and web.port == web.staff_port:
        yield Sentence("settings.one_port_twice", setting=written("web.staff_port", web.staff_port))
    if web.staff_tls and not web.staff_port:
        yield Sentence("settings.tls_needs_a_port", setting=written("web.staff_tls", web.staff_tls))
    if bool(web.staff_certificate) != bool(web.staff_key):
        yield Sentence("settings.certificate_without_key")


def used_pins(settings: Settings) -> dict[str, int]:
    """BCM numbers by `section.key`, as far as the other settings put them to use."""
    table = settings.pins
    used = {f"pins.{name}": getattr(table, name) for name in table.__struct_fields__}
    if settings.hardware.pause_button == "usb":
        del used["pins.pause_nc"], used["pins.pause_no"]
    elif settings.pause_button.contacts == "no":
        del used["pins.pause_nc"]
    if settings.hardware.shutdown_button == "none":
        del used["pins.shutdown_button"]
    if settings.hardware.display == "luma" and settings.display.bus == "spi":
        used |= {
            f"display.{name}": getattr(settings.display, name) for name in ("spi_dc_pin", "spi_reset_pin")
        }
    return used


def bus_pins(settings: Settings) -> dict[int, Sentence]:
    """BCM numbers that the display's bus takes for itself, and that bus's name."""
    display = settings.display
    if settings.hardware.display != "luma":
        return {}
    if display.bus == "i2c":
        return dict.fromkeys(
            pins.I2C.get(display.i2c_port, ()), Sentence("settings.i2c_bus", port=display.i2c_port)
        )
    select = pins.SPI_SELECT[display.spi_port]
    taken = pins.SPI_DATA[display.spi_port] + (
        select if display.spi_port == 0 else select[: display.spi_device + 1]
    )
    return dict.fromkeys(taken, Sentence("settings.spi_bus", port=display.spi_port))


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
