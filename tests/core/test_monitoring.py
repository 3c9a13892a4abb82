"""What the room picture says of the computer, and the button that switches it off."""

import stat
from pathlib import Path
from typing import Any

import pytest

from pi_controller.core.game_loop.picture import Obstacles
from pi_controller.core.monitoring import (
    IDLE_NS,
    LOOK_NS,
    NOT_A_SERVICE,
    POLL_NS,
    SIMULATED,
    STUCK,
    Computer,
    PowerOff,
    judge_heat,
    request_power_off,
    runtime_folder,
)
from pi_controller.core.panel.view import StatusFace
from pi_controller.hal.roles import HardwareError, SystemFacts
from pi_controller.hal.sim.machine import SimFacts
from pi_controller.language.words import all_words, words
from pi_controller.protocol import refusal
from pi_controller.sentence import Sentence, as_told
from tests.core.hall import Hall
from tests.core.hand import MS, S
from tests.core.hand_button import HandButton
from tests.core.hand_threads import HandThreads

# Supply, heat, disk and battery clock: what the room picture says of them, and when no game may start.


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
        ("supply.under_voltage_since_boot", True, "supply", "warning", "has been too low at times since"),
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
    assert watch.health.messages == ["The controller is warm (74 °C): improve its ventilation."]
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


# The shutdown button on a hand-moved clock: what it takes to switch off, and what lamp, buzzer and display say.


