"""A USB key in the place of the panel's button, from the kernel's events to the game, and how it is chosen."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pi_controller.core.button import CHOICE_FILE, ButtonChooser, ButtonWatch, keep_choice, read_choice
from pi_controller.core.wiring.devices import USB_NS
from pi_controller.hal.debouncer import Debouncer
from pi_controller.hal.evdev import SHORTEST_NS, EvdevButton, KeyChoice
from pi_controller.protocol.messages import AskButton
from pi_controller.settings.sections import PauseButtonSettings
from tests.core.hall import Hall
from tests.core.hand import MS, S
from tests.core.hand_threads import HandThreads
from tests.hal.hand_inputs import DOWN, LETTER_B, SPACE, UP, HandFiles

CHOICE = KeyChoice("by-id/usb-ACME_Big_Red_Button-event-kbd", SPACE, "Big Red Button")


class Bench:
    """The driver's thread is the test: `key` and `move` let it run."""

    def __init__(self, folder: Path, choice: KeyChoice | None = CHOICE, down: tuple[int, ...] = ()) -> None:
        self.hall = Hall().play()
        self.folder = folder
        self.files = HandFiles(folder)
        self.files.plug("event5", down=down)
        self.button = EvdevButton(
            choice,
            clock=self.hall.timers,
            on_error=lambda error: pytest.fail(str(error)),
            inputs=self.files,
            start=lambda _run: lambda: None,
        )
        self.watch = ButtonWatch(
            button=self.button,
            qualifier=Debouncer(contacts="no", hold_ns=3 * S, stable_ns=USB_NS),
            loop=self.hall.loop,
            commands=self.hall.commands,
            timers=self.hall.timers,
            threads=HandThreads(),
        )
        self.threads = HandThreads()
        self.kept: OSError | None = None
        self.chooser = ButtonChooser(self.button, keep=self._keep, threads=self.threads)
        self.watch.start()
        self.turn()
        self.move(S)

    def _keep(self, choice: KeyChoice | None) -> None:
        if self.kept is not None:
            raise self.kept
        keep_choice(self.folder, choice)

    def turn(self) -> None:
        self.files.now_ns = self.hall.timers.now_ns
        self.button.turn(0)

    def move(self, ns: int) -> None:
        self.turn()
        self.hall.move(ns)
        self.turn()

    def key(self, value: int, code: int = SPACE) -> None:
        self.files.now_ns = self.hall.timers.now_ns
        self.files.key("event5", code, value)
        self.turn()

    def ask(self, do: Any = "look") -> dict[str, Any]:
        answer = json.loads(self.chooser.answer(AskButton(do=do)))
        self.turn()
        button: dict[str, Any] = answer["button"]
        return button

    def health(self) -> list[str]:
        return [item.key for item in self.hall.picture.health.items]


