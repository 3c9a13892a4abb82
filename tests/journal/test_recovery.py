"""A journal is read back however damaged, and whatever else lies among the games."""

import errno
import functools
import hashlib
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_controller.journal import files, recovery
from pi_controller.journal.copies import read_copy, seed_for
from pi_controller.journal.errors import NewerJournal, UnknownGame
from pi_controller.journal.files import DiskFiles
from pi_controller.journal.heartbeat import read_heartbeat
from pi_controller.journal.pairing import SEALED_NAME, PairingFault, PairingKey, keep_key, read_key
from pi_controller.journal.record import FORMAT, canonical, decode, encode, seal
from pi_controller.journal.recovery import recover
from pi_controller.journal.store import Store
from pi_controller.journal.witnesses import games, read_games
from pi_controller.language.words import all_words, words
from tests.journal.chains import BOOT, GAME, WALL, chain, lines, put_game, tree
from tests.matrix import further

OLDER, NEWER = "20261120-180000-aaaa", "20261120-190000-bbbb"
RECORDS = chain(200)
LINES = lines(RECORDS)
WHOLE = b"".join(LINES)


@pytest.fixture
def remembered(monkeypatch):
    """`decode` is pure: lines that were judged once need not be judged again in tens of thousands of runs."""
    monkeypatch.setattr(recovery, "decode", functools.lru_cache(100_000)(decode))


@functools.cache
def start_of(number):
    return sum(map(len, LINES[:number]))


def test_nothing_there_is_none_and_an_unknown_game_is_told(tmp_path):
    assert recover(tmp_path / "nowhere") is None
    Store(tmp_path).prepare()
    assert recover(tmp_path) is None
    with pytest.raises(UnknownGame, match="There is no game"):
        recover(tmp_path, GAME)


def test_the_newest_game_is_taken_but_not_one_that_nobody_has_seen(tmp_path):
    for game_id in (OLDER, NEWER):
        put_game(tmp_path, b"".join(lines(chain(3, game_id=game_id))), game_id=game_id)
    for unseen, content in (
        ("20261120-200000-cccc", b""),
        ("20261120-200001-cccc", LINES[0][:-1]),
        ("20261120-200002-cccc", b"\0" * 4096),
    ):
        put_game(tmp_path, content, game_id=unseen)
        assert recover(tmp_path, unseen) is None
    assert recover(tmp_path).game_id == NEWER
    assert recover(tmp_path, OLDER).game_id == OLDER


@pytest.mark.parametrize("every", [80, pytest.param(1, marks=pytest.mark.soak)])
def test_cut_at_every_byte(tmp_path, remembered, every):
    """The newest two lines at every byte, the others at every 80th; `make soak` cuts all of them at each."""
    path = put_game(tmp_path, WHOLE)
    for whole_lines in range(199, -1, -1):
        step = 1 if whole_lines >= 198 else every
        for torn in range(len(LINES[whole_lines]) - 1, -1, -step):
            os.truncate(path, start_of(whole_lines) + torn)
            found = recover(tmp_path)
            if whole_lines == 0:
                assert found is None
                continue
            assert found.next_seq == whole_lines
            assert found.head == RECORDS[whole_lines - 1].hash
            assert [(cut.line, cut.size, words(cut.reason)) for cut in found.cut] == (
                [(whole_lines + 1, torn, "it is cut off")] if torn else []
            )


@pytest.mark.parametrize("number", [0, 190, *further(*range(5, 190, 5))])
def test_a_flipped_bit_in_every_byte_of_a_line(tmp_path, remembered, number):
    for place in range(len(LINES[number])):
        check_flipped(tmp_path, number, start_of(number) + place, place % 8)


