"""The shutdown button on a hand-moved clock: what it takes to switch off, and what lamp, buzzer and display say."""

import stat
from pathlib import Path

import pytest

from pi_controller.core.monitoring import (
    NOT_A_SERVICE,
    POLL_NS,
    SIMULATED,
    STUCK,
    PowerOff,
    request_power_off,
    runtime_folder,
)
from pi_controller.core.panel.view import StatusFace
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from tests.core.hall import Hall
from tests.core.hand import MS, S
from tests.core.hand_button import HandButton


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
