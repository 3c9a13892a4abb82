"""New firmware through the whole node: frames on its cable in, answers and pictures out, a reset at the end."""

from struct import pack

import pytest

from table_node import messages as m
from table_node import update
from table_node.frame import EVERYBODY
from tests.firmware.hall import ADDRESS, Hall, frame, playing
from tests.firmware.hand_board import HandBoard, HandFiles, Rebooted
from tests.firmware.updating import (
    FIRMWARE,
    KEY,
    NEW,
    OFFER,
    blocks,
    flash,
    in_folder,
    key_mark,
    loads,
    packed,
)

SECOND = 1_000_000
IMAGE = packed()
NUMBER = FIRMWARE[0] << 8 | FIRMWARE[1]


def kept(files: HandFiles) -> HandBoard:
    board = HandBoard()
    board.kept = files
    return board


def in_repair(files: HandFiles, **how: object) -> Hall:
    """A node with an address, in maintenance."""
    hall = Hall(board=kept(files), protocols=(1, 7), **how)
    hall.game.flags = m.MAINTENANCE
    hall.run(SECOND // 2)
    assert hall.assign() is not None
    return hall


def offer(hall: Hall, data: bytes = IMAGE, **how: int) -> tuple[int, int, int, int, bytes]:
    payload = pack("<HIH4s", OFFER, len(data), NUMBER, key_mark(KEY))
    answer = hall.ask(update.OFFER, payload, **{"version": 7, **how})
    return read(answer) if answer else (0, 0, 0, 0, b"")


def step(hall: Hall, what: int = update.ASK, **how: int) -> tuple[int, int, int, int, bytes]:
    answer = hall.ask(update.STEP, pack("<HB", OFFER, what), **{"version": 7, **how})
    return read(answer) if answer else (0, 0, 0, 0, b"")


def read(answer: tuple[int, int, int, int, bytes]) -> tuple[int, int, int, int, bytes]:
    """Offer, state, why, part, missing."""
    kind, src, seq, version, payload = answer
    assert (kind, src, seq, version) == (update.PROGRESS, ADDRESS, 33, 7)
    return (*(payload[0] | payload[1] << 8, *payload[2:5]), payload[5:])


def say(hall: Hall, part: int, *numbers: int, dst: int = EVERYBODY) -> None:
    data = blocks(IMAGE, part)
    said = b"".join(
        frame(update.BLOCK, pack("<HBB", OFFER, part, at) + data[at], dst=dst, version=7) for at in numbers
    )
    hall.run(3000)
    hall.silent = True
    hall.board.bring(said, hall.board.now_us)
    hall.run(len(said) * 40 + 1000)
    hall.silent = False


def fetch(hall: Hall) -> None:
    """The whole image, until it is unpacked."""
    for _ in range(100):
        _, state, _, part, missing = step(hall)
        if state == update.WHOLE:
            return
        assert state in (update.FETCHING, update.UNPACKING)
        wanted = [at for at in blocks(IMAGE, part) if missing[at >> 3] >> (at & 7) & 1]
        for start in range(0, len(wanted), 16):
            say(hall, part, *wanted[start : start + 16])
    raise AssertionError("never whole")


def test_a_node_fetches_says_how_far_it_is_and_starts_the_new_one() -> None:
    files = flash()
    hall = in_repair(files)
    assert offer(hall)[:4] == (OFFER, update.FETCHING, 0, 0)
    hall.run(SECOND)
    assert (hall.view.kind, hall.view.number) == ("update", 0)
    say(hall, 0, *range(128))
    assert step(hall)[3:] == (0, bytes(16))
    hall.run(SECOND)
    assert 0 < hall.view.number < 100
    fetch(hall)
    assert in_folder(files, "b") == NEW
    with pytest.raises(Rebooted):
        step(hall, update.TRY)
    assert loads(files) == "b"
    hall = in_repair(files)
    assert step(hall)[:3] == (OFFER, update.TRYING, 0)
    step(hall, update.KEEP)
    assert step(hall)[:3] == (OFFER, update.KEPT, 0)
    hall.run(70 * SECOND)
    assert hall.node.update is None
    assert step(hall)[:3] == (OFFER, update.KEPT, 0)


def test_one_that_nobody_keeps_starts_the_old_one_within_a_minute() -> None:
    files = flash(slot=b"a b 1 48879")
    hall = Hall(board=kept(files), protocols=(1, 7))
    hall.silent = True
    hall.run(59 * SECOND)
    with pytest.raises(Rebooted):
        hall.run(2 * SECOND)
    assert loads(files) == "a"
    assert step(in_repair(files))[:3] == (OFFER, update.WENT_BACK, update.NOT_KEPT)


def test_only_in_maintenance() -> None:
    hall = in_repair(flash())
    hall.game.flags = 0
    hall.game.changed()
    hall.run(SECOND)
    assert offer(hall)[1:3] == (update.REFUSED, update.NO_MAINTENANCE)


@pytest.mark.parametrize(("dst", "version"), [(ADDRESS + 1, 7), (EVERYBODY, 7), (ADDRESS, 6)])
def test_who_is_not_meant_takes_no_offer(dst: int, version: int) -> None:
    hall = in_repair(flash())
    offer(hall, dst=dst, version=version)
    assert hall.node.update is None
    step(hall, dst=dst, version=version)
    assert hall.node.update is None


def test_a_node_of_protocol_6_drops_it() -> None:
    hall = in_repair(flash())
    hall.node.protocols = (1, 6)
    say(hall, 0, 0)
    assert not hall.node.outdated
    assert offer(hall)[0] == 0
    assert hall.node.outdated


def test_buttons_do_nothing_meanwhile() -> None:
    hall = playing(board=kept(flash()), protocols=(1, 7))
    hall.game.flags |= m.MAINTENANCE
    hall.game.changed()
    hall.run(SECOND)
    offer(hall)
    hall.run(SECOND)
    hall.hold(0)
    assert hall.poll()["sun"] == 0


def test_what_is_over_is_forgotten_and_its_memory_free() -> None:
    hall = in_repair(flash())
    hall.game.flags = 0
    hall.game.changed()
    hall.run(SECOND)
    offer(hall)
    assert hall.node.update is not None
    hall.run(61 * SECOND)
    assert hall.node.update is None
    assert hall.view.kind == "ready"
