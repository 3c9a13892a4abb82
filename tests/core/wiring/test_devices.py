"""Settings and options to the parts of core."""

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from msgspec import to_builtins

from pi_controller.core.button import CHOICE_FILE
from pi_controller.core.game_loop.opening import header, read_rules, rules_from
from pi_controller.core.game_loop.pending import MOST_KEPT, KeptAnswer, KeptAnswers, fingerprint
from pi_controller.core.panel.outputs import ToneLimit
from pi_controller.core.runtime import Health
from pi_controller.core.wiring import devices as wiring
from pi_controller.core.wiring.devices import PanelDevices, WrongOptions, check_options, open_panel
from pi_controller.core.wiring.service import Service
from pi_controller.game.commands import Step
from pi_controller.game.game import new_game
from pi_controller.hal.system.kernel import SystemClock
from pi_controller.hal.system.logs import MOST_LINES, WINDOW_S, LogLimit
from pi_controller.journal.verify_game import read_opening
from pi_controller.language.words import words
from pi_controller.protocol.commands import Arm
from pi_controller.protocol.options import CoreOptions
from pi_controller.sentence import Sentence, as_told
from pi_controller.settings.load import load
from pi_controller.settings.sections import GameSettings, HardwareChoice, Settings
from tests.core.hall import SEED
from tests.core.hand import HandTimers
from tests.core.hand_threads import HandThreads
from tests.core.panel.test_simulation import Watcher
from tests.patience import DEADLINE_S
from tests.said import refuses

# Settings to the panel's parts, on simulated pins.


class WatchedLimit(ToneLimit):
    """The real one; `asked_s` are the seconds after which it was to end tones, `ended` is set when it has."""

    asked_s: list[float]
    ended: threading.Event

    def start(self, after_s: float, act: Callable[[], None]) -> object:  # type: ignore[override]
        self.asked_s.append(after_s)

        def end() -> None:
            act()
            self.ended.set()

        return super().start(after_s, end)


def panel_of(
    folder: Path, text: str, hardware: HardwareChoice = "sim", threads: HandThreads | None = None
) -> PanelDevices:
    file = folder / "settings.toml"
    file.write_text(text)
    return open_panel(
        load(file, hardware),
        clock=SystemClock(),
        timers=HandTimers(),
        threads=threads or HandThreads(),
        state_dir=folder,
        on_callback_error=lambda error: pytest.fail(str(error)),
    )


def test_without_a_panel_nothing_is_missing_and_nothing_is_simulated(tmp_path: Path) -> None:
    """An evening on a laptop: its pins lead nowhere, and no wire of a button counts as broken."""
    panel = panel_of(tmp_path, "", "none")
    try:
        assert (panel.simulation, panel.display, panel.shutdown_button) == (None, None, None)
        assert panel.shortfalls == []
        contacts = panel.button.contacts()
        assert (contacts.no_closed, contacts.nc_closed) == (False, None)
    finally:
        panel.close()


@pytest.mark.parametrize(
    ("kept", "key", "troubles"),
    [
        (None, 48, []),
        ('{"choice": {"device": "by-id/y", "key": 57}}', 57, []),
        ('{"choice": null}', None, []),
        ("{", None, ["button.usb_choice_unreadable"]),
    ],
)
def test_the_usb_key_is_that_which_was_chosen_last(
    tmp_path: Path, kept: str | None, key: int | None, troubles: list[str]
) -> None:
    if kept is not None:
        (tmp_path / CHOICE_FILE).write_text(kept)
    panel = panel_of(tmp_path, '[pause_button]\nusb_device = "by-id/x"\nusb_key = 48\n', "none")
    try:
        assert panel.usb is panel.button
        assert panel.usb is not None
        assert (panel.usb.choice and panel.usb.choice.key) == key
        assert [shortfall.sentence.key for shortfall in panel.shortfalls] == troubles
    finally:
        panel.close()


@pytest.mark.parametrize("longest_ms", [50, 120])
def test_the_driver_itself_ends_a_tone_after_the_time_in_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, longest_ms: int
) -> None:
    """Nobody else is there to end it: time stands still for the loop, as it does when the loop hangs."""
    WatchedLimit.asked_s, WatchedLimit.ended = [], threading.Event()
    monkeypatch.setattr(wiring, "ToneLimit", WatchedLimit)
    panel = panel_of(tmp_path, f"[buzzer]\nlongest_tone_ms = {longest_ms}\n")
    try:
        assert panel.outputs.buzzer is not None
        assert panel.outside is not None
        panel.outputs.buzzer.sound(on=True)
        assert panel.outside.level(16)
        assert WatchedLimit.ended.wait(DEADLINE_S)
        assert not panel.outside.level(16)
        assert WatchedLimit.asked_s == [longest_ms / 1000]
    finally:
        panel.close()


def test_the_loop_hears_of_the_simulated_panel_only_while_somebody_watches(tmp_path: Path) -> None:
    called: list[object] = []
    panel = panel_of(tmp_path, "", threads=HandThreads(called.append))
    try:
        assert panel.simulation is not None
        panel.outputs.sun.show(lit=True)
        assert called == []
        watcher = Watcher()
        panel.simulation.watch(watcher)  # type: ignore[arg-type]
        assert watcher.panels[-1]["sun"] is True
        panel.outputs.moon.show(lit=True)
        assert len(called) == 1
    finally:
        panel.close()


