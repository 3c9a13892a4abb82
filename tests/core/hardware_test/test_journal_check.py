from pathlib import Path

from pi_controller.core.hardware_test.storage import NOT_THERE, check_line
from pi_controller.hal.sim.machine import SimDisk
from pi_controller.journal.files import DiskFiles
from pi_controller.journal.record import FIRST_PREV, encode, seal
from pi_controller.language.words import words

TOKEN = "ab" * 16


def written(folder: Path, name: str = "journal.jsonl", token: str = TOKEN) -> Path:
    record = seal(
        "note",
        {"test": "journal", "token": token},
        seq=4,
        game_ns=1,
        boot_ns=1,
        boot_id="b",
        wall="2026-11-21T19:00:00Z",
        prev=FIRST_PREV,
    )
    path = folder / name
    path.write_bytes(b'{"an": "older line"}\n' + encode(record))
    return path


def test_a_whole_line_is_found_in_the_newest_segment(tmp_path: Path) -> None:
    written(tmp_path, token="cd" * 16)
    written(tmp_path, "journal.2.jsonl")
    assert check_line(tmp_path, TOKEN, files=DiskFiles()) is None


def test_a_line_that_is_not_there(tmp_path: Path) -> None:
    written(tmp_path, token="cd" * 16)
    assert check_line(tmp_path, TOKEN, files=DiskFiles()) == NOT_THERE
    disk = SimDisk()
    disk.damaged = True
    assert check_line(tmp_path, "cd" * 16, files=disk) == NOT_THERE


def test_a_line_whose_hash_is_wrong(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"seq":4', b'"seq":5'))
    found = check_line(tmp_path, TOKEN, files=DiskFiles())
    assert found is not None
    assert words(found).startswith(
        "The journal's newest lines come back damaged from the disk (its hash does not fit"
    )
