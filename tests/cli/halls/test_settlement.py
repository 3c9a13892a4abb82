"""`pi-controller links settle`: which of two that lead does, confirmed by a hall's name."""

import io
import sys

import pytest

from pi_controller.cli.main import main
from tests.cli.conftest import Run
from tests.protocol.fake_core import FakeCore
from tests.protocol.pictures import link, picture

DIVIDED = link(role="leader", hall="main", state="divided", leader="west", heard_ms=None)


class Keyboard(io.StringIO):
    def isatty(self) -> bool:
        return True


def asked(core: FakeCore) -> list[tuple[bool, str]]:
    return [(one["lead"], one["hall"]) for one in core.asked("settle")]


@pytest.mark.parametrize(("which", "hall"), [("--lead", "main"), ("--give-way", "west")])
def test_on_a_terminal_what_follows_is_said_and_the_name_is_asked_for(
    core: FakeCore,
    monkeypatch: pytest.MonkeyPatch,
    run: Run,
    which: str,
    hall: str,
) -> None:
    core.picture = picture(link=DIVIDED)
    core.others["settle"] = {"done": True}
    monkeypatch.setattr(sys, "stdin", Keyboard(f" {hall}\n"))
    said = run("links", "settle", which).out
    assert "stands still" in said
    assert f"type the name of the hall that is to lead: {hall}." in said
    assert "Decided." in said
    assert asked(core) == [(which == "--lead", hall)]


def test_a_script_names_the_hall(core: FakeCore) -> None:
    core.others["settle"] = {"done": True}
    assert main(["links", "settle", "--give-way", "--hall", "west"]) == 0
    assert asked(core) == [(False, "west")]


def test_what_core_refuses_is_one_sentence_and_status_3(core: FakeCore, run: Run) -> None:
    key = {"key": "link.nothing_to_settle", "params": {}}
    core.others["settle"] = {"error": "There is nothing.", "error_key": key}
    assert run("links", "settle", "--lead", "--hall", "main", status=3).err.startswith("There is nothing to ")


def test_where_nothing_is_to_be_decided_nobody_is_asked_for_a_name(
    core: FakeCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    core.picture = picture(link=DIVIDED | {"state": "leading"})
    core.others["settle"] = {
        "error": "Nothing.",
        "error_key": {"key": "link.nothing_to_settle", "params": {}},
    }
    monkeypatch.setattr(sys, "stdin", Keyboard(""))
    assert main(["links", "settle", "--lead"]) == 3
    assert asked(core) == [(True, "")]
