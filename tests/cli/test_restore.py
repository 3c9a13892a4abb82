"""`pi-controller restore`: a game from the stick, or one sentence and nothing changed."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_controller.core.game_loop.recovery import CannotGoOn
from pi_controller.journal.pairing import PairingKey, keep_key
from pi_controller.journal.record import FIRST_PREV, encode, seal
from pi_controller.journal.store import Store
from pi_controller.roster.model import new_roster
from pi_controller.roster.store import RosterStore
from pi_controller.sentence import as_told
from tests.cli.conftest import Run
from tests.core.disk import GAME_ID, DiskHall
from tests.core.hall import SEED
from tests.core.hand import S
from tests.journal.chains import chain, lines, put_game, tree

KEY = PairingKey(bytes(range(100, 132)))
OLDER, NEWER = "20261121-090000-0001", "20261121-190000-0001"


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    """A copy of a game in round 1 with 25 s left, as a paired controller leaves it."""
    hall = DiskHall(tmp_path / "a").play()
    hall.move(10 * S)
    hall.beat()
    hall.crash()
    copy = tmp_path / "media" / "stick" / "games-copy"
    shutil.copytree(tmp_path / "a" / "games", copy / "games")
    shutil.copy(tmp_path / "a" / "heartbeat", copy / "heartbeat")
    folder = copy / "games" / GAME_ID
    (folder / "seed").unlink()
    (folder / "seed.sealed").write_bytes(KEY.seal(GAME_ID, SEED))
    return copy


@pytest.fixture
def spare(tmp_path: Path) -> Path:
    """The state folder of a paired controller."""
    folder = tmp_path / "b"
    folder.mkdir()
    keep_key(folder, KEY)
    return folder


Refused = Callable[..., str]


@pytest.fixture
def refused(run: Run, spare: Path) -> Refused:
    """The sentence of a refusal to restore this copy, after which everything is as it was."""

    def call(copy: Path) -> str:
        before = tree(spare) | {"lock": b""}
        said = run("restore", copy, "--state-dir", spare, status=3)
        assert tree(spare) | {"lock": b""} == before
        assert said.out == ""
        return said.err

    return call


def test_the_game_comes_back_paused_with_its_time_and_dice(stick: Path, spare: Path, run: Run) -> None:
    said = run("restore", stick.parents[1], "--state-dir", spare).out  # the stick's mount is enough
    assert f"Game {GAME_ID} comes back in round 1 with 25.0 s left, paused." in said
    assert "Start the controller now" in said
    assert sorted(tree(spare)) == [
        f"games/{GAME_ID}/journal.jsonl", f"games/{GAME_ID}/seed", "heartbeat", "lock", "pairing.key",
    ]  # fmt: skip
    assert (spare / "games" / GAME_ID / "seed").stat().st_mode & 0o777 == 0o600
    hall = DiskHall(spare, boot_id="of another machine")
    assert (hall.picture.paused, hall.picture.pause_reasons) == (True, ["recovery"])
    assert (hall.picture.round, hall.picture.remaining_ms) == (1, 25_000)
    assert hall.loop.game.dice.seed == SEED
    hall.crash()


def test_what_root_restores_belongs_to_the_services_user(
    stick: Path, spare: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    given: set[str] = set()
    monkeypatch.setattr(os, "geteuid", lambda: 0)

    def give(handle: int, *_owner: int) -> None:
        given.add(Path(f"/proc/self/fd/{handle}").readlink().name.removesuffix(".new"))

    monkeypatch.setattr(os, "fchown", give)
    RosterStore(stick).save(new_roster(1, 3))
    run("restore", stick, "--state-dir", spare)
    made = {path.name for path in spare.rglob("*")} - {"pairing.key"}
    assert made <= given


def test_a_running_core_is_not_disturbed(stick: Path, spare: Path, refused: Refused) -> None:
    with Store(spare).lock():
        assert "already runs a controller on" in refused(stick)


def test_a_game_that_the_spare_only_armed_gives_way(stick: Path, spare: Path, run: Run) -> None:
    put_game(spare, lines(chain(1, game_id=NEWER))[0], game_id=NEWER)
    put_game(spare, b"".join(lines(chain(3, game_id=OLDER))), game_id=OLDER)
    assert (
        f"The game that was here was moved to {spare / 'set-aside' / NEWER}-1."
        in run("restore", stick, "--state-dir", spare).out
    )
    assert Store(spare).game_ids() == [GAME_ID, OLDER]


def test_a_newer_game_that_was_played_here_stays(stick: Path, spare: Path, refused: Refused) -> None:
    put_game(spare, b"".join(lines(chain(3, game_id=NEWER))), game_id=NEWER)
    assert f"A newer game has been played here ({NEWER})" in refused(stick)


def test_the_same_game_counts_where_it_is_further(
    tmp_path: Path, stick: Path, spare: Path, refused: Refused, run: Run
) -> None:
    run("restore", stick, "--state-dir", spare)
    assert "as the stick, or more" in refused(stick)
    journal = spare / "games" / GAME_ID / "journal.jsonl"
    whole = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(whole[:-1]))
    said = run("restore", stick, "--state-dir", spare).out
    assert journal.read_bytes() == b"".join(whole)
    assert f"lies in {spare / 'set-aside' / GAME_ID}-1" in said
    hall = DiskHall(tmp_path / "a", boot_id="boot-2")
    hall.crash()
    further = b"".join(
        (tmp_path / "a" / "games" / GAME_ID / "journal.jsonl").read_bytes().splitlines(keepends=True)
    )
    (stick / "games" / GAME_ID / "journal.jsonl").write_bytes(further)
    other = DiskHall(spare, boot_id="boot-3")
    other.crash()
    assert "continued in two places" in refused(stick)


def test_without_a_key_or_with_another_one(
    stick: Path, spare: Path, tmp_path: Path, refused: Refused
) -> None:
    (spare / "pairing.key").unlink()
    assert "this controller has no pairing key: bring the" in refused(stick)
    keep_key(spare, PairingKey(bytes(32)))
    assert f"sealed with the pairing key {KEY.mark}" in refused(stick)
    (spare / "pairing.key").chmod(0o644)
    assert "can be read by others" in refused(stick)


def test_an_old_copy_without_a_seed_says_what_is_possible(
    stick: Path, tmp_path: Path, refused: Refused, run: Run
) -> None:
    (stick / "games" / GAME_ID / "seed.sealed").unlink()
    said = refused(stick)
    assert "holds no seed, because the controllers were not paired" in said
    assert f"`pi-controller journal export {GAME_ID} --state-dir {stick} -o F`" in said
    target = tmp_path / "game.jsonl"
    run("journal", "export", GAME_ID, "--state-dir", stick, "-o", target)
    assert target.stat().st_size > 0


def test_a_torn_end_is_left_out_and_a_hole_is_refused(
    stick: Path, spare: Path, refused: Refused, run: Run
) -> None:
    journal = stick / "games" / GAME_ID / "journal.jsonl"
    whole = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*whole[:2], whole[2][:-9] + b"\n", *whole[3:]]))
    assert "is damaged: it is readable up to line 2, and" in refused(stick)
    assert "comes back" in run("restore", stick, "--state-dir", spare, "--as-far-as-readable").out
    shutil.rmtree(spare / "games")
    journal.write_bytes(b"".join(whole[:-1]) + whole[-1][:-9])
    assert "they are left out" in run("restore", stick, "--state-dir", spare).out
    journal.write_bytes(b"garbage\n")
    assert "has lost its first line" in refused(stick)


def test_a_copy_of_a_newer_version_is_not_touched(stick: Path, refused: Refused) -> None:
    data = {"format": 99, "game_id": GAME_ID}
    line = seal("game", data, seq=0, game_ns=0, boot_ns=0, boot_id="b", wall="w", prev=FIRST_PREV)
    (stick / "games" / GAME_ID / "journal.jsonl").write_bytes(encode(line))
    assert "This journal has format 99" in refused(stick)


def test_events_of_another_version_name_that_version(
    stick: Path, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise CannotGoOn(
            as_told("Line 4 of the journal does not fit the lines before it (turned)"), as_told("install …")
        )

    monkeypatch.setattr("pi_controller.core.game_loop.recovery.restore", unknown)
    monkeypatch.setattr("pi_controller.core.game_loop.recovery.__version__", "9.9")
    said = refused(stick)
    assert "cannot continue here: it was written by version" in said
    assert "and this is 9.9: install that version here" in said
    assert said.endswith("(Line 4 of the journal does not fit the lines before it (turned).)\n")


def test_a_seed_that_is_not_the_committed_one(stick: Path, refused: Refused) -> None:
    (stick / "games" / GAME_ID / "seed.sealed").write_bytes(KEY.seal(GAME_ID, bytes(32)))
    said = refused(stick)
    assert f"Game {GAME_ID} cannot continue here" in said
    assert "does not match its commitment" in said


def test_the_roster_comes_with_the_game(stick: Path, spare: Path, run: Run) -> None:
    RosterStore(stick).save(new_roster(1, 3))
    RosterStore(spare).save(new_roster(2, 2))
    before = RosterStore(spare).path.read_bytes()
    said = run("restore", stick, "--state-dir", spare).out
    assert "The roster of the first controller is now in use: 3 boards." in said
    assert RosterStore(spare).load() == new_roster(1, 3)
    assert (spare / "roster.before-restore.json").read_bytes() == before


def test_a_damaged_roster_does_not_keep_the_game_away(stick: Path, spare: Path, run: Run) -> None:
    (stick / "roster.json").write_text("?")
    assert (
        "The roster on the stick is damaged and not taken over"
        in run("restore", stick, "--state-dir", spare).out
    )
    assert not (spare / "roster.json").exists()


def test_no_copy_there(tmp_path: Path, refused: Refused) -> None:
    assert "is not there: plug the stick in" in refused(tmp_path / "nowhere")
    empty = tmp_path / "empty"
    (empty / "photos" / "2026").mkdir(parents=True)
    assert "There is no second copy below" in refused(empty)
    (empty / "photos" / "games").mkdir()
    assert "There is no game in" in refused(empty)
    (empty / "two" / "games").mkdir(parents=True)
    assert "There are several second copies below" in refused(empty)


def test_a_disk_that_cannot_be_written(stick: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "file").write_text("in the way")
    assert run("restore", stick, "--state-dir", tmp_path / "file" / "b", status=1).err.endswith(
        "; nothing was restored.\n"
    )


def test_what_a_restart_alone_wrote_after_a_loss_gives_way_to_the_copy(
    tmp_path: Path, stick: Path, spare: Path, refused: Refused, run: Run
) -> None:
    """The sentence about lost commands names this command; nobody has done anything here since."""
    run("restore", stick, "--state-dir", spare)
    journal = spare / "games" / GAME_ID / "journal.jsonl"
    whole = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(whole[:2]))
    damaged = DiskHall(spare)
    assert damaged.picture.health.lost
    damaged.crash()
    run("restore", stick, "--state-dir", spare)
    assert journal.read_bytes() == b"".join(whole)
    damaged = DiskHall(spare)
    damaged.log.prompt = True
    damaged.crash()

    journal.write_bytes(b"".join(whole[:2]))
    other = DiskHall(spare)
    other.log.prompt = True
    other.ask("say", {"text": "somebody goes on here"})
    other.crash()
    assert "continued in two places" in refused(stick)


def test_the_games_of_a_copy_are_listed_and_nothing_is_changed(stick: Path, spare: Path, run: Run) -> None:
    put_game(stick, b"".join(lines(chain(3, game_id=OLDER))), game_id=OLDER)
    before = tree(spare), tree(stick)
    first, *games = run("restore", stick, "--list", "--state-dir", spare).out.splitlines()
    assert str(stick) in first
    assert [game.split(":")[0] for game in games] == [GAME_ID, OLDER]
    assert (tree(spare), tree(stick)) == before


def test_of_several_games_that_are_not_over_one_must_be_named(
    stick: Path, spare: Path, refused: Refused, run: Run
) -> None:
    put_game(stick, b"".join(lines(chain(3, game_id=NEWER))), game_id=NEWER)
    said = refused(stick)
    assert GAME_ID in said
    assert NEWER in said
    back = run("restore", stick, GAME_ID, "--state-dir", spare).out
    assert f"Game {GAME_ID} comes back in round 1 with 25.0 s left" in back
    assert GAME_ID in run("restore", stick, "20200101-000000-0000", "--state-dir", spare, status=3).err


def test_a_game_that_was_only_armed_later_does_not_stand_in_the_way(
    stick: Path, spare: Path, run: Run
) -> None:
    """As a spare of an earlier release writes it to the stick, with its heartbeat."""
    put_game(stick, lines(chain(1, game_id=NEWER))[0], game_id=NEWER)
    assert f"Game {GAME_ID} comes back in round 1" in run("restore", stick, "--state-dir", spare).out


def test_the_settings_name_the_copy(stick: Path, spare: Path, tmp_path: Path, run: Run) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(f'[journal]\nsecond_copy = "{stick}"\n')
    given = ["--settings", str(settings), "--state-dir", str(spare)]
    assert GAME_ID in run("restore", "--list", *given).out
    run("restore", GAME_ID, *given)
    settings.write_text("")
    assert "Name the folder of the copy" in run("restore", "--list", *given, status=2).err


@pytest.mark.parametrize("lasting", [False, True])
def test_a_bad_read_of_the_stick_does_not_bring_the_game_before(
    stick: Path, spare: Path, run: Run, monkeypatch: pytest.MonkeyPatch, lasting: bool
) -> None:
    put_game(stick, b"".join(lines(chain(3, game_id=OLDER))), game_id=OLDER)
    (stick / "games" / OLDER / "seed.sealed").write_bytes(KEY.seal(OLDER, SEED))
    real, failed = os.pread, []

    def pread(fd: int, size: int, offset: int) -> bytes:
        if f"{GAME_ID}/journal" in str(Path(f"/proc/self/fd/{fd}").readlink()) and (lasting or not failed):
            failed.append(offset)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(fd, size, offset)

    monkeypatch.setattr(os, "pread", pread)
    said = run("restore", stick, GAME_ID, "--state-dir", spare, status=3 if lasting else 0)
    assert failed
    assert OLDER not in said.out
    if lasting:
        assert GAME_ID in said.err
        assert Store(spare).game_ids() == []
    else:
        assert f"Game {GAME_ID} comes back in round 1" in said.out


def test_a_heartbeat_on_the_stick_that_cannot_be_read_costs_the_time_alone(
    stick: Path, spare: Path, run: Run
) -> None:
    (stick / "heartbeat").unlink()
    (stick / "heartbeat").mkdir()
    said = run("restore", stick, "--state-dir", spare).out
    assert "The last sign of life" in said
    assert f"Game {GAME_ID} comes back in round 1 with 35.0 s left" in said


def test_a_game_that_gave_way_is_missed_by_nobody_and_one_that_came_back_is(
    stick: Path, spare: Path, run: Run
) -> None:
    put_game(spare, lines(chain(1, game_id=NEWER))[0], game_id=NEWER)
    (spare / "exports").mkdir()
    (spare / "exports" / f"{NEWER}.jsonl").write_bytes(b"")
    (spare / "removed").write_text(f"{GAME_ID}\n")
    run("restore", stick, "--state-dir", spare)
    assert (spare / "removed").read_text() == f"{NEWER}\n"
    listed = run("journal", "list", "--state-dir", spare).out
    assert GAME_ID in listed
    assert f'"game_id":"{NEWER}"' not in listed
