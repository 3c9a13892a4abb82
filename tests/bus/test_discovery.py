import zlib

import pytest

from pi_controller.bus.discovery import (
    ASSIGN_TRIES,
    FEW_SLOTS,
    FIRST_US,
    MOST_ROUNDS,
    PAUSE_US,
    ROUND_US,
    SLOTS,
    Discovery,
)
from pi_controller.bus.messages import Info


def info(number: int) -> Info:
    return Info(uid=f"{number:016x}", hardware=1, firmware=(1, 0))


def discovery(baud: int = 250_000) -> Discovery:
    return Discovery(salt=iter(range(70_000, 90_000)).__next__, baud=baud)


def test_at_the_start_it_asks_round_after_round_until_nobody_answers() -> None:
    looking = discovery()
    message, lasts_us = looking.begin()
    assert (message.salt, message.slots, message.slot_ms) == (70_000 % 65_536, SLOTS, 3)
    assert lasts_us == SLOTS * 3_000
    looking.found(info(1))
    looking.end(100_000)
    assert looking.round_at() == 100_000 + PAUSE_US
    looking.begin()
    looking.address(info(1).uid)
    looking.end(200_000)
    assert looking.round_at() == 200_000 + ROUND_US


def test_as_long_as_nobody_at_all_is_there_it_asks_more_often() -> None:
    looking = discovery()
    looking.begin()
    looking.end(100_000)
    assert looking.round_at() == 100_000 + FIRST_US


def test_in_play_a_round_is_short_until_somebody_is_heard() -> None:
    looking = discovery()
    looking.begin()
    looking.end(100_000)
    assert looking.begin()[0].slots == FEW_SLOTS
    looking.garbled()
    looking.end(300_000)
    assert looking.begin()[0].slots == SLOTS


def test_noise_does_not_keep_it_asking_for_ever() -> None:
    looking = discovery()
    looking.address(info(1).uid)
    now = 0
    for _ in range(MOST_ROUNDS):
        looking.begin()
        looking.garbled()
        looking.end(now)
    assert looking.round_at() == now + ROUND_US


def test_a_round_broken_off_is_made_up_for_soon() -> None:
    looking = discovery()
    looking.begin()
    looking.broken_off(100_000)
    assert looking.round_at() == 100_000 + PAUSE_US


def test_the_slow_rate_has_longer_slots() -> None:
    assert discovery(115_200).begin()[0].slot_ms == 5


@pytest.mark.parametrize("slots", [SLOTS, FEW_SLOTS])
def test_who_shares_a_slot_parts_with_another_salt(slots: int) -> None:
    """CRC-32 is linear: among 16 slots two uids would meet again with every salt."""
    uids = [bytes.fromhex(f"e6614c311b{number:06x}") for number in range(40)]

    def slot(uid: bytes, salt: int) -> int:
        return zlib.crc32(uid + salt.to_bytes(2, "little")) % slots

    for one in uids:
        for other in uids:
            meetings = sum(slot(one, salt) == slot(other, salt) for salt in range(100))
            assert one is other or meetings < 60


def test_addresses_are_kept_and_run_from_1_to_32() -> None:
    looking = discovery()
    assert [looking.address(info(number).uid) for number in range(32)] == list(range(1, 33))
    assert looking.address(info(5).uid) == 6
    assert looking.address(info(99).uid) is None
    looking.release(info(5).uid)
    assert looking.address(info(99).uid) == 6


def test_who_does_not_confirm_is_told_again_after_the_others() -> None:
    looking = discovery()
    looking.found(info(1))
    looking.found(info(1))
    looking.found(info(2))
    assert looking.to_assign() == (info(1), 1)
    assert looking.not_assigned(info(1).uid)
    assert looking.to_assign() == (info(2), 2)
    looking.assigned(info(2).uid)
    for _ in range(ASSIGN_TRIES - 2):
        assert looking.not_assigned(info(1).uid)
    assert not looking.not_assigned(info(1).uid)
    assert looking.to_assign() is None
    assert looking.not_assigned(info(1).uid)


def test_a_new_place_is_told_with_fresh_tries() -> None:
    looking = discovery()
    looking.found(info(1))
    looking.not_assigned(info(1).uid)
    looking.reassign(info(1))
    for _ in range(ASSIGN_TRIES - 1):
        assert looking.not_assigned(info(1).uid)
    assert not looking.not_assigned(info(1).uid)


def test_a_round_can_be_asked_for() -> None:
    looking = discovery()
    looking.address(info(1).uid)
    looking.begin()
    looking.end(100_000)
    looking.soon(200_000)
    assert looking.round_at() == 200_000
    looking.again(150_000)
    assert looking.round_at() == 150_000
    assert looking.begin()[0].slots == SLOTS
