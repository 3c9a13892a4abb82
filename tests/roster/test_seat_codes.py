"""Seat codes: signed, revocable, readable by their owner alone."""

from pathlib import Path

import pytest

from pi_controller.roster.seat_codes import FILE_NAME, SeatAt, SeatCodes

A5 = SeatAt("A5", "sun")


@pytest.fixture
def codes(tmp_path: Path) -> SeatCodes:
    codes = SeatCodes(tmp_path)
    codes.prepare()
    return codes


@pytest.mark.parametrize("board", ["A5", "HALL-6", "Tisch am Fenster", "Ł-1-2"])
@pytest.mark.parametrize("side", ["sun", "moon"])
def test_a_code_is_that_of_its_seat(codes: SeatCodes, board: str, side: str) -> None:
    at = SeatAt(board, "sun" if side == "sun" else "moon")
    assert codes.seat(codes.code(at)) == at


def test_no_other_text_is_a_code(codes: SeatCodes) -> None:
    code = codes.code(A5)
    for place in range(len(code)):
        changed = code[:place] + ("B" if code[place] != "B" else "C") + code[place + 1 :]
        assert codes.seat(changed) is None
    for text in ("", "-", "---", code + "A", "A5-sun-2-" + code[9:], "x" * 100):
        assert codes.seat(text) is None


def test_revoked_codes_are_worth_nothing_also_after_a_restart(codes: SeatCodes, tmp_path: Path) -> None:
    old, other = codes.code(A5), codes.code(SeatAt("A6", "sun"))
    codes.revoke("a05")
    codes.save()
    again = SeatCodes(tmp_path)
    again.prepare()
    for each in (codes, again):
        assert each.seat(old) is None
        assert each.seat(codes.code(A5)) == A5
        assert each.seat(other) is not None


def test_what_is_wrong_with_a_code_is_told_as_far_as_it_can_be_known(codes: SeatCodes) -> None:
    old = codes.code(A5)
    codes.revoke("A5")
    wrong = (old, old[:-1] + ("B" if old[-1] != "B" else "C"), old[:8], "A5-sun-" + "9" * 60 + "-AB", "")
    assert [codes.read(code) for code in wrong] == ["revoked", "not_ours", "no_code", "no_code", "no_code"]
    assert codes.read(codes.code(A5)) == A5


def test_its_file_is_for_its_owner_alone_and_read_again_when_it_changes(
    codes: SeatCodes, tmp_path: Path
) -> None:
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o777 == 0o600
    reader = SeatCodes(tmp_path)
    reader.prepare()
    old = codes.code(A5)
    codes.revoke("A5")
    codes.save()
    reader.refresh()
    assert reader.seat(old) is None


def test_a_file_that_is_none_of_ours_is_said(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("[]")
    with pytest.raises(ValueError, match="no file of seat codes"):
        SeatCodes(tmp_path).prepare()
