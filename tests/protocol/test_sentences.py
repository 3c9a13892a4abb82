"""Sentences in JSON."""

import msgspec

from pi_controller.protocol.sentences import SentenceView, sentence, view, views
from pi_controller.sentence import Sentence, listed

SAID = Sentence(
    "claim.open",
    claims=listed([Sentence("claim.of_board", board="A1"), Sentence("claim.of_big_button")]),
    seconds=2.5,
    count=3,
    faults=(Sentence("sheet.foreign_bonus"), Sentence("sheet.cities", most=5, counted=6)),
)


def test_a_sentence_is_key_and_parameters() -> None:
    assert msgspec.to_builtins(
        views((Sentence("game.not_begun"), Sentence("claim.unknown", claim="c9")))
    ) == [
        {"key": "game.not_begun", "params": {}},
        {"key": "claim.unknown", "params": {"claim": "c9"}},
    ]


def test_it_comes_back_as_it_was_with_what_stands_inside_it() -> None:
    written = msgspec.json.encode(view(SAID))
    assert sentence(msgspec.json.decode(written, type=SentenceView)) == SAID
