import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.core.game_loop.loop import STALLED
from pi_controller.core.game_loop.recovery import CannotGoOn
from pi_controller.journal.recovery import recover
from pi_controller.language.words import words
from tests.core.disk import GAME_ID, DiskHall, DyingFiles, StallingFiles
from tests.core.hall import accepted
from tests.core.hand import MS, S
from tests.said import refuses


@pytest.fixture
def halls() -> Iterator[list[DiskHall]]:
    """Halls whose writers end with the test."""
    opened: list[DiskHall] = []
    yield opened
    for hall in opened:
        hall.crash()


def notes(hall: DiskHall) -> list[dict[str, object]]:
    found = recover(hall.state_dir)
    assert found is not None
    return [record.data for record in found.records if record.kind == "note"]


def test_a_killed_game_comes_back_paused_at_its_last_heartbeat(tmp_path: Path, halls: list[DiskHall]) -> None:
    hall = DiskHall(tmp_path).play()
    hall.move(10 * S)
    hall.beat()
    hall.move(50 * MS)
    rolled = hall.picture.dice
    later = hall.again(after_ns=5 * S)
    halls.append(later)
    picture = later.picture
    assert (picture.paused, picture.pause_reasons, picture.running) == (True, ["recovery"], False)
    assert (picture.round, picture.remaining_ms, picture.dice) == (1, 25_000, rolled)
    later.move(3600 * S)
    assert later.picture.remaining_ms == 25_000, "it never runs on by itself"
    assert not later.buzzer.steps, "old alarms do not sound"
    assert notes(later)[-1]["recovery"]["down_ms"] == 5050  # type: ignore[index]


def test_after_a_power_cut_the_heartbeat_of_the_other_boot_counts(
    tmp_path: Path, halls: list[DiskHall]
) -> None:
    hall = DiskHall(tmp_path).play()
    hall.move(12 * S)
    hall.beat()
    later = hall.again(new_boot=True)
    halls.append(later)
    assert later.picture.remaining_ms == 23_000
    later.log.prompt = True
    assert accepted(later.ask("resume"))
    later.move(3 * S)
    assert (later.picture.running, later.picture.remaining_ms) == (True, 23_000)
    later.move(23 * S)
    assert later.picture.round == 2


def test_without_a_heartbeat_the_last_line_counts(tmp_path: Path, halls: list[DiskHall]) -> None:
    hall = DiskHall(tmp_path).play()
    hall.move(10 * S)
    later = hall.again()
    halls.append(later)
    assert later.picture.remaining_ms == 35_000


def dying(tmp_path: Path) -> tuple[DiskHall, DyingFiles]:
    """A hall in round 1 with 25 s left, and the disk that can die under it."""
    files = DyingFiles()
    hall = DiskHall(tmp_path, files=files).play()
    hall.move(10 * S)
    hall.log.prompt = False
    return hall, files


def test_a_turn_that_the_hall_saw_and_the_disk_did_not_is_made_up_for(
    tmp_path: Path, halls: list[DiskHall]
) -> None:
    hall, files = dying(tmp_path)
    files.dead = True
    hall.move(27 * S)
    seen = hall.picture
    assert (seen.round, seen.remaining_ms) == (2, 35_000), "shown when it turned"
    hall.beat()
    later = hall.again()
    halls.append(later)
    assert (later.picture.round, later.picture.remaining_ms) == (2, 33_000)
    assert later.picture.dice == seen.dice
    assert later.again().picture.round == 2


def test_a_turn_that_the_hall_did_not_see_is_not_made(tmp_path: Path, halls: list[DiskHall]) -> None:
    hall = DiskHall(tmp_path).play()
    hall.move(34 * S)
    hall.timers.now_ns += 3 * S
    hall.beat()
    later = hall.again()
    halls.append(later)
    assert (later.picture.round, later.picture.remaining_ms) == (1, 1)


def test_a_pause_that_the_disk_did_not_take_is_not_played_away(tmp_path: Path, halls: list[DiskHall]) -> None:
    hall, files = dying(tmp_path)
    files.dead = True
    hall.ask("say", {"text": "hello"})
    hall.hear_trouble()
    before = hall.picture
    assert (before.pause_reasons, before.remaining_ms) == (["fault"], 25_000)
    hall.move(60 * S)
    hall.beat()
    later = hall.again()
    halls.append(later)
    for name in ("round", "side", "dice", "remaining_ms"):
        assert getattr(later.picture, name) == getattr(before, name), name
    assert (later.picture.paused, later.picture.running) == (True, False)
    later.log.prompt = True
    assert accepted(later.ask("resume"))
    later.move(3 * S)
    assert (later.picture.running, later.picture.remaining_ms) == (True, 25_000)


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
    tmp_path: Path, halls: list[DiskHall], done: list[tuple[str, object, int]], paused_before: bool
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
    halls.append(later)
    for name in ("phase", "round", "side", "dice", "remaining_ms", "robber_target"):
        assert getattr(later.picture, name) == getattr(seen, name), name
    assert (later.picture.paused, later.picture.running) == (True, False)
    again = later.again()
    halls.append(again)
    assert again.picture.remaining_ms == seen.remaining_ms, "the journal has it now"