class Desk:
    def __init__(self, *, down: bool = False, answer: str | None = None) -> None:
        self.hall = Hall()
        self.hall.loop.begin()
        self.button = HandButton()
        self.button.down = down
        self.asked = 0
        self.answer = answer
        self.free = True
        self.power_off = PowerOff(
            self.button,
            outputs=self.hall.outputs,
            loop=self.hall.loop,
            timers=self.hall.timers,
            hold_ns=3 * S,
            request=self._request,
            free=lambda: self.free,
        )
        self.power_off.begin()
        self.move(4 * POLL_NS)

    def _request(self) -> str | None:
        self.asked += 1
        return self.answer

    def move(self, ns: int) -> None:
        for _ in range(ns // POLL_NS):
            self.hall.move(POLL_NS)

    def press(self, ns: int) -> None:
        self.button.down = True
        self.move(ns)

    def release(self) -> None:
        self.button.down = False
        self.move(4 * POLL_NS)

    @property
    def face(self) -> StatusFace:
        return self.hall.display.faces[-1]

    @property
    def health(self) -> dict[str, object]:
        health: dict[str, object] = self.hall.pictures[-1].health
        return health


def test_a_button_that_is_up_is_looked_at_seldom_and_at_once_closely_when_it_is_down() -> None:
    desk = Desk()
    looks = 0
    pressed = desk.button.pressed

    def look() -> bool:
        nonlocal looks
        looks += 1
        return pressed()

    desk.button.pressed = look  # type: ignore[method-assign]
    desk.hall.move(10 * S)
    assert looks == 10 * S // IDLE_NS
    looks = 0
    desk.press(S + IDLE_NS)
    assert looks >= S // POLL_NS
    desk.release()
    looks = 0
    desk.hall.move(10 * S)
    assert looks <= 10 * S // IDLE_NS + 4


def test_held_for_three_seconds_it_switches_off_once() -> None:
    desk = Desk()
    beeps = []
    desk.press(100 * MS)
    for _ in range(3):
        beeps.append(desk.face.big)
        desk.move(S)
    assert beeps == ["3", "2", "1"]
    assert desk.asked == 1
    assert desk.face.headline == "Switching off"
    assert desk.hall.log.lines[-1][2] == {"power_off": "asked for"}
    desk.move(5 * S)
    desk.release()
    desk.press(5 * S)
    assert desk.asked == 1
    assert desk.face.headline == "Switching off"


def test_while_it_is_held_the_lamp_blinks_below_three_hertz_and_each_second_ticks() -> None:
    desk = Desk()
    changes: list[bool] = []
    sounds: list[bool] = []
    desk.button.down = True
    for _ in range(40):
        desk.hall.move(POLL_NS)
        for seen, level in ((changes, desk.hall.pause_lamp.lit), (sounds, desk.hall.buzzer.on)):
            if not seen or seen[-1] != level:
                seen.append(level)
    assert 8 <= len(changes) <= 11
    assert sounds.count(True) == 2


def test_let_go_in_time_nothing_happens_and_the_game_shows_again() -> None:
    desk = Desk()
    before = desk.face
    desk.press(2500 * MS)
    assert desk.face.headline == "Keep holding"
    desk.release()
    assert desk.asked == 0
    assert desk.face == before
    desk.press(2500 * MS)
    assert desk.asked == 0


def test_a_bounce_is_no_press() -> None:
    desk = Desk()
    before = desk.face
    desk.button.down = True
    desk.hall.move(POLL_NS)
    desk.button.down = False
    desk.move(S)
    assert desk.face == before


def test_while_the_clock_runs_it_asks_for_a_pause_first() -> None:
    desk = Desk()
    desk.hall.ask("start")
    desk.hall.move(5 * S)
    desk.press(3500 * MS)
    assert desk.asked == 0
    assert (desk.face.headline, desk.face.footer) == ("Pause first", "then hold to switch off")
    desk.release()
    assert desk.face.headline == "Round 1"
    desk.hall.ask("pause")
    desk.press(3500 * MS)
    assert desk.asked == 1


def test_play_that_goes_on_under_the_hand_ends_it() -> None:
    desk = Desk()
    desk.press(S)
    desk.hall.ask("start")
    desk.move(S)
    assert desk.face.headline == "Pause first"
    desk.move(5 * S)
    assert desk.asked == 0


def test_it_says_why_it_cannot() -> None:
    desk = Desk(answer=NOT_A_SERVICE)
    desk.press(3200 * MS)
    assert desk.face.headline == "Cannot switch off"
    assert desk.health.messages == [words(NOT_A_SERVICE)]
    desk.release()
    assert desk.face.headline == "Cannot switch off", "it stays long enough to be read"
    desk.move(3 * S)
    assert desk.face.headline == "Ready"
    desk.press(3200 * MS)
    assert desk.asked == 2


def test_pressed_since_the_start_it_is_ignored_until_it_is_let_go() -> None:
    desk = Desk(down=True)
    desk.move(5 * S)
    assert desk.asked == 0
    assert desk.health.messages == [words(STUCK)]
    desk.release()
    assert desk.health.messages == []
    desk.press(3200 * MS)
    assert desk.asked == 1


def test_while_the_outputs_are_tested_it_does_nothing() -> None:
    desk = Desk()
    desk.free = False
    desk.press(4 * S)
    assert desk.asked == 0


def test_a_button_that_cannot_be_read_is_told() -> None:
    desk = Desk()
    desk.button.broken = True
    desk.move(S)
    assert desk.health.messages == ["Shutdown button on BCM 27 cannot be read: check its wiring."]
    desk.power_off.stop()


def test_the_request_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert request_power_off(tmp_path, simulated=False) is None
    assert stat.S_IMODE((tmp_path / "power-off").stat().st_mode) == 0o600
    assert request_power_off(None, simulated=False) == NOT_A_SERVICE
    refused = request_power_off(tmp_path / "no", simulated=False)
    assert refused == Sentence("shutdown.not_from_here", why=Sentence("system.no_such_file"))
    (tmp_path / "power-off").unlink()
    assert request_power_off(tmp_path, simulated=True) == SIMULATED
    assert not (tmp_path / "power-off").exists()
    monkeypatch.setenv("RUNTIME_DIRECTORY", f"{tmp_path}:/run/other")
    assert runtime_folder() == tmp_path
    monkeypatch.delenv("RUNTIME_DIRECTORY")
    assert runtime_folder() is None
