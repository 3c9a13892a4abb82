"""The hall's word has one spelling only: nothing invisible, no second way to write the same letters."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.game.commands import Contribute
from pi_controller.game.game import Game, decide, new_game
from pi_controller.game.moves import MoveRefused, normalised, written
from pi_controller.game.rule_sets import CONNECT
from pi_controller.language.words import words
from tests.matrix import further
from tests.said import refuses

INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200d\u200e\u2028\u2060\u2800\u3164"
    "\ufe00\ufe0f\ufeff\uffa0\U00013441\U00013442\U000e0020\U000e0100"
)


def mixed_in(game: Game, text: str) -> str | None:
    """The word that this game then has."""
    decision = decide(game, Contribute(text), at_ns=0, now_ns=0, source="web")
    return None if decision.game is None else decision.game.state.word


def armed(version: int = 2) -> Game:
    return new_game("word", CONNECT, bytes(32), version=version)


@pytest.mark.parametrize("sign", INVISIBLE, ids=lambda sign: f"U+{ord(sign):04X}")
def test_a_word_cannot_be_ground_with_what_nobody_sees(sign: str) -> None:
    for text in (f"lan{sign}tern", f"lantern{sign}", f"{sign}lantern", f"lan{sign}{sign}tern"):
        assert mixed_in(armed(), text) in (None, "lantern", "lan tern")


def test_the_sentence_names_the_code_point() -> None:
    (sentence,) = decide(armed(), Contribute("lan\ufe0ftern"), at_ns=0, now_ns=0, source="web").reasons
    assert words(sentence) == (
        "The public word cannot hold U+FE0F VARIATION SELECTOR-16: say it with letters, digits, single spaces "
        "and the signs ' - . , ! ? only."
    )


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Lantern", "lantern"),
        ("  The\u00a0 RED \t hat ", "the red hat"),
        ("Ju\u0308rgen\u2019s", "jürgen's"),
        ("ZAŻÓŁĆ GĘŚLĄ", "zażółć gęślą"),
        ("Straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("ﬁsh ①", "fish 1"),
        ("ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("Ёлка 42", "ёлка 42"),
        ("コーヒー 時々", "コーヒー 時々"),
        ("rock – paper – scissors!", "rock - paper - scissors!"),
    ],
)
def test_a_word_is_kept_in_its_one_spelling(typed: str, kept: str) -> None:
    assert mixed_in(armed(), typed) == kept
    assert mixed_in(armed(), kept) == kept


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hat 🎩", "U+1F3A9 TOP HAT"),
        ("zal\u0334go", "U+0334 COMBINING TILDE OVERLAY"),
        ("ka\u0640rim", "U+0640 ARABIC TATWEEL"),
        ("a_b", "U+005F LOW LINE"),
        ('"hat"', "U+0022 QUOTATION MARK"),
        ("?!", "needs at least one letter or digit"),
        ("x" * 61, "can have at most 60 characters, and this one has 61"),
    ],
)
def test_what_a_word_cannot_be(text: str, sentence: str) -> None:
    with refuses(MoveRefused, sentence):
        written(text, 2)


def test_a_game_of_version_1_keeps_its_word_as_typed() -> None:
    assert mixed_in(armed(version=1), "Ju\u0308rgen\u2019s  Hat\ufe0f") == "Ju\u0308rgen\u2019s  Hat\ufe0f"
    assert mixed_in(armed(version=1), "lan\u200btern") is None


@pytest.mark.parametrize("every", [61, *further(1)])
def test_every_sign_there_is_has_one_spelling_and_leaves_nothing_invisible(every: int) -> None:
    """All of the Latin alphabets, and each so many of the others."""
    for code in (*range(0x250), *range(0x250, sys.maxunicode + 1, every)):
        sign = chr(code)
        once = normalised(sign)
        assert normalised(once) == once, hex(code)
        for left in _kept(f"a{sign}b"):
            assert unicodedata.category(left)[0] in "LNPZ", hex(code)
            assert left not in INVISIBLE, hex(code)


def _kept(text: str) -> str:
    """The word as it is written down, nothing when it is refused."""
    try:
        return written(text, 2)
    except ValueError:
        return ""


@given(st.text(max_size=30))
def test_a_word_that_was_kept_is_kept_again(text: str) -> None:
    kept = _kept(text)
    assert not kept or written(kept, 2) == kept