def test_a_start_that_was_not_saved_comes_back_begun(tmp_path: Path, halls: list[DiskHall]) -> None:
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
    halls.append(later)
    assert (later.picture.round, later.picture.remaining_ms) == (1, seen.remaining_ms)


def test_an_older_heartbeat_than_the_journal_takes_nothing_back(
    tmp_path: Path, halls: list[DiskHall]
) -> None:
    hall = DiskHall(tmp_path).play()
    hall.move(10 * S)
    hall.beat()
    hall.move(5 * S)
    assert accepted(hall.ask("add_time", {"ms": 10_000}))
    later = hall.again()
    halls.append(later)
    assert later.picture.remaining_ms == 30_000


def test_a_heartbeat_of_the_release_before_gives_the_time(tmp_path: Path, halls: list[DiskHall]) -> None:
    hall = DiskHall(tmp_path).play()
    hall.move(12 * S)
    now_ns = hall.timers.boot_ns()
    head = struct.pack(
        "<4sQQQqq36s44s", b"PCHB", 7, 3, 0, now_ns, now_ns, b"boot-1", hall.loop.game.game_id.encode()
    )
    hall.store.heartbeat_path.write_bytes(head + struct.pack("<I", zlib.crc32(head)))
    later = hall.again()
    halls.append(later)
    assert later.picture.remaining_ms == 23_000


def test_a_game_before_its_start_comes_back_ready(tmp_path: Path, halls: list[DiskHall]) -> None:
    later = DiskHall(tmp_path).again()
    halls.append(later)
    assert (later.picture.phase, later.picture.paused) == ("ready", False)


def test_an_ended_game_comes_back_ended_and_can_still_be_reopened(
    tmp_path: Path, halls: list[DiskHall]
) -> None:
    hall = DiskHall(tmp_path).play()
    assert accepted(hall.ask("end", {"confirm": True}))
    later = hall.again()
    halls.append(later)
    assert later.picture.phase == "ended"
    later.log.prompt = True
    assert accepted(later.ask("undo"))
    assert later.picture.phase == "round"


def collecting(hall: DiskHall) -> DiskHall:
    """After round 1, the last one, with one sheet in the ranking and a claim without one."""
    assert accepted(hall.ask("last_rounds", {"count": 0}))
    hall.move(35 * S)
    for board in ("A1", "A2"):
        assert accepted(hall.ask("claim", {"board": board, "side": "sun"}))
    first = hall.picture.claims[0].id
    assert accepted(hall.ask("verdict", {"claim": first, "sheet": {"settlements": 4, "cities": 5}}))
    return hall


def test_sheets_go_on_being_collected_after_a_kill(tmp_path: Path, halls: list[DiskHall]) -> None:
    hall = collecting(DiskHall(tmp_path).play())
    before = hall.picture
    assert (before.phase, before.journal_head) == ("collecting", before.journal_head_full[:8])
    hall.beat()
    later = hall.again()
    halls.append(later)
    later.log.prompt = True
    assert (later.picture.phase, later.picture.pause_reasons) == ("collecting", [])
    assert later.picture.ranking == before.ranking
    verdict = {"claim": before.claims[1].id, "sheet": {"settlements": 5, "cities": 5}}
    assert accepted(later.ask("verdict", verdict))
    assert accepted(later.ask("end", {"confirm": True}))
    assert [one.board for one in later.picture.winners] == ["A2"]


def test_an_end_of_the_last_round_that_no_disk_took_is_made_up_for(
    tmp_path: Path, halls: list[DiskHall]
) -> None:
    hall, files = dying(tmp_path)
    hall.ask("last_rounds", {"count": 0})
    hall.settle()
    files.dead = True
    hall.move(40 * S)
    assert hall.picture.phase == "collecting"
    hall.beat()
    later = hall.again()
    halls.append(later)
    assert later.picture.phase == "collecting"


