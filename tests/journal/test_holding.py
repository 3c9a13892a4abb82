"""The state folder is held in ways that nobody can remove."""

import os
import shutil
import socket
import stat
import subprocess
import sys

import pytest

from pi_controller.journal import store as store_module
from pi_controller.journal.errors import StateInUse
from pi_controller.journal.store import Store

HOLDER = """
import sys
from pathlib import Path
from pi_controller.journal.store import Store
store = Store(Path(sys.argv[1]))
with store.lock():
    print("held", flush=True)
    for line in sys.stdin:
        if store.gone():
            store.hold_again()
        print("looked", flush=True)
"""


class Holder:
    """A process that holds the folder and looks after it when told."""

    def __init__(self, state_dir, *before):
        self.process = subprocess.Popen(
            [*before, sys.executable, "-c", HOLDER, str(state_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert self.process.stdout.readline() == "held\n"

    def look(self):
        self.process.stdin.write("look\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "looked\n"

    def away(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "state")
    store.prepare()
    return store


@pytest.fixture
def holder(store):
    holder = Holder(store.state_dir)
    yield holder
    holder.away()


def refused(store):
    with (
        pytest.raises(StateInUse, match=r"already runs a controller on .*: stop it first") as told,
        store.lock(),
    ):
        pass
    assert "\n" not in str(told.value)
    return str(told.value)


@pytest.mark.parametrize("looked", [False, True])
def test_a_removed_lock_lets_nobody_in(store, holder, looked):
    store.lock_path.unlink()
    if looked:
        holder.look()
        assert store.lock_path.read_text() == f"{holder.process.pid}\n"
    assert f"Process {holder.process.pid} " in refused(store)
    holder.away()
    with store.lock():
        assert not store.gone()


@pytest.mark.parametrize("looked", [False, True])
def test_a_removed_folder_lets_nobody_in(store, holder, looked):
    shutil.rmtree(store.state_dir)
    if looked:
        holder.look()
        assert store.lock_path.read_text() == f"{holder.process.pid}\n"
    store.prepare()
    assert f"Process {holder.process.pid} " in refused(store)


def test_where_the_name_cannot_be_seen_the_folder_itself_is_held(store):
    """The core of the unit runs in a network name space of its own."""
    apart = ("unshare", "-rn")
    if subprocess.run([*apart, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("this user may not make a name space of its own")
    holder = Holder(store.state_dir, *apart)
    try:
        store.lock_path.unlink()
        refused(store)
    finally:
        holder.away()


def test_who_finds_the_folder_taken_meanwhile_does_not_write_there(store, holder):
    """The one that was faster keeps it; the other is told who that is."""
    apart = Store(store.state_dir.with_name("other"))
    apart.prepare()
    with apart.lock():
        apart.state_dir.rename(apart.state_dir.with_name("gone"))
        store.state_dir.rename(apart.state_dir)
        assert apart.gone()
        with pytest.raises(StateInUse, match=f"Process {holder.process.pid} already runs"):
            apart.hold_again()


def test_a_name_that_a_stranger_took_keeps_nobody_out(store, monkeypatch):
    monkeypatch.setattr(store_module, "_holder_of", lambda address: (77, 12345))
    address = store_module.name_of(store.state_dir)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stranger:
        stranger.bind(address)
        stranger.listen(1)
        with store.lock():
            assert store.lock_path.exists()
            refused(Store(store.state_dir))


def test_many_who_ask_do_not_fill_the_queue(store):
    with store.lock():
        for _ in range(3 * store_module.WAITING):
            refused(Store(store.state_dir))
            assert not store.gone()


@pytest.mark.parametrize(
    ("before", "after"), [(0o755, 0o700), (0o707, 0o700), (0o710, 0o710), (0o700, 0o700)]
)
def test_a_folder_that_others_may_enter_is_closed_to_them(tmp_path, before, after):
    state = tmp_path / "state"
    state.mkdir()
    state.chmod(before)
    Store(state).prepare()
    assert stat.S_IMODE(state.stat().st_mode) == after
