import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pi_controller.cli.run import SLOW_START_S, Controller, ProcessSupervisor
from pi_controller.hal.system import logs
from pi_controller.settings.load import load
from tests.cli.conftest import Run
from tests.needs import program as installed
from tests.patience import DEADLINE_S

HERE = Path(__file__).parent
PUPPET = [sys.executable, str(HERE / "puppet.py")]


@contextmanager
def puppets(
    state: Path, *arguments: str, group: bool = False, program: list[str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """`run` in a process of its own, with puppets for core and web."""
    command = [sys.executable, str(HERE / "run_with_puppets.py"), json.dumps(program or PUPPET)]
    command += [f"--state-dir={state}", *arguments]
    environment = os.environ | {"PYTHONPATH": str(HERE.parents[1])}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=group,
    ) as parent:
        try:
            yield parent
        finally:
            parent.kill()


def said(program: subprocess.Popen[str]) -> str:
    """The next line that a puppet says."""
    assert program.stdout is not None
    return program.stdout.readline()


def complaint(program: subprocess.Popen[str]) -> str:
    assert program.stderr is not None
    return program.stderr.readline()


def rest_of_complaints(program: subprocess.Popen[str]) -> str:
    assert program.stderr is not None
    return program.stderr.read()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_core_is_started_before_web_and_a_signal_ends_both(tmp_path: Path, number: signal.Signals) -> None:
    with puppets(tmp_path, "--hardware=sim", "--speed=60", "--port=0", "--settings=s.toml") as program:
        assert said(program) == f"core --state-dir={tmp_path} --settings=s.toml --hardware=sim --speed=60.0\n"
        assert said(program) == f"web --after-input --state-dir={tmp_path} --settings=s.toml --port=0\n"
        program.send_signal(number)
        assert program.wait(DEADLINE_S) == 0
        assert said(program) == ""
        assert rest_of_complaints(program) == ""


def test_a_terminals_interrupt_may_reach_the_children_too(tmp_path: Path) -> None:
    with puppets(tmp_path, group=True) as program:
        said(program), said(program)
        os.killpg(program.pid, signal.SIGINT)
        assert program.wait(DEADLINE_S) == 0
        assert rest_of_complaints(program) == ""


def test_who_dies_is_started_again(tmp_path: Path) -> None:
    (tmp_path / "web.exit").write_text("1 7 2 -")
    with puppets(tmp_path) as program:
        assert [said(program).split()[0] for _ in range(5)] == ["core", "web", "web", "web", "web"]
        assert complaint(program) == (
            "pi-controller run: web ended with status 1; it will be restarted in 0.2 s\n"
        )
        assert "web ended with status 7; it will be restarted in 0.4 s" in complaint(program)
        # once web has run, a port that was taken in the meantime does not end the game
        assert "web ended with status 2; it will be restarted in 0.8 s" in complaint(program)
        program.terminate()
        assert program.wait(DEADLINE_S) == 0


@pytest.mark.parametrize(("name", "others"), [("core", []), ("web", ["core"])])
def test_a_child_that_cannot_be_helped_ends_everything(tmp_path: Path, name: str, others: list[str]) -> None:
    (tmp_path / f"{name}.exit").write_text("2")
    with puppets(tmp_path) as program:
        assert [said(program).split()[0] for _ in range(len(others) + 1)] == [*others, name]
        assert program.wait(DEADLINE_S) == 2
        assert said(program) == ""
        assert rest_of_complaints(program) == ""


def test_virtual_tables_are_started_with_core_and_started_again(tmp_path: Path) -> None:
    (tmp_path / "virtual-tables.exit").write_text("1 -")
    with puppets(tmp_path, "--hardware=sim", "--nodes=40", "--parts-seed=7") as program:
        told = sorted(said(program) for _ in range(4))
        assert told == [
            f"core --state-dir={tmp_path} --hardware=sim --virtual-tables=40\n",
            f"virtual-tables --state-dir={tmp_path} --nodes=40 --parts-seed=7\n",
            f"virtual-tables --state-dir={tmp_path} --nodes=40 --parts-seed=7\n",
            f"web --after-input --state-dir={tmp_path}\n",
        ]
        assert complaint(program) == (
            "pi-controller run: virtual-tables ended with status 1; it will be restarted in 0.2 s\n"
        )
        program.terminate()
        assert program.wait(DEADLINE_S) == 0
        assert rest_of_complaints(program) == ""


def test_all_end_when_run_itself_is_killed(tmp_path: Path) -> None:
    with puppets(tmp_path, "--hardware=sim", "--nodes=1") as program:
        for _ in range(3):
            said(program)
        program.kill()
        assert said(program) == ""  # the pipe's last writers are the children


def test_another_instance_at_the_socket_is_not_the_own_core(tmp_path: Path) -> None:
    (tmp_path / "core.exit").write_text("2")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(tmp_path / "control.sock"))
        other.listen()
        with puppets(tmp_path) as program:
            assert program.wait(DEADLINE_S) == 2
            assert [said(program).split()[:1] for _ in range(2)] == [["core"], []]