def check_flipped(tmp_path, number, place, bit):
    damaged = bytearray(WHOLE)
    damaged[place] ^= 1 << bit
    put_game(tmp_path, bytes(damaged))
    found = recover(tmp_path)
    assert found.records == tuple(RECORDS[:number])
    (cut,) = found.cut
    assert (cut.line, cut.offset, cut.size) == (number + 1, start_of(number), len(WHOLE) - start_of(number))
    # A flipped line feed joins two lines; a flip that makes a line feed splits one.
    assert (cut.unreadable, cut.unchained) in {(1, 199 - number), (2, 199 - number), (1, 198 - number)}
    assert not cut.bridged
    assert found.lost == (200 - number if cut.unchained else 0)
    assert f"journal.jsonl line {number + 1} (byte {cut.offset})" in words(cut.sentence)
    assert f"{cut.unreadable} damaged and {cut.unchained} unconnected lines: they are left out" in words(
        cut.sentence
    )


@pytest.mark.parametrize(
    "tail",
    [
        b"\0" * 4096,
        b"\xff" * 512,
        b"\n",
        b"\n" * 5,
        os.urandom(4096),
        LINES[0],
        LINES[3],
        b"{}\n",
        b"".join(lines(chain(20, game_id=OLDER))),
    ],
)
def test_a_garbage_tail_is_left_out_and_named(tmp_path, tail):
    put_game(tmp_path, b"".join(LINES[:50]) + tail)
    found = recover(tmp_path, mend=True)
    assert found.records == tuple(RECORDS[:50])
    if tail in (LINES[0], LINES[3]):
        assert not found.cut
        return
    (cut,) = found.cut
    assert (cut.line, cut.size) == (51, len(tail))
    assert (found.folder / cut.aside).read_bytes() == tail
    assert (found.folder / "journal.jsonl").read_bytes() == b"".join(LINES[:50])


def test_reading_changes_nothing_and_mending_only_once(tmp_path):
    put_game(tmp_path, b"".join(LINES[:10]) + LINES[10][:50])
    before = tree(tmp_path)
    assert recover(tmp_path).cut
    assert tree(tmp_path) == before
    first = recover(tmp_path, mend=True)
    assert first.mended
    assert (first.segment, first.append, first.unsaved, first.problems) == (1, True, (), ())
    assert first.cut[0].aside in words(first.cut[0].sentence)
    after = tree(tmp_path)
    assert after[f"games/{GAME}/journal.torn-1-{first.cut[0].offset}"] == LINES[10][:50]
    assert not recover(tmp_path, mend=True).cut
    assert tree(tmp_path) == after


def test_what_is_set_aside_never_replaces_what_was_set_aside_before(tmp_path):
    for tail in (b"one", b"two", b"three"):
        path = put_game(tmp_path, b"".join(LINES[:10]) + tail)
        recover(tmp_path, mend=True)
    assert sorted(torn.read_bytes() for torn in path.parent.glob("journal.torn-*")) == [
        b"one",
        b"three",
        b"two",
    ]


def test_a_lost_first_line_loses_the_game_and_nothing_is_touched(tmp_path):
    put_game(tmp_path, b"x" + WHOLE)
    before = tree(tmp_path)
    found = recover(tmp_path, mend=True)
    assert (found.records, found.lost, found.mended) == ((), 200, False)
    assert found.cut[0].unchained == 199
    assert tree(tmp_path) == before


def test_a_file_moved_from_another_game_is_not_taken_for_this_one(tmp_path):
    put_game(tmp_path, b"".join(lines(chain(5, game_id=OLDER))))
    found = recover(tmp_path)
    assert found.records == ()
    assert words(found.cut[0].reason) == "it begins another game"


def test_segments_join_and_duplicates_merge(tmp_path):
    put_game(tmp_path, b"".join(LINES[:10]) + LINES[10][:30])
    put_game(tmp_path, b"".join(LINES[8:20]), name="journal.2.jsonl")
    put_game(tmp_path, b"".join(LINES[20:25]), name="journal.10.jsonl")
    found = recover(tmp_path, mend=True)
    assert found.records == tuple(RECORDS[:25])
    (cut,) = found.cut
    assert cut.bridged
    assert "nothing is lost, another file has it" in words(cut.sentence)
    assert (found.segment, found.append, found.unsaved) == (10, True, ())


