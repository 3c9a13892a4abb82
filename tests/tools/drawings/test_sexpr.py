"""KiCad's notation survives writing and reading."""

import pytest

from tools.drawings.sexpr import Text, child, children, dump, number, parse


def test_what_is_written_reads_the_same() -> None:
    node = ["a", Text('say "x"\n\\'), ["b", "1.5", ["c", Text("")]], ["b", "2"], ["long", *["word"] * 40]]
    assert parse(dump(node)) == node


def test_numbers_are_short() -> None:
    assert [number(value) for value in (1.0, 0.1 + 0.2, -0.00001, 2.54)] == ["1", "0.3", "0", "2.54"]


def test_lists_are_found_by_their_name() -> None:
    node = parse("(a (b 1) (c 2) (b 3))")
    assert [item[1] for item in children(node, "b")] == ["1", "3"]
    assert child(node, "c") == ["c", "2"]
    with pytest.raises(KeyError):
        child(node, "d")


@pytest.mark.parametrize("text", ["(a (b)", "(a))", ""])
def test_a_file_that_does_not_close_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"cut short|never opened"):
        parse(text)
