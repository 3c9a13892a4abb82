import os
import socket
from pathlib import Path

from pi_controller.hal.system.kernel import Notices, goes_to_the_journal


def manager(address: str) -> socket.socket:
    end = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    end.bind(address)
    end.settimeout(120)
    return end


def test_notices_reach_the_manager(tmp_path: Path) -> None:
    with manager(str(tmp_path / "notify")) as end:
        notices = Notices.from_environment({"NOTIFY_SOCKET": str(tmp_path / "notify")})
        for act in (
            lambda: notices.reading(2000),
            lambda: notices.ready("game g1"),
            notices.alive,
            lambda: notices.status("x"),
            notices.stopping,
        ):
            act()
        got = [end.recv(200) for _ in range(5)]
        notices.close()
        notices.alive()
    assert got.pop(0) == b"EXTEND_TIMEOUT_USEC=20000000\nSTATUS=reading the journal: 2000 lines"
    assert got == [b"READY=1\nSTATUS=game g1", b"WATCHDOG=1", b"STATUS=x", b"STOPPING=1"]


def test_abstract_addresses() -> None:
    name = f"pi-controller-test-{os.getpid()}"
    with manager(f"\0{name}") as end:
        notices = Notices.from_environment({"NOTIFY_SOCKET": f"@{name}"})
        notices.alive()
        assert end.recv(200) == b"WATCHDOG=1"
        notices.close()


def test_without_a_manager_nothing_happens() -> None:
    notices = Notices.from_environment({})
    notices.ready("x")
    notices.close()


def test_a_manager_that_is_gone_is_not_our_failure(tmp_path: Path) -> None:
    notices = Notices.from_environment({"NOTIFY_SOCKET": str(tmp_path / "nobody")})
    notices.alive()
    notices.close()


def test_the_watchdogs_period_is_only_for_the_process_that_is_meant() -> None:
    assert Notices.from_environment({"WATCHDOG_USEC": "3000000"}).watchdog_ns == 3_000_000_000
    assert Notices.from_environment({"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"}).watchdog_ns is None
    assert Notices.from_environment({"WATCHDOG_USEC": "soon"}).watchdog_ns is None


def test_a_file_is_not_the_journal(tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as stream:
        assert not goes_to_the_journal(stream.fileno(), {})
        assert not goes_to_the_journal(stream.fileno(), {"JOURNAL_STREAM": "8:42"})
