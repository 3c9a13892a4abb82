"""Which names the udev rules give to the ports of adapters. The rules are read and carried out here as far as names go:
matches with == and !=, shell patterns, SYMLINK+= and link_priority (man 7 udev)."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

from pi_install.plan import GROUPS

RULES = Path(__file__).parents[2] / "systemd" / "udev.rules"
PART = re.compile(r'(\w+(?:\{[^}]+\})?)\s*(==|!=|\+=|=)\s*"([^"]*)"')


class Port:
    """A serial port with what the builtins usb_id and path_id find out about it."""

    def __init__(self, kernel: str, **env: str) -> None:
        self.kernel = kernel
        self.env = {"ID_PATH": f"usb-0:1.2:1.{int(env.get('ID_USB_INTERFACE_NUM', '0'))}", **env}
        self.names: list[str] = []
        self.priority = 0
        for line in RULES.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                self._obey(PART.findall(line))

    def _obey(self, parts: list[tuple[str, str, str]]) -> None:
        for key, operator, value in parts:
            if operator in ("==", "!=") and self._is(key, value) != (operator == "=="):
                return
        for key, operator, value in parts:
            if (key, operator) == ("SYMLINK", "+="):
                self.names.append(re.sub(r"\$env\{(\w+)\}", lambda name: self.env[name[1]], value))
            elif (key, operator) == ("OPTIONS", "+=") and value.startswith("link_priority="):
                self.priority = int(value.removeprefix("link_priority="))

    def _is(self, key: str, pattern: str) -> bool:
        known = {"SUBSYSTEM": "tty", "SUBSYSTEMS": "usb", "KERNEL": self.kernel, "ACTION": "add"}
        named = key.startswith("ENV{")
        value = self.env.get(key[4:-1], "") if named else known.get(key, "")
        return any(fnmatchcase(value, one) for one in pattern.split("|"))


def links(*ports: Port) -> dict[str, str]:
    """Where each name leads when all are plugged in: to the highest priority; two of the same are a fault."""
    found: dict[str, str] = {}
    for name in {name for port in ports for name in port.names}:
        claiming = sorted((port for port in ports if name in port.names), key=lambda port: -port.priority)
        assert len(claiming) == 1 or claiming[0].priority > claiming[1].priority, f"{name} leads anywhere"
        found[name.removeprefix("tablebus/")] = claiming[0].kernel
    return found


def test_each_of_four_ports_with_one_serial_number_has_its_own_name() -> None:
    ports = [
        Port(f"ttyUSB{number}", ID_SERIAL_SHORT="FT4ABCDE", ID_USB_INTERFACE_NUM=f"{number:02d}")
        for number in range(4)
    ]
    assert links(*reversed(ports)) == {
        "FT4ABCDE": "ttyUSB0",
        "FT4ABCDE-if00": "ttyUSB0",
        "FT4ABCDE-if01": "ttyUSB1",
        "FT4ABCDE-if02": "ttyUSB2",
        "FT4ABCDE-if03": "ttyUSB3",
    }


def test_the_names_that_settings_have_today_lead_where_they_led() -> None:
    single = Port("ttyUSB0", ID_SERIAL_SHORT="FT0A1B2C", ID_USB_INTERFACE_NUM="00")
    nameless = Port("ttyUSB1", ID_USB_INTERFACE_NUM="00")
    composite = Port("ttyACM0", ID_SERIAL_SHORT="E6614C31", ID_USB_INTERFACE_NUM="02")
    found = links(single, nameless, composite)
    assert (found["FT0A1B2C"], found["at-usb-0:1.2:1.0"], found["E6614C31"]) == (
        "ttyUSB0",
        "ttyUSB1",
        "ttyACM0",
    )


def test_four_ports_without_a_serial_number_are_told_apart_by_the_socket() -> None:
    ports = [Port(f"ttyUSB{number}", ID_USB_INTERFACE_NUM=f"{number:02d}") for number in range(4)]
    assert links(*ports) == {f"at-usb-0:1.2:1.{number}": f"ttyUSB{number}" for number in range(4)}


def test_the_service_has_the_group_of_each_kind_of_device() -> None:
    systemd = RULES.parent
    named = set(re.findall(r'GROUP="(\w+)"', RULES.read_text(encoding="utf-8")))
    unit = (systemd / "pi-controller-core.service").read_text(encoding="utf-8")
    (has,) = re.findall(r"^SupplementaryGroups=(.+)$", unit, re.MULTILINE)
    made = re.findall(r"^g (\w+) ", (systemd / "sysusers.conf").read_text(encoding="utf-8"), re.MULTILINE)
    assert named == {"gpio", "i2c", "spi", "input"}
    assert named <= set(has.split()) == set(made) == set(GROUPS)
