"""Which seal of its evening a game has: by what the state folder knows, whatever became of the games."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pi_controller.game.game import Seal
from pi_controller.journal.record import FIRST_PREV, Record, encode, seal
from pi_controller.journal.seals import Evening, one_evening, read_armed
from pi_controller.journal.store import Store
from pi_controller.journal.witnesses import GameSummary

HOUR = 3600 * 1_000_000_000


@dataclass
class HandClock:
    """Twelve hours of the wall's clock are twelve of the machine's, unless somebody sets it."""

    at_ns: int = 100 * HOUR
    hours: float = 0.0
    boot_id: str = "boot-1"

    def boot_ns(self) -> int:
        return self.at_ns

    def wall(self) -> str:
        day, hour = divmod(round(self.hours), 24)
        return f"2026-11-{20 + day:02}T{hour:02}:00:00Z"

    def move(self, hours: float) -> None:
        self.at_ns += round(hours * HOUR)
        self.hours += hours


class Controller:
    """Arms games in a state folder as core does, with their words."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(folder)
        self.store.prepare()
        self.clock = HandClock()
        self.evening = Evening(self.clock)
        self.lines: list[Record] = []

    def restart(self, *, new_boot: bool = False) -> None:
        if new_boot:
            self.clock.boot_id, self.clock.at_ns = f"{self.clock.boot_id}+", HOUR
        self.evening = Evening(self.clock, read_armed(self.store))

    def arm(self, *words: str, numbered: bool = True) -> Seal:
        game_id = f"20261120-{len(self.lines):06}-ab12"
        place = self.evening.next(game_id)
        data: dict[str, Any] = {"format": 2, "game_id": game_id}
        if numbered:
            data["seal"] = {"number": place.number, "of_evening": place.of_evening, "before": place.before}
        lines = [self.line("game", data, FIRST_PREV)]
        self.store.create_game(game_id, bytes(32))
        if numbered:
            self.store.keep_newest(encode(lines[0]))
        for number, word in enumerate(words, 1):
            lines.append(self.line("contributed", {"text": word}, lines[-1].hash, number))
        lines.append(self.line("turned", {}, lines[-1].hash, len(words) + 1))
        lines.append(
            self.line("contributed", {"text": "after the first roll"}, lines[-1].hash, len(words) + 2)
        )
        (self.folder(game_id) / "journal.jsonl").write_bytes(b"".join(map(encode, lines)))
        self.evening.armed(lines[0])
        for word in words:
            self.evening.heard(game_id, word)
        self.lines.append(lines[0])
        return place

    def line(self, kind: str, data: dict[str, Any], prev: str, seq: int = 0) -> Record:
        at = {
            "game_ns": 0,
            "boot_ns": self.clock.boot_ns(),
            "boot_id": self.clock.boot_id,
            "wall": self.clock.wall(),
        }
        return seal(kind, data, seq=seq, prev=prev, **at)

    def folder(self, game_id: str) -> Path:
        return self.store.folder(game_id)


@pytest.fixture
def controller(tmp_path: Path) -> Controller:
    return Controller(tmp_path)


def test_seals_are_counted_from_game_to_game_and_over_restarts(controller: Controller) -> None:
    first = controller.arm()
    assert first == Seal(1, "20261120-000000-ab12", None)
    for number in (2, 3, 4):
        controller.clock.move(11)
        controller.restart(new_boot=number == 3)
        found = controller.arm()
        assert found == Seal(number, first.of_evening, controller.lines[-2].hash)


def test_another_evening_begins_anew_and_names_the_game_before_it(controller: Controller) -> None:
    controller.arm()
    controller.arm()
    controller.clock.move(13)
    last = controller.lines[-1].hash
    for _ in range(2):
        assert controller.evening.next("new") == Seal(1, "new", last)
        controller.restart()
    controller.restart(new_boot=True)
    assert controller.evening.next("new") == Seal(1, "new", last)


