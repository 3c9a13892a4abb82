"""At an event nobody reads stderr: `--unattended`, as the units say it, comes up with what there is, and the pages
say what there is not."""

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from pi_controller.game.room import ScheduleStep
from tests.patience import DEADLINE_S
from tests.system.programs import cli, client_of, program, wait_until, well

SIM = ("--hardware", "sim")
GOOD = "[game]\nschedule = [{from_round = 1, seconds = 77}]\n"
WRONG = '[game]\nrobber_seconds = -1\n[pins]\nmoon_lamp = "13"\n'
WITHOUT_GPIO = pytest.mark.skipif(
    Path("/dev/gpiochip0").exists(), reason="this machine has GPIO: its pins can be used"
)


def state_of(address: str) -> tuple[int, dict[str, Any]]:
    """What the pages are told."""
    try:
        with urllib.request.urlopen(f"{address}api/state", timeout=DEADLINE_S) as answer:  # noqa: S310 - our own
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, json.load(refused)


def test_wrong_settings_start_with_the_last_good_ones(tmp_path: Path) -> None:
    settings, state = tmp_path / "settings.toml", tmp_path / "s"
    settings.write_text(GOOD)
    core = ("core", *SIM, "--unattended", "--settings", settings, "--state-dir", state)
    with program(*core) as first:
        assert well(client_of(state, first).picture())
        assert first.end() == 0
    settings.write_text(WRONG)
    with program(*core) as second:
        client = client_of(state, second)
        told = next(one for one in client.picture().health.messages if one.startswith("E2"))
        assert told.startswith("E2: The settings file has mistakes, so that the last good settings are used")
        assert "[game] robber_seconds" in told
        assert "[pins] moon_lamp" in told
        assert client.command("arm").accepted
        assert client.picture().schedule == [ScheduleStep(from_round=1, seconds=77)]
        assert second.end() == 0
    settings.write_text(GOOD)
    with program(*core) as third:
        assert well(client_of(state, third).picture())


@WITHOUT_GPIO
def test_the_game_goes_on_with_what_works_of_the_panel(tmp_path: Path) -> None:
    state, settings = tmp_path / "s", tmp_path / "settings.toml"
    settings.write_text('[display]\nbus = "spi"\n')
    with program("core", "--unattended", "--settings", settings, "--state-dir", state) as core:
        client = client_of(state, core)
        told = wait_until(lambda: both_told(client.picture().health.messages))
        assert any(
            sentence.startswith("E3: Without Sun lamp, Moon lamp, Pause lamp, buzzer, pause button: ")
            and "lgpio" in sentence
            for sentence in told
        )
        assert client.command("start", {"override": True}).accepted
        assert wait_until(lambda: client.picture().running)
        assert client.command("pause").accepted
        assert core.end() == 0
    assert not any("Traceback" in line for line in core.complained.all())


def both_told(messages: list[str]) -> list[str]:
    """Once what is opened beside the loop, the display, has been tried, too."""
    return messages if any(said.startswith("E3: Without display: ") for said in messages) else []


def test_run_comes_up_with_its_pages(tmp_path: Path) -> None:
    settings, state = tmp_path / "settings.toml", tmp_path / "s"
    settings.write_text(WRONG)
    run = ("run", *SIM, "--unattended", "--port", "0", "--settings", settings, "--state-dir", state)
    with program(*run) as both:
        status, picture = state_of(both.said.wait_for("hall ").removeprefix("hall "))
        assert status == 200
        assert picture["health"]["messages"][0].startswith("E2: ")
        assert both.end() == 0


REFUSED = {
    "key": "list.sentences",
    "params": {"sentences": [{"key": "options.speed_of_simulation_only", "params": {}}]},
}


def test_the_pages_come_up_without_core_and_say_why(tmp_path: Path) -> None:
    state = tmp_path / "s"
    state.mkdir()
    refused = cli("core", "--speed", "60", "--unattended", "--state-dir", state)
    assert refused.returncode == 2
    sentence = refused.stderr.strip()
    with program("web", "--unattended", "--port", "0", "--state-dir", state) as web:
        address = web.said.wait_for("hall ").removeprefix("hall ")
        assert state_of(address) == (
            503,
            {
                "error": f"The controller does not start: {sentence}",
                "reason_keys": [{"key": "core.does_not_start", "params": {"why": REFUSED}}],
                "not_started": sentence,
                "not_started_key": REFUSED,
            },
        )
        asked = cli("status", "--state-dir", state)
        assert (asked.returncode, asked.stderr) == (4, f"The controller does not start: {sentence}\n")
        with program("core", *SIM, "--state-dir", state) as core:
            client_of(state, core)
            assert wait_until(lambda: state_of(address)[0] == 200)
            assert core.end() == 0
        assert "not_started" not in state_of(address)[1]
        assert web.end() == 0


def test_run_starts_the_pages_although_core_does_not_start(tmp_path: Path) -> None:
    """A core that is refused for good; `run` tries it again, and its pages say why meanwhile."""
    state = tmp_path / "s"
    state.mkdir()
    with program("run", "--speed", "60", "--unattended", "--port", "0", "--state-dir", state) as both:
        status, told = state_of(both.said.wait_for("hall ").removeprefix("hall "))
        assert status == 503
        assert "--speed" in told["not_started"]
        assert both.end() == 0


def test_another_core_on_the_state_folder_is_no_news_for_the_pages(tmp_path: Path) -> None:
    state = tmp_path / "s"
    with program("core", *SIM, "--state-dir", state) as core:
        client_of(state, core)
        second = cli("core", *SIM, "--unattended", "--state-dir", state)
        assert second.returncode == 2
        assert "already runs a controller" in second.stderr
        assert not (state / "refusal").exists()
