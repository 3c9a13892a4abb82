"""Dice: vectors, the page's worked example, byte map, rules of the terms, fairness of 20,000 rolls (`make fairness`: ten million)."""

import hashlib
import hmac
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_controller.game.dice import DROPPED, FACES, DiceBook, Roll, Target
from pi_controller.game.dice_terms import LARGEST_NUMBER, TARGETS, ArmedTerms, DiceTerms
from tests.fairness.chi_square import GREATEST_P, LEAST_P, survival
from tests.fairness.counting import SAMPLES, TABLES, Counts, add, chunks, count
from tests.journal.exports import ARMED, CONNECT, CONNECT_2, ORDER, words
from tests.journal.exports import terms as every_terms

ROOT = Path(__file__).parents[2]
VECTORS = [
    vector
    for name in ("dice.json", "dice-v2.json")
    for vector in json.loads((ROOT / "tests/vectors" / name).read_text(encoding="utf-8"))
]
PAGE = (ROOT / "docs/dice.md").read_text(encoding="utf-8")

BOOK = DiceBook(bytes(range(32)), "example-1", CONNECT)

seeds = st.binary(min_size=32, max_size=32)
rounds = st.integers(1, LARGEST_NUMBER)
draws = st.integers(0, 1000)
books = st.builds(DiceBook, seed=seeds, game_id=st.just("g"), terms=every_terms, word=st.none() | words)


def read_terms(data: dict[str, Any]) -> DiceTerms:
    """The terms of a JSON object as `DiceTerms.as_data` makes it."""
    armed = {name: value for name, value in data.items() if name in ArmedTerms.__dataclass_fields__}
    plain = {name: value for name, value in data.items() if name not in armed}
    return msgspec.convert({**plain, "armed": armed or None}, DiceTerms)


def vector_book(vector: dict[str, Any]) -> DiceBook:
    terms = read_terms(vector["terms"])
    assert terms.version == vector.get("version", 1)
    return DiceBook(bytes.fromhex(vector["seed"]), vector["game_id"], terms, vector["word"])


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_vectors(vector: dict[str, Any]) -> None:
    book = vector_book(vector)
    assert book.commitment == vector["commitment"]
    assert book.first_seat(ORDER) == vector["first_side"]
    for roll in vector["rolls"]:
        assert book.round_roll(roll["round"], roll["from_draw"]) == Roll(tuple(roll["dice"]), roll["draw"])
    for target in vector["robber_targets"]:
        dice = target["dice"] and tuple(target["dice"])
        assert book.robber_target(target["round"], target["draw"]) == Target(target["target"], dice)


def worked_example(version: int) -> dict[str, str]:
    block = PAGE.split("```text\n")[version].split("```")[0]
    return dict(line.split(" = ", 1) for line in block.splitlines())


@pytest.mark.parametrize(
    ("version", "lines"),
    [
        (1, {"message": 6, "digest": 6, "round_roll": 4, "robber_target": 1}),
        (2, {"message": 5, "digest": 5, "round_roll": 3, "robber_target": 1}),
    ],
)
def test_the_worked_examples_of_the_page_are_what_the_code_does(version: int, lines: dict[str, int]) -> None:
    told = worked_example(version)
    seed = bytes.fromhex(told["seed"])
    terms = read_terms(json.loads(told["terms"]))
    assert terms.version == version
    book = DiceBook(seed, told["game_id"], terms, told["word"])
    assert (
        hashlib.sha256(bytes.fromhex(told["committed"])).hexdigest() == told["commitment"] == book.commitment
    )
    checked = Counter[str]()
    for name, value in told.items():
        call = re.fullmatch(r"(\w+)\((.*)\)", name)
        if call is None:
            continue
        checked[call[1]] += 1
        given_to = call[2].split(", ")
        match call[1]:
            case "message":
                digest = hmac.digest(seed, bytes.fromhex(value), "sha256")
                assert told[f"digest({call[2]})"] == digest.hex()
                blocks = book._blocks(given_to[0].encode(), int(given_to[1]), int(given_to[2]))
                assert next(blocks) == digest
            case "round_roll":
                roll = book.round_roll(*map(int, given_to))
                assert value == f"dice {roll.dice[0]} {roll.dice[1]}, draw {roll.draw}"
            case "robber_target":
                target = book.robber_target(*map(int, given_to))
                assert target.dice is not None
                assert value == f"target {target.target}, dice {target.dice[0]} {target.dice[1]}"
    assert checked == lines