def test_a_torn_line_at_the_begin_of_the_last_segment_may_be_lost(tmp_path):
    put_game(tmp_path, b"".join(LINES[:10]))
    put_game(tmp_path, LINES[10][:30], name="journal.2.jsonl")
    (cut,) = recover(tmp_path).cut
    assert not cut.bridged


def test_later_segments_without_connection_are_set_aside_whole(tmp_path):
    put_game(tmp_path, b"".join(LINES[:10]))
    put_game(tmp_path, b"".join(LINES[12:20]), name="journal.2.jsonl")
    found = recover(tmp_path, mend=True)
    assert found.next_seq == 10
    assert found.lost == 10
    (cut,) = found.cut
    assert (words(cut.reason), cut.unreadable, cut.unchained) == (
        "it does not continue the lines before it",
        0,
        8,
    )
    assert (found.folder / cut.aside).read_bytes() == b"".join(LINES[12:20])


def test_the_second_copy_fills_a_gap_and_the_first_device_gets_it_back(tmp_path):
    own, copy = tmp_path / "own", tmp_path / "copy"
    put_game(own, b"".join(LINES[:10]) + b"#" + b"".join(LINES[10:30]))
    put_game(copy, b"".join(LINES[:25]))
    found = recover(own, second_copy=copy)
    assert found.records == tuple(RECORDS[:30])
    assert found.cut[0].bridged
    copy_before = tree(copy)
    mended = recover(own, second_copy=copy, mend=True)
    assert (mended.segment, mended.append, mended.unsaved) == (2, True, ())
    assert (mended.folder / "journal.2.jsonl").read_bytes() == b"".join(LINES[10:30])
    assert recover(own).records == tuple(RECORDS[:30])
    assert tree(copy) == copy_before


def test_a_second_copy_alone_is_enough(tmp_path):
    put_game(tmp_path / "copy", WHOLE)
    Store(tmp_path / "own").folder(GAME).mkdir(parents=True)
    found = recover(tmp_path / "own", second_copy=tmp_path / "copy", mend=True)
    assert (found.segment, found.append, found.unsaved) == (1, True, ())
    assert recover(tmp_path / "own").records == tuple(RECORDS)
    assert recover(tmp_path / "copy", second_copy=tmp_path / "nothing").next_seq == 200


def test_where_the_copies_part_the_first_device_is_believed(tmp_path):
    other = seal(
        "did", {"n": "other"}, seq=10, game_ns=0, boot_ns=0, boot_id=BOOT, wall=WALL, prev=RECORDS[9].hash
    )
    put_game(tmp_path / "own", b"".join(LINES[:10]) + encode(other))
    put_game(tmp_path / "copy", WHOLE)
    found = recover(tmp_path / "own", second_copy=tmp_path / "copy")
    assert found.records == (*RECORDS[:10], other)


def newer_line():
    fields = {"seq": 0, "kind": "game", "data": {"format": FORMAT + 1}}
    return canonical(fields | {"hash": hashlib.sha256(canonical(fields)).hexdigest()}) + b"\n"


def test_a_newer_journal_is_refused_untouched(tmp_path):
    put_game(tmp_path, newer_line() + b"whatever a newer version writes\n")
    before = tree(tmp_path)
    with pytest.raises(NewerJournal, match="install the version that wrote it"):
        recover(tmp_path, mend=True)
    assert tree(tmp_path) == before


class BadDisk(DiskFiles):
    """Fails one operation of mending."""

    def __init__(self, call, error):
        def fail(*_):
            raise OSError(error, os.strerror(error))

        setattr(self, call, fail)


