"""New firmware over the bus: what a node takes, what it refuses, and that it always comes back."""

import hashlib
import hmac
import zlib
from itertools import count
from struct import pack

import pytest

from pi_controller.bus.values import UpdateTrouble
from table_node import start, update
from tests.firmware.hand_board import HandFiles, PowerCut, Rebooted
from tests.firmware.updating import (
    FIRMWARE,
    KEY,
    NEW,
    OFFER,
    OLD,
    OTHER_KEY,
    PART_BYTES,
    Told,
    blocks,
    fails,
    flash,
    in_folder,
    loads,
    packed,
    renewed,
)

IMAGE = packed()
PARTS = -(-len(IMAGE) // PART_BYTES)


def proved(stream: bytes, head: bytes = b"TNFW\x01\x08\x01\0") -> bytes:
    """An image of this stream by the right key."""
    return head + hmac.digest(KEY, head + stream, hashlib.sha256) + stream


def stream(path: bytes, data: bytes = b"M\x06", *, size: int | None = None) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 10)
    whole = bytes([len(path)]) + path + pack("<I", len(data) if size is None else size) + data + b"\0"
    return packer.compress(whole) + packer.flush()


def test_a_node_takes_an_image_tries_it_and_keeps_it() -> None:
    files = flash()
    assert PARTS > 1
    assert list(renewed(files)) == ["a", "b", "b"]
    assert in_folder(files, "b") == NEW
    assert files.kept["slot"] == b"b + 0 %d" % OFFER
    assert "image" not in files.kept
    assert list(renewed(files, offer=7)) == ["b", "a", "a"]
    assert in_folder(files, "a") == NEW


def test_only_what_is_missing_has_to_be_said_again() -> None:
    told = Told(flash())
    assert told.offer(IMAGE).missing == frozenset(range(128))
    for number, data in blocks(IMAGE, 0).items():
        if number not in (3, 77):
            told.block(0, number, data)
    assert told.step().missing == {3, 77}
    told.block(0, 3, blocks(IMAGE, 0)[3])
    told.block(1, 77, blocks(IMAGE, 0)[77])
    again = told.offer(IMAGE)
    assert (again.state, again.part, again.missing) == ("fetching", 0, {77})
    told.block(0, 77, blocks(IMAGE, 0)[77])
    assert told.step().missing == frozenset()
    assert told.step().part == 1


def test_the_last_part_wants_as_many_blocks_as_it_has() -> None:
    data = IMAGE[:PART_BYTES] + IMAGE[:25]
    told = Told(flash())
    told.offer(data)
    for number, piece in blocks(data, 0).items():
        told.block(0, number, piece)
    told.step()
    assert told.step().missing == {0, 1}


def test_another_offer_begins_anew() -> None:
    files = flash()
    told = Told(files)
    told.offer(IMAGE)
    told.block(0, 0, IMAGE[:24])
    told.offer_number = 7
    assert told.offer(IMAGE).missing == frozenset(range(128))
    assert told.fetch(IMAGE).state == "whole"


