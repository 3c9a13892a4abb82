"""The pairing key and seeds sealed with it."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.journal.pairing import PairingFault, PairingKey, keep_key, key_from_text, new_key, read_key
from tests.journal.chains import GAME, SEED

KEY = PairingKey(bytes(range(100, 132)))


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32))
def test_a_sealed_seed_shows_nothing_of_seed_and_key(key: bytes, seed: bytes) -> None:
    sealed = PairingKey(key).seal(GAME, seed)
    for secret in (key, seed):
        assert secret.hex().encode() not in sealed
    assert PairingKey(key).open(GAME, sealed) == seed


def test_no_pad_serves_two_seeds() -> None:
    """Fault of one-time pads: two texts under one pad give their difference away."""
    first, second = (json.loads(KEY.seal(GAME, seed)) for seed in (SEED, bytes(32)))
    mixed = bytes(
        a ^ b for a, b in zip(bytes.fromhex(first["sealed"]), bytes.fromhex(second["sealed"]), strict=True)
    )
    assert mixed != SEED
    assert json.loads(KEY.seal("20261120-190000-cd34", SEED))["sealed"] != first["sealed"]


def test_what_was_changed_or_moved_to_another_game_does_not_open() -> None:
    sealed = KEY.seal(GAME, SEED)
    with pytest.raises(PairingFault, match="is damaged"):
        KEY.open("20261120-190000-cd34", sealed)
    fields = json.loads(sealed)
    for name in ("sealed", "tag"):
        for place in (0, 31):
            flipped = bytearray(bytes.fromhex(fields[name]))
            flipped[place] ^= 1
            with pytest.raises(PairingFault, match="is damaged"):
                KEY.open(GAME, json.dumps(fields | {name: flipped.hex()}).encode())
    for torn in (b"", b"{}", sealed[:-20], b"[]", b'{"format":1,"key":"x","sealed":"","tag":""}'):
        with pytest.raises(PairingFault, match="is damaged"):
            KEY.open(GAME, torn)


@given(st.binary(max_size=400) | st.just(b"[" * 100_000) | st.just(b'{"format":' + b"9" * 5000 + b"}"))
def test_whatever_stands_in_a_sealed_file_it_is_a_seed_or_a_sentence(content: bytes) -> None:
    with pytest.raises(PairingFault):
        KEY.open(GAME, content)


@given(st.text(max_size=80))
def test_whatever_is_typed_is_a_key_or_a_sentence(text: str) -> None:
    with pytest.raises(PairingFault):
        key_from_text(text)


def test_another_key_and_another_form_are_named() -> None:
    sealed = KEY.seal(GAME, SEED)
    other = PairingKey(bytes(32))
    with pytest.raises(PairingFault) as fault:
        other.open(GAME, sealed)
    assert f"sealed with the pairing key {KEY.mark}, and this controller has {other.mark}" in str(fault.value)
    newer = json.dumps(json.loads(sealed) | {"format": 2}).encode()
    with pytest.raises(PairingFault, match="in form 2, and this program knows 1: install the version"):
        KEY.open(GAME, newer)


def test_the_text_of_a_key_can_be_read_aloud_and_typed() -> None:
    text = KEY.text()
    assert all(len(group) <= 4 for group in text.split())
    assert key_from_text(text.lower().replace(" ", "-") + "\n").mark == KEY.mark
    changed = ("B" if text[0] == "A" else "A") + text[1:]
    for wrong in (changed, text[:-1], "", "x y z", text + " AAAA", "ÄÖÜ"):
        with pytest.raises(PairingFault, match="This is not a pairing key, or it was misread"):
            key_from_text(wrong)


def test_the_key_is_kept_privately(tmp_path: Path) -> None:
    assert read_key(tmp_path) is None
    keep_key(tmp_path, KEY)
    path = tmp_path / "pairing.key"
    assert path.stat().st_mode & 0o777 == 0o600
    found = read_key(tmp_path)
    assert found is not None
    assert found.mark == KEY.mark
    assert new_key().mark != KEY.mark
    path.chmod(0o640)
    with pytest.raises(PairingFault, match=r"can be read by others \(mode 0640\)"):
        read_key(tmp_path)
    path.chmod(0o600)
    path.write_text("rubbish")
    with pytest.raises(PairingFault, match="is damaged: remove it and pair again"):
        read_key(tmp_path)
    with pytest.raises(ValueError, match="has 32 bytes, not 3"):
        PairingKey(b"abc")
