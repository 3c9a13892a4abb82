"""The list of table segments and everything that can be wrong with it."""

from pathlib import Path

import pytest

from pi_controller.bus.values import SegmentPort
from pi_controller.settings import SettingsFault, diff, load, show

A = '{ name = "A", port = "/dev/tablebus/row-A" }'
AS_WRITTEN = "a segment is written as " + A + "."


def problems(tmp_path: Path, written: str) -> tuple[str, ...]:
    file = tmp_path / "s.toml"
    file.write_text(f"[tables]\nsegments = {written}\n")
    with pytest.raises(SettingsFault) as fault:
        load(file)
    return fault.value.problems


def test_without_a_file_there_are_no_tables() -> None:
    tables = load(None).tables
    assert (tables.segments, tables.baud, tables.brightness) == ((), 250000, 128)


def test_segments_are_read_and_reported_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(f'[tables]\nsegments = [{A}, {{ name = "Z", port = "/dev/ttyUSB3" }}]\nbaud = 115200\n')
    read = load(file)
    assert read.tables.segments == (
        SegmentPort("A", "/dev/tablebus/row-A"),
        SegmentPort("Z", "/dev/ttyUSB3"),
    )
    for report in (show, diff):
        file.write_text(report(read))
        assert load(file) == read


def test_eight_segments_are_as_many_as_there_can_be(tmp_path: Path) -> None:
    row = [f'{{ name = "{name}", port = "/dev/tablebus/row-{name}" }}' for name in "ABCDEFGHI"]
    file = tmp_path / "s.toml"
    file.write_text(f"[tables]\nsegments = [{', '.join(row[:8])}]\n")
    assert len(load(file).tables.segments) == 8
    (problem,) = problems(tmp_path, f"[{', '.join(row)}]")
    assert "is not a list of at most 8 segments; write for example segments = [" in problem


ONE = [
    ("5", "[tables] segments = 5 is not a list of at most 8 segments; write for example segments = [" + A + "]."),
    ("[5]", "[tables] segments, segment 1 = 5: " + AS_WRITTEN),
    ("[{ name = \"A\" }]", '[tables] segments, segment 1 = { name = "A" }: port is missing; write ' + A + "."),
    ("[{ port = \"/dev/x\" }]", '[tables] segments, segment 1 = { port = "/dev/x" }: name is missing; write ' + A + "."),
    ("[{ name = \"A\", port = \"/dev/x\", prot = 1 }]", '"prot" is not known here; did you mean port?'),
    ("[{ name = \"AB\", port = \"/dev/x\" }]", "name must be one letter from A to Z in quotes."),
    ("[{ name = \"a\", port = \"/dev/x\" }]", "name must be one letter from A to Z in quotes."),
    ("[{ name = 1, port = \"/dev/x\" }]", "name must be one letter from A to Z in quotes."),
    ("[{ name = \"A\", port = \"ttyUSB0\" }]", 'port must be the full path of a serial port in quotes, such as "/dev/tablebus/row-A".'),
    ("[{ name = \"A\", port = \"/\" }]", "port must be the full path of a serial port in quotes"),
    ("[{ name = \"A\", port = \"/dev/\\u0007\" }]", "port must be the full path of a serial port in quotes"),
    (f"[{A}, {{ name = \"A\", port = \"/dev/x\" }}]", "segment 1 has this name already; give each segment its own."),
    (f"[{A}, {{ name = \"B\", port = \"/dev/tablebus//row-A\" }}]", "segment 1 has this port already; give each segment its own."),
]  # fmt: skip


@pytest.mark.parametrize(("written", "part"), ONE)
def test_a_mistake_is_one_sentence_with_its_remedy(tmp_path: Path, written: str, part: str) -> None:
    (problem,) = problems(tmp_path, written)
    assert problem.startswith("[tables] segments")
    assert part in problem


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    found = problems(tmp_path, f'[7, {{ name = "x" }}, {A}, {A}]')
    assert len(found) == 5
    assert sum("has this" in problem for problem in found) == 2
