from collections.abc import Iterator

import pytest

from tools.verdict import verdict


def test_each_fault_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert verdict(lambda: ["one part", "another part"]) == 1
    assert capsys.readouterr().err == "one part\nanother part\n"


def test_no_fault_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert verdict(lambda: ()) == 0
    assert capsys.readouterr().err == ""


def test_a_named_error_ends_it_with_its_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    def run() -> Iterator[str]:
        yield "a fault before"
        raise LookupError("nothing there")

    assert verdict(run, LookupError) == 1
    assert "nothing there\n" in capsys.readouterr().err
    with pytest.raises(LookupError):
        verdict(run, OSError)
