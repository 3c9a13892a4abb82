"""The real process: started, asked, killed, ended. Waits only for answers and ends, with generous deadlines."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_controller.core.main import main
from pi_controller.journal.recovery import recover
from pi_controller.language.words import words
from pi_controller.protocol import refusal
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import NoCore
from pi_controller.protocol.messages import AskRestart, AskSetSettings
from pi_controller.protocol.options import CoreOptions
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.settings import SettingChange
from pi_controller.settings.overlay import FILE_NAME
from tests.patience import DEADLINE_S

PROGRAM = (
    "import os, sys; from pathlib import Path; from pi_controller.protocol.options import CoreOptions;"
    "from pi_controller.core.main import main;"
    "os._exit(main(CoreOptions(**eval(sys.argv[1], {'Path': Path}))))"
)

Start = Callable[..., subprocess.Popen[str]]


@contextlib.contextmanager
def cores() -> Iterator[Start]:
    """Starts cores with these options; whatever still runs at the end is killed."""
    running: list[subprocess.Popen[str]] = []

    def run(*, environment: dict[str, str] | None = None, **options: object) -> subprocess.Popen[str]:
        options = {"hardware": "sim", **options}
        core = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, repr(options).replace("PosixPath", "Path")],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **(environment or {})},
        )
        running.append(core)
        return core

    yield run
    for core in running:
        core.kill()
        core.wait()
        if core.stderr is not None:
            core.stderr.close()


@pytest.fixture
def start() -> Iterator[Start]:
    with cores() as run:
        yield run


def client_of(core: subprocess.Popen[str], state_dir: Path) -> Client:
    """A client once the core answers."""
    client = Client(socket_path(state_dir))
    until = time.monotonic() + DEADLINE_S
    pause = threading.Event()
    while time.monotonic() < until:
        try:
            client.picture()
        except NoCore:
            assert core.poll() is None, core.communicate()[1]
            pause.wait(0.002)  # what is waited for needs the processor, too
        else:
            return client
    raise AssertionError("the core gave no answer")


def left(core: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit status and what it said."""
    said = core.communicate(timeout=DEADLINE_S)[1]
    return core.returncode, said


def test_a_fresh_core_is_told_of_refuses_a_second_and_ends_cleanly(tmp_path: Path, start: Start) -> None:
    address, folder = tmp_path / "notify", tmp_path / "state"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(address))
        systemd.settimeout(DEADLINE_S)
        core = start(state_dir=folder, environment={"NOTIFY_SOCKET": str(address)})
        assert systemd.recv(200).startswith(b"READY=1\nSTATUS=game ")
        assert systemd.recv(200) == b"WATCHDOG=1"
        status, said = left(start(state_dir=folder))
        assert (status, "already runs a controller" in said) == (2, True)
        picture = client_of(core, folder).picture()
        assert (picture.phase, picture.health.level) == ("ready", "ok")
        assert picture.saved_seq == picture.seq
        core.send_signal(signal.SIGTERM)
        while systemd.recv(200) != b"STOPPING=1":
            pass
    assert left(core) == (0, "")
    assert not socket_path(folder).exists()
    found = recover(folder)
    assert found is not None
    assert found.game_id == picture.game_id


def test_killed_it_comes_back_paused_with_what_was_accepted(tmp_path: Path, start: Start) -> None:
    core = start(state_dir=tmp_path)
    client = client_of(core, tmp_path)
    assert client.command("start").accepted
    assert client.command("say", {"text": "hello"}, key="k1").accepted
    core.kill()
    core.wait()
    again = start(state_dir=tmp_path)
    picture = client_of(again, tmp_path).picture()
    assert (picture.paused, picture.pause_reasons) == (True, ["recovery"])
    assert picture.message.text == "hello"
    assert client.command("say", {"text": "hello"}, key="k1").accepted
    assert not client.command("say", {"text": "other"}, key="k1").accepted
    again.send_signal(signal.SIGHUP)
    assert left(again) == (0, "")


def test_the_simulated_button_pauses_a_fast_game(tmp_path: Path, start: Start) -> None:
    core = start(state_dir=tmp_path, speed=60.0, seed_hex="07" * 32)
    client = client_of(core, tmp_path)
    assert client.command("start").accepted
    news = client.watch()
    while next(news).picture is None:
        pass
    seen = wait_for(client, lambda picture: picture.running)
    assert seen.rate == 60.0
    plug = socket.socket(socket.AF_UNIX)
    plug.settimeout(DEADLINE_S)
    plug.connect(str(socket_path(tmp_path)))
    plug.sendall(b'{"version":1,"id":1,"ask":"panel"}\n{"version":1,"id":2,"ask":"sim","do":"tap"}\n')
    with plug, plug.makefile("rb") as lines:
        assert b'"panel"' in lines.readline()
        paused = wait_for(client, lambda picture: picture.paused)
    assert paused.pause_reasons == ["button"]
    news.close()
    core.send_signal(signal.SIGINT)
    assert left(core)[0] == 0


