"""The support bundle: everything that helps, and no secret, searched for by its bytes."""

import base64
import json
import os
import zipfile
from pathlib import Path

import pytest

from pi_controller.cli import bundle
from pi_controller.cli.broker import PASSWORD
from pi_controller.cli.bundle import clean, known_secrets
from pi_controller.cli.main import main
from pi_controller.flashing.image import node_key
from pi_controller.journal.pairing import keep_key, new_key
from pi_controller.journal.record import encode, seal
from pi_controller.web.http.access import PinFile, Tokens
from tests.cli.conftest import Run
from tests.core.disk import GAME_ID, DiskHall
from tests.core.hall import SEED
from tests.journal.chains import chain, lines, put_game
from tests.protocol.fake_core import FakeCore
from tests.web.hall import HandClock

PIN = "493027"
OLDER, REOPENED = "20261121-090000-0001", "20261121-100000-0001"
JOURNALCTL = """#!/bin/sh
echo "journalctl: $*"
cat "$SECRETS"
"""


@pytest.fixture
def secrets(state: Path) -> list[bytes]:
    """A controller in the middle of a game, and all that must stay with it."""
    hall = DiskHall(state).play()
    hall.crash()
    put_game(state, b"".join(lines(chain(3, game_id=OLDER))), game_id=OLDER)
    first = chain(1, game_id=REOPENED)
    after = seal(
        "seed", {"seed": "ab" * 32}, seq=1, game_ns=1, boot_ns=1, boot_id="b", wall="w", prev=first[0].hash
    )
    put_game(state, lines(first)[0] + encode(after), game_id=REOPENED)
    (state / "games" / REOPENED / "seed").write_text("ab" * 32 + "\n")
    (state / "selftest").mkdir()
    (state / "selftest" / "20261121-120000-field.json").write_text('{"version": 1}')
    keys = Tokens(state / "web", HandClock().clocks())
    pin = PinFile(state / "web")
    pin.keep(PIN)
    key = new_key()
    keep_key(state, key)
    of_nodes = node_key(state)
    (state / PASSWORD).parent.mkdir()
    (state / PASSWORD).write_text("broker-q7Zk0giLfHdByOVed8Z4\n")
    words = pin.path.read_text().split()
    text = key.text()
    raw = base64.b32decode(text.replace(" ", "") + "======"[: -len(text.replace(" ", "")) % 8])[:32]
    found = [
        SEED,
        of_nodes,
        of_nodes.hex().encode(),
        SEED.hex().encode(),
        SEED.hex().upper().encode(),
        base64.b64encode(SEED).rstrip(b"="),
        bytes.fromhex("ab" * 32),
        b"ab" * 32,
        (state / "web" / "secret").read_bytes().strip(),
        (state / "web" / "token").read_bytes().strip(),
        words[1].encode(),
        words[2].encode(),
        text.encode(),
        text.replace(" ", "").encode(),
        raw,
        b"broker-q7Zk0giLfHdByOVed8Z4",
        keys.new_start_link().encode(),
        keys.new_session().encode(),
    ]
    return [secret for secret in found if secret]


