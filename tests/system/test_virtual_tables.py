"""Virtual tables as processes: what dies comes back, and nobody is left behind."""

import os
import signal
from contextlib import closing
from pathlib import Path

from pi_controller.protocol.client import Client
from pi_controller.protocol.paths import socket_path, tables_socket, virtual_port
from tests.protocol.asking import watched_tables
from tests.system.programs import (
    children_of,
    cli,
    client_of,
    kill_child,
    lives,
    program,
    simulated,
    wait_for_picture,
    wait_until,
)


def arguments(folder: Path) -> list[str | Path]:
    return [*simulated(folder), "--nodes=2", "--port=0"]


def wait_for_tables(client: Client, count: int) -> None:
    """Until so many answer."""
    with closing(watched_tables(client)) as news:
        for tables in news:
            if sum(node.state == "good" for node in tables.nodes) == count:
                return


def test_what_dies_comes_back_nobody_is_left_and_an_ordinary_end_is_no_port_that_has_gone(
    tmp_path: Path,
) -> None:
    """Ctrl-C reaches all of the terminal's group at once, to which the tables of a core must not belong."""
    with program("run", *arguments(tmp_path)) as killed:
        client = client_of(tmp_path / "s")
        wait_for_tables(client, 2)
        assert client.command("start").accepted
        wait_for_picture(client, lambda picture: picture.running)
        kill_child(killed, "virtual-tables")
        killed.complained.wait_for("virtual-tables was ended by SIGKILL; it will be restarted in 0.2 s")
        wait_for_tables(client, 0)
        wait_for_picture(client, lambda picture: picture.running and not picture.paused)
        wait_for_tables(client, 2)
        killed.child("web")
        children = children_of(killed.pid)
        assert len(children) == 3
        killed.process.kill()
        wait_until(lambda: not any(map(lives, children)))
    assert not socket_path(tmp_path / "s").exists()
    with program("run", *arguments(tmp_path)) as running:
        wait_for_tables(client_of(tmp_path / "s"), 2)
        running.child("web")
        apart = running.child("virtual-tables")
        assert os.getpgid(apart) == apart, "the terminal's group does not have it"
        before = running.complained.count("")  # core may look before its tables have made their ports
        for pid in (*children_of(running.pid), running.pid):
            if os.getpgid(pid) == os.getpgid(running.pid):
                os.kill(pid, signal.SIGINT)
        assert running.left() == 0
        complaints = running.complained.all()[before:]
    silent = "no table answers any more"  # what a starved machine may say on the way
    wrong = [line for line in complaints if "WARNING" in line or "ERROR" in line]
    assert [line for line in wrong if silent not in line] == []
    assert not tables_socket(tmp_path / "s").exists()
    assert not virtual_port(tmp_path / "s", "A").is_symlink()


def test_a_second_hall_of_tables_in_the_folder_is_refused(tmp_path: Path) -> None:
    with program("virtual-tables", "--nodes=1", f"--state-dir={tmp_path}") as first:
        wait_until(tables_socket(tmp_path).exists)
        second = cli("virtual-tables", "--nodes=1", f"--state-dir={tmp_path}")
        assert second.returncode == 2
        assert second.stderr == (
            f"Virtual tables are already running in {tmp_path}: end them, or choose another --state-dir.\n"
        )
        assert first.end() == 0


def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "tables").touch()
    refused = cli("virtual-tables", "--nodes=1", f"--state-dir={tmp_path}")
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"The virtual tables cannot use {tmp_path}: ")