@pytest.mark.parametrize("call", ["create", "write", "sync", "sync_folder", "truncate", "read_back"])
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC, errno.EROFS])
def test_mending_that_fails_loses_nothing_and_begins_a_new_file(tmp_path, call, error):
    path = put_game(tmp_path, b"".join(LINES[:10]) + b"torn")
    found = recover(tmp_path, mend=True, files=BadDisk(call, error))
    assert found.records == tuple(RECORDS[:10])
    assert found.unsaved == ()
    assert (found.segment, found.append) == (2, call == "read_back")
    (problem,) = all_words(found.problems)
    assert problem.startswith("journal.jsonl cannot be ")
    assert os.strerror(error) in problem
    everything = path.read_bytes() + b"".join(torn.read_bytes() for torn in path.parent.glob("*torn*"))
    assert everything.startswith(b"".join(LINES[:10]))
    assert b"torn" in everything


@pytest.mark.parametrize("call", ["create", "write", "sync", "sync_folder"])
def test_nothing_is_cut_when_what_stands_behind_cannot_be_saved_first(tmp_path, call):
    path = put_game(tmp_path / "own", b"".join(LINES[:10]) + b"#" + b"".join(LINES[10:30]))
    put_game(tmp_path / "copy", b"".join(LINES[:25]))
    before = path.read_bytes()
    bad = BadDisk(call, errno.EIO)
    found = recover(tmp_path / "own", second_copy=tmp_path / "copy", mend=True, files=bad)
    assert path.read_bytes() == before
    assert found.unsaved == tuple(RECORDS[10:30])
    assert not found.append
    assert all_words(found.problems) == [
        "journal.2.jsonl cannot be written (Input/output error): nothing is cut off."
    ]


def test_lines_that_only_the_memory_had_are_written_again(tmp_path):
    class Forgetful(DiskFiles):
        def read_back(self, path, start=0, size=-1):
            there = b"".join(LINES[:6]) + bytes(start_of(10) - start_of(6))
            return there[start:][:size]

    path = put_game(tmp_path, b"".join(LINES[:10]))
    found = recover(tmp_path, mend=True, files=Forgetful())
    assert found.next_seq == 10
    assert (found.segment, found.append, found.unsaved) == (2, True, ())
    assert path.with_name("journal.2.jsonl").read_bytes() == b"".join(LINES[6:10])


def unreadable(monkeypatch, name, error):
    real = files.open_regular

    def open_regular(path):
        if path.name == name:
            raise OSError(error, os.strerror(error))
        return real(path)

    monkeypatch.setattr(files, "open_regular", open_regular)


def test_a_file_that_cannot_be_read_is_left_alone_and_filled_from_the_copy(tmp_path, monkeypatch):
    path = put_game(tmp_path / "own", WHOLE)
    put_game(tmp_path / "copy", WHOLE, name="journal.2.jsonl")
    unreadable(monkeypatch, "journal.jsonl", errno.EIO)
    found = recover(tmp_path / "own", second_copy=tmp_path / "copy", mend=True)
    assert found.records == tuple(RECORDS)
    assert (found.segment, found.append, found.unsaved) == (2, True, ())
    assert path.with_name("journal.2.jsonl").read_bytes() == WHOLE
    assert words(found.cut[0].reason) == "it cannot be read (Input/output error)"
    assert found.problems
    assert path.stat().st_size == len(WHOLE)


def test_a_file_that_may_not_be_read_is_an_error_not_a_loss(tmp_path, monkeypatch):
    put_game(tmp_path, WHOLE)
    unreadable(monkeypatch, "journal.jsonl", errno.EACCES)
    with pytest.raises(PermissionError):
        recover(tmp_path)