@pytest.fixture
def leak(state: Path, secrets: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Logs into which somebody wrote every secret."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("journalctl", "systemctl"):
        (programs / name).write_text(JOURNALCTL)
        (programs / name).chmod(0o755)
    *known, link, session = secrets
    text = b"\n".join(
        [*known, b"director http://hall/login?token=" + link, b"pi_controller_session_0a1b2c3d=" + session]
    )
    (tmp_path / "leak").write_bytes(text)
    monkeypatch.setenv("SECRETS", str(tmp_path / "leak"))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return programs


def opened(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        return {name: file.read(name) for name in file.namelist()}


def test_no_secret_leaves(
    state: Path, secrets: list[bytes], leak: Path, core: FakeCore, tmp_path: Path
) -> None:
    target = tmp_path / "b.zip"
    assert main(["bundle", "-o", str(target)]) == 0
    files = opened(target)
    whole = target.read_bytes() + b"".join(files.values())
    for secret in secrets:
        assert secret not in whole
        assert secret.lower() not in whole.lower()
    assert b"journalctl: --no-pager" in files["logs/services.txt"]
    assert b"[removed]" in files["logs/services.txt"]
    assert target.stat().st_mode & 0o777 == 0o600
    readme = files["README.txt"].decode()
    assert "logs/services.txt: 1" in readme
    assert "secrets were replaced by [removed]" in readme


def test_what_is_in_it(state: Path, secrets: list[bytes], leak: Path, core: FakeCore, tmp_path: Path) -> None:
    target, settings = tmp_path / "b.zip", tmp_path / "s.toml"
    settings.write_text("# the director's number is 12345\n[web]\nport = 81\n")
    assert main(["bundle", "-o", str(target), "--settings", str(settings)]) == 0
    files = opened(target)
    assert {
        "README.txt", "versions.txt", "settings.toml", "facts.json", "status.json", "metrics.json", "tables.json",
        "logs/services.txt", "logs/kernel.txt", "logs/units.txt", "games.json", f"games/{GAME_ID}.jsonl",
        f"games/{OLDER}.jsonl", "selftest/20261121-120000-field.json",
    } == set(files)  # fmt: skip
    assert b"port = 81" in files["settings.toml"]
    assert b"12345" not in files["settings.toml"]
    assert json.loads(files["status.json"])["version"] == 1
    assert b"pi-controller 0" in files["versions.txt"]
    assert b"msgspec" in files["versions.txt"]
    readme = files["README.txt"].decode()
    for name, content in files.items():
        assert name == "README.txt" or f"{name} ({len(content)} bytes): " in readme
    assert (
        f"games/{REOPENED}.jsonl: its journal, as `journal export` writes it. It goes on".lower()
        in readme.lower()
    )
    assert "roster.json: rows, boards and nodes. there is none" in readme


def test_a_controller_that_is_switched_off_and_has_no_logs(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    settings = tmp_path / "s.toml"
    settings.write_text("[pinz]\n")
    monkeypatch.chdir(tmp_path)
    assert main(["bundle", "--settings", str(settings)]) == 0
    (target,) = tmp_path.glob("pi-controller-bundle-*.zip")
    files = opened(target)
    assert b"did you mean pins?" in files["settings.problems.txt"]
    readme = files["README.txt"].decode()
    assert "there is no journalctl here" in readme
    assert "status.json: the room picture. No controller answers at" in readme
    assert "selftest/…: reports of the self-test. there are none" in readme
    assert "were not there." in capsys.readouterr().out


def test_what_lies_outside_is_not_taken_through_links(state: Path, leak: Path, tmp_path: Path) -> None:
    """Root makes the bundle; whoever owns the state folder must not get at root's files that way."""
    outside = tmp_path / "shadow"
    outside.write_text("root:$y$j9T$very-secret")
    (state / "selftest" / "20261122-120000-field.json").symlink_to(outside)
    os.mkfifo(state / "selftest" / "20261122-130000-field.json")
    (state / "roster.json").symlink_to(outside)
    output = tmp_path / "b.zip"
    assert main(["bundle", "-o", str(output), "--state-dir", str(state)]) == 0
    texts = opened(output)
    assert not any(b"very-secret" in text for text in texts.values())
    readme = texts["README.txt"].decode()
    assert "roster.json: rows, boards and nodes. it is a link" in readme
    assert "selftest/20261122-120000-field.json: a report of the self-test. it is a link" in readme
    assert "selftest/20261122-130000-field.json: a report of the self-test. it is not a plain file" in readme


def test_a_log_that_never_comes(
    state: Path, leak: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "COMMAND_PATIENCE_S", 0.05)
    (leak / "journalctl").write_text("#!/bin/sh\nexec tail -f /dev/null\n")
    target = tmp_path / "b.zip"
    assert main(["bundle", "-o", str(target)]) == 0
    assert b"it gave no answer within 0.05 s" in opened(target)["README.txt"]


def test_an_older_bundle_stays(state: Path, tmp_path: Path, run: Run) -> None:
    target = tmp_path / "b.zip"
    target.write_text("mine")
    assert "already exists: choose another name, or give --force" in run("bundle", "-o", target, status=3).err
    assert target.read_text() == "mine"
    run("bundle", "-o", target, "--force")
    assert "no bundle was made" in run("bundle", "-o", tmp_path / "nowhere" / "b.zip", status=1).err


def test_secrets_that_cannot_be_read_cannot_be_looked_for(
    state: Path,
    secrets: list[bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run: Run,
) -> None:
    def may_not(path: Path) -> tuple[bytes, ...]:
        raise PermissionError(13, "Permission denied", str(path / "web"))

    monkeypatch.setattr("pi_controller.cli.bundle.known_secrets", may_not)
    assert (
        "this user has no permission; run it with sudo"
        in run("bundle", "-o", tmp_path / "b.zip", status=3).err
    )
    assert not (tmp_path / "b.zip").exists()


def test_seeds_of_closed_games_are_no_secret(state: Path) -> None:
    hall = DiskHall(state).play()
    hall.ask("end", {"confirm": True})
    assert SEED.hex().encode() in known_secrets(state)
    hall.ask("close", {"confirm": True})
    hall.crash()
    assert SEED.hex().encode() not in known_secrets(state)
    assert SEED.hex().encode() in (state / "games" / GAME_ID / "journal.jsonl").read_bytes()


def test_ways_in_are_recognised_by_their_looks() -> None:
    text = b"GET /login?token=abcDEF123_-xyz HTTP\nAuthorization: Bearer abcdefgh.ijk\ntokens: 12"
    assert (
        clean(text, ()).content
        == b"GET /login?token=[removed] HTTP\nAuthorization: Bearer [removed]\ntokens: 12"
    )
    assert clean(text, ()).removed == 2
