"""Kept answers in the journal: the reasons in English as ever, and beside them as sentences."""

import json
from pathlib import Path
from typing import Any

import pytest

from pi_controller.core.game_loop.pending import KeptAnswer, KeptAnswers
from pi_controller.language.words import all_words
from pi_controller.sentence import Sentence
from tests.core.disk import DiskHall

REFUSED = KeptAnswer("f", accepted=False, reasons=(Sentence("claim.unknown", claim="c9"),))


def test_a_refusal_comes_back_with_its_key_and_parameters() -> None:
    line = json.loads(json.dumps(REFUSED.data("k1")))
    assert line["reasons"] == ["This game has no claim c9: look at its list of claims again."]
    answers = KeptAnswers()
    answers.restore(line)
    assert answers.get("k1") == REFUSED


def test_what_was_done_has_the_line_of_all_journals() -> None:
    line = KeptAnswer("f", accepted=True).data("k1")
    assert line == {"key": "k1", "fingerprint": "f", "accepted": True, "reasons": []}


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"reason_keys": [{"key": "claim.of_another_release", "params": {}}]},
        {"reason_keys": [{"key": "claim.unknown", "params": {}}]},
        {"reason_keys": [{"key": "health.late", "params": {"ms": "many"}}]},
        {"reason_keys": "claim.none_open"},
        {"reason_keys": []},
    ],
)
def test_a_refusal_of_another_release_is_told_as_it_was(keys: dict[str, Any]) -> None:
    answers = KeptAnswers()
    line = {"key": "k1", "fingerprint": "f", "accepted": False, "reasons": ["No claim is open."]}
    answers.restore(line | keys)
    kept = answers.get("k1")
    assert kept is not None
    assert all_words(kept.reasons) == ["No claim is open."]


def test_a_refusal_with_a_fraction_is_the_same_after_a_restart(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path)
    hall.loop.begin()
    hall.loop.obstacles.set("heat", Sentence("computer.too_hot", celsius=82.51))
    first = hall.ask("start", key="k1")
    hall.settle()
    hall.crash()
    later = hall.again()
    again = later.ask("start", key="k1")
    later.crash()
    assert [answer.reasons for answer in (*first, *again)] == [
        (Sentence("computer.too_hot", celsius=82.51),)
    ] * 2