@pytest.mark.parametrize(
    ("files", "key", "maintenance", "why"),
    [
        (flash(), KEY, False, "no_maintenance"),
        (HandFiles({}), KEY, True, "no_key"),
        (flash(key=KEY[:-1]), KEY, True, "no_key"),
        (flash(), OTHER_KEY, True, "other_key"),
    ],
    ids=["no maintenance", "no key", "half a key", "another key"],
)
def test_an_offer_is_refused(files: HandFiles, key: bytes, maintenance: bool, why: UpdateTrouble) -> None:
    before = dict(files.kept)
    told = Told(files)
    progress = told.offer(IMAGE, key=key, maintenance=maintenance)
    assert (progress.state, progress.why, progress.offer) == ("refused", why, OFFER)
    told.block(0, 0, IMAGE[:24])
    assert told.step("try").state == "refused"
    assert files.kept == before


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (packed(key=OTHER_KEY), "not_proved"),
        (IMAGE[:-1], "not_proved"),
        (IMAGE[:20], "not_proved"),
        (IMAGE[:3000] + bytes([IMAGE[3000] ^ 1]) + IMAGE[3001:], "not_proved"),
        (IMAGE[:10] + bytes([IMAGE[10] ^ 1]) + IMAGE[11:], "not_proved"),
        (IMAGE + b"\0", "not_proved"),
        (proved(b"TNFW"), "not_unpacked"),
        (proved(stream(b"table_node/a.mpy")[:-8]), "not_unpacked"),
        (proved(stream(b"table_node/a.mpy", size=9)), "not_unpacked"),
        (proved(stream(b"table_node/../../main.py")), "not_unpacked"),
        (proved(stream(b"../a/table_node/a.mpy")), "not_unpacked"),
        (proved(stream(b"/main.py")), "not_unpacked"),
        (proved(stream(b"main.py")), "not_unpacked"),
        (proved(stream(b"table_node/.mpy")), "not_unpacked"),
        (proved(stream(b"table_node/a.py")), "not_unpacked"),
        (proved(stream(b"table_node/x/a.mpy")), "not_unpacked"),
        (proved(stream(b"table_node/a.mpy"), b"TNFW\x02\x08\x01\0"), "not_unpacked"),
        (proved(stream(b"table_node/a.mpy"), b"TNFW\x01\x07\x01\0"), "not_unpacked"),
    ],
)  # fmt: skip
def test_an_image_is_refused_and_the_old_one_runs_on(data: bytes, why: UpdateTrouble) -> None:
    files = flash()
    told = Told(files)
    progress = told.fetch(data)
    assert (progress.state, progress.why) == ("refused", why)
    assert told.step("try").state == "refused"
    assert loads(files) == "a"
    assert in_folder(files, "a") == OLD


def test_nothing_is_unpacked_before_it_is_proved() -> None:
    files = flash()
    Told(files).fetch(packed(key=OTHER_KEY))
    assert in_folder(files, "b") == {}


def test_without_room_it_is_refused() -> None:
    files = flash()
    files.size = sum(map(len, files.kept.values())) + 20_000
    told = Told(files)
    told.offer(IMAGE)
    assert told.step().why == "no_room"


@pytest.mark.parametrize(("number", "why"), [(28, "no_room"), (5, "not_written")])
def test_a_flash_that_cannot_be_written_refuses(number: int, why: UpdateTrouble) -> None:
    files = flash()
    told = Told(files)
    told.offer(IMAGE)
    files.fails = number
    for at, data in blocks(IMAGE, 0).items():
        told.block(0, at, data)
    told.step()
    progress = told.step()
    assert (progress.state, progress.why) == ("refused", why)


def whole() -> Told:
    told = Told(flash())
    assert told.fetch(IMAGE).state == "whole"
    return told


def tried() -> Told:
    """On trial, started once."""
    told = whole()
    with pytest.raises(Rebooted):
        told.step("try")
    files = told.board.kept
    assert loads(files) == "b"
    return Told(files)


def test_try_and_keep_are_answered_first() -> None:
    told = tried()
    assert told.step("keep").state == "trying"
    assert told.step("keep").state == "kept"


@pytest.mark.parametrize("what", ["try", "leave"])
def test_on_trial_nothing_but_keep_counts(what: str) -> None:
    told = tried()
    assert told.step(what).state == "trying"  # type: ignore[arg-type]
    assert told.offer(IMAGE).state == "trying"
    told.offer_number = 9
    assert told.step("keep").offer == OFFER
    assert told.offer(IMAGE).offer == OFFER
    assert loads(told.board.kept) == "b"


def test_steps_of_another_offer_change_nothing() -> None:
    told = whole()
    told.offer_number = 9
    for what in ("try", "keep", "leave"):
        progress = told.step(what)  # type: ignore[arg-type]
        assert (progress.offer, progress.state) == (OFFER, "whole")


def test_not_kept_it_goes_back_and_says_so() -> None:
    told = tried()
    told.seconds(59)
    told.step()
    with pytest.raises(Rebooted):
        told.seconds(1)
    files = told.board.kept
    assert loads(files) == "a"
    progress = Told(files).step()
    assert (progress.state, progress.why, progress.offer) == ("went_back", "not_kept", OFFER)