def test_a_clock_that_somebody_sets_begins_no_evening(controller: Controller) -> None:
    controller.arm()
    controller.clock.hours += 48
    assert controller.evening.next("new").number == 2
    controller.restart()
    assert controller.arm().number == 2
    controller.clock.hours = 0
    controller.restart(new_boot=True)
    assert controller.arm().number == 3
    controller.restart()
    assert controller.evening.next("new").number == 4


def test_a_removed_game_is_counted(controller: Controller) -> None:
    for _ in range(3):
        controller.arm()
    newest = controller.lines[-1]
    shutil.rmtree(controller.folder(newest.data["game_id"]))
    for _ in range(2):
        controller.restart()
        assert controller.evening.next("new") == Seal(4, controller.lines[0].data["game_id"], newest.hash)
    shutil.rmtree(controller.store.games_dir)
    controller.restart()
    assert controller.evening.next("new").number == 4


def test_a_damaged_game_is_counted(controller: Controller) -> None:
    for _ in range(3):
        controller.arm("hat")
    newest = controller.folder(controller.lines[-1].data["game_id"]) / "journal.jsonl"
    newest.write_bytes(b"\0" * 4096)
    controller.restart()
    assert controller.evening.next("new").number == 4
    newest.unlink()
    os.mkfifo(newest)
    controller.restart()
    assert controller.evening.next("new").number == 4
    controller.store.newest_path.write_bytes(b"nonsense")
    controller.restart()
    assert controller.evening.next("new").number == 3


def test_a_game_from_another_controller_that_is_newer_counts(controller: Controller, tmp_path: Path) -> None:
    other = Controller(tmp_path / "other")
    for _ in range(4):
        other.arm()
    controller.arm()
    brought = other.lines[-1].data["game_id"]
    shutil.copytree(other.folder(brought), controller.folder(brought))
    controller.restart()
    assert controller.evening.next("new") == Seal(5, other.lines[0].data["game_id"], other.lines[-1].hash)


def test_a_number_does_not_go_back_behind_that_of_another_controller(
    controller: Controller, tmp_path: Path
) -> None:
    """A spare has armed a game of its own, and is then given the game of the controller that broke down."""
    other = Controller(tmp_path / "other")
    for _ in range(4):
        other.arm()
    controller.lines = [*other.lines]
    assert controller.arm().number == 1
    brought = other.lines[-1].data["game_id"]
    shutil.copytree(other.folder(brought), controller.folder(brought))
    controller.restart()
    assert controller.evening.next("new") == Seal(
        6, other.lines[0].data["game_id"], controller.lines[-1].hash
    )


def test_games_of_an_earlier_release_are_counted_with_the_others(controller: Controller) -> None:
    for _ in range(2):
        controller.arm(numbered=False)
    controller.restart()
    assert controller.arm() == Seal(3, "20261120-000000-ab12", controller.lines[1].hash)
    controller.restart()
    assert controller.evening.next("new").number == 4


def test_a_word_serves_for_one_seal_of_an_evening(controller: Controller) -> None:
    controller.arm("lantern", "the red hat")
    controller.arm("żaba")
    for _ in range(2):
        for word, number in (
            ("lantern", 1),
            ("Lantern !", 1),
            ("the-red-hat", 1),
            ("ŻABA", 2),
            ("cow", None),
        ):
            assert controller.evening.spoken_for(word, "new") == number, word
        assert controller.evening.spoken_for("żaba", controller.lines[1].data["game_id"]) is None
        assert controller.evening.spoken_for("after the first roll", "new") is None
        controller.restart()
    controller.clock.move(13)
    controller.arm()
    assert controller.evening.spoken_for("lantern", "new") is None
    controller.restart()
    assert controller.evening.spoken_for("lantern", "new") is None


@pytest.mark.parametrize(
    ("armed_at", "is_one"),
    [
        ("2026-11-21T19:00:00Z", True),
        ("2026-11-22T01:00:00+00:00", True),
        ("2026-11-22T14:00:00Z", False),
        ("", False),
    ],
)
def test_games_of_one_evening_are_armed_within_12_hours(armed_at: str, *, is_one: bool) -> None:
    assert one_evening(GameSummary("g1", armed_at=armed_at), "2026-11-21T20:00:00Z") is is_one
