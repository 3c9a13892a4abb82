"""What a file alone cannot show is in the table of `docs/dice.md`, row by row, and is shown by what stands there."""

import random

import pytest

from tests.journal.exports import CONNECT_2, Plan, built, golden_plan, records_of
from tests.journal.forgeries import FORGERIES, random_case, rows
from tests.journal.mutations import MUTATIONS, Case
from tests.journal.test_verify import verified
from tests.journal.verifier_fuzz import mutated, rechained

MUTATED = 540
RECHAINED = 60
TRIES = 3


def test_tampered_exports_are_refused() -> None:
    tried = mutated(random.Random(20261120), MUTATED)
    assert all(tried[mutation.__name__] == MUTATED // len(MUTATIONS) for mutation in MUTATIONS)


def test_games_written_anew_pass_only_as_the_page_says() -> None:
    tried = rechained(random.Random(20261121), RECHAINED)
    assert min(tried[name] for name in FORGERIES) == RECHAINED // 2 // len(FORGERIES)
    assert tried["a change anywhere, accepted"] > 0
    assert tried["a change anywhere, refused"] > 0


def test_the_page_lists_each_forgery_and_no_other() -> None:
    assert set(rows()) == {*FORGERIES, "head met"}


@pytest.mark.parametrize("name", FORGERIES)
def test_each_forgery_passes_alone_and_is_shown_by_what_the_page_names(name: str) -> None:
    rng = random.Random(name)
    for _ in range(TRIES):
        forged = FORGERIES[name](rng, random_case(rng))
        alone = verified(forged.lines)
        assert alone.ok, alone.told
        shown = verified(forged.lines, **forged.truth)
        assert shown.verdict == "refused", shown.told
        (fact,) = forged.truth
        assert fact in rows()[name] or fact == "head"
        assert {
            "commitment": "The hall saw commitment",
            "head": "The hall saw head",
            "word": "The hall heard",
        }[fact] in shown.told[-1]


def test_a_head_of_eight_digits_is_called_weak_and_one_of_sixteen_strong() -> None:
    case = Case(golden_plan(), built(golden_plan()))
    head = records_of(case.lines)[-1]["hash"]
    for digits, strength in ((8, "8 digits are weak: another file meets them in some 2^32 tries."),
                             (15, "15 digits are weak"), (16, "16 digits are strong"), (64, "64 digits are strong")):  # fmt: skip
        assert strength in " ".join(verified(case.lines, head=head[:digits]).told)
    assert "16 digits or more" in rows()["head met"]


def test_a_word_that_only_looks_the_same_is_told_by_its_code_points() -> None:
    plan = Plan(golden_plan().book, words=("\u0430 lantern",))
    told = " ".join(verified(built(plan)).told)
    assert "(U+0430 U+0020 U+006C U+0061 U+006E U+0074 U+0065 U+0072 U+006E)" in told
    refused = verified(built(plan), word="a lantern").told[-1]
    assert refused.startswith(
        "REFUSED: The hall heard the word 'a lantern', but the file has '\u0430 lantern' (U+0430 "
    )


def test_the_word_that_the_hall_heard_is_written_as_the_controller_writes_it() -> None:
    book = golden_plan().book
    later = Plan(type(book)(book.seed, book.game_id, CONNECT_2), words=("the jürgen's hat",))
    for heard in ("The Ju\u0308rgen\u2019s  HAT ", "the jürgen's hat"):
        assert verified(built(later), word=heard).ok
    for heard in ("the jurgens hat", ""):
        assert verified(built(later), word=heard).verdict == "refused"
    assert verified(built(Plan(later.book)), word="").ok
    assert verified(built(Plan(later.book)), word="lantern").verdict == "refused"
    forged = Plan(later.book, words=("the jürgen's\u3164 hat",))
    assert verified(built(forged), word="the jürgen's hat").verdict == "refused"


def test_changes_of_what_was_committed_to_are_listed() -> None:
    book = golden_plan().book
    plan = Plan(type(book)(book.seed, book.game_id, CONNECT_2), steps=("next", "schedule", "next"))
    told = verified(built(plan)).told
    assert (
        'Changed after the commitment: line 3 set_schedule {"steps":[{"from_round":1,"seconds":20.5}]}.'
        in told
    )
    assert "Changed after the commitment: nothing." in verified(built(Plan(plan.book))).told
