import stat
from pathlib import Path

import pytest

from pi_controller.core.hardware_test.storage import MOST_KEPT, ReportStore, UnfitReport
from pi_controller.journal.files import DiskFiles
from tests.said import refuses

WALL = "2026-11-21T19:00:00Z"


def store(folder: Path) -> ReportStore:
    return ReportStore(folder, files=DiskFiles())


def test_a_report_lies_whole_and_for_its_owner_only(tmp_path: Path) -> None:
    name = store(tmp_path).keep("bench", '{"a": "ł"}', wall=WALL)
    path = tmp_path / "selftest" / name
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert store(tmp_path).read(name) == {"a": "ł"}
    assert [entry.name for entry in path.parent.iterdir()] == [name]


def test_only_the_newest_are_kept_also_when_the_clock_went_back(tmp_path: Path) -> None:
    reports = store(tmp_path)
    names = [reports.keep("field", "{}", wall=WALL) for _ in range(MOST_KEPT)]
    newest = reports.keep("boot", "{}", wall="1970-01-01T00:00:00Z")
    kept = [entry.name for entry in reports.all()]
    assert kept == [newest, *reversed(names[1:])]
    assert reports.all()[0].level == "boot"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "is not JSON"),
        ("[1]", "is not a JSON object"),
        ('{"a": "' + "x" * 900_000 + '"}', "has at most 900000 bytes"),
    ],
)
def test_what_is_no_report_is_not_kept(tmp_path: Path, text: str, sentence: str) -> None:
    with refuses(UnfitReport, sentence):
        store(tmp_path).keep("field", text, wall=WALL)
    assert store(tmp_path).all() == []


@pytest.mark.parametrize(
    "name",
    [
        "",
        "..",
        "../seed",
        "20261121-190000-field.json/..",
        "20261121-190000-other.json",
        "20261121-190000-field.json",
    ],
)
def test_a_name_that_is_none(tmp_path: Path, name: str) -> None:
    with refuses(UnfitReport, "There is no report"):
        store(tmp_path).read(name)


def test_a_damaged_report(tmp_path: Path) -> None:
    name = store(tmp_path).keep("field", "{}", wall=WALL)
    (tmp_path / "selftest" / name).write_bytes(b"\xff")
    with refuses(UnfitReport, "is damaged"):
        store(tmp_path).read(name)


class FailingDisk(DiskFiles):
    def sync(self, fd: int) -> None:
        raise OSError(5, "Input/output error")


def test_a_failing_disk_keeps_nothing_half(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="Input/output"):
        ReportStore(tmp_path, files=FailingDisk()).keep("field", "{}", wall=WALL)
    assert store(tmp_path).all() == []
    name = store(tmp_path).keep("boot", "{}", wall=WALL)
    assert [path.name for path in (tmp_path / "selftest").iterdir()] == [name], "no half one stays for ever"
