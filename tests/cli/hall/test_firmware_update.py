"""`pi-controller firmware update` and `status`: consent, progress, what became of each table, exit statuses."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pi_controller.cli import firmware_update
from tests.cli.conftest import Run
from tests.hall_of_tables import node, snapshot, uid
from tests.protocol.fake_core import FakeCore

SEGMENT = {"name": "A", "nodes": 4, "done": 1, "part": 5, "parts": 10}
UPDATED = {"end": "updated", "boards": ["A1", "A2"], "text": "Updated."}
LOST = {"end": "lost", "boards": ["A3"], "text": "No answer."}
ASKING = {"version": "1.7", "number": 1, "state": "asking", "board": "A1", "left_s": 60}
WORKING = {"version": "1.7", "number": 1, "state": "working", "segments": [SEGMENT]}


def done(*outcomes: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    key = None if reason is None else {"key": reason, "params": {"version": "1.7", "who": "Ada"}}
    said = {"reason": None if reason is None else "why", "reason_key": key}
    return {"version": "1.7", "number": 1, "state": "done", "outcomes": list(outcomes)} | said


class Views:
    """Core answers with these one after the other; `typed` is what somebody types at each wait."""

    def __init__(self, core: FakeCore, monkeypatch: pytest.MonkeyPatch) -> None:
        self.core = core
        self.views: Iterator[dict[str, Any]] = iter(())
        self.typed: list[str] = []
        core.reply = self._reply
        monkeypatch.setattr(firmware_update, "_waiter", lambda: self._wait)

    def come(self, *views: dict[str, Any], typed: tuple[str, ...] = ()) -> None:
        self.views, self.typed = iter(views), list(typed)

    def _wait(self) -> str:
        return self.typed.pop(0) if self.typed else ""

    def _reply(self, request: dict[str, Any]) -> list[bytes]:
        answer = {"id": request["id"], "accepted": True, "firmware": next(self.views)}
        return [json.dumps(answer).encode() + b"\n"]

    @property
    def asked(self) -> list[str]:
        return [request.get("do", "look") for request in self.core.requests]


@pytest.fixture
def views(core: FakeCore, monkeypatch: pytest.MonkeyPatch) -> Views:
    return Views(core, monkeypatch)


def test_a_press_at_the_table_lets_it_go_on(run: Run, views: Views) -> None:
    views.come(ASKING, ASKING, WORKING, done(UPDATED))
    said = run("firmware", "update")
    assert "A1" in said.err
    assert said.out == "A1 A2: Updated.\n"
    assert views.asked == ["begin", "look", "look", "look"]


def test_a_typed_yes_does_and_other_words_do_not(run: Run, views: Views) -> None:
    views.come(ASKING, ASKING, WORKING, done(UPDATED), typed=("no", "Yes\n"))
    run("firmware", "update")
    assert views.asked == ["begin", "look", "consent", "look"]


def test_yes_on_the_command_line_asks_nobody(run: Run, views: Views) -> None:
    views.come(ASKING, WORKING, done(UPDATED))
    said = run("firmware", "update", "--yes", "--again", "--boards", "A1", "A2")
    assert said.err == ""
    assert views.asked == ["begin", "consent", "look"]
    begun = views.core.requests[0]
    assert (begun["boards"], begun["again"], begun["lang"]) == (["A1", "A2"], True, "en")


def test_one_that_has_it_not_is_told_and_counts(run: Run, views: Views) -> None:
    views.come(WORKING, done(UPDATED, LOST))
    said = run("firmware", "update", "--yes", status=1)
    assert said.out == "A1 A2: Updated.\nA3: No answer.\n"


def test_what_became_of_each_comes_as_json(run: Run, views: Views) -> None:
    views.come(WORKING, done(UPDATED, LOST))
    found = json.loads(run("firmware", "update", "--yes", "--json", status=1).out)
    assert [(one["end"], one["boards"]) for one in found["outcomes"]] == [
        ("updated", ["A1", "A2"]),
        ("lost", ["A3"]),
    ]


@pytest.mark.parametrize(
    ("outcomes", "reason", "status"),
    [
        ((), "firmware.all_current", 0),
        ((), "firmware.not_made", 2),
        (({"end": "not_begun", "boards": ["A1"], "text": "Not begun."},), "firmware.no_consent", 2),
        ((UPDATED, {"end": "stopped", "boards": ["A3"], "text": "Stopped."}), "firmware.stopped_by", 1),
    ],
)
def test_an_end_without_tables_says_why(
    run: Run, views: Views, outcomes: tuple[dict[str, Any], ...], reason: str, status: int
) -> None:
    views.come(done(*outcomes, reason=reason))
    assert run("firmware", "update", "--yes", status=status).out.count("\n") == 1 + len(outcomes)


def test_a_refusal_is_one_sentence(run: Run, core: FakeCore) -> None:
    answer = {"accepted": False, "reasons": ["A game is running."], "firmware": {"version": "1.7"}}
    core.reply = lambda request: [json.dumps({"id": request["id"]} | answer).encode() + b"\n"]
    assert run("firmware", "update", status=2).err == "A game is running.\n"


def test_ctrl_c_stops_it(run: Run, views: Views, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(firmware_update, "_waiter", lambda: interrupted)
    views.come(ASKING, done(reason="firmware.stopped_by"))
    run("firmware", "update", status=130)
    assert views.asked == ["begin", "stop"]


def test_without_a_core_that_is_said(run: Run, state: object) -> None:
    run("firmware", "update", "--yes", status=4)


def test_a_board_is_wanted_behind_boards(run: Run, state: object) -> None:
    assert "--boards" in run("firmware", "update", "--boards", status=2).err


def test_status_names_tables_by_their_firmware(run: Run, core: FakeCore) -> None:
    core.others["firmware"] = {"accepted": True, "firmware": {"version": "1.7"}}
    core.tables = snapshot([node(4, "A12"), node(1, "A2"), node(2, "A1", firmware="1.7"), node(3, None)])
    first, *lines = run("firmware", "status").out.splitlines()
    assert "1.7" in first
    assert [line.split() for line in lines] == [["1.0", "A2", "A12", uid(3)], ["1.7", "A1"]]
    core.tables = snapshot([])
    assert len(run("firmware", "status").out.splitlines()) == 2
