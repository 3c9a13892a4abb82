"""Rules of PROTOCOL.md that could be read in two ways, each at its edge; the figures stand here once more."""

from struct import pack

import pytest

from table_node import messages as m
from table_node.frame import EVERYBODY, UNASSIGNED, Receiver
from tests.firmware.hall import ADDRESS, Game, Hall, frame, playing
from tests.matrix import further

SECOND = 1_000_000


def test_an_epoch_in_flash_is_no_epoch_heard() -> None:
    """The node was saved in this epoch; after its start the first STATE of it alone counts as little."""
    hall = playing()
    hall.game.flags |= m.MAINTENANCE
    hall.game.phase = m.READY
    hall.game.changed()
    hall.run(3 * SECOND)
    hall.silent = True
    hall.boot()
    hall.tell()
    hall.run(SECOND)
    assert (hall.node.link.alive, hall.node.address.number) == (False, 0)
    hall.tell()
    hall.run(SECOND // 10)
    assert (hall.node.link.alive, hall.node.address.number) == (True, ADDRESS)


def say_alone(hall: Hall, epoch: int, us: int) -> None:
    """Only this epoch's master speaks for so long."""
    hall.game.epoch = epoch
    hall.run(us)


def test_of_the_epochs_that_were_left_only_the_last_one_is_barred() -> None:
    hall = playing()
    for epoch in (600, 700):
        say_alone(hall, epoch, 2 * SECOND)
        assert hall.node.link.epoch == epoch
    say_alone(hall, 600, 1_900_000)
    assert hall.node.link.epoch == 700, "left last: barred while there is a link"
    say_alone(hall, 700, SECOND)
    say_alone(hall, 500, 1_900_000)
    assert hall.node.link.epoch == 500, "left before it: as any other"
    assert hall.node.link.alive


@pytest.mark.parametrize(
    ("asks", "keeps"),
    [
        ("poll of the new epoch", True),
        ("poll of the old epoch", False),
        ("assign", True),
        *further(("order", False), ("ping", False), ("nothing", False)),
    ],
)
def test_what_keeps_the_address_in_a_new_epoch(asks: str, keeps: bool) -> None:
    hall = playing()
    say_alone(hall, 600, 1_500_000)
    for _ in range(5):
        before = len(hall.board.sent)
        if asks == "poll of the new epoch":
            hall.poll()
        elif asks == "poll of the old epoch":
            hall.poll(epoch=500)
        elif asks == "order":
            hall.ask(m.ORDER, bytes((m.LEAVE_SAFE_MODE, 0)))
        elif asks == "ping":
            hall.ask(m.PING, bytes(24))
        elif asks == "assign":
            hall.assign()
        assert len(hall.board.sent) == before + (asks != "nothing"), "answered all the same"
        hall.run(SECOND)
    assert hall.node.address.number == ADDRESS
    hall.run(6 * SECOND)
    assert hall.node.address.number == (ADDRESS if keeps else 0)


RESERVED = (0x21, 0x80, 0xEF, 0xF1, 0xFE)


@pytest.mark.parametrize("dst", [RESERVED[0], *further(*RESERVED[1:]), EVERYBODY, ADDRESS])
def test_who_has_an_address_listens_for_assign_at_f0_alone(dst: int) -> None:
    hall = playing()
    payload = hall.board.uid + bytes((9, 0)) + b"B2" + bytes(4) + bytes((255,))
    assert hall.ask(m.ASSIGN, payload, dst=dst) is None
    assert hall.node.address.number == ADDRESS
    assert hall.ask(m.ASSIGN, payload, dst=UNASSIGNED) is not None
    assert hall.node.address.number == 9


@pytest.mark.parametrize("dst", [RESERVED[0], *further(*RESERVED[1:]), EVERYBODY, UNASSIGNED])
def test_nothing_but_discover_and_assign_counts_at_other_addresses(dst: int) -> None:
    for with_address in (True, False):
        hall = playing()
        if not with_address:
            hall.ask(m.ORDER, bytes((m.FORGET, 0)))
            assert hall.node.address.number == 0
        state = hall.node.link.state_seq
        assert hall.ask(m.POLL, pack("<HBBBB", hall.game.epoch, 0, 0, 0, 0), dst=dst) is None
        assert hall.ask(m.ORDER, bytes((m.BLANK, 0)), dst=dst) is None
        assert hall.ask(m.PING, bytes(24), dst=dst) is None
        discovered = hall.ask(m.DISCOVER, pack("<HBB", 5, 3, 3), dst=dst)
        assert (discovered is not None) == (dst == UNASSIGNED and not with_address)
        assert not hall.node.care.blanked
        assert hall.node.link.state_seq == state


@pytest.mark.parametrize("dst", [RESERVED[0], *further(*RESERVED[1:]), UNASSIGNED, ADDRESS])
def test_a_state_counts_only_when_it_is_for_everybody(dst: int) -> None:
    hall = playing()
    hall.silent = True
    game = Game()
    game.epoch, game.seq, game.phase = hall.game.epoch, hall.game.seq + 1, m.ENDED
    payload = payload_of(game.state(hall.board.now_us))
    hall.board.bring(frame(m.STATE, payload, dst=dst), hall.board.now_us)
    hall.run(20_000)
    assert hall.node.state.phase == m.ROUND
    hall.board.bring(frame(m.STATE, payload, dst=EVERYBODY), hall.board.now_us)
    hall.run(20_000)
    assert hall.node.state.phase == m.ENDED


def payload_of(whole: bytes) -> bytes:
    heard = Receiver()
    assert [heard.take(byte) for byte in whole][-1]
    return bytes(heard.payload[: heard.size])


@pytest.mark.parametrize("with_state", [True, False])
def test_ping_is_answered_with_an_address_and_not_without(with_state: bool) -> None:
    hall = Hall()
    hall.silent = not with_state
    hall.run(SECOND)
    assert hall.ask(m.PING, bytes(24), dst=ADDRESS) is None
    assert hall.ask(m.PING, bytes(24), dst=UNASSIGNED) is None
    hall.assign()
    answer = hall.ask(m.PING, bytes(range(24)))
    assert answer is not None
    assert answer[0] == m.PONG
    assert answer[4][:24] == bytes(range(24))
    assert (int.from_bytes(answer[4][24:28], "little") == 0) == (not with_state)


MISSED = {15: 0, 200: 0, 299: 0, 301: 1, 400: 1, 499: 1, 501: 2, 699: 2, 701: 3, 1901: 9}
"""By milliseconds between two states."""


def test_missed_states_are_rounded_at_the_half() -> None:
    hall = playing(jitter=lambda: 400)
    hall.silent = True
    hall.tell()
    for gap_ms, missed in MISSED.items():
        before = hall.node.link.missed
        hall.run(gap_ms * 1000 - 5_000)
        hall.tell()
        hall.run(5_000)
        assert hall.node.link.missed - before == missed, f"{gap_ms} ms"


def test_a_gap_without_a_link_and_one_between_epochs_count_as_nothing_missed() -> None:
    hall = playing()
    before = hall.node.link.missed
    hall.silent = True
    hall.run(2_500_000)
    hall.silent = False
    hall.run(SECOND)
    say_alone(hall, 600, 3 * SECOND)
    assert (hall.node.link.epoch, hall.node.link.missed) == (600, before)