def test_a_buzzer_that_is_switched_off_never_sounds(tmp_path: Path) -> None:
    panel = panel_of(tmp_path, "[buzzer]\nenabled = false\n")
    assert panel.outputs.buzzer is None
    panel.close()


# The local display is opened by one thread at a time, and tried again whatever broke off.


def test_one_opening_at_a_time_and_another_after_one_that_broke_off() -> None:
    threads = HandThreads(at_once=False)
    opened: list[object] = []
    outputs = SimpleNamespace(display=None, replace_display=opened.append)
    service: Any = Service.__new__(Service)
    service._runtime, service._opening_display = SimpleNamespace(threads=threads), False
    panel: Any = SimpleNamespace(outputs=outputs)

    def broken() -> object:
        raise RuntimeError("a defect of a driver")

    def begin(open_device: Any) -> None:
        service._open_display(panel, SimpleNamespace(open=open_device))

    begin(broken)
    begin(broken)
    assert len(threads.waiting) == 1
    with pytest.raises(RuntimeError):
        threads.work()
    begin(lambda: "a display")
    threads.work()
    assert opened == ["a display"]


# Health, log limit, kept answers, header and options.


FULL = Sentence("computer.disk_full", free_mb=3.2)


def test_health_shows_faults_first_and_tells_changes_only() -> None:
    health = Health()
    assert health.report("lag", "warning", as_told("Late."))
    assert not health.report("lag", "warning", as_told("Late."))
    assert health.report("disk", "fault", FULL)
    assert to_builtins(health.picture) == {
        "level": "fault",
        "messages": [
            "The controller's disk is full (3 MB free): remove old games or use a larger card.",
            "Late.",
        ],
        "items": [
            {
                "key": "computer.disk_full",
                "params": {"free_mb": 3.2},
                "level": "fault",
                "text": "The controller's disk is full (3 MB free): remove old games or use a larger card.",
            },
            {"key": "told.as_it_is", "params": {"text": "Late."}, "level": "warning", "text": "Late."},
        ],
        "lost": False,
    }
    assert health.report("disk", "fault", None)
    assert (health.picture.level, health.picture.messages) == ("warning", ["Late."])
    assert not health.report("disk", "fault", None)


def test_health_is_told_in_the_language_of_the_hall() -> None:
    health = Health("en-XA")
    health.report("disk", "fault", FULL)
    assert health.picture.messages == [words(FULL, "en-XA")]
    assert [item.text for item in health.picture.items] == health.picture.messages


def test_a_storm_of_log_lines_is_cut_off_and_counted() -> None:
    now_s = [0.0]
    limit = LogLimit(now_s=lambda: now_s[0])
    records = [
        logging.LogRecord("x", logging.INFO, "x", 1, "line", None, None) for _ in range(MOST_LINES + 51)
    ]
    assert [limit.filter(record) for record in records[:-1]].count(True) == MOST_LINES
    now_s[0] = WINDOW_S
    assert limit.filter(records[-1])
    assert records[-1].msg == "(50 lines were left out) line"


def test_the_oldest_answers_go_first() -> None:
    answers = KeptAnswers()
    for number in range(MOST_KEPT + 1):
        answers.keep(f"k{number}", KeptAnswer("f", accepted=True))
    assert answers.get("k0") is None
    assert answers.get("k1") is not None


def test_a_fingerprint_knows_the_command_and_not_its_spelling() -> None:
    assert fingerprint("say", {"a": 1, "b": 2}) == fingerprint("say", {"b": 2, "a": 1})
    assert fingerprint("say", {"a": 1}) != fingerprint("say", {"a": 2})
    assert fingerprint("skip", None) != fingerprint("pause", None)


def test_the_header_brings_the_rules_back_and_satisfies_the_verifier() -> None:
    rules = rules_from(
        Settings(game=GameSettings(robber_seconds=8.5, schedule=(Step(1, 20),))), Arm(first_side="moon")
    )
    assert (rules.robber_ms, rules.first_side, rules.schedule) == (8500, "moon", (Step(1, 20),))
    game = new_game("g1", rules, SEED)
    data = msgspec.json.decode(msgspec.json.encode(header(game)))
    assert read_rules(data["rules"]) == rules
    line_1 = {"kind": "game", "data": {**data, "format": 2, "game_id": "g1"}}
    assert read_opening(line_1) == (2, rules.after_robber)
    assert data["commitment"] == game.dice.commitment


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"speed": 2.0}, "--speed"),
        ({"seed_hex": "00" * 32}, "--seed-hex makes rolls"),
        ({"virtual_tables": 40}, "--virtual-tables replaces real table nodes"),
    ],
)
def test_what_is_only_for_simulations(options: dict[str, object], sentence: str) -> None:
    with refuses(WrongOptions, sentence):
        check_options(CoreOptions(state_dir=Path("x"), **options), Settings())  # type: ignore[arg-type]