def test_answers_outlive_a_restart(tmp_path: Path, halls: list[DiskHall]) -> None:
    hall = DiskHall(tmp_path).play()
    hall.ask("pause")
    assert accepted(hall.ask("add_time", {"ms": 5000}, key="k1"))
    later = hall.again()
    halls.append(later)
    assert later.picture.remaining_ms == 40_000
    later.log.prompt = True
    assert accepted(later.ask("add_time", {"ms": 5000}, key="k1"))
    assert later.picture.remaining_ms == 40_000
    assert not accepted(later.ask("add_time", {"ms": 9000}, key="k1"))


def test_a_press_freezes_at_once_while_every_sync_hangs(tmp_path: Path, halls: list[DiskHall]) -> None:
    files = StallingFiles()
    hall = DiskHall(tmp_path, files=files)
    halls.append(hall)
    hall.play()
    hall.log.prompt = False
    files.through.clear()
    hall.move(10 * S)
    hall.press()
    assert (hall.picture.paused, hall.picture.remaining_ms, hall.pause_lamp.lit) == (
        True,
        25_004,
        False,
    )
    assert hall.picture.saved_seq < hall.picture.seq
    hall.move(3 * S)
    assert hall.picture.health.messages == [words(STALLED)]
    files.through.set()
    hall.settle()
    assert hall.picture.saved_seq == hall.picture.seq


def test_what_was_cut_is_noted(tmp_path: Path, halls: list[DiskHall]) -> None:
    hall = DiskHall(tmp_path).play()
    hall.crash()
    journal = tmp_path / "games" / GAME_ID / "journal.jsonl"
    with journal.open("ab") as file:
        file.write(b'{"seq":99,"ki')
    later = hall.again()
    halls.append(later)
    cut = notes(later)[-1]["recovery"]["cut"]  # type: ignore[index]
    assert len(cut) == 1
    assert "journal.jsonl" in cut[0]


def test_without_its_seed_a_game_does_not_go_on(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    hall.crash()
    (tmp_path / "games" / GAME_ID / "seed").unlink()
    with refuses(CannotGoOn, f"seed file of game {GAME_ID} is missing"):
        DiskHall(tmp_path)


def test_another_games_seed_is_refused(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    hall.crash()
    (tmp_path / "games" / GAME_ID / "seed").write_text("11" * 32 + "\n")
    with refuses(CannotGoOn, "not the one that was committed to"):
        DiskHall(tmp_path)


def test_a_journal_without_its_beginning_is_not_replaced_silently(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    hall.crash()
    journal = tmp_path / "games" / GAME_ID / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[1:]))
    with refuses(CannotGoOn, "has lost its first line"):
        DiskHall(tmp_path)


def test_any_sequence_of_crashes_keeps_round_roll_and_time(tmp_path: Path, halls: list[DiskHall]) -> None:
    hall = DiskHall(tmp_path).play()
    for step in range(1, 8):
        hall.move(7 * S)
        hall.beat()
        before = hall.loop.picture()
        hall = hall.again(new_boot=step % 2 == 0)
        after = hall.picture
        for name in ("round", "side", "dice", "robber_target", "remaining_ms", "commitment"):
            assert getattr(after, name) == getattr(before, name)
        hall.log.prompt = True
        hall.ask("resume")
        hall.move(3 * S)
    halls.append(hall)


def test_a_folder_that_is_no_games_stops_nothing_and_is_named(tmp_path: Path, halls: list[DiskHall]) -> None:
    hall = DiskHall(tmp_path).play()
    hall.move(10 * S)
    junk = tmp_path / "games" / "20991231-235959-ffff"
    junk.mkdir()
    (junk / "journal.jsonl").write_bytes(b"my notes\n")
    (tmp_path / "games" / "my-notes").mkdir()
    later = hall.again()
    halls.append(later)
    assert later.loop.game.game_id == GAME_ID
    assert later.restored is not None
    news = [words(sentence) for _part, _level, sentence in later.restored.news]
    told = [sentence for sentence in news if "holds no game" in sentence]
    assert told == [f"The folder {junk} holds no game and was passed over: move it away."]
    later.log.prompt = True
    assert accepted(later.ask("end", {"confirm": True}))
    assert accepted(later.ask("arm"))


def test_a_rehearsal_comes_back_as_one(tmp_path: Path, halls: list[DiskHall]) -> None:
    hall = DiskHall(tmp_path)
    assert hall.picture.rehearsal is False
    hall.log.prompt = True
    assert accepted(hall.ask("arm", {"rehearsal": True}))
    assert hall.picture.rehearsal is True
    later = hall.again()
    halls.append(later)
    assert later.picture.rehearsal is True
