import logging
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from pi_controller.core.game_loop.recovery import CannotGoOn, RestartLossReport
from pi_controller.core.wiring.game import key_for_copy
from pi_controller.journal.errors import Trouble
from pi_controller.journal.pairing import keep_key, new_key
from pi_controller.journal.recovery import recover
from pi_controller.language.words import words
from pi_controller.protocol.picture import HealthView
from tests.core.disk import GAME_ID, DiskHall, DyingFiles
from tests.core.hall import accepted
from tests.core.hand import MS, S
from tests.said import refuses


def notes(hall: DiskHall) -> list[dict[str, object]]:
    found = recover(hall.state_dir)
    assert found is not None
    return [record.data for record in found.records if record.kind == "note"]


def test_a_killed_game_comes_back_paused_at_its_last_heartbeat(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    hall.move(10 * S)
    hall.beat()
    hall.move(50 * MS)
    rolled = hall.picture.dice
    later = hall.again(after_ns=5 * S)
    picture = later.picture
    assert (picture.paused, picture.pause_reasons, picture.running) == (True, ["recovery"], False)
    assert (picture.round, picture.remaining_ms, picture.dice) == (1, 25_000, rolled)
    later.move(3600 * S)
    assert later.picture.remaining_ms == 25_000, "it never runs on by itself"
    assert not later.buzzer.steps, "old alarms do not sound"
    assert notes(later)[-1]["recovery"]["down_ms"] == 5050  # type: ignore[index]


def test_after_a_power_cut_the_heartbeat_of_the_other_boot_counts(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    hall.move(12 * S)
    hall.beat()
    later = hall.again(new_boot=True)
    assert later.picture.remaining_ms == 23_000
    later.log.prompt = True
    assert accepted(later.ask("resume"))
    later.move(3 * S)
    assert (later.picture.running, later.picture.remaining_ms) == (True, 23_000)
    later.move(23 * S)
    assert later.picture.round == 2


def dying(tmp_path: Path) -> tuple[DiskHall, DyingFiles]:
    """A hall in round 1 with 25 s left, and the disk that can die under it."""
    files = DyingFiles()
    hall = DiskHall(tmp_path, files=files).play()
    hall.move(10 * S)
    hall.log.prompt = False
    return hall, files


def test_a_turn_that_the_hall_did_not_see_is_not_made(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    hall.move(34 * S)
    hall.timers.now_ns += 3 * S
    hall.beat()
    later = hall.again()
    assert (later.picture.round, later.picture.remaining_ms) == (1, 1)


UNSAVED = {
    "paused by the button": [("press", None, 0)],
    "paused and played on": [("pause", None, 5), ("resume", {"override": True}, 9)],
    "more time": [("add_time", {"ms": 60_000}, 3)],
    "more time, paused": [("pause", None, 0), ("add_time", {"ms": 60_123}, 3)],
    "less time, paused": [("pause", None, 0), ("add_time", {"ms": -7_001}, 3)],
    "skipped": [("skip", None, 2)],
    "skipped and paused": [("skip", None, 2), ("skip", None, 2), ("pause", None, 4)],
    "in the 3-2-1": [("pause", None, 5), ("resume", {"override": True}, 1)],
    "played on for rounds": [("pause", None, 20), ("resume", {"override": True}, 95)],
    "two pauses": [("pause", None, 5), ("resume", {"override": True}, 9), ("press", None, 40)],
}


@pytest.mark.parametrize("paused_before", [False, True])
@pytest.mark.parametrize("done", UNSAVED.values(), ids=UNSAVED.keys())
def test_whatever_was_not_saved_the_clock_comes_back_as_the_hall_saw_it(
    tmp_path: Path, done: list[tuple[str, object, int]], paused_before: bool
) -> None:
    hall, files = dying(tmp_path)
    if paused_before:
        hall.ask("pause")
        hall.settle()
    files.dead = True
    for name, body, seconds in done:
        hall.press() if name == "press" else hall.ask(name, body)
        hall.move(seconds * S + 123_456_789)
    hall.beat()
    seen = hall.loop.picture()
    if hall.loop.saves.unsaved():
        hall.hear_trouble()
    later = hall.again()
    for name in ("phase", "round", "side", "dice", "remaining_ms", "robber_target"):
        assert getattr(later.picture, name) == getattr(seen, name), name
    assert (later.picture.paused, later.picture.running) == (True, False)
    again = later.again()
    assert again.picture.remaining_ms == seen.remaining_ms, "the journal has it now"


def test_a_start_that_was_not_saved_comes_back_begun(tmp_path: Path) -> None:
    files = DyingFiles()
    hall = DiskHall(tmp_path, files=files)
    files.writes = 1
    hall.ask("start")
    hall.hear_trouble()
    hall.ask("resume", {"override": True})
    hall.move(8 * S)
    hall.beat()
    seen = hall.loop.picture()
    assert seen.round == 1
    later = hall.again()
    assert (later.picture.round, later.picture.remaining_ms) == (1, seen.remaining_ms)


def test_an_older_heartbeat_than_the_journal_takes_nothing_back(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    hall.move(10 * S)
    hall.beat()
    hall.move(5 * S)
    assert accepted(hall.ask("add_time", {"ms": 10_000}))
    later = hall.again()
    assert later.picture.remaining_ms == 30_000


def test_a_heartbeat_of_the_release_before_gives_the_time(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    hall.move(12 * S)
    now_ns = hall.timers.boot_ns()
    head = struct.pack(
        "<4sQQQqq36s44s", b"PCHB", 7, 3, 0, now_ns, now_ns, b"boot-1", hall.loop.game.game_id.encode()
    )
    hall.store.heartbeat_path.write_bytes(head + struct.pack("<I", zlib.crc32(head)))
    later = hall.again()
    assert later.picture.remaining_ms == 23_000


def collecting(hall: DiskHall) -> DiskHall:
    """After round 1, the last one, with one sheet in the ranking and a claim without one."""
    assert accepted(hall.ask("last_rounds", {"count": 0}))
    hall.move(35 * S)
    for board in ("A1", "A2"):
        assert accepted(hall.ask("claim", {"board": board, "side": "sun"}))
    first = hall.picture.claims[0].id
    assert accepted(hall.ask("verdict", {"claim": first, "sheet": {"settlements": 4, "cities": 5}}))
    return hall


def test_sheets_go_on_being_collected_after_a_kill(tmp_path: Path) -> None:
    hall = collecting(DiskHall(tmp_path).play())
    before = hall.picture
    assert (before.phase, before.journal_head) == ("collecting", before.journal_head_full[:8])
    hall.beat()
    later = hall.again()
    later.log.prompt = True
    assert (later.picture.phase, later.picture.pause_reasons) == ("collecting", [])
    assert later.picture.ranking == before.ranking
    verdict = {"claim": before.claims[1].id, "sheet": {"settlements": 5, "cities": 5}}
    assert accepted(later.ask("verdict", verdict))
    assert accepted(later.ask("end", {"confirm": True}))
    assert [one.board for one in later.picture.winners] == ["A2"]


def test_an_end_of_the_last_round_that_no_disk_took_is_made_up_for(tmp_path: Path) -> None:
    hall, files = dying(tmp_path)
    hall.ask("last_rounds", {"count": 0})
    hall.settle()
    files.dead = True
    hall.move(40 * S)
    assert hall.picture.phase == "collecting"
    hall.beat()
    later = hall.again()
    assert later.picture.phase == "collecting"


def test_answers_outlive_a_restart(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    hall.ask("pause")
    assert accepted(hall.ask("add_time", {"ms": 5000}, key="k1"))
    later = hall.again()
    assert later.picture.remaining_ms == 40_000
    later.log.prompt = True
    assert accepted(later.ask("add_time", {"ms": 5000}, key="k1"))
    assert later.picture.remaining_ms == 40_000
    assert not accepted(later.ask("add_time", {"ms": 9000}, key="k1"))


def test_without_its_seed_a_game_does_not_go_on(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    hall.crash()
    (tmp_path / "games" / GAME_ID / "seed").unlink()
    with refuses(CannotGoOn, f"seed file of game {GAME_ID} is missing"):
        DiskHall(tmp_path)


def test_a_journal_without_its_beginning_is_not_replaced_silently(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    hall.crash()
    journal = tmp_path / "games" / GAME_ID / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[1:]))
    with refuses(CannotGoOn, "has lost its first line"):
        DiskHall(tmp_path)


def test_a_folder_that_is_no_games_stops_nothing_and_is_named(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    hall.move(10 * S)
    junk = tmp_path / "games" / "20991231-235959-ffff"
    junk.mkdir()
    (junk / "journal.jsonl").write_bytes(b"my notes\n")
    (tmp_path / "games" / "my-notes").mkdir()
    later = hall.again()
    assert later.loop.game.game_id == GAME_ID
    assert later.restored is not None
    news = [words(sentence) for _part, _level, sentence in later.restored.news]
    told = [sentence for sentence in news if "holds no game" in sentence]
    assert told == [f"The folder {junk} holds no game and was skipped: move it away."]
    later.log.prompt = True
    assert accepted(later.ask("end", {"confirm": True}))
    assert accepted(later.ask("arm"))


# What a restart could not bring back is told: how many commands, from when, and until the game is over.


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


def test_a_cut_that_loses_commands_is_a_fault_with_their_number_and_time(tmp_path: Path) -> None:
    hall = played(tmp_path)
    seen = hall.loop.picture()
    behind = flip_in(tmp_path, b"text 3")
    later = hall.again()
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
    assert health(again) == told, "a further restart tells it again"
    again.log.prompt = True
    assert accepted(again.ask("end", {"confirm": True}))
    assert accepted(again.ask("arm"))
    assert health(again) == HealthView(level="ok", messages=[], items=[])


def test_a_last_line_that_was_saved_and_is_damaged_is_told_too(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    assert accepted(hall.ask("say", {"text": "the last"}))
    hall.beat()
    hall.crash()
    assert flip_in(tmp_path, b"the last") == 0
    later = hall.again()
    assert health(later).level == "fault"
    assert "(1 line, 1 of them unreadable)" in health(later).messages[0]


def test_lines_that_are_gone_without_a_trace_are_known_from_the_heartbeat(tmp_path: Path) -> None:
    hall = played(tmp_path)
    lines = journal(tmp_path).read_bytes().splitlines(keepends=True)
    journal(tmp_path).write_bytes(b"".join(lines[:-4]))
    later = hall.again()
    assert health(later).level == "fault"
    assert "(4 lines)" in health(later).messages[0]


def test_half_a_line_at_the_end_was_never_accepted_and_is_no_loss(tmp_path: Path) -> None:
    hall = played(tmp_path)
    with journal(tmp_path).open("ab") as file:
        file.write(b'{"seq":99,"ki')
    later = hall.again()
    assert health(later) == HealthView(level="ok", messages=[], items=[])
    (cut,) = notes(later)[-1]["recovery"]["cut"]  # type: ignore[index]
    assert "journal.jsonl" in cut


def test_what_the_second_copy_has_more_comes_back_by_itself(tmp_path: Path) -> None:
    hall = played(tmp_path / "own")
    before = recover(tmp_path / "own")
    copied = tmp_path / "stick" / "games" / GAME_ID
    copied.mkdir(parents=True)
    (copied / "journal.jsonl").write_bytes(journal(tmp_path / "own").read_bytes())
    flip_in(tmp_path / "own", b"text 3")
    later = hall.again(second_copy=tmp_path / "stick")
    after = recover(tmp_path / "own")
    assert before is not None
    assert after is not None
    assert after.records[: len(before.records)] == before.records
    assert health(later) == HealthView(level="ok", messages=[], items=[])


def test_what_was_shown_and_never_saved_is_told(tmp_path: Path) -> None:
    files = DyingFiles()
    hall = DiskHall(tmp_path, files=files).play()
    hall.move(10 * S)
    hall.log.prompt = False
    files.dead = True
    hall.ask("say", {"text": "hello"})
    hall.hear_trouble()
    hall.beat()
    later = hall.again()
    assert (health(later).level, health(later).lost) == ("warning", True)
    (sentence,) = health(later).messages
    assert sentence.startswith("2 lines of the journal after ")
    assert "the clock is where the hall last saw it; enter again" in sentence


def test_an_end_that_was_not_saved_cannot_be_brought_back_and_is_a_fault(tmp_path: Path) -> None:
    files = DyingFiles()
    hall = DiskHall(tmp_path, files=files).play()
    hall.move(10 * S)
    hall.log.prompt = False
    files.dead = True
    hall.ask("end", {"confirm": True})
    hall.hear_trouble()
    hall.beat()
    later = hall.again()
    assert later.picture.paused
    assert health(later).level == "fault"
    assert "could not be brought to where the hall last saw it" in health(later).messages[0]


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


# The key for the second copy: missing or damaged it is told, and the clock starts all the same.


def test_the_key_is_for_a_second_copy_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    troubles: list[Trouble] = []
    caplog.set_level(logging.WARNING)
    assert key_for_copy(tmp_path, tmp_path / "copy", troubles.append) is None
    assert "`pi-controller pair new` makes a key" in caplog.text
    key = new_key()
    keep_key(tmp_path, key)
    found = key_for_copy(tmp_path, tmp_path / "copy", troubles.append)
    assert found is not None
    assert found.mark == key.mark
    assert key_for_copy(tmp_path, None, troubles.append) is None
    assert troubles == []


def test_a_key_that_cannot_be_used_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    troubles: list[Trouble] = []
    (tmp_path / "pairing.key").write_text("rubbish")
    (tmp_path / "pairing.key").chmod(0o600)
    assert key_for_copy(tmp_path, tmp_path, troubles.append) is None
    (tmp_path / "pairing.key").unlink()
    (tmp_path / "pairing.key").mkdir(mode=0o700)
    assert key_for_copy(tmp_path, tmp_path, troubles.append) is None
    damaged, unreadable = troubles
    assert "is damaged: remove it and pair again. Until then the second copy holds no seed." in words(
        damaged.sentence
    )
    assert "The pairing key cannot be read" in words(unreadable.sentence)
    assert not any(trouble.fatal for trouble in troubles)