def test_a_trial_that_ends_in_an_exception_goes_back_and_says_so() -> None:
    files = tried().board.kept
    fails(files)
    assert [loads(files), loads(files)] == ["a", "a"]
    progress = Told(files).step()
    assert (progress.state, progress.why) == ("went_back", "not_started")


def test_a_trial_that_hangs_is_started_twice_and_then_no_more() -> None:
    files = tried().board.kept
    assert [loads(files), loads(files), loads(files)] == ["b", "a", "a"]
    assert Told(files).step().state == "went_back"
    assert in_folder(files, "a") == OLD


def test_after_it_went_back_the_same_can_be_offered_anew() -> None:
    files = tried().board.kept
    fails(files)
    loads(files)
    told = Told(files, offer=7)
    assert told.fetch(IMAGE).state == "whole"


@pytest.mark.parametrize("maintenance", [True, False])
def test_who_hears_nothing_more_for_a_minute_gives_up(*, maintenance: bool) -> None:
    told = Told(flash())
    told.offer(IMAGE)
    assert told.update.busy()
    if maintenance:
        told.seconds(60)
    else:
        for _ in range(60):
            told.block(0, 0, IMAGE[:24])
            told.seconds(1, maintenance=False)
    assert not told.update.busy()
    assert told.step().state == "nothing"


def test_what_is_over_can_be_forgotten() -> None:
    for told, lasts in ((Told(flash()), False), (tried(), True), (whole(), True)):
        assert not told.update.over()
        told.seconds(59)
        assert not told.update.over()
        if not lasts:
            told.seconds(1)
            assert told.update.over()


def test_leave_ends_it() -> None:
    told = whole()
    told.step("leave")
    assert told.step().state == "nothing"
    assert not told.update.busy()


def cut_at(number: int) -> tuple[HandFiles, bool]:
    """A flash after an update in which power fails in the middle of this operation; False: it came to its end."""
    files = flash(**{"b/table_node/left.mpy": b"left", "b/table_node/main.mpy": b"left"})
    files.cut_at = number
    try:
        for _ in renewed(files):
            pass
    except PowerCut:
        files.cut_at = -1
        return files, True
    return files, False


def test_power_may_fail_at_every_operation_on_the_flash() -> None:
    """Old or new runs afterwards, whole, and the update can be done again."""
    for number in count():
        files, was_cut = cut_at(number)
        if not was_cut:
            break
        runs = in_folder(files, loads(files))
        assert runs in (OLD, NEW), number
        told = Told(files)
        told.step("keep")
        (*_, last) = renewed(files, offer=7)
        assert in_folder(files, last) == NEW, number
    assert number > 20


def test_power_may_fail_at_every_operation_of_a_trial_that_goes_back() -> None:
    for number in count():
        files = tried().board.kept
        files.cut_at = files.done + number
        try:
            fails(files)
            loads(files)
        except PowerCut:
            files.cut_at = -1
        else:
            break
        starts = [in_folder(files, loads(files)) for _ in range(4)]
        assert starts[0] in (OLD, NEW), number
        assert starts[-1] == OLD, number
    assert number > 2


@pytest.mark.parametrize(
    ("line", "folder", "written"),
    [
        ("", "a", ""), ("a", "a", ""), ("b", "b", ""), ("c", "a", ""), ("\0\xff", "a", ""),
        ("b + 0 7", "b", ""), ("a - 9 7", "a", ""), ("a b", "a", ""), ("a b 0", "a", ""),
        ("a b 0 7", "b", "a b 1 7"), ("b a 1 7", "a", "b a 2 7"), ("a b 2 7", "a", "a - 9 7"),
        ("a b x 7", "a", "a - 9 7"), ("a b 99 7\n", "a", "a - 9 7"),
    ],
)  # fmt: skip
def test_what_the_loader_does_with_a_line(line: str, folder: str, written: str) -> None:
    assert start.chosen(line) == (folder, written)


def test_the_loader_and_the_node_mean_the_same() -> None:
    assert start.SLOT == update.SLOT
    assert FIRMWARE == (1, 8)