def wait_for(client: Client, wanted: Callable[[dict[str, object]], bool]) -> dict[str, object]:
    """The first picture of the feed that is like this."""
    until = time.monotonic() + DEADLINE_S
    with contextlib.closing(client.watch()) as feed:
        pictures = (news.picture for news in feed if news.picture is not None)
        for picture in pictures:
            if wanted(picture):
                return picture
            assert time.monotonic() < until, f"it did not come to that: {picture}"
    raise AssertionError("the feed ended")


def broken_start(folder: Path, call: str) -> dict[str, str]:
    """An environment whose Python has this in the place of the service's start; it runs `sitecustomize` first."""
    (folder / "sitecustomize.py").write_text(
        f"from pi_controller.core.wiring.service import Service\nService.start = {call}\n"
    )
    return {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}


def test_a_mistake_of_the_program_itself_leaves_a_sentence_too(tmp_path: Path, start: Start) -> None:
    core = start(environment=broken_start(tmp_path, "None"), state_dir=tmp_path / "s")
    assert core.wait(DEADLINE_S) == 1
    assert core.stderr is not None
    assert "Traceback" in core.stderr.read()
    said = refusal.read(tmp_path / "s")
    assert said is not None
    assert words(said) == (
        "The program has a bug (TypeError: 'NoneType' object is not callable):"
        " `pi-controller bundle` packs what its developers need."
    )


def test_who_stops_the_start_from_the_keyboard_makes_no_mistake(tmp_path: Path, start: Start) -> None:
    pressed = "lambda service: exec('raise KeyboardInterrupt')"
    core = start(environment=broken_start(tmp_path, pressed), state_dir=tmp_path / "s")
    assert core.wait(DEADLINE_S) != 0
    assert refusal.read(tmp_path / "s") is None


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"speed": 60.0, "hardware": "pi"}, "--speed"),
        ({"seed_hex": "00" * 32, "hardware": "pi"}, "--seed-hex makes rolls known"),
        ({"seed_hex": "00"}, "64 hexadecimal digits"),
        ({"state_dir": Path("/nowhere/" + "x" * 120)}, "shorter --state-dir"),
        ({"state_dir": Path("/proc/nowhere")}, "cannot be used"),
        ({"settings_path": Path("/nowhere.toml")}, "cannot be read"),
        ({"hardware": "pi"}, "lgpio"),
    ],
)
def test_what_cannot_start_says_why_in_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    options: dict[str, Any],
    sentence: str,
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    switch_interval_s = sys.getswitchinterval()
    try:
        assert main(CoreOptions(**{"hardware": "sim", "state_dir": tmp_path, **options})) == 2
    finally:
        sys.setswitchinterval(switch_interval_s)
    (said,) = capfd.readouterr().err.splitlines()
    assert sentence in said


def test_a_damaged_promotion_keeps_no_clock_from_starting(tmp_path: Path, start: Start) -> None:
    (tmp_path / "links.json").write_text('{"term":')
    watched = start(state_dir=tmp_path)
    status, said = left(watched)
    assert (status, "links step-down" in said) == (2, True)
    unattended = start(state_dir=tmp_path, unattended=True)
    picture = client_of(unattended, tmp_path).picture()
    assert any("links step-down" in message for message in picture.health.messages)


def test_settings_from_a_page_count_at_once_and_after_a_restart_and_a_torn_file_stops_nothing(
    tmp_path: Path, start: Start
) -> None:
    core = start(state_dir=tmp_path)
    client = client_of(core, tmp_path)
    changes = [
        SettingChange("hall.languages", ["de"]),
        SettingChange("event.name", "Fair"),
        SettingChange("game.claims", "pause"),
    ]
    assert client.ask(AskSetSettings(changes=changes)).accepted
    picture = client.picture()
    assert (picture.languages, picture.event.name, picture.claims_mode) == (["de"], "Fair", "ask")
    assert client.command("arm").accepted
    assert client.picture().claims_mode == "pause"
    assert client.ask(AskRestart()).accepted
    assert left(core)[0] == 1
    core = start(state_dir=tmp_path, unattended=True)
    assert client_of(core, tmp_path).picture().event.name == "Fair"
    core.send_signal(signal.SIGTERM)
    left(core)
    (tmp_path / FILE_NAME).write_bytes(b"version = 1\n[event]\nna")
    core = start(state_dir=tmp_path)
    picture = client_of(core, tmp_path).picture()
    assert (picture.event.name, picture.health.level) == ("", "fault")
    assert "E2" in picture.health.messages[0]
    core.send_signal(signal.SIGTERM)
    left(core)