mutations = st.lists(
    st.tuples(
        st.sampled_from(["flip", "delete", "insert", "swap", "repeat"]),
        st.integers(0, 10**6),
        st.binary(max_size=20),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=300, deadline=None)
@given(mutations)
def test_no_mixture_of_damage_is_ever_accepted(tmp_path_factory, changes):
    content = bytearray(b"".join(LINES[:12]))
    for kind, number, blob in changes:
        place = number % (len(content) or 1)
        if kind == "flip" and content:
            content[place] ^= 1 << number % 8
        elif kind == "delete":
            del content[place : place + 1 + len(blob)]
        elif kind == "insert":
            content[place:place] = blob
        else:
            parts = bytes(content).split(b"\n")
            first, second = number % len(parts), number // 7 % len(parts)
            if kind == "swap":
                parts[first], parts[second] = parts[second], parts[first]
            else:
                parts.insert(second, parts[first])
            content = bytearray(b"\n".join(parts))
    folder = tmp_path_factory.mktemp("mutated")
    put_game(folder, bytes(content))
    found = recover(folder, mend=True)
    if found is None:
        return
    assert found.records == tuple(RECORDS[: found.next_seq])
    again = recover(folder, mend=True)
    if found.records:
        assert (again.records, again.cut) == (found.records, ())


def put_pipe(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


def put_link(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("put", [put_pipe, put_link])
def test_what_is_no_regular_file_is_never_waited_for(tmp_path, put):
    own, copy = tmp_path / "own", tmp_path / "copy"
    put_game(own, WHOLE)
    put(Store(own).folder(GAME) / "journal.2.jsonl")
    put(copy / "games" / GAME / "journal.jsonl")
    found = recover(own, second_copy=copy, mend=True)
    assert found.records == tuple(RECORDS)
    assert (found.segment, found.append) == (3, False)
    assert words(found.cut[0].reason) == "it cannot be read (it is not a regular file)"
    assert [game.game_id for game in games(own)] == [GAME]


@pytest.mark.parametrize("put", [put_pipe, put_link])
@pytest.mark.parametrize("name", ["seed", "heartbeat"])
def test_a_pipe_in_the_place_of_another_file_is_told(tmp_path, put, name):
    path = Store(tmp_path).folder(GAME) / "seed" if name == "seed" else tmp_path / "heartbeat"
    put(path)
    with pytest.raises(OSError, match="it is not a regular file"):
        Store(tmp_path).read_seed(GAME) if name == "seed" else read_heartbeat(path)


@pytest.mark.parametrize("put", [put_pipe, put_link])
def test_nor_is_the_pairing_key_the_sealed_seed_or_an_export(tmp_path, put):
    for name in ("pairing.key", f"exports/{GAME}.json"):
        put(tmp_path / name)
    with pytest.raises((OSError, PairingFault), match=r"it is not a regular file|can be read by others"):
        read_key(tmp_path)
    with pytest.raises(OSError, match="it is not a regular file"):
        read_games(tmp_path / "exports")
    (tmp_path / "pairing.key").unlink()
    keep_key(tmp_path, PairingKey(bytes(32)))
    copy = tmp_path / "stick"
    put_game(copy, WHOLE)
    put(copy / "games" / GAME / SEALED_NAME)
    with pytest.raises(OSError, match="it is not a regular file"):
        seed_for(tmp_path, read_copy(copy))


@pytest.mark.parametrize("newest", ["20991231-235959-ffff", "zzz"])
@pytest.mark.parametrize("content", [b"notes\n", b"\0" * 512 + b"\n", b"pipe"])
def test_a_folder_of_junk_that_sorts_last_is_passed_over_and_named(tmp_path, newest, content):
    put_game(tmp_path, WHOLE)
    if content == b"pipe":
        put_pipe(Store(tmp_path).folder(newest) / "journal.jsonl")
    else:
        put_game(tmp_path, content, game_id=newest)
    found = recover(tmp_path, mend=True)
    assert (found.game_id, found.records) == (GAME, tuple(RECORDS))
    dated = newest.startswith("2")
    assert [newest in words(sentence) for sentence in found.passed_over] == ([True] if dated else [])


def test_a_copy_of_the_games_folder_is_passed_over_and_a_damaged_game_is_not(tmp_path):
    put_game(tmp_path, WHOLE)
    put_game(tmp_path, WHOLE, game_id=f"{GAME}-backup")
    found = recover(tmp_path)
    assert (found.game_id, len(found.passed_over)) == (GAME, 1)
    assert "holds a copy of another game" in words(found.passed_over[0])
    put_game(tmp_path, b"".join(lines(chain(3, game_id=NEWER))[1:]), game_id=NEWER)
    assert (recover(tmp_path).game_id, recover(tmp_path).records) == (NEWER, ())