def test_every_face_has_exactly_42_of_the_256_bytes() -> None:
    kept = bytes(range(256)).translate(FACES, DROPPED)
    assert Counter(kept) == dict.fromkeys(range(1, 7), 42)
    assert all(FACES[byte] == byte % 6 + 1 for byte in range(252))
    assert bytes(range(252, 256)) == DROPPED


def test_every_uniform_target_has_equally_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    for size in range(1, len(TARGETS) + 1):
        book = replace(
            BOOK, terms=replace(CONNECT, robber_target_draw="uniform", robber_targets=TARGETS[:size])
        )
        counts = Counter[object]()
        for byte in range(256):
            sentinel = bytes([byte, 0])
            monkeypatch.setattr(DiceBook, "_blocks", lambda *_, block=sentinel: iter([block]))
            counts[book.robber_target(11, 0).target] += 1
        dropped = 256 % size
        assert counts == {target: 256 // size + dropped * (target == TARGETS[0]) for target in TARGETS[:size]}


def test_a_used_up_digest_is_followed_by_the_next_block(monkeypatch: pytest.MonkeyPatch) -> None:
    def blocks(*_: object) -> Iterator[bytes]:
        yield bytes([255] * 31 + [2])
        yield bytes([252] * 32)
        yield bytes([253, 3] + [0] * 30)

    monkeypatch.setattr(DiceBook, "_blocks", blocks)
    assert replace(BOOK, terms=replace(CONNECT, rounds_without_seven=0)).round_roll(1, 0).dice == (3, 4)


@settings(max_examples=25)
@given(books, rounds, draws)
def test_a_roll_depends_on_its_place_alone(book: DiceBook, round_no: int, draw: int) -> None:
    roll = book.round_roll(round_no, draw)
    assert all(1 <= face <= 6 for face in roll.dice)
    assert roll.sum == sum(roll.dice)
    assert roll.draw >= draw
    assert roll == replace(book).round_roll(round_no, roll.draw)


@settings(max_examples=25)
@given(books, st.integers(1, 25), draws)
def test_sevens_come_up_only_where_the_terms_allow_them(book: DiceBook, round_no: int, draw: int) -> None:
    roll = book.round_roll(round_no, draw)
    terms = book.terms
    every_draw = replace(book, terms=replace(terms, rounds_without_seven=0, allow_consecutive_sevens=True))
    passed_over = [every_draw.round_roll(round_no, at) for at in range(draw, roll.draw)]
    assert all(passed.sum == 7 for passed in passed_over)
    assert every_draw.round_roll(round_no, roll.draw) == roll
    forbidden = round_no <= terms.rounds_without_seven or (draw > 0 and not terms.allow_consecutive_sevens)
    assert not (forbidden and roll.sum == 7)
    assert forbidden or not passed_over


@settings(max_examples=25)
@given(books, rounds, draws)
def test_a_target_is_one_of_the_listed(book: DiceBook, round_no: int, draw: int) -> None:
    found = book.robber_target(round_no, draw)
    assert found.target in book.terms.robber_targets
    if book.terms.robber_target_draw == "uniform":
        assert found.dice is None
    else:
        assert found.dice is not None
        assert found.target == ("desert" if sum(found.dice) == 7 else sum(found.dice))


@settings(max_examples=25)
@given(books, seeds)
def test_the_commitment_covers_seed_game_and_every_term_but_not_the_word(book: DiceBook, seed: bytes) -> None:
    others = [
        replace(book, game_id="h"),
        *(replace(book, terms=terms) for terms in changed_terms(book.terms)),
        *([replace(book, seed=seed)] if seed != book.seed else []),
    ]
    assert len({other.commitment for other in [book, *others]}) == len(others) + 1
    assert book.with_word("another").commitment == book.commitment


def changed_terms(terms: DiceTerms) -> list[DiceTerms]:
    return [
        replace(terms, rule_set=terms.rule_set + "x"),
        replace(terms, rule_set_version=terms.rule_set_version + 1),
        replace(terms, rounds_without_seven=terms.rounds_without_seven + 1),
        replace(terms, allow_consecutive_sevens=not terms.allow_consecutive_sevens),
        replace(terms, robber_targets=TARGETS[:11] if terms.robber_targets != TARGETS else (2,)),
        replace(terms, robber_target_draw="dice" if terms.robber_target_draw == "uniform" else "uniform"),
        replace(terms, first_side="sun" if terms.first_side == "moon" else "moon"),
        *(
            []
            if terms.armed is None
            else [replace(terms, armed=armed) for armed in changed_armed(terms.armed)]
        ),
    ]


def changed_armed(armed: ArmedTerms) -> list[ArmedTerms]:
    return [
        replace(armed, after_robber="due_side" if armed.after_robber == "other_side" else "other_side"),
        replace(armed, schedule=((1, armed.schedule[0][1] + 1), *armed.schedule[1:])),
        replace(armed, schedule=(*armed.schedule, (armed.schedule[-1][0] + 1, 30_000))),
        replace(armed, robber_ms=armed.robber_ms + 1),
        replace(armed, start_countdown_ms=armed.start_countdown_ms + 1),
        replace(armed, resume_countdown_ms=armed.resume_countdown_ms + 1),
        replace(armed, target_points=armed.target_points + 1),
        replace(armed, claims="ask" if armed.claims == "pause" else "pause"),
    ]


def test_word_game_kind_round_and_draw_each_change_the_stream() -> None:
    books = [BOOK, BOOK.with_word("a"), BOOK.with_word("b"), replace(BOOK, game_id="example-1a")]
    places = [(b"round", 1, 0), (b"round", 0, 1), (b"robber", 1, 0), (b"first_side", 0, 0), (b"round", 2, 0)]
    blocks = {next(book._blocks(*place)) for book in books for place in places}
    assert len(blocks) == len(books) * len(places)


def test_fields_cannot_run_into_each_other() -> None:
    one, other = replace(BOOK, game_id="ab", word="c"), replace(BOOK, game_id="a", word="bc")
    assert next(one._blocks(b"round", 1, 0)) != next(other._blocks(b"round", 1, 0))


def test_in_version_1_a_word_counts_in_its_composed_form_and_later_as_it_stands() -> None:
    assert BOOK.with_word("u\u0308").round_roll(1, 0) == BOOK.with_word("\u00fc").round_roll(1, 0)
    later = replace(BOOK, terms=CONNECT_2)
    places = range(1, 9)
    apart = [[later.with_word(word).round_roll(at, 0) for at in places] for word in ("u\u0308", "\u00fc")]
    assert apart[0] != apart[1]
    assert BOOK.with_word("x").with_word(None) == BOOK


def test_the_side_is_fixed_or_drawn_by_a_fair_bit() -> None:
    drawn = replace(BOOK, terms=replace(CONNECT, first_side="drawn"))
    sides = Counter(replace(drawn, game_id=str(number)).first_seat(ORDER) for number in range(1000))
    assert sides == {"sun": 525, "moon": 475}  # 1.6 standard deviations from even
    assert BOOK.first_seat(ORDER) == "sun"
    assert replace(BOOK, terms=replace(CONNECT, first_side="moon")).first_seat(ORDER) == "moon"


def test_the_seed_is_not_shown() -> None:
    shown = f"{BOOK!r} {BOOK}"
    assert BOOK.seed.hex() not in shown
    assert repr(BOOK.seed) not in shown
    assert "seed" not in shown


@settings(max_examples=25)
@given(every_terms)
def test_terms_survive_json(terms: DiceTerms) -> None:
    assert read_terms(json.loads(json.dumps(terms.as_data()))) == terms


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("rule_set", ["", "\ud800", 7]),
        ("rule_set_version", [0, True]),
        ("rounds_without_seven", [-1, 1.0, 2**32]),
        ("allow_consecutive_sevens", [1]),
        ("robber_targets", [(), (7,), (2.0,), (2, 2), ((2,),)]),
        ("robber_target_draw", ["coin"]),
        ("first_side", [()]),
    ],
)
def test_wrong_terms_are_refused(field: str, wrong: list[Any]) -> None:
    for value in wrong:
        with pytest.raises(ValueError, match=f"{field} must "):
            replace(CONNECT, **{field: value})


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("after_robber", ["x"]),
        ("schedule", [(), ((1,),), ((1, 35.0),), ((2, 35_000),), ((1, 35_000), (1, 35_000))]),
        ("robber_ms", [True]),
        ("target_points", [-1]),
        ("claims", [None]),
    ],
)
def test_wrong_terms_of_version_2_are_refused(field: str, wrong: list[Any]) -> None:
    for value in wrong:
        with pytest.raises(ValueError, match=f"{field} must "):
            replace(ARMED, **{field: value})


