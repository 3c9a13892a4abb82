import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.roster.fault import RosterFault
from pi_controller.roster.model import Board, Roster, Row
from pi_controller.roster.text import LARGEST_FILE, from_file, from_text, to_json, to_toml

NAMES = st.text("ABCabc019-", min_size=1, max_size=6)
NODES = st.text("0123456789abcdef", min_size=16, max_size=16)


@st.composite
def rosters(draw: st.DrawFn) -> Roster:
    names = iter(draw(st.lists(NAMES, unique=True, min_size=9, max_size=9)))
    nodes = iter(draw(st.lists(st.none() | NODES, unique_by=lambda n: n or object(), min_size=9, max_size=9)))
    sizes = draw(st.lists(st.integers(0, 3), max_size=3))
    rows = [
        Row(
            name=f"R{number}",
            shape=draw(st.sampled_from(["straight", "angled", "ring"])),
            angle=draw(st.integers(0, 90)),
            boards=tuple(
                Board(name=next(names), node=next(nodes), swapped=draw(st.booleans())) for _ in range(size)
            ),
        )
        for number, size in enumerate(sizes)
    ]
    return Roster(rows=tuple(rows))


@given(rosters())
def test_text_reads_back_as_the_same_roster(roster: Roster) -> None:
    assert from_text(to_json(roster), toml=False) == roster
    assert from_text(to_toml(roster), toml=True) == roster


def told(path: Path) -> str:
    with pytest.raises(RosterFault) as caught:
        from_file(path)
    return caught.value.problems[0]


def test_a_file_that_is_none_is_told_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "hall.toml"
    assert told(path) == f"{path} cannot be read (No such file or directory): check its name."
    path.write_text("rows = [")
    assert told(path).startswith(f"{path}: It is not TOML: ")
    path.write_bytes(b"# \xff")
    assert told(path) == f"{path}: It is not UTF-8: save it as UTF-8."
    path.write_bytes(b"#" * (LARGEST_FILE + 1))
    assert told(path) == f"{path}: It is larger than {LARGEST_FILE} bytes: name the roster's file itself."
    os.mkfifo(tmp_path / "pipe")
    assert told(tmp_path / "pipe") == f"{tmp_path / 'pipe'}: It is no file: name the roster's file itself."
    broken = tmp_path / "hall.json"
    broken.write_text("{")
    assert told(broken).startswith(f"{broken}: It is not JSON: ")
    broken.write_text("[" * 200_000)
    assert told(broken) == f"{broken}: It is nested too deeply: a roster has rows, and rows have boards."
