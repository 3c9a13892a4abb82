"""Which bytes must not leave this controller, and how they are kept out of a text."""

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pi_controller.journal.export_files import games
from pi_controller.journal.files import read_regular
from pi_controller.journal.pairing import FILE_NAME as PAIRING_NAME
from pi_controller.journal.pairing import PairingFault, PairingKey, read_key
from pi_controller.journal.store import SEED_BYTES, Store

REMOVED = b"[removed]"
SHORTEST = 16
"""Bytes; a shorter word of a key file is a label such as `scrypt`, found in many innocent places."""
TELLTALES = (
    re.compile(rb"(?<=token=)[\w-]{8,}"),  # the one-time log-in links, which are kept nowhere
    re.compile(rb"(?<=pi_controller_session=)[\w.-]{8,}"),
    re.compile(rb"(?i)(?<=bearer )[\w.~+/-]{8,}"),
)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text without secrets; `removed` says how many were in it."""

    content: bytes
    removed: int


def known_secrets(state_dir: Path) -> tuple[bytes, ...]:
    """Every secret of this state folder as it could stand in a text: as it is, in hex and in base 64.

    Raises OSError: what cannot be read cannot be looked for.
    """
    return tuple(sorted({form for secret in _secrets(state_dir) for form in _forms(secret)}))


def clean(content: bytes, secrets: tuple[bytes, ...]) -> Cleaned:
    """The same without these secrets and without what looks like a way in."""
    removed = 0
    for secret in secrets:
        removed += content.count(secret)
        content = content.replace(secret, REMOVED)
    for pattern in TELLTALES:
        content, count = pattern.subn(REMOVED, content)
        removed += count
    return Cleaned(content, removed)


def _secrets(state_dir: Path) -> Iterator[bytes]:
    for path in (*sorted((state_dir / "web").glob("*")), state_dir / PAIRING_NAME):
        if path.is_file() and not path.is_symlink():
            content = read_regular(path).strip()
            yield content
            yield content.replace(b" ", b"")
            yield from (word for word in content.split() if len(word) >= SHORTEST)
    key = _key(state_dir)
    if key is not None:
        yield from key.searched_for()
    ended = {game.game_id for game in games(state_dir) if game.ended}
    store = Store(state_dir)
    for game_id in store.game_ids():
        path = store.folder(game_id) / "seed"
        if game_id not in ended and path.is_file():
            yield read_regular(path).strip()


def _key(state_dir: Path) -> PairingKey | None:
    try:
        return read_key(state_dir)
    except PairingFault:
        return None  # damaged or open to others: the file's own text is searched for


def _forms(secret: bytes) -> Iterator[bytes]:
    if len(secret) < SHORTEST:
        return
    yield secret
    raw = _from_hex(secret)
    if raw is not None:
        yield from (
            raw,
            secret.upper(),
            base64.b64encode(raw).rstrip(b"="),
            base64.urlsafe_b64encode(raw).rstrip(b"="),
        )


def _from_hex(secret: bytes) -> bytes | None:
    if len(secret) < SEED_BYTES:
        return None
    try:
        return bytes.fromhex(secret.decode("ascii"))
    except ValueError:
        return None
