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
WAITS = "waiting for it"
"""What `run` says on a machine on which core needs more than 10 s to come up."""
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
    """Attended, nothing starts: all mistakes are told together."""
    settings, state = tmp_path / "settings.toml", tmp_path / "s"
    settings.write_text(GOOD)
    at = (f"--settings={settings}", f"--state-dir={state}", *SIM)
    with program("core", "--unattended", *at) as first:
        assert well(client_of(state, first).picture())
        assert first.end() == 0
    settings.write_text(WRONG)
    refused = cli("run", *at)
    said = [line for line in refused.stderr.splitlines() if not line.endswith(WAITS)]
    assert (refused.returncode, refused.stdout, len(said)) == (2, "", 2), refused
    assert cli("settings", "check", settings).stderr.splitlines() == said
    with program("run", "--unattended", "--port=0", *at) as second:
        status, picture = state_of(second.said.wait_for("hall ").removeprefix("hall "))
        told = picture["health"]["messages"][0]
        assert (status, told.startswith("E2: ")) == (200, True)
        assert "[game] robber_seconds" in told
        assert "[pins] moon_lamp" in told
        client = client_of(state)
        assert client.command("arm").accepted
        assert client.picture().schedule == [ScheduleStep(from_round=1, seconds=77)]
        assert second.end() == 0


@WITHOUT_GPIO
def test_the_game_goes_on_with_what_works_of_the_panel(tmp_path: Path) -> None:
    state, settings = tmp_path / "s", tmp_path / "settings.toml"
    settings.write_text('[display]\nbus = "spi"\n')
    with program("core", "--unattended", "--settings", settings, "--state-dir", state) as core:
        client = client_of(state, core)
        told = wait_until(lambda: both_told(client.picture().health.messages))
        assert any(
            sentence.startswith("E3: Without Sun lamp, Moon lamp, Pause lamp, buzzer and pause button: ")
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
            other = cli("core", *SIM, "--unattended", "--state-dir", state)
            assert (other.returncode, "already runs a controller" in other.stderr) == (2, True)
            assert not (state / "refusal").exists(), "that is no news for the pages"
            assert core.end() == 0
        assert "not_started" not in state_of(address)[1]
        assert web.end() == 0
