"""What a restart could not bring back is told: how many commands, from when, and until the game is over."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_controller.core.game_loop.recovery import RestartLossReport
from pi_controller.journal.recovery import recover
from pi_controller.language.words import words
from pi_controller.protocol.picture import HealthView
from tests.core.disk import GAME_ID, DiskHall, DyingFiles
from tests.core.hall import accepted
from tests.core.hand import S


@pytest.fixture
def halls() -> Iterator[list[DiskHall]]:
    opened: list[DiskHall] = []
    yield opened
    for hall in opened:
        hall.crash()


def played(tmp_path: Path) -> DiskHall:
    """Ten commands in round 1, then on into round 2, and a last heartbeat."""
    hall = DiskHall(tmp_path).play()
    for number in range(10):
        hall.move(1 * S)
        assert accepted(hall.ask("say", {"text": f"text {number}"}, key=f"k{number}"))
    for _ in range(30):
        hall.move(1 * S)
    hall.beat()
    hall.crash()
    return hall


def journal(state: Path) -> Path:
    return state / "games" / GAME_ID / "journal.jsonl"


def flip_in(state: Path, words: bytes) -> int:
    """One bit flips in the line with these words; how many lines stand behind it."""
    content = bytearray(journal(state).read_bytes())
    place = content.index(words)
    content[place] ^= 1
    journal(state).write_bytes(content)
    return content[place:].count(b"\n") - 1


def health(hall: DiskHall) -> dict[str, Any]:
    found: dict[str, Any] = hall.picture.health
    return found


def test_a_cut_that_loses_commands_is_a_fault_with_their_number_and_time(
    tmp_path: Path, halls: list[DiskHall]
) -> None:
    hall = played(tmp_path)
    seen = hall.loop.picture()
    behind = flip_in(tmp_path, b"text 3")
    later = hall.again()
    halls.append(later)
    told = health(later)
    assert (told.level, told.lost) == ("fault", True)
    (sentence,) = told.messages
    # texts 4 to 9 can be read and counted; the damaged line itself is one more that cannot
    assert "The journal was damaged: 6 commands after " in sentence
    assert f"({behind + 1} lines, 1 of them unreadable)" in sentence
    assert "`pi-controller restore STICK`" in sentence
    for name in ("round", "side", "dice", "remaining_ms"):
        assert getattr(later.picture, name) == getattr(seen, name), "the clock is where the hall saw it"

    again = later.again()
    halls.append(again)
    assert health(again) == told, "a further restart tells it again"
    again.log.prompt = True
    assert accepted(again.ask("end", {"confirm": True}))
    assert accepted(again.ask("arm"))
    assert health(again) == HealthView(level="ok", messages=[], items=[])


def test_a_last_line_that_was_saved_and_is_damaged_is_told_too(tmp_path: Path, halls: list[DiskHall]) -> None:
    hall = DiskHall(tmp_path).play()
    assert accepted(hall.ask("say", {"text": "the last"}))
    hall.beat()
    hall.crash()
    assert flip_in(tmp_path, b"the last") == 0
    later = hall.again()
    halls.append(later)
    assert health(later).level == "fault"
    assert "(1 line, 1 of them unreadable)" in health(later).messages[0]


def test_lines_that_are_gone_without_a_trace_are_known_from_the_heartbeat(
    tmp_path: Path, halls: list[DiskHall]
) -> None:
    hall = played(tmp_path)
    lines = journal(tmp_path).read_bytes().splitlines(keepends=True)
    journal(tmp_path).write_bytes(b"".join(lines[:-4]))
    later = hall.again()
    halls.append(later)
    assert health(later).level == "fault"
    assert "(4 lines)" in health(later).messages[0]


def test_half_a_line_at_the_end_was_never_accepted_and_is_no_loss(
    tmp_path: Path, halls: list[DiskHall]
) -> None:
    hall = played(tmp_path)
    with journal(tmp_path).open("ab") as file:
        file.write(b'{"seq":99,"ki')
    later = hall.again()
    halls.append(later)
    assert health(later) == HealthView(level="ok", messages=[], items=[])


def test_what_the_second_copy_has_more_comes_back_by_itself(tmp_path: Path, halls: list[DiskHall]) -> None:
    hall = played(tmp_path / "own")
    before = recover(tmp_path / "own")
    copied = tmp_path / "stick" / "games" / GAME_ID
    copied.mkdir(parents=True)
    (copied / "journal.jsonl").write_bytes(journal(tmp_path / "own").read_bytes())
    flip_in(tmp_path / "own", b"text 3")
    later = hall.again(second_copy=tmp_path / "stick")
    halls.append(later)
    after = recover(tmp_path / "own")
    assert before is not None
    assert after is not None
    assert after.records[: len(before.records)] == before.records
    assert health(later) == HealthView(level="ok", messages=[], items=[])


def test_what_was_shown_and_never_saved_is_told(tmp_path: Path, halls: list[DiskHall]) -> None:
    files = DyingFiles()
    hall = DiskHall(tmp_path, files=files).play()
    hall.move(10 * S)
    hall.log.prompt = False
    files.dead = True
    hall.ask("say", {"text": "hello"})
    hall.hear_trouble()
    hall.beat()
    later = hall.again()
    halls.append(later)
    assert (health(later).level, health(later).lost) == ("warning", True)
    (sentence,) = health(later).messages
    assert sentence.startswith("2 lines of the journal after ")
    assert "the clock stands where the hall saw it last; enter once more" in sentence


def test_an_end_that_was_not_saved_cannot_be_brought_back_and_is_a_fault(
    tmp_path: Path, halls: list[DiskHall]
) -> None:
    files = DyingFiles()
    hall = DiskHall(tmp_path, files=files).play()
    hall.move(10 * S)
    hall.log.prompt = False
    files.dead = True
    hall.ask("end", {"confirm": True})
    hall.hear_trouble()
    hall.beat()
    later = hall.again()
    halls.append(later)
    assert later.picture.paused
    assert health(later).level == "fault"
    assert "could not be brought to where the hall saw it last" in health(later).messages[0]


def test_notes_of_earlier_releases_tell_no_loss() -> None:
    told = RestartLossReport()
    told.hear({"recovery": {"lost_lines": 3, "last_wall": "x"}}, 1)
    told.hear({"stood_still_ms": 3000}, 2)
    assert list(told.sentences(copy_read=False)) == []


def test_a_label_that_is_no_time_is_told_as_it_is() -> None:
    told = RestartLossReport()
    lost = {"commands": 1, "lines": 1, "unreadable": 0, "since": "noon"}
    told.hear({"recovery": {"lost": lost, "unsaved_lines": 0}}, 1)
    ((part, level, sentence),) = told.sentences(copy_read=True)
    assert (part, level) == ("lost", "fault")
    assert "1 command after noon is lost (1 line)" in words(sentence)
    assert "restore" not in words(sentence)