def test_who_does_not_listen_is_killed(tmp_path: Path) -> None:
    (tmp_path / "web.deaf").touch()
    with puppets(tmp_path) as program:
        said(program), said(program)
        program.terminate()
        assert program.wait(DEADLINE_S) == 1
        assert rest_of_complaints(program) == (
            "pi-controller run: web did not end within 5 s and is killed\n"
        )


def test_a_program_that_cannot_start_is_tried_again(tmp_path: Path) -> None:
    with puppets(tmp_path, program=["/no/such/program"]) as program:
        told = [
            complaint(program) for _ in range(4)
        ]  # on a busy machine one of them may be tried twice first
        for name in ("core", "web"):
            assert [line for line in told if f" {name} " in line] == [
                f"pi-controller run: {name} cannot be started (No such file or directory);"
                f" the next try is in {wait_s:g} s\n"
                for wait_s in (0.2, 0.4)
            ]
        program.terminate()
        assert program.wait(DEADLINE_S) == 0


def test_a_core_that_takes_long_is_told_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    alone = Controller(core=["core"], beside={}, after={"web": ["web"]}, socket=tmp_path / "control.sock")
    family = ProcessSupervisor(alone)
    for _ in range(2):
        family._start_what_is_due(time.monotonic() - SLOW_START_S - 1)
    logs.end()
    assert capfd.readouterr().err == (
        f"pi-controller run: core does not listen at {tmp_path}/control.sock after 10 s; waiting for it\n"
    )


def test_several_halls_each_have_their_programs_and_one_of_them_leads(tmp_path: Path) -> None:
    installed("mosquitto")
    (tmp_path / "s.toml").write_text(
        '[web]\nport = 9000\nstaff_port = 9443\n[journal]\nsecond_copy = "/media/x"\n'
    )
    given = (f"--settings={tmp_path / 's.toml'}", "--halls=2", "--nodes=4", "--speed=2")
    with puppets(tmp_path, *given) as program:
        told = sorted(line for line in (said(program) for _ in range(12)) if f"{tmp_path}" in line)
        of = {hall: f"--state-dir={tmp_path}/halls/{hall}" for hall in ("main", "east")}
        with_settings = {hall: f"{of[hall]} --settings={tmp_path}/halls/{hall}/settings.toml" for hall in of}
        assert told == sorted(
            [
                f'Hall "main" leads: http://127.0.0.1:9000/, state in {tmp_path}/halls/main\n',
                f'Hall "east" follows: http://127.0.0.1:9001/, state in {tmp_path}/halls/east\n',
                *(
                    f"core {with_settings[hall]} --hardware=sim --speed=2.0 --virtual-tables=4\n"
                    for hall in of
                ),
                *(f"virtual-tables {of[hall]} --nodes=4\n" for hall in of),
                *(f"links {with_settings[hall]}\n" for hall in of),
                f"web --after-input {with_settings['main']} --port=9000\n",
                f"web --after-input {with_settings['east']} --port=9001\n",
            ]
        )
        main_hall, east = (load(tmp_path / "halls" / hall / "settings.toml") for hall in ("main", "east"))
        assert (main_hall.links.role, main_hall.web.staff_port) == ("leader", 9443)
        assert (east.links.role, east.links.hall, east.web.staff_port) == ("follower", "east", 9444)
        assert (main_hall.journal.second_copy, east.journal.second_copy) == ("/media/x", "")
        program.terminate()
        assert program.wait(DEADLINE_S) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--halls", "0"], "argument --halls: '0' is not a number of halls from 2 to 8;"),
        (["--halls", "1"], "one hall is what `pi-controller run` starts without this"),
        (["--halls", "9"], "'9' is not a number of halls from 2 to 8;"),
        (["--halls", "2", "--hardware", "pi"], "--halls is for simulated hardware only,"),
        (["--halls", "3", "--port", "65534"], "The pages of 3 halls do not fit above port 65534:"),
        (["--halls", "2", "--settings", "/no/such.toml"], "/no/such.toml"),
        (["--halls", "2", "--state-dir", "/" + "x" * 120], "choose a shorter --state-dir"),
    ],
)
def test_wrong_arguments_start_no_hall(arguments: list[str], sentence: str, tmp_path: Path, run: Run) -> None:
    installed("mosquitto")
    assert sentence in run("run", "--state-dir", tmp_path, *arguments, status=2).err
    assert list(tmp_path.iterdir()) == []


def test_without_a_mosquitto_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    assert run("run", "--state-dir", tmp_path, "--halls", "2", status=1).err.endswith(
        "is not installed here: `sudo apt install mosquitto`.\n"
    )
    assert list(tmp_path.iterdir()) == []
