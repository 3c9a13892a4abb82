"""Which games were on, by all that tells of them, and which were removed on purpose."""

import errno
import os
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from pi_controller.journal.files import BLOCK_BYTES, read_lines
from pi_controller.journal.heartbeat import HeartbeatValue, pack_slot
from pi_controller.journal.record import FIRST_PREV, FORMAT, encode, seal
from pi_controller.journal.store import Store
from pi_controller.journal.witnesses import (
    GameSummary,
    JournalExtent,
    forget,
    games,
    give_up,
    keep_beat,
    look_up,
    missed,
    removed,
)
from tests.journal.chains import BOOT, GAME, SIGHT, chain, lines, put_game
from tests.journal.chains import WALL as ARMED_AT

WALL = "2026-11-21T19:00:00+00:00"
OLD, MIDDLE, NEW = "20261020-190000-0001", "20261119-190000-0002", "20261121-180000-0003"


def kept(tmp_path: Path) -> tuple[Store, Path]:
    """A store with three games, their copies, and a second copy of each."""
    store, second = Store(tmp_path / "state"), tmp_path / "second"
    store.prepare()
    store.exports_dir.mkdir()
    for game in (OLD, MIDDLE, NEW):
        for folder in (store.games_dir / game, second / "games" / game):
            folder.mkdir(parents=True)
            (folder / "journal.jsonl").write_bytes(b"x\n")
        for name in (f"{game}.json", f"{game}.jsonl"):
            (store.exports_dir / name).write_bytes(b"x\n")
    return store, second


def there(*folders: Path) -> list[set[str]]:
    return [{path.name.split(".")[0] for path in folder.iterdir()} for folder in folders]


def test_games_that_are_too_old_go_with_all_their_copies(tmp_path: Path) -> None:
    store, second = kept(tmp_path)
    assert forget(store, keep_days=30, wall=WALL, second_copy=second) == [OLD]
    assert there(store.games_dir, store.exports_dir, second / "games") == [{MIDDLE, NEW}] * 3
    assert removed(store.state_dir) == {OLD}
    (second / "games" / OLD).mkdir()
    assert [known.game_id for known in missed(store, second, but=[NEW, MIDDLE])] == [], "removed on purpose"
    assert forget(store, keep_days=30, wall=WALL, second_copy=second) == []


def test_the_newest_game_stays_and_so_does_what_no_controller_has_named(tmp_path: Path) -> None:
    store, second = kept(tmp_path)
    (store.games_dir / "mine").mkdir()
    assert forget(store, keep_days=1, wall="2036-11-21T19:00:00+00:00", second_copy=None) == [MIDDLE, OLD]
    assert there(store.games_dir) == [{NEW, "mine"}]
    assert there(second / "games") == [{OLD, MIDDLE, NEW}], "a second copy that is not there now"


def test_without_the_setting_all_are_kept(tmp_path: Path) -> None:
    store, second = kept(tmp_path)
    assert forget(store, keep_days=0, wall="2036-11-21T19:00:00+00:00", second_copy=second) == []


def beat(store: Store, game_id: str, *, saved: int) -> None:
    sight = replace(SIGHT, saved=saved)
    value = HeartbeatValue(game_id, 1, 2, 3, sight)
    store.heartbeat_path.write_bytes(pack_slot(value, boot_id="b", counter=1))


def tell_in_an_export(store: Store, game_id: str, *, count: int, closed: bool = False) -> None:
    store.exports_dir.mkdir(exist_ok=True)
    about = JournalExtent(GameSummary(game_id, armed_at=WALL, closed=closed), lines=count)
    (store.exports_dir / f"{game_id}.json").write_bytes(msgspec.json.encode(about))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """With one good game."""
    made = Store(tmp_path / "state")
    made.prepare()
    put_game(made.state_dir, b"".join(lines(chain(3, game_id=MIDDLE))), game_id=MIDDLE)
    return made


@pytest.mark.parametrize("witness", ["heartbeat", "kept heartbeat", "export", "copy", "seed"])
def test_each_witness_puts_a_missing_game_into_the_list(store: Store, tmp_path: Path, witness: str) -> None:
    if "heartbeat" in witness:
        beat(store, NEW, saved=7)
    if witness == "kept heartbeat":
        keep_beat(store, MIDDLE)
        store.heartbeat_path.unlink()
    if witness == "export":
        tell_in_an_export(store, NEW, count=7)
    if witness == "copy":
        put_game(tmp_path / "copy", b"".join(lines(chain(7, game_id=NEW))), game_id=NEW)
    if witness == "seed":
        store.create_game(NEW, bytes(32))
    listed = games(store.state_dir, tmp_path / "copy")
    assert [(game.game_id, bool(game.problem)) for game in listed] == [(NEW, True), (MIDDLE, False)]
    assert NEW in str(listed[0].problem)
    if witness not in ("copy", "seed"):
        assert look_up(store, NEW).lines == 7


