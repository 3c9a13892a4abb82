"""The key that two controllers share. With it the second copy on a stick holds the game's seed so that the
other one can go on, and nobody who finds the stick can read a roll from it.

A seed is sealed with its game's id: `tag = HMAC(key, "tag", id, seed)`, and the sealed seed is
`seed XOR HMAC(key, "pad", id, tag)`. The pad depends on the seed through the tag, so that no pad serves two
seeds; opening it proves seed and id.
"""

import base64
import binascii
import hashlib
import hmac
import json
import os
from pathlib import Path

from pi_controller.journal.errors import JournalError
from pi_controller.journal.files import read_regular
from pi_controller.journal.store import SEED_BYTES, readable_by_others, write_private
from pi_controller.sentence import Sentence

KEY_BYTES = 32
FILE_NAME = "pairing.key"
"""In the state folder, never on the stick."""
SEALED_NAME = "seed.sealed"
"""Beside the game's lines in the second copy."""
_CHECK_BYTES = 3
_GROUP = 4
_FORMAT = 1


class PairingFault(JournalError, ValueError):  # noqa: N818 - like the others of this package
    """A pairing key or something sealed with one cannot be used; the sentence has the remedy."""


class PairingKey:
    """Shows nothing of itself."""

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError(f"a pairing key has {KEY_BYTES} bytes, not {len(key)}")
        self._key = key

    @property
    def mark(self) -> str:
        """Eight digits by which people see that two controllers have the same key."""
        return self._hmac("mark").hex()[:8]

    def text(self) -> str:
        """The key for another controller: letters and digits in groups, with a check against misreading."""
        whole = base64.b32encode(self._key + _check(self._key)).decode("ascii").rstrip("=")
        return " ".join(whole[at : at + _GROUP] for at in range(0, len(whole), _GROUP))

    def searched_for(self) -> tuple[bytes, ...]:
        """The key as it could stand in something that is not to hold it: its text, in hex and as it is."""
        return (self.text().encode("ascii"), self._key.hex().encode("ascii"), self._key)

    def seal(self, game_id: str, seed: bytes) -> bytes:
        """The content of the sealed file; the same for the same game and seed."""
        tag = self._hmac("tag", game_id.encode(), seed)
        sealed = _xor(seed, self._hmac("pad", game_id.encode(), tag))
        fields = {"format": _FORMAT, "key": self.mark, "sealed": sealed.hex(), "tag": tag.hex()}
        return json.dumps(fields, sort_keys=True).encode("ascii") + b"\n"

    def open(self, game_id: str, content: bytes) -> bytes:
        """The seed that was sealed for this game. PairingFault when it is damaged or of another key."""
        mark, sealed, tag = _fields(game_id, content)
        if mark != self.mark:
            raise PairingFault(Sentence("pairing.other_key", game=game_id, mark=mark, own=self.mark))
        seed = _xor(sealed, self._hmac("pad", game_id.encode(), tag))
        if not hmac.compare_digest(tag, self._hmac("tag", game_id.encode(), seed)):
            raise PairingFault(_damaged(game_id))
        return seed

    def lease_key(self) -> str:
        """64 hex digits by which halls prove who leads, for a process that must not open a seed."""
        return self._hmac("lease").hex()

    def _hmac(self, purpose: str, *parts: bytes) -> bytes:
        """Each part with its length, so that no two lists of parts give the same text."""
        text = b"".join(len(part).to_bytes(4, "big") + part for part in (b"pair-1", purpose.encode(), *parts))
        return hmac.new(self._key, text, hashlib.sha256).digest()


def new_key() -> PairingKey:
    return PairingKey(os.urandom(KEY_BYTES))


def key_from_text(text: str) -> PairingKey:
    """The key that `PairingKey.text` wrote, with any spaces and hyphens. PairingFault when it is none."""
    letters = "".join(text.upper().replace("-", " ").split())
    try:
        whole = base64.b32decode(letters + "=" * (-len(letters) % 8))
    except (binascii.Error, ValueError):
        whole = b""
    key = whole[:KEY_BYTES]
    if len(whole) != KEY_BYTES + _CHECK_BYTES or whole[KEY_BYTES:] != _check(key):
        raise PairingFault(Sentence("pairing.no_key"))
    return PairingKey(key)


def read_key(state_dir: Path) -> PairingKey | None:
    """This controller's key, None when it has none. PairingFault, OSError."""
    path = state_dir / FILE_NAME
    if not path.exists():
        return None
    mode = readable_by_others(path)
    if mode is not None:
        raise PairingFault(Sentence("pairing.readable_by_others", file=str(path), mode=mode))
    try:
        return key_from_text(read_regular(path).decode("ascii", errors="replace"))
    except PairingFault:
        raise PairingFault(Sentence("pairing.damaged_key", file=str(path))) from None


def keep_key(state_dir: Path, key: PairingKey) -> None:
    """Raises OSError."""
    write_private(state_dir / FILE_NAME, f"{key.text()}\n".encode("ascii"))


def _fields(game_id: str, content: bytes) -> tuple[str, bytes, bytes]:
    try:
        fields = json.loads(content)
        form, mark = fields["format"], str(fields["key"])
        sealed, tag = bytes.fromhex(fields["sealed"]), bytes.fromhex(fields["tag"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PairingFault(_damaged(game_id)) from None
    if form != _FORMAT:
        raise PairingFault(Sentence("pairing.other_form", game=game_id, form=repr(form), known=_FORMAT))
    if len(sealed) != SEED_BYTES or len(tag) != KEY_BYTES:
        raise PairingFault(_damaged(game_id))
    return mark, sealed, tag


def _damaged(game_id: str) -> Sentence:
    return Sentence("pairing.damaged_seed", game=game_id)


def _check(key: bytes) -> bytes:
    return hashlib.sha256(b"pairing key" + key).digest()[:_CHECK_BYTES]


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
