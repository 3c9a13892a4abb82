"""What no page can say of itself, or whose cause is outside: core tells it in the health, and so does `pi-controller status`."""

import datetime as dt
import socket
from pathlib import Path

from pi_controller.journal.record import FIRST_PREV, decode, encode, seal
from pi_controller.protocol.client import Client
from pi_controller.web.http.own_certificate import make_own
from tests.system.programs import cli, client_of, program, wait_until

SIM = ("--hardware", "sim")


def told(client: Client, key: str) -> str | None:
    """What the health says under this key."""
    return next((item.text for item in client.picture().health.items if item.key == key), None)


def test_a_port_that_is_taken_is_told_until_it_is_free(tmp_path: Path) -> None:
    state = tmp_path / "s"
    with program("core", *SIM, "--state-dir", state) as core:
        client = client_of(state, core)
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            web = cli("web", "--unattended", "--state-dir", state, "--host", "127.0.0.1", "--port", str(port))
            assert (web.returncode, "Traceback" in web.stderr) == (2, False)
            assert len(web.stderr.strip().splitlines()) == 1
            said = wait_until(lambda: told(client, "computer.no_pages"))
            assert str(port) in str(said)
            assert web.stderr.strip() in str(said)
            status = cli("status", "--state-dir", state)
            assert str(said) in status.stdout
        with program("web", "--state-dir", state, "--host", "127.0.0.1", "--port", str(port)) as pages:
            pages.said.wait_for("technician")
            wait_until(lambda: told(client, "computer.no_pages") is None)
            assert pages.end() == 0
        assert core.end() == 0


def test_an_expired_certificate_is_told_where_settings_are_checked_and_dates_are_shown(
    tmp_path: Path,
) -> None:
    settings, state = tmp_path / "settings.toml", tmp_path / "s"
    settings.write_text("[web]\nstaff_tls = true\nstaff_port = 8443\n")
    (state / "web").mkdir(parents=True)
    assert cli("settings", "check", settings, "--state-dir", state).stderr == ""
    make_own(state / "web", ["hall"], dt.datetime(2001, 1, 1, tzinfo=dt.UTC))
    checked = cli("settings", "check", settings, "--state-dir", state)
    assert (checked.returncode, "expired on 2010-12-30" in checked.stderr) == (0, True), checked.stderr
    shown = cli("certificate", "show", "--state-dir", state)
    assert "1991-01-04" in shown.stdout
    assert "2010-12-30" in shown.stdout


def move_to_another_day(journal: Path, wall: str) -> None:
    """Every line as it would be had the clock said this."""
    prev, lines = FIRST_PREV, []
    for line in journal.read_bytes().splitlines(keepends=True):
        record = decode(line)
        moved = seal(
            record.kind,
            record.data,
            seq=record.seq,
            game_ns=record.game_ns,
            boot_ns=record.boot_ns,
            boot_id=record.boot_id,
            wall=wall,
            prev=prev,
        )
        lines.append(encode(moved))
        prev = moved.hash
    journal.write_bytes(b"".join(lines))


def test_a_clock_before_the_last_line_of_the_journal_is_told(tmp_path: Path) -> None:
    settings, state = tmp_path / "settings.toml", tmp_path / "s"
    settings.write_text("")
    with program("core", *SIM, "--state-dir", state) as core:
        client = client_of(state, core)
        assert told(client, "computer.clock_behind") is None
        assert core.end() == 0
    (journal,) = (state / "games").glob("*/*.jsonl")
    move_to_another_day(journal, "2099-12-31T12:00:00Z")
    assert "2099-12-31" in cli("settings", "check", settings, "--state-dir", state).stderr
    with program("core", *SIM, "--state-dir", state) as core:
        client = client_of(state, core)
        said = wait_until(lambda: told(client, "computer.clock_behind"))
        assert "2099-12-31" in said
        assert said in cli("status", "--state-dir", state).stdout
        assert core.end() == 0
