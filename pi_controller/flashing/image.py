"""The firmware as one image for the table bus, and the key that proves it (firmware/PROTOCOL.md)."""

import ast
import hashlib
import hmac
import secrets
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

from pi_controller.flashing.build import START, FirmwarePart, FlashingError, sources
from pi_controller.journal.errors import FileUnusable
from pi_controller.journal.store import private_folder, read_plain, write_private
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence

KEY_FILE = "table-nodes.key"
KEY_BYTES = 32
MARK_BYTES = 4
_MAGIC = b"TNFW"
_FORMAT = 1
_WINDOW_BITS = 10
"""A node unpacks with so small a window: 1 KiB in one piece is free in its memory whatever it did before."""


def version() -> tuple[int, int]:
    """Of the firmware that this controller has for its nodes, without loading it."""
    for source in sources():
        if source.name == "node.py":
            for statement in ast.parse(source.read_text(encoding="utf-8")).body:
                if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "FIRMWARE":
                    major, minor = ast.literal_eval(statement.value)
                    return int(major), int(minor)
    raise RuntimeError("table_node/node.py does not say which firmware it is")


def pack(parts: Sequence[FirmwarePart], *, firmware: tuple[int, int], key: bytes) -> bytes:
    """All but the file that starts the node, which never goes over the bus."""
    packing = zlib.compressobj(9, zlib.DEFLATED, _WINDOW_BITS)
    stream = b""
    for part in (part for part in parts if part.path != START):
        path = part.path.encode()
        stream += packing.compress(bytes([len(path)]) + path + struct.pack("<I", len(part.data)) + part.data)
    stream += packing.compress(b"\0") + packing.flush()
    major, minor = firmware
    head = struct.pack("<4sBHB", _MAGIC, _FORMAT, major << 8 | minor, 0)
    return head + hmac.digest(key, head + stream, hashlib.sha256) + stream


def key_mark(key: bytes) -> bytes:
    """By which a node knows whether it has this key."""
    return hashlib.sha256(key).digest()[:MARK_BYTES]


def node_key(state_dir: Path) -> bytes:
    """The key that this controller's nodes have too, made when there is none; for its owner alone.
    FlashingError when it can be neither read nor made."""
    path = state_dir / KEY_FILE
    try:
        if not path.exists():
            private_folder(state_dir)
            write_private(path, secrets.token_bytes(KEY_BYTES))
        key = read_plain(path, most=KEY_BYTES)
    except FileUnusable as error:
        raise FlashingError(Sentence("flashing.damaged_key", path=str(path))) from error
    except OSError as error:
        raise FlashingError(Sentence("flashing.no_key", path=str(path), why=why(error))) from error
    if len(key) != KEY_BYTES:
        raise FlashingError(Sentence("flashing.damaged_key", path=str(path)))
    return key
