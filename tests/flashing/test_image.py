"""The image for the table bus: what is in it, what proves it, and the key."""

import hashlib
import hmac
import stat
import struct
import zlib
from pathlib import Path

import pytest

from pi_controller.flashing.build import FirmwarePart, FlashingError
from pi_controller.flashing.image import KEY_FILE, key_mark, node_key, pack, version
from table_node.node import FIRMWARE

KEY = bytes(range(32))
PARTS = (
    FirmwarePart(path="table_node/node.mpy", data=b"M\x06\x00\x1f" + bytes(5_000)),
    FirmwarePart(path="table_node/link.mpy", data=b""),
    FirmwarePart(path="main.py", data=b"loader"),
)


def files(stream: bytes) -> dict[str, bytes]:
    """As a node reads them, with its small window."""
    plain = zlib.decompressobj(10).decompress(stream)
    found, at = {}, 0
    while length := plain[at]:
        path = plain[at + 1 : at + 1 + length].decode()
        at += 1 + length
        (size,) = struct.unpack_from("<I", plain, at)
        found[path] = plain[at + 4 : at + 4 + size]
        at += 4 + size
    assert at == len(plain) - 1
    return found


def test_the_image_holds_all_but_the_loader() -> None:
    image = pack(PARTS, firmware=(1, 7), key=KEY)
    assert image[:8] == b"TNFW\x01\x07\x01\x00"
    assert files(image[40:]) == {part.path: part.data for part in PARTS[:2]}


def test_the_key_proves_head_and_content() -> None:
    image = pack(PARTS, firmware=(1, 7), key=KEY)
    assert image[8:40] == hmac.digest(KEY, image[:8] + image[40:], hashlib.sha256)
    assert image[8:40] != pack(PARTS, firmware=(1, 7), key=bytes(32))[8:40]


def test_the_version_is_the_one_that_the_node_tells() -> None:
    assert version() == FIRMWARE


def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    key = node_key(folder)
    assert len(key) == 32
    assert stat.S_IMODE((folder / KEY_FILE).stat().st_mode) == 0o600
    assert (node_key(folder), node_key(tmp_path / "other") != key) == (key, True)
    assert [path.name for path in folder.iterdir()] == [KEY_FILE]
    assert key_mark(key) == hashlib.sha256(key).digest()[:4]


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_key_that_is_none_is_never_replaced(tmp_path: Path, size: int) -> None:
    (tmp_path / KEY_FILE).write_bytes(bytes(size))
    with pytest.raises(FlashingError) as trouble:
        node_key(tmp_path)
    assert trouble.value.sentence.key == "flashing.damaged_key"
    assert len((tmp_path / KEY_FILE).read_bytes()) == size


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FlashingError) as trouble:
        node_key(tmp_path / "file")
    assert trouble.value.sentence.key == "flashing.no_key"
