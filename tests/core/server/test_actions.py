"""The last actions over the control socket, with what undoing them would leave."""

import json
from typing import Any

from pi_controller.core.server.requests import answer_about_actions
from pi_controller.protocol.messages import AskActions
from tests.core.hall import Hall, accepted
from tests.core.hand import S


def playing() -> Hall:
    hall = Hall().begin()
    assert accepted(hall.ask("start"))
    hall.move(5 * S)
    assert accepted(hall.ask("add_time", {"ms": 10_000}))
    hall.move(1 * S)
    return hall


def asked(hall: Hall, **question: Any) -> dict[str, Any]:
    line = answer_about_actions(hall.loop, AskActions(**question), hall.timers.boot_ns())
    return json.loads(line)  # type: ignore[no-any-return]


def test_each_action_has_its_moment_its_source_and_its_words_in_the_language_of_who_asks() -> None:
    hall = playing()
    told = asked(hall, lang="de")["actions"]
    newest = told["actions"][0]
    assert (newest["text"], newest["said"]["key"]) == ("10 s dazugegeben", "action.time_added")
    assert told["as_of_ms"] - newest["at_ms"] == 1_000
    assert (told["seq"], told["session"]) == (hall.loop.seq, "s")
    assert told["undone"] == []
    assert told["outcome"] is None


def test_what_an_undo_would_leave_is_told_and_nothing_is_done() -> None:
    hall = playing()
    seq = hall.loop.seq
    newest, start = asked(hall)["actions"]["actions"]
    assert newest["steps"] == 1
    assert newest["outcome"] == {
        "phase": "round", "round": 1, "side": "sun", "paused": False,
        "remaining_ms": 32_000, "open_claims": 0, "reasons": [], "keys": [],
    }  # fmt: skip
    assert start["outcome"]["phase"] == "ready"
    assert hall.loop.seq == seq


def test_a_replacement_is_told_beforehand_too() -> None:
    hall = playing()
    told = asked(hall, replace={"name": "add_time", "body": {"ms": -5_000}})["actions"]["outcome"]
    assert (told["remaining_ms"], told["reasons"]) == (27_000, [])
    refused = asked(hall, replace={"name": "claim", "body": {"board": "A1", "side": "sun", "press": "p9"}})
    assert refused["actions"]["outcome"]["reasons"] != []


def test_what_is_no_replacement_is_malformed() -> None:
    assert "malformed" in asked(playing(), replace={"name": "undo"})
    assert "malformed" in asked(playing(), replace=["pause"])


def test_a_preview_ends_at_the_first_roll_that_the_hall_has_not_seen() -> None:
    hall = playing()
    for replacement in ({"name": "skip", "body": {}}, {"name": "add_time", "body": {"ms": -60_000}}):
        assert asked(hall, replace=replacement)["actions"]["outcome"] == {"phase": "unseen"}


def test_a_roll_that_the_hall_has_seen_is_foreseen_again_when_it_was_undone() -> None:
    hall = playing()
    assert accepted(hall.ask("skip"))
    assert accepted(hall.ask("undo"))
    assert accepted(hall.ask("add_time", {"ms": 1}))
    outcome = asked(hall, replace={"name": "skip", "body": {}})["actions"]["outcome"]
    assert (outcome["phase"], outcome["round"], outcome["remaining_ms"]) == ("round", 2, 35_000)
