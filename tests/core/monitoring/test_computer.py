"""Supply, heat, disk and battery clock: what the room picture says of them, and when no game may start."""

from pathlib import Path
from typing import Any

import pytest

from pi_controller.core.game_loop.picture import Obstacles
from pi_controller.core.monitoring import LOOK_NS, Computer, judge_heat
from pi_controller.hal.roles import HardwareError, SystemFacts
from pi_controller.hal.sim.machine import SimFacts
from pi_controller.language.words import all_words
from pi_controller.protocol import refusal
from pi_controller.sentence import Sentence, as_told
from tests.core.hall import Hall
from tests.core.hand_threads import HandThreads


class Broken:
    def read(self) -> SystemFacts:
        raise HardwareError(as_told("The state folder cannot be looked at: check its disk."))


class Watch:
    """A computer on a hand-moved clock; what it does on threads is done when told."""

    def __init__(self, folder: Path, facts: Any = None) -> None:
        self.hall = Hall()
        self.newest_wall = ""
        self.facts = facts or SimFacts(folder)
        self.obstacles = Obstacles()
        self.threads = HandThreads(at_once=False)
        self.computer = Computer(
            self.facts,
            loop=self.hall.loop,
            obstacles=self.obstacles,
            timers=self.hall.timers,
            threads=self.threads,
            web=folder / "web",
            clock=self.hall.timers,  # type: ignore[arg-type]
            newest_wall=lambda: self.newest_wall,
        )
        self.computer.begin()
        self.work()

    def work(self) -> None:
        self.threads.work()
        self.hall._keep_up()

    def say(self, name: str, value: object) -> None:
        self.facts.change(name, value)
        self.hall.timers.move(LOOK_NS)
        self.work()

    @property
    def health(self) -> dict[str, Any]:
        health: dict[str, Any] = self.hall.pictures[-1].health if self.hall.pictures else {}
        return health

    @property
    def against(self) -> tuple[str, ...]:
        against = self.obstacles.against(disk=None).get("start")
        return () if against is None else against.reasons

    def notes(self) -> list[dict[str, Any]]:
        return [data for _, kind, data in self.hall.log.lines if kind == "note"]


@pytest.mark.parametrize(
    ("name", "value", "part", "level", "words"),
    [
        ("supply.under_voltage", True, "supply", "fault", "supply is too low now"),
        ("supply.under_voltage_since_boot", True, "supply", "warning", "has been too low since"),
        ("supply.throttled", True, "supply", "warning", "slowed down"),
        ("temperature_c", 75.0, "heat", "warning", "warm (75 °C)"),
        ("temperature_c", 82.5, "heat", "fault", "too hot (82 °C)"),
        ("disk.free_bytes", 150_000_000, "disk", "warning", "nearly full (150 MB free)"),
        ("disk.free_bytes", 19_000_000, "disk", "fault", "is full (19 MB free)"),
        ("disk.errors", 3, "disk", "warning", "has had 3 errors"),
        ("clock.rtc_runs", False, "battery clock", "warning", "battery of the controller's clock is empty"),
    ],
)
def test_each_condition_is_said_and_goes_again(
    tmp_path: Path, *, name: str, value: object, part: str, level: str, words: str
) -> None:
    watch = Watch(tmp_path)
    assert not watch.hall.pictures
    assert watch.against == ()
    before = SimFacts(tmp_path).read()
    watch.say(name, value)
    assert watch.health.level == level
    assert words in watch.health.messages[0]
    assert all_words(watch.against) == (watch.health.messages if level == "fault" else [])
    assert watch.notes() == [{"computer": part, "condition": watch.health.messages[0]}]
    group, _, inner = name.partition(".")
    well = getattr(before, group)
    watch.say(name, getattr(well, inner) if inner else well)
    assert (watch.health.level, watch.health.messages) == ("ok", [])
    assert watch.against == ()
    assert watch.notes()[1] == {"computer": part, "condition": None}