def test_wrong_books_and_places_are_refused() -> None:
    with pytest.raises(ValueError, match="a seed has 32 bytes, not 3"):
        DiceBook(b"abc", "g", CONNECT)
    with pytest.raises(ValueError, match="game_id must be a text of at least one character"):
        DiceBook(bytes(32), "", CONNECT)
    with pytest.raises(ValueError, match="word must be a text of at least one character"):
        BOOK.with_word("")
    for ask in (BOOK.round_roll, BOOK.robber_target):
        for number in (0, LARGEST_NUMBER + 1):
            with pytest.raises(ValueError, match="round_no must be a whole number from 1"):
                ask(number, 0)
        for number in (-1, LARGEST_NUMBER + 1):
            with pytest.raises(ValueError, match="draw must be a whole number from 0"):
                ask(1, number)


def test_the_survival_function_meets_tabulated_critical_values() -> None:
    tabulated = {
        (5, 11.070): 0.05, (5, 20.515): 0.001, (5, 0.210): 0.999,
        (9, 27.877): 0.001, (10, 18.307): 0.05, (10, 29.588): 0.001, (10, 1.479): 0.999,
        (35, 49.802): 0.05, (35, 66.619): 0.001, (120, 146.567): 0.05, (120, 173.617): 0.001,
    }  # fmt: skip
    for (degrees, statistic), p in tabulated.items():
        assert survival(statistic, degrees) == pytest.approx(p, abs=6e-5)
    assert survival(0, 5) == 1


def test_a_cell_that_must_not_come_up_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"sums without 7: \{7\} must not come up"):
        TABLES["no_seven"].line(Counter({7: 1}))


@pytest.fixture(scope="module")
def twenty_thousand() -> Counts:
    total: Counts = {}
    for chunk in chunks(20_000, 5_000):
        add(total, count(chunk))
    return total


@pytest.mark.parametrize("name", TABLES)
def test_twenty_thousand_rolls_are_fair(name: str, twenty_thousand: Counts) -> None:
    _, p = TABLES[name].line(twenty_thousand[name])
    assert LEAST_P <= p <= GREATEST_P


def test_a_loaded_die_is_noticed(twenty_thousand: Counts) -> None:
    loaded = Counter(twenty_thousand["faces"])
    loaded[6] += 600
    _, p = TABLES["faces"].line(loaded)
    assert p < LEAST_P


def test_all_samples_are_rolled(twenty_thousand: Counts) -> None:
    assert twenty_thousand["sums"].total() == 20_000
    assert all(twenty_thousand[name].total() == 5_000 for name in SAMPLES if name != "rounds")