def test_what_is_over_or_was_removed_is_not_missed(store: Store, tmp_path: Path) -> None:
    tell_in_an_export(store, OLD, count=9)
    assert [(known.game_id, known.lines) for known in missed(store, None, but=[NEW])] == [(OLD, 9)]
    tell_in_an_export(store, OLD, count=9, closed=True)
    assert missed(store, None, but=[NEW]) == []
    tell_in_an_export(store, NEW, count=9)
    assert len(missed(store, None, but=[])) == 1
    assert give_up(store, NEW) is None
    assert missed(store, None, but=[]) == []
    aside = give_up(store, MIDDLE)
    assert aside is not None
    assert aside.is_dir()
    assert [game.game_id for game in games(store.state_dir)] == [OLD], "closed, and its journal is still gone"


def test_a_witness_that_cannot_be_read_silences_no_other(store: Store) -> None:
    store.heartbeat_path.mkdir()
    tell_in_an_export(store, NEW, count=4)
    (store.exports_dir / f"{OLD}.json").mkdir()
    assert {game.game_id for game in games(store.state_dir)} == {NEW, MIDDLE, OLD}


def test_an_unreadable_journal_costs_the_list_one_line_only(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_game(store.state_dir, b"".join(lines(chain(3, game_id=NEW))), game_id=NEW)
    real = os.open

    def refuses(path: Path, *given: int, **more: int) -> int:
        if NEW in str(path):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(path, *given, **more)

    monkeypatch.setattr(os, "open", refuses)
    listed = games(store.state_dir)
    assert [(game.game_id, game.problem is None) for game in listed] == [(NEW, False), (MIDDLE, True)]


@pytest.mark.parametrize("bad", [0, 1, 2, 3])
@pytest.mark.parametrize("lasting", [False, True])
def test_what_lies_before_and_after_a_bad_block_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: int, lasting: bool
) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"".join(b"%0*d\n" % (BLOCK_BYTES // 4 - 1, number) for number in range(16)))
    real, once = os.pread, []

    def pread(fd: int, size: int, offset: int) -> bytes:
        hit = offset <= bad * BLOCK_BYTES < offset + size
        if hit and (lasting or size > BLOCK_BYTES or not once):
            once.append(size)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(fd, size, offset)

    monkeypatch.setattr(os, "pread", pread)
    found, refused = read_lines(path)
    good = {int(line) for line in found if line.strip(b"\0\n").isdigit() and b"\0" not in line}
    missing = set(range(bad * 4, bad * 4 + 4)) if lasting else set()
    assert (refused is not None) == lasting
    assert set(range(16)) - missing - good <= {bad * 4 + 4}, (
        "a line that begins in the bad block is lost with it"
    )
    assert sum(map(len, found)) == path.stat().st_size


OLDER = "20261120-180000-aaaa"


def journal(*happened, rule_set="connect", written=FORMAT):
    prev, content = FIRST_PREV, b""
    first = ("game", {"format": written, "game_id": GAME, "rule_set": rule_set})
    for seq, (kind, data) in enumerate((first, *happened)):
        record = seal(kind, data, seq=seq, game_ns=0, boot_ns=0, boot_id=BOOT, wall=ARMED_AT, prev=prev)
        prev, content = record.hash, content + encode(record)
    return content


TURN = ("turned", {"kind": "round", "round": 7})
END = ("ended", {"winners": [{"board": "A1"}]})


@pytest.mark.parametrize(
    ("happened", "ended", "rounds", "winners"),
    [
        ((), False, 0, ()),
        ((TURN,), False, 7, ()),
        ((TURN, END, ("seed", {"seed": "00"})), True, 7, ({"board": "A1"},)),
        ((TURN, END, ("corrected", {})), False, 7, ()),
        ((TURN, END, ("corrected", {}), END, ("answered", {})), True, 7, ({"board": "A1"},)),
    ],
)
def test_what_the_list_says_of_a_game(tmp_path, happened, ended, rounds, winners):
    put_game(tmp_path, journal(*happened))
    assert games(tmp_path) == [
        GameSummary(
            game_id=GAME,
            armed_at=ARMED_AT,
            rule_set="connect",
            ended=ended,
            closed=any(kind == "seed" for kind, _ in happened),
            rounds=rounds,
            winners=winners,
        )
    ]


def test_newest_first_and_folders_without_a_line_are_left_out(tmp_path):
    put_game(tmp_path, b"".join(lines(chain(3, game_id=OLDER))), game_id=OLDER)
    put_game(tmp_path, journal(TURN, rule_set={"name": "classic"}) + b"torn")
    put_game(tmp_path, b"", game_id="20261120-190000-cccc")
    assert [(game.game_id, game.rule_set) for game in games(tmp_path)] == [
        (GAME, "classic"),
        (OLDER, "connect"),
    ]
    assert games(tmp_path / "nothing") == []


def test_only_the_ends_of_a_long_journal_are_read(tmp_path):
    put_game(tmp_path, b"".join(lines(chain(2000))))
    assert games(tmp_path)[0].rounds == 1999


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"rubbish\n" + journal(TURN), "The first line of journal.jsonl is damaged: it is not JSON."),
        (journal(written=FORMAT + 1), "This journal has format 3"),
    ],
)
def test_a_game_whose_beginning_cannot_be_read_is_listed_with_the_reason(tmp_path, content, problem):
    put_game(tmp_path, content)
    (game,) = games(tmp_path)
    assert (game.game_id, game.armed_at, game.rule_set) == (GAME, "", "")
    assert game.problem.startswith(problem)
