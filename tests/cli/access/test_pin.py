"""`pi-controller pin`: made, shown once, taken away."""

import re
from pathlib import Path

import pytest

from pi_controller.cli.main import main
from pi_controller.web.http.access import PinFile
from tests.cli.conftest import Run
from tests.protocol.fake_core import FakeCore, line


def test_a_new_pin_goes_to_the_display_only(
    state: Path, core: FakeCore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pin", "new"]) == 0
    (asked,) = core.requests
    said = capsys.readouterr()
    assert said.out == "The new PIN is on the controller's display for one minute.\n"
    assert asked["pin"] not in said.out + said.err
    assert PinFile(state / "web").matches(asked["pin"])


@pytest.mark.parametrize("there", [True, False])
def test_a_pin_that_nobody_could_read_is_not_made(
    state: Path, there: bool, request: pytest.FixtureRequest, run: Run
) -> None:
    if there:
        core = request.getfixturevalue("core")
        core.reply = lambda asked: [
            line(
                {"id": asked["id"], "error": "There is no local display here: the PIN cannot be shown on it."}
            )
        ]
    said = run("pin", "new", status=3 if there else 4).err
    assert "No new PIN was made; `pi-controller pin new --print` prints it on this terminal." in said
    assert ("There is no local display" if there else "No controller answers") in said
    assert not PinFile(state / "web").is_set()


def test_a_pin_for_the_terminal(state: Path, run: Run) -> None:
    assert "There is no PIN" in run("pin", "show").out
    said = run("pin", "new", "--print", "--end-sessions").out
    found = re.search(r"The new PIN is (\d{6})\.", said)
    assert found is not None
    assert "must log in again" in said
    assert PinFile(state / "web").matches(found[1])
    assert (state / "web" / "secret").exists()
    shown = run("pin", "show").out
    assert "There is a PIN since 2" in shown
    assert found[1] not in shown
    assert run("pin", "off").out == "Log-in by PIN is off.\n"
    assert run("pin", "off").out == "There was no PIN.\n"


def test_a_folder_that_cannot_be_written(state: Path, run: Run) -> None:
    (state / "web").write_text("a file in the way")
    assert run("pin", "new", "--print", status=1).err.startswith(str(state / "web"))