def test_a_look_that_breaks_off_with_a_defect_is_followed_by_the_next(tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    well, watch.facts.read = watch.facts.read, lambda: 1 // 0
    watch.hall.timers.move(LOOK_NS)
    with pytest.raises(ZeroDivisionError):
        watch.work()
    assert watch.against == ()
    watch.facts.read = well
    watch.say("disk.free_bytes", 19_000_000)
    assert watch.health.level == "fault"


@pytest.mark.parametrize("name", ["supply", "temperature_c", "watchdog"])
def test_a_computer_that_does_not_say_it_is_well(tmp_path: Path, *, name: str) -> None:
    watch = Watch(tmp_path)
    watch.say(name, None)
    assert not watch.hall.pictures


def test_a_sentence_stays_until_it_is_clearly_cooler(tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    watch.say("temperature_c", 75.2)
    watch.say("temperature_c", 74.0)
    assert watch.health.messages == ["The controller is warm (74 °C): give it air."]
    assert len(watch.notes()) == 1
    watch.say("temperature_c", 71.9)
    assert watch.health.level == "ok"
    cool = SimFacts(tmp_path)
    cool.change("temperature_c", 74.0)
    assert judge_heat(cool.read(), told=False) is None


def test_a_disk_that_cannot_be_looked_at_stands_against_a_start(tmp_path: Path) -> None:
    watch = Watch(tmp_path, Broken())
    assert all_words(watch.against) == ["The state folder cannot be looked at: check its disk."]
    assert watch.health.level == "fault"


def test_a_stalled_look_is_not_joined_by_a_second(tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    watch.hall.timers.move(LOOK_NS)
    assert len(watch.threads.waiting) == 1
    watch.hall.timers.move(5 * LOOK_NS)
    assert len(watch.threads.waiting) == 1
    watch.work()
    watch.hall.timers.move(LOOK_NS)
    assert len(watch.threads.waiting) == 1


def test_after_stop_nothing_is_said(tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    watch.facts.change("temperature_c", 90.0)
    watch.hall.timers.move(LOOK_NS)
    watch.computer.stop()
    watch.work()
    watch.hall.timers.move(3 * LOOK_NS)
    watch.computer.begin()
    assert not watch.hall.pictures
    assert not watch.threads.waiting


def test_the_figures_are_those_of_the_last_look(tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    watch.say("supply.under_voltage", True)
    watch.say("temperature_c", 61.5)
    watch.say("disk.errors", None)
    figures = watch.computer.figures()
    assert figures.pop("computer_disk_free_bytes") > 0
    assert figures == {
        "computer_temperature_celsius": 61.5,
        "computer_under_voltage": 1,
        "computer_under_voltage_since_boot": 0,
        "computer_throttled": 0,
    }
    watch.say("supply", None)
    assert set(watch.computer.figures()) == {"computer_temperature_celsius", "computer_disk_free_bytes"}


def test_a_computer_that_cannot_be_looked_at_has_no_figures(tmp_path: Path) -> None:
    assert Watch(tmp_path, Broken()).computer.figures() == {}


def test_pages_that_are_not_served_are_told_with_the_reason_until_they_are(tmp_path: Path) -> None:
    watch, web = Watch(tmp_path), tmp_path / "web"
    web.mkdir()
    refusal.leave(web, [Sentence("web.port_in_use", port=80, host="0.0.0.0")])
    watch.hall.timers.move(LOOK_NS)
    watch.work()
    (item,) = watch.health.items
    assert (item.key, item.level) == ("computer.no_pages", "fault")
    assert "80" in item.text
    refusal.withdraw(web)
    watch.hall.timers.move(LOOK_NS)
    watch.work()
    assert watch.health.level == "ok"


@pytest.mark.parametrize(
    ("newest", "told"),
    [
        ("2026-11-21T18:59:00Z", []),
        ("2026-11-21T19:00:30Z", []),
        ("2026-11-21T19:02:00Z", ["computer.clock_behind"]),
        ("2031-01-01T00:00:00.000001+00:00", ["computer.clock_behind"]),
        ("", []),
        ("no time", []),
    ],
)
def test_a_clock_before_the_journals_own_last_line_is_told(
    tmp_path: Path, newest: str, told: list[str]
) -> None:
    watch = Watch(tmp_path)
    watch.newest_wall = newest
    watch.hall.timers.move(LOOK_NS)
    watch.work()
    assert [item.key for item in (watch.health.items if watch.health else [])] == told
