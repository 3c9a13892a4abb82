"""Which damages the CRC finds, proved; and what becomes of them through COBS, tried.

A damage of the bytes under the CRC and of the CRC's own four goes unseen exactly when the syndromes of its
flipped bits cancel out. This holds for what lies between COBS and CRC. On the wire a flipped bit may hit a COBS
code or a delimiter, or turn a byte into a delimiter: then zeros move, or the frame is cut or joined to the next one,
which is many flipped bits at once. COBS (must end exactly), the lengths and the CRC then find it, the CRC with
2^-32 left to chance, but nothing proves it for a number of bits. So this is tried out.
"""

import functools
import itertools
import json
import operator
import zlib

import pytest

from pi_controller.bus.frame import HEADER, LONGEST_PAYLOAD, Receiver, decode
from tests.bus import vectors

UNDER_CRC = HEADER + LONGEST_PAYLOAD
USUAL = [
    bytes.fromhex(row["frame"])
    for row in json.loads(vectors.FILE.read_text(encoding="ascii"))["messages"]
    if row["name"].endswith("as usual")
]


def syndromes(size: int) -> list[int]:
    """What each flipped bit of `size` bytes and their CRC changes between them, in the order of the wire."""
    untouched = zlib.crc32(bytes(size))
    of_data = [zlib.crc32((1 << bit).to_bytes(size, "little")) ^ untouched for bit in range(8 * size)]
    return of_data + [1 << bit for bit in range(32)]


def unseen(bits: list[int]) -> set[int] | None:
    """The flipped bits, five at most, of a damage whose syndromes cancel out; None when there is none.

    All sums of two bits at most are held against each other (up to four bits), then against themselves with each
    single bit added (five bits).
    """
    sums: dict[int, set[int]] = {}
    for count in (0, 1, 2):
        for at in itertools.combinations(range(len(bits)), count):
            value = functools.reduce(operator.xor, (bits[bit] for bit in at), 0)
            if value in sums:
                return sums[value] ^ set(at)
            sums[value] = set(at)
    values = sums.keys()
    for at, bit in enumerate(bits):
        for value in values & {bit ^ pair for pair in values}:
            if flipped := sums[value] ^ sums[value ^ bit] ^ {at}:
                return flipped
    return None


def test_all_damages_of_one_to_five_bits_are_found() -> None:
    """B1."""
    bits = syndromes(UNDER_CRC)
    assert len(bits) == 8 * (33 + 4)
    assert unseen(bits) is None


def test_the_proof_finds_what_one_byte_more_would_cost() -> None:
    """With 34 bytes there is a damage of five bits, and zlib does not see it."""
    found = unseen(syndromes(UNDER_CRC + 1))
    assert found is not None
    assert len(found) == 5
    body = bytearray(range(UNDER_CRC + 1))
    whole = body + zlib.crc32(body).to_bytes(4, "little")
    for bit in found:
        whole[bit // 8] ^= 1 << bit % 8
    assert zlib.crc32(whole[:-4]) == int.from_bytes(whole[-4:], "little")
    assert whole[:-4] != body


@pytest.mark.parametrize("wire", USUAL, ids=lambda wire: f"type {wire[2] & 31}")
def test_one_or_two_flipped_bits_on_the_wire_are_never_accepted(wire: bytes) -> None:
    """B1: all of them between the delimiters, COBS codes included."""
    inside = int.from_bytes(wire[1:-1], "little")
    size = len(wire) - 2
    flipped = (1 << bit for bit in range(8 * size))
    damages = (first ^ second for first, second in itertools.combinations([0, *flipped], 2))
    heard = [
        damage
        for damage in damages
        if any(map(decode, filter(None, (inside ^ damage).to_bytes(size, "little").split(b"\0"))))
    ]
    assert heard == []


@pytest.mark.parametrize("wire", USUAL, ids=lambda wire: f"type {wire[2] & 31}")
def test_a_flipped_bit_of_a_delimiter_costs_the_frames_beside_it(wire: bytes) -> None:
    """Two delimiters stand between frames, so that mostly nothing is lost but the damaged one."""
    for at, bit in itertools.product((0, len(wire) - 1), range(8)):
        damaged = bytearray(wire)
        damaged[at] ^= 1 << bit
        receiver = Receiver()
        heard = receiver.feed(wire + bytes(damaged) + wire)
        assert len(heard) == 2
        assert receiver.damaged == 1
