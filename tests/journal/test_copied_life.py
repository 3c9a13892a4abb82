"""What the second copy holds for another controller: the sealed seed, and a heartbeat that survives a pulled stick."""

import os
import shutil
from pathlib import Path

import pytest

from pi_controller.journal import copies
from pi_controller.journal.heartbeat import HeartbeatValue, read_heartbeat
from pi_controller.journal.pairing import PairingKey
from pi_controller.journal.recovery import recover
from pi_controller.journal.store import Store
from tests.journal.chains import BOOT, GAME, SEED, Reports, append, beat_value, open_game, start_writer, tree

KEY = PairingKey(bytes(range(100, 132)))
S = 1_000_000_000


class Ticking:
    """A clock on which a second passes with each look at it."""

    def __init__(self) -> None:
        self.ns = 0

    def __call__(self) -> int:
        self.ns += S
        return self.ns


class Life:
    """Beats that a test looks for; `beats` tells when one was asked for."""

    def __init__(self, reports: Reports) -> None:
        self.reports = reports
        self.game_ns = 0
        self.asked = 0

    def __call__(self) -> HeartbeatValue:
        self.asked += 1
        self.reports.nudge()
        return beat_value(self.game_ns)


@pytest.fixture(autouse=True)
def _restless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "IDLE_S", 0.01)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    folder = tmp_path / "copy"
    folder.mkdir()
    return folder


def test_the_copy_holds_the_seed_for_the_paired_controller_only(tmp_path: Path, copy: Path) -> None:
    reports = Reports()
    writer = start_writer(Store(tmp_path / "own"), reports, second_copy=copy, pairing=KEY)
    open_game(writer)
    append(writer, 1)
    assert writer.close()
    files = tree(copy)
    assert KEY.open(GAME, files[f"games/{GAME}/seed.sealed"]) == SEED
    assert not any(SEED in content or SEED.hex().encode() in content for content in files.values())


def test_a_game_that_goes_on_puts_its_seed_there_too_and_mends_a_torn_one(tmp_path: Path, copy: Path) -> None:
    reports, store = Reports(), Store(tmp_path / "own")
    writer = start_writer(store, reports, second_copy=copy, pairing=KEY)
    open_game(writer)
    assert writer.close()
    sealed = copy / "games" / GAME / "seed.sealed"
    sealed.write_bytes(sealed.read_bytes()[:20])
    (sealed.parent / "seed.sealed.new").write_bytes(b"left over")
    again = start_writer(store, reports, second_copy=copy, pairing=KEY)
    found = recover(tmp_path / "own", GAME, mend=True)
    assert found is not None
    again.continue_game(found, SEED)
    assert again.close()
    assert KEY.open(GAME, sealed.read_bytes()) == SEED


def test_it_shows_life_and_goes_on_when_the_stick_comes_back(tmp_path: Path, copy: Path) -> None:
    reports, ticks = Reports(), Ticking()
    life = Life(reports)
    writer = start_writer(
        Store(tmp_path / "own"), reports, second_copy=copy, now_ns=ticks, copy_beat=life, boot_id=BOOT
    )
    open_game(writer)
    life.game_ns = 5 * S
    reports.wait(lambda: _seen(copy, reports) == 5 * S)
    shutil.move(copy, tmp_path / "pulled")
    reports.wait_trouble("The second copy in")
    shutil.move(tmp_path / "pulled", copy)
    life.game_ns = 9 * S
    reports.wait(lambda: bool(reports.mended) and _seen(copy, reports) == 9 * S)
    assert reports.mended == ["second_copy"]
    assert len(reports.troubles) == 1
    assert writer.close()


def test_the_roster_is_kept_beside_the_games(tmp_path: Path, copy: Path) -> None:
    reports, ticks = Reports(), Ticking()
    life = Life(reports)
    roster = tmp_path / "roster.json"
    roster.write_text("{}")
    writer = start_writer(
        Store(tmp_path / "own"),
        reports,
        second_copy=copy,
        now_ns=ticks,
        copy_beat=life,
        copy_beside=(roster,),
    )
    open_game(writer)
    reports.wait(lambda: _text(copy / "roster.json") == "{}")
    roster.write_text('{"version": 1}')
    os.utime(roster, ns=(1, 1))
    reports.wait(lambda: _text(copy / "roster.json") == '{"version": 1}')
    assert writer.close()


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _seen(copy: Path, reports: Reports) -> int:
    beat = read_heartbeat(copy / "games" / GAME / "heartbeat")
    return beat.game_ns if beat is not None else -1
