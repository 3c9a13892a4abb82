"""What the questions can offer."""

from pathlib import Path

import pytest

from pi_controller.cli.questions import NO, YES, SetupMachine
from pi_controller.language.languages import LANGUAGES
from pi_controller.language.words import words
from tests.cli.setup.machines import machine_root


def test_ports_by_the_best_name_that_stays_with_the_adapter(tmp_path: Path) -> None:
    """Two adapters without a serial number share a name by id, which shows only the last: the socket tells them apart."""
    root = machine_root(
        tmp_path,
        adapters={
            "ttyUSB0": {"tablebus": "row-A", "serial/by-id": "usb-FTDI_1", "serial/by-path": "pci-1"},
            "ttyUSB1": {"serial/by-id": "usb-CH340", "serial/by-path": "pci-2"},
            "ttyUSB2": {"serial/by-path": "pci-3"},
        },
    )
    assert SetupMachine(root).ports() == (
        "/dev/serial/by-id/usb-CH340",
        "/dev/serial/by-path/pci-3",
        "/dev/tablebus/row-A",
    )


def test_the_four_ports_of_one_adapter_are_all_offered(tmp_path: Path) -> None:
    """The first is also known by the serial number alone, which settings may have already."""
    adapters = {
        f"ttyUSB{number}": {"tablebus": f"FT4ABCDE-if0{number}", "serial/by-path": f"pci-1.{number}"}
        for number in range(4)
    }
    root = machine_root(tmp_path, adapters=adapters)
    (root / "dev" / "tablebus" / "FT4ABCDE").symlink_to(root / "dev" / "ttyUSB0")
    assert SetupMachine(root).ports() == (
        "/dev/tablebus/FT4ABCDE",
        "/dev/tablebus/FT4ABCDE-if01",
        "/dev/tablebus/FT4ABCDE-if02",
        "/dev/tablebus/FT4ABCDE-if03",
    )


def test_sticks_that_are_mounted(tmp_path: Path) -> None:
    root = machine_root(
        tmp_path,
        adapters={},
        mounts=("/media/pi/MY\\040STICK", "/boot", "/mnt/copy", "/mnt/copy/a/b", "/media"),
    )
    assert SetupMachine(root).copy_folders() == (
        "/media/pi/MY STICK/pi-controller",
        "/mnt/copy/pi-controller",
    )


def test_a_machine_that_has_nothing(tmp_path: Path) -> None:
    machine = SetupMachine(tmp_path)
    assert (machine.ports(), machine.copy_folders(), machine.is_pi()) == ((), (), False)
    (tmp_path / "proc" / "device-tree").mkdir(parents=True)
    (tmp_path / "proc" / "device-tree" / "model").write_text("Raspberry Pi 4 Model B Rev 1.4\0")
    assert machine.is_pi()


@pytest.mark.parametrize("language", LANGUAGES)
def test_yes_and_no_begin_with_letters_of_their_own(language: str) -> None:
    yes, no = words(YES, language).lower(), words(NO, language).lower()
    assert not {yes, yes[0]} & {no, no[0], "n", "no", "false"}
    assert not {no, no[0]} & {"y", "yes", "true"}
