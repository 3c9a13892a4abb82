"""Sentences into words."""

from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from pi_controller.language import words as module
from pi_controller.language.words import words
from pi_controller.sentence import Sentence


def test_a_key_without_a_text_is_an_error_and_not_shown() -> None:
    with pytest.raises(LookupError, match=r"nobody\.says_this"):
        words(Sentence("nobody.says_this"))


def test_sentences_are_equal_by_key_and_parameters() -> None:
    assert Sentence("claim.open", board="A1") == Sentence("claim.open", board="A1")
    assert Sentence("claim.open", board="A1") != Sentence("claim.open", board="A2")
    assert len({Sentence("claim.open", board="A1"), Sentence("claim.open", board="A1")}) == 1


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalogue of a few texts in place of the English one."""
    texts = Catalog(locale="en")
    texts.add("test.late", string="{part} came {late_s:.1f} s late.")
    texts.add("test.part", string="Board {board}")
    texts.add("test.all", string="Nobody answers: {parts}")
    texts.add(("test.lost", "test.lost"), string=("{count} command is lost.", "{count} commands are lost."))
    folder = tmp_path / "en" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    with (folder / "controller.mo").open("wb") as file:
        write_mo(file, texts)
    monkeypatch.setattr(module, "LOCALES", tmp_path)
    monkeypatch.setattr(module, "_catalogue", module._catalogue.__wrapped__)


@pytest.mark.usefixtures("catalogue")
def test_sentences_within_a_sentence_are_put_into_words_too() -> None:
    part = Sentence("test.part", board="A1")
    assert words(Sentence("test.late", part=part, late_s=0.25)) == "Board A1 came 0.2 s late."
    both = (part, Sentence("test.part", board="A2"))
    assert words(Sentence("test.all", parts=both)) == "Nobody answers: Board A1 Board A2"


@pytest.mark.usefixtures("catalogue")
def test_count_chooses_between_singular_and_plural() -> None:
    assert words(Sentence("test.lost", count=1)) == "1 command is lost."
    assert words(Sentence("test.lost", count=2)) == "2 commands are lost."