@pytest.fixture
def at(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_press_pauses_at_its_first_edge(at: Bench) -> None:
    at.key(DOWN)
    at.hall.move(SHORTEST_NS)
    assert at.hall.picture.paused
    assert at.hall.picture.remaining_ms == 34_000
    assert len(at.hall.picture.claims) == 1


def test_a_press_that_is_over_before_core_looks_counts(at: Bench) -> None:
    at.files.now_ns = at.hall.timers.now_ns
    at.files.key("event5", SPACE, DOWN)
    at.files.key("event5", SPACE, UP)
    at.turn()
    at.hall.move(5 * MS)
    assert at.hall.picture.paused


def test_a_chattering_key_is_one_press(at: Bench) -> None:
    for _ in range(40):
        at.key(DOWN)
        at.hall.move(2 * MS)
        at.key(UP)
        at.hall.move(3 * MS)
    at.move(S)
    assert at.hall.picture.remaining_ms == 34_000
    assert len(at.hall.picture.claims) == 1
    assert at.hall.picture.presses == []


def test_holding_resumes(at: Bench) -> None:
    at.key(DOWN)
    at.move(100 * MS)
    at.key(UP)
    at.move(S)
    at.key(DOWN)
    at.move(3 * S + MS)
    assert at.hall.picture.resume_in_ms is not None


def test_unplugged_in_the_hand_it_does_not_resume_and_is_told(at: Bench) -> None:
    at.key(DOWN)
    at.move(100 * MS)
    at.key(UP)
    at.move(S)
    at.key(DOWN)
    at.move(S)
    at.files.unplug("event5")
    at.move(5 * S)
    assert at.hall.picture.paused
    assert at.hall.picture.resume_in_ms is None
    assert at.health() == ["button.usb_away"]
    at.files.plug("event8")
    at.move(S)
    assert at.health() == []


def test_held_from_the_start_it_is_told_and_does_not_pause(tmp_path: Path) -> None:
    at = Bench(tmp_path, down=(SPACE,))
    assert at.health() == ["button.usb_held"]
    at.key(UP)
    at.move(S)
    assert (at.health(), at.hall.picture.paused) == ([], False)
    at.key(DOWN)
    at.move(5 * MS)
    assert at.hall.picture.paused


def test_stuck_it_is_told(at: Bench) -> None:
    at.key(DOWN)
    at.move(31 * S)
    assert "button.stuck" in at.health()


# How it is chosen.


def test_it_is_chosen_by_pressing_it_and_kept(tmp_path: Path) -> None:
    at = Bench(tmp_path, None)
    assert (at.ask()["usable"], at.ask()["key"], at.ask()["name"]) == (True, None, "")
    assert at.ask("choose")["choosing"]
    at.key(DOWN)
    at.key(UP)
    told = at.ask()
    assert (told["choosing"], told["name"], told["key"], told["sentence"]) == (
        False,
        "Big Red Button",
        SPACE,
        None,
    )
    assert not at.hall.picture.paused
    assert read_choice(tmp_path, PauseButtonSettings()) == CHOICE
    at.key(DOWN)
    at.hall.move(5 * MS)
    told = at.ask()
    assert (told["pressed"], told["presses"], at.hall.picture.paused) == (True, 1, True)


def test_why_nothing_was_chosen_is_told_until_the_next_try(at: Bench) -> None:
    at.ask("choose")
    at.move(21 * S)
    told = at.ask()
    assert (told["choosing"], told["sentence_key"]["key"]) == (False, "button.usb_nothing_pressed")
    assert told["key"] == SPACE
    assert at.ask("choose")["sentence"] is None
    assert at.ask("stop")["choosing"] is False


def test_taken_away_it_stays_away_over_the_settings(at: Bench) -> None:
    at.ask("forget")
    assert at.ask()["key"] is None
    settings = PauseButtonSettings(usb_device="by-id/x", usb_key=LETTER_B)
    assert read_choice(at.folder, settings) is None
    (at.folder / CHOICE_FILE).unlink()
    assert read_choice(at.folder, settings) == KeyChoice("by-id/x", LETTER_B)


def test_a_choice_that_cannot_be_kept_counts_and_is_told(at: Bench) -> None:
    at.kept = OSError(28, "")
    at.ask("choose")
    at.key(DOWN, LETTER_B)
    at.key(UP, LETTER_B)
    told = at.ask()
    assert (told["key"], told["sentence_key"]["key"]) == (LETTER_B, "button.usb_not_kept")


def test_where_the_settings_have_another_button_none_is_chosen() -> None:
    chooser = ButtonChooser(None, keep=lambda _choice: None, threads=HandThreads())
    assert json.loads(chooser.answer(AskButton()))["button"]["usable"] is False
    refused = json.loads(chooser.answer(AskButton(do="choose")))
    assert refused["error_key"]["key"] == "button.usb_not_used"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"choice": 5}',
        '{"choice": {"device": "", "key": 5}}',
        '{"choice": {"device": "x", "key": 0}}',
    ],
)
def test_a_file_that_is_no_choice_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / CHOICE_FILE).write_text(text)
    with pytest.raises(msgspec.DecodeError):
        read_choice(tmp_path, PauseButtonSettings())
