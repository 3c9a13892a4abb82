"""Installation on real MicroPython behind a pseudo-terminal."""

import os
import pty
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.flashing import picos as pico_module
from pi_controller.flashing.build import (
    FirmwarePart,
    FlashingError,
    NotAPico,
    PicoFull,
    PicoLost,
    ToolMissing,
)
from pi_controller.flashing.picos import open_pico
from tests.flashing.fake_pico import UID, FakePico

PARTS = (
    FirmwarePart(path="table_node/face.mpy", data=bytes(range(256)) * 3),
    FirmwarePart(path="table_node/node.mpy", data=b"node"),
    FirmwarePart(path="main.py", data=b"import table_node.main\n"),
)
KEY = bytes(range(32))
WANTED = {
    "a/table_node/face.mpy": PARTS[0].data,
    "a/table_node/node.mpy": b"node",
    "key": KEY,
    "main.py": PARTS[2].data,
}


@pytest.fixture
def pico(tmp_path: Path) -> Iterator[FakePico]:
    with FakePico(tmp_path) as fake:
        yield fake


def install(device: str) -> int:
    with open_pico(device) as pico:
        return pico.install(PARTS, KEY, pico.about().free)


def test_it_says_who_it_is(pico: FakePico) -> None:
    with open_pico(pico.device) as opened:
        about = opened.about()
    assert (about.uid, about.micropython) == (UID, (1, 25, 0))
    assert about.machine == "Raspberry Pi Pico with RP2040"
    assert about.free == 340 * 4096


def test_files_are_written_once_and_the_node_is_started(pico: FakePico) -> None:
    assert install(pico.device) == 4
    assert pico.files() == WANTED
    assert pico.started


def test_a_second_time_nothing_is_written(pico: FakePico) -> None:
    install(pico.device)
    assert install(pico.device) == 0


def test_old_files_of_the_node_go_and_others_stay(pico: FakePico) -> None:
    for path in (
        "table_node/node.mpy",
        "a/table_node/old.mpy",
        "a/table_node/face.mpy",
        "b/table_node/node.mpy",
        "image",
    ):
        (pico.flash / path).parent.mkdir(parents=True, exist_ok=True)
        (pico.flash / path).write_bytes(b"another")
    (pico.flash / "node.bin").write_bytes(b"its record")
    install(pico.device)
    assert pico.files() == WANTED | {"node.bin": b"its record"}


def test_a_node_that_runs_what_came_over_the_bus_runs_this_from_now_on(pico: FakePico) -> None:
    install(pico.device)
    (pico.flash / "slot").write_bytes(b"b + 0 48879")
    assert install(pico.device) == 0
    assert pico.files() == WANTED


def test_another_key_is_brought(pico: FakePico) -> None:
    install(pico.device)
    with open_pico(pico.device) as opened:
        assert opened.install(PARTS, bytes(32), opened.about().free) == 1
    assert pico.files()["key"] == bytes(32)


def test_another_board_is_refused(tmp_path: Path) -> None:
    with (
        FakePico(tmp_path, machine="ESP32 module") as fake,
        open_pico(fake.device) as opened,
        pytest.raises(
            NotAPico, match="is not a Raspberry Pi Pico but says 'ESP32 module': choose another --port"
        ),
    ):
        opened.about()


def test_an_old_micropython_is_refused(tmp_path: Path) -> None:
    with (
        FakePico(tmp_path, version=(1, 24, 1, "")) as fake,
        open_pico(fake.device) as opened,
        pytest.raises(NotAPico, match=r"has MicroPython 1\.24\.1; install 1\.25 or newer"),
    ):
        opened.about()


def test_too_little_room_is_seen_before_anything_is_written(tmp_path: Path) -> None:
    with FakePico(tmp_path, free_blocks=0) as fake:
        with pytest.raises(PicoFull, match="has 0 bytes free and needs 827"):
            install(fake.device)
        assert fake.files() == {}


def test_a_flash_that_fills_up_is_told(tmp_path: Path) -> None:
    with FakePico(tmp_path, full_after=1) as fake, pytest.raises(PicoFull, match="is full: remove its files"):
        install(fake.device)


def test_unplugged_in_the_middle_nothing_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pico_module, "ANSWER_S", 0.5)
    with FakePico(tmp_path, dies_after=1) as fake:
        (fake.flash / "main.py").write_bytes(b"the one before")
        with pytest.raises(PicoLost, match="plug it in again"):
            install(fake.device)
        assert "main.py" not in fake.files()


def test_a_file_that_arrives_damaged_is_told_and_nothing_starts(tmp_path: Path) -> None:
    with FakePico(tmp_path, spoils="node.mpy") as fake:
        with pytest.raises(FlashingError, match=r"node\.mpy arrived damaged .*: try another cable"):
            install(fake.device)
        assert "main.py" not in fake.files()


@pytest.mark.parametrize("chatter", [b"", b"$GPGGA,123519,4807.038,N*47\r\n" * 5])
def test_another_device_is_refused(chatter: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pico_module, "ANSWER_S", 0.2)
    own, other = pty.openpty()
    tty.setraw(other)
    os.write(own, chatter)
    with pytest.raises(NotAPico, match="does not answer like MicroPython"), open_pico(os.ttyname(other)):
        pass
    os.close(own)
    os.close(other)


def test_a_port_that_is_not_there_is_told() -> None:
    with (
        pytest.raises(FlashingError, match="/dev/no-such-port cannot be opened: is it plugged in"),
        open_pico("/dev/no-such-port"),
    ):
        pass


def test_a_missing_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mpremote.transport", None)
    with pytest.raises(ToolMissing, match="mpremote is not installed"), open_pico("/dev/null"):
        pass
