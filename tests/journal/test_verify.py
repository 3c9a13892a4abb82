"""The verifier: every true export passes, every tampered one is refused, and each refusal says why."""

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_controller.game.commands import (
    AddTime,
    Claim,
    Command,
    Contribute,
    End,
    LastRounds,
    Pause,
    Redo,
    Resume,
    SetClaims,
    Skip,
    Start,
    Turn,
    Undo,
)
from pi_controller.game.dice import DiceBook
from pi_controller.game.events import Event
from pi_controller.game.game import Game, apply, decide, new_game, tick
from pi_controller.game.rule_sets import CLASSIC as RULES
from pi_controller.game.rule_sets import CLASSIC_SEATS, CONNECT, RULE_SETS
from pi_controller.journal import verify_game
from pi_controller.journal.record import encode_event
from pi_controller.journal.verify import VerifyReport, verify_evening, verify_export, verify_file
from pi_controller.language.words import all_words
from tests.journal.exports import CLASSIC, Plan, built, chained, golden_plan, plans, records_of, seal
from tests.patience import DEADLINE_S

ROOT = Path(__file__).parents[2]
STANDALONE = ROOT / "pi_controller/journal/verify_game.py"
GOLDEN = ROOT / "tests/vectors/export-v1.jsonl"
GOLDEN_COMMITMENT = "4e38fe8497250c43e90639d09d84760fed51d53deddb09cf98d55df09caa6fea"
GOLDEN_HEAD = "6d93a403"
VERDICTS = {"PASSED": "proved", "NOT YET VERIFIABLE": "unproved", "REFUSED": "refused"}
ONLY = re.compile(r"PASSED[^:]*, ONLY UP TO LINE \d+ OF \d+:")


def verified(lines: Iterable[bytes], **seen: str) -> VerifyReport:
    """The report on these lines, whose English sentences are those that the verifier says alone."""
    report = verify_export(lines, **seen)
    assert report.told == tuple(map(str, report.said))
    verdict = next(verdict for start, verdict in VERDICTS.items() if report.told[-1].startswith(start))
    assert report.verdict == ("partly" if ONLY.match(report.told[-1]) else verdict)
    return report


def on_evening(*games: list[bytes]) -> list[str]:
    """What is said of the seals of these games."""
    return list(all_words(verify_evening([verify_export(lines) for lines in games])[1]))


def game(**changes: object) -> Plan:
    return replace(golden_plan(), **{"steps": ("next",) * 15, **changes})


@given(plans, st.integers(0, 100))
@settings(max_examples=60)
def test_every_true_export_passes(plan: Plan, at: int) -> None:
    lines = built(plan)
    records = records_of(lines)
    part = verified(
        lines, commitment=plan.book.commitment, head=records[at % len(records)]["hash"][: 8 + at % 57]
    )
    assert part.verdict in ("partly", "proved"), part.told
    report = verified(lines, commitment=plan.book.commitment, head=records[-1]["hash"][: 8 + at % 57])
    assert report.ok, report.told
    assert report.commitment == plan.book.commitment
    assert [line["hash"] for line in report.chain] == [record["hash"] for record in records]
    turns = [record["data"]["phase"] for record in records if record["kind"] == "turned"]
    assert (report.rolls, report.robber_phases) == (len(turns), turns.count("robber"))
    assert verified(lines).ok


@given(plans)
def test_a_game_that_goes_on_is_not_yet_verifiable(plan: Plan) -> None:
    steps = tuple(step for step in plan.steps if step != "end")
    report = verified(built(replace(plan, steps=steps, ended=False)), commitment=plan.book.commitment)
    assert report.verdict == "unproved"
    assert report.rolls == 0
    assert report.told[-1].startswith("NOT YET VERIFIABLE: chain intact, rolls unproved.")
    assert report.told[-1].endswith(f" 0 of {len(report.chain)} lines are covered by one.")


@given(st.lists(st.binary(max_size=40) | st.sampled_from(built(golden_plan())[:3]), max_size=4))
def test_any_bytes_are_refused_without_an_exception(lines: list[bytes]) -> None:
    assert not verified(lines).ok


def test_deep_nesting_is_refused_or_read_but_never_raises() -> None:
    for depth in (100_000, *range(100, 1000, 50)):
        nested = b"[" * depth + b"]" * depth
        line = built(game())[0].replace(b'"software":"0.1.0"', b'"software":' + nested)
        assert not verified([line]).ok
    assert verified([nested + b"\n"]).told == ("REFUSED: Line 1 is nested too deeply.",)


def refusal(change: Callable[[list[dict]], object], **seen: str) -> str:
    """The last sentence about the golden game after this change of its records, properly chained again."""
    records = records_of(built(game()))
    change(records)
    report = verified(chained(records), **seen)
    assert report.verdict == "refused"
    return report.told[-1]


def test_each_refusal_says_what_is_wrong() -> None:
    def opening(**changes: object) -> str:
        return refusal(lambda records: records[0]["data"].update(changes))

    assert "kind 'note', not 'game'" in refusal(lambda records: records[0].update(kind="note"))
    assert "format 3; this verifier reads 1 and 2" in opening(format=3)
    assert "names derivation None; in format 2 this verifier knows 2" in opening(format=2)
    assert "names derivation 2.0; in format 2 this verifier knows 2" in opening(format=2, derivation=2.0)
    assert "The dice terms are wrong: dice terms must have exactly" in opening(format=2, derivation=2)
    assert "no dice terms" in opening(terms=None)
    assert "The dice terms are wrong: dice terms must have exactly the fields" in opening(terms={})
    assert "name different rule sets" in opening(rule_set="classic")
    assert "after_robber is 'x', neither 'due_side' nor 'other_side'" in opening(after_robber="x")
    assert "commitment is not written as 64 lower-case" in opening(commitment=GOLDEN_COMMITMENT.upper())
    assert "These dice cannot be: game_id must be a text" in opening(game_id="")
    assert "Line 2 gives a public word that is not text" in refusal(
        lambda records: records[1]["data"].update(text=7)
    )
    assert "begins another game" in refusal(lambda records: records.append(records[0]))
    assert "public word after the first roll" in refusal(lambda records: records.append(records[1]))
    assert "different seeds" in refusal(
        lambda records: records.append({**records[-1], "data": {"seed": "0" * 64}})
    )
    assert "seed is not written as 64" in refusal(lambda records: records[-1]["data"].update(seed="AB"))
    assert "The seed gives commitment" in refusal(lambda records: records[-1]["data"].update(seed="0" * 64))
    assert "no `kind` (a text)" in refusal(lambda records: records[5].update(kind=5))
    assert "The hall saw commitment 0000" in refusal(lambda records: None, commitment="0" * 64)
    assert "no line of the file has it" in refusal(lambda records: None, head="0" * 8)
    shown = refusal(lambda records: records[3]["data"].update(dice=[6, 6]))
    assert 'Next the seed gives {"dice":[4,2],' in shown
    assert 'line 4 shows {"dice":[6,6],' in shown
    assert len(refusal(lambda records: records[3]["data"].update(dice="x" * 10**6))) < 1100


def test_each_broken_line_says_what_is_wrong() -> None:
    lines = built(game())

    def said(*broken: bytes) -> str:
        return verified(broken).told[-1]

    assert said() == "REFUSED: The file is empty."
    assert said(lines[0], lines[1][:-1]) == "REFUSED: Line 2 has no line end: the file is cut off there."
    assert said(b"nonsense\n") == "REFUSED: Line 1 is not JSON in UTF-8."
    assert said(lines[0].replace(b":1,", b":NaN,", 1)) == "REFUSED: Line 1 is not JSON in UTF-8."
    assert said(lines[0].replace(b'"b"', b'"\\ud800"', 1)) == "REFUSED: Line 1 is not JSON in UTF-8."
    assert said(b"[]\n") == "REFUSED: Line 1 is not an object in canonical JSON."
    assert said(b" " + lines[0]) == "REFUSED: Line 1 is not an object in canonical JSON."
    assert said(lines[0].replace(b"connect", b"connecT")).startswith(
        "REFUSED: Line 1 was changed: its hash is"
    )
    assert said(lines[1]) == "REFUSED: Line 1 carries seq 1, not 0."
    assert said(lines[0], other_second_line()).startswith(
        "REFUSED: Line 2 does not follow from the line before it"
    )


def other_second_line() -> bytes:
    other = golden_plan()
    return built(replace(other, book=replace(other.book, game_id="other")))[1]


def test_the_report_says_what_was_not_compared() -> None:
    alone = verified(built(game()))
    told = " ".join(alone.told)
    assert told.count("the file's own. Compare it with what the hall") == 2
    assert "Head: none given, so none of the 19 lines is compared with what the hall saw." in told


def test_the_verdict_says_how_many_lines_the_head_covers() -> None:
    lines = built(game())
    hashes = [record["hash"] for record in records_of(lines)]
    whole = verified(lines, head=hashes[-1])
    assert whole.verdict == "proved"
    assert whole.told[-1].endswith("The head covers 19 of 19 lines.")
    before_the_seed = verified(lines, head=hashes[-2])
    assert (before_the_seed.verdict, before_the_seed.uncovered) == ("proved", 1)
    assert before_the_seed.told[-1].endswith(
        "covers 18 of 19 lines; those after it tell nothing of the game."
    )
    before_the_end = verified(lines, head=hashes[-3])
    assert (before_the_end.verdict, before_the_end.uncovered) == ("partly", 2)
    assert before_the_end.told[-1].startswith("PASSED, ONLY UP TO LINE 17 OF 19: every roll follows")
    assert "covers 17 of 19 lines; those after it prove nothing." in before_the_end.told[-1]
    unproved = verified(lines[:-1], head=hashes[4])
    assert unproved.verdict == "unproved"
    assert "The head covers 5 of 18 lines" in unproved.told[-1]


def test_what_only_the_screens_showed_after_the_head_is_no_tail_of_the_game() -> None:
    records = records_of(built(game()))
    head = records[-1]["hash"]
    for name, verdict in (("say", "proved"), ("cover", "proved"), ("timer", "proved"), ("verdict", "partly")):
        shown = {**records[-1], "kind": "did", "data": {"action": {"command": {"name": name, "body": {}}}}}
        assert verified(chained([*records, shown]), head=head).verdict == verdict
    for data in ({}, {"action": None}, {"action": {"command": {"name": ["say"]}}}):
        assert (
            verified(chained([*records, {**records[-1], "kind": "did", "data": data}]), head=head).verdict
            == "partly"
        )


def test_a_tail_that_was_forged_or_cut_after_the_head_is_no_plain_pass() -> None:
    """Chained again from the line after the head on: another winner, a verdict that nobody gave, no end at all."""
    records = records_of(built(game()))
    pause = records[8]["hash"]
    winner = [*records[:-2], {**records[-2], "data": {"winners": [{"board": "B1"}]}}, records[-1]]
    more = [*records[:-2], {**records[-2], "kind": "verdict"}, *records[-2:]]
    cut = [*records[:12], records[-1]]
    for forged in (winner, more, cut):
        report = verified(chained(forged), head=pause)
        assert (report.verdict, report.uncovered) == ("partly", len(forged) - 9)
        assert not report.told[-1].startswith("PASSED:")
    torn = verified([*built(game())[:12], b'{"boot'], head=pause)
    assert torn.verdict == "refused"


RULES_OF_TODAY = json.loads(msgspec.json.encode(dict(RULE_SETS)))
"""As line 1 of new games has them."""
UNKNOWN_RULES = {
    "dice_loaded": 1,
    "pieces.roads": 3,
    "pieces": {"roads": 18, "walls": {"high": 1}},
    "schedule": [{"from_round": 1, "seconds": 35, "why": 1}, {"from_round": 3, "why": 2}],
    "żółty": None,
}
"""What a verifier must name: a name with a dot is no place inside another one."""


def with_rules(rules: object) -> list[bytes]:
    records = records_of(built(game()))
    records[0]["data"]["rules"] = rules
    return chained(records)


def test_rules_that_a_verifier_does_not_know_are_named() -> None:
    names = '["dice_loaded","pieces.walls","pieces.walls.high","pieces.roads","schedule.why","żółty"]'
    told = verified(with_rules({**RULES_OF_TODAY["connect"], **UNKNOWN_RULES})).told
    assert f"Rules that this verifier does not know: {names}. They were not checked." in told
    for rules in (*RULES_OF_TODAY.values(), {}, None, [], 7, ["dice_loaded"]):
        report = verified(with_rules(rules))
        assert "verify.unknown_rules" not in [sentence.key for sentence in report.sentences]
    known = map(verify_game.field_paths, RULES_OF_TODAY.values())
    assert {path for paths in known for path in paths} == verify_game.KNOWN_RULES


def test_a_rehearsal_is_no_plain_pass() -> None:
    report = verified(built(game(more={"rehearsal": True})))
    assert report.verdict == "proved"
    assert report.told[-1].startswith("PASSED, AS A REHEARSAL: ")
    late = verified(built(game(more={"rehearsal": True}, steps=("next",) * 5 + ("end",) + ("next",) * 3)))
    assert late.told[-1].startswith("PASSED, AS A REHEARSAL, WITH 3 OF 8 ROLLS AFTER THE SEED: ")
    assert verified(built(game(more={"rehearsal": 1}))).told[-1].startswith("PASSED: ")


def test_a_seal_says_which_one_of_its_evening_it_is() -> None:
    numbered = verified(built(game(more=seal(3, "the first", "ab" * 32))))
    assert (
        f"Seal 3 of the evening of 'the first'; line 1 of the game before it: {'ab' * 32}." in numbered.told
    )
    assert "line 1 of the game before it: none." in " ".join(verified(built(game(more=seal(1)))).told)
    assert "Seal: without a number, as in games of earlier releases." in verified(built(game())).told


@pytest.mark.parametrize(
    "changed",
    [
        *({"number": number} for number in (0, -1, 1.0, True, "1", None, 2**32)),
        *({"of_evening": evening} for evening in ("", None, 7)),
        *({"before": before} for before in ("", "AB" * 32, 7, False)),
    ],
)
def test_a_seal_without_a_place_is_refused(changed: dict[str, object]) -> None:
    place = seal(2, "evening", "ab" * 32)["seal"]
    report = verified(built(game(more={"seal": {**place, **changed}})))
    assert report.told[-1].startswith("REFUSED: The seal of line 1 must name its place")
    assert verified(built(game(more={"seal": 3}))).verdict == "refused"


def evening_of(count: int, **words: str) -> list[list[bytes]]:
    """So many games of one evening, each with the hash of line 1 of the one before; `w2` is the word of the second."""
    games: list[list[bytes]] = []
    before = None
    for number in range(1, count + 1):
        book = replace(golden_plan().book, game_id=f"g{number}")
        word = words.get(f"w{number}")
        plan = game(book=book, words=(word,) if word else (), more=seal(number, "g1", before))
        games.append(built(plan))
        before = records_of(games[-1])[0]["hash"]
    return games


def test_a_gap_in_the_seals_of_an_evening_is_told() -> None:
    games = evening_of(6)
    assert on_evening(*games) == ["Evening of 'g1': seals 1, 2, 3, 4, 5, 6."]
    assert on_evening(games[1], games[0], games[0]) == ["Evening of 'g1': seals 1, 2."]
    assert on_evening(games[1], games[5]) == [
        "Evening of 'g1': seals 2, 6.",
        "Evening of 'g1': MISSING: seals 1. Ask for the exports of these games.",
        "Evening of 'g1': MISSING: seals 3-5. Ask for the exports of these games.",
    ]
    other = built(game(book=replace(golden_plan().book, game_id="x"), more=seal(2, "g1", "ab" * 32)))
    two = on_evening(games[0], games[1], other, games[2])
    assert two[0] == "Evening of 'g1': seals 1, 2, 2, 3."
    assert any("WRONG: seal 2 is that of two games, 'g2' and 'x'." in sentence for sentence in two)
    assert on_evening(games[0], other)[1:] == [
        "Evening of 'g1': WRONG: seal 2 does not follow from seal 1: another game came before it."
    ]
    assert on_evening(built(game()), [b"nonsense\n"]) == []


def test_a_word_that_two_seals_of_an_evening_have_is_told() -> None:
    games = evening_of(4, w1="żaba", w2="hat", w4="żaba")
    assert on_evening(*games)[1:] == [
        "Evening of 'g1': WRONG: seals 1 and 4 have the same word, 'żaba' (U+017C U+0061 U+0062 U+0061)."
    ]


def test_capital_digits_of_the_hall_are_fine() -> None:
    assert verify_export(built(game()), commitment=GOLDEN_COMMITMENT.upper()).ok


@pytest.mark.parametrize(
    ("seen", "sentence"),
    [
        ({"commitment": "12"}, "--commitment must be 16 to 64 hexadecimal digits, not '12'"),
        ({"head": "1234567"}, "--head must be 8 to 64 hexadecimal digits, not '1234567'"),
        ({"head": "xyzxyzxy"}, "--head must be 8 to 64 hexadecimal digits, not 'xyzxyzxy'"),
    ],
)
def test_what_the_hall_saw_must_be_digits(seen: dict[str, str], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        verify_export([], **seen)


def test_the_last_word_before_the_start_counts() -> None:
    report = verified(built(game(words=("first", None, "second"))))
    assert report.ok
    assert "Public word: 'second' (the last of 3 lines counts); the file's own." in " ".join(report.told)
    taken_back = verified(built(game(words=("first", None))))
    assert taken_back.ok
    assert "Public word: none (the last of 2 lines counts);" in " ".join(taken_back.told)


@pytest.mark.parametrize("text", [7, "", [], True, {"a": 1}])
def test_every_word_given_is_checked_not_only_the_last(text: object) -> None:
    records = records_of(built(game(words=("first", "second"))))
    records[1]["data"]["text"] = text
    report = verified(chained(records))
    assert report.told[-1] == "REFUSED: Line 2 gives a public word that is not text."
    del records[1]["data"]["text"]
    assert verified(chained(records)).verdict == "refused"


def test_more_keys_are_allowed_everywhere_but_in_the_terms() -> None:
    records = records_of(built(game()))
    for record in records:
        record["more"] = record["data"]["more"] = [1.5, None]
    assert verified(chained(records)).ok
    records[0]["data"]["terms"]["more"] = 1
    assert verified(chained(records)).verdict == "refused"


def test_rolls_after_a_published_seed_are_counted() -> None:
    report = verified(built(game(steps=("next",) * 5 + ("end",) + ("next",) * 3)))
    assert report.ok
    assert "3 made after the seed was published" in " ".join(report.told)
    assert report.late == 3
    assert report.told[-1] == (
        "PASSED, WITH 3 OF 8 ROLLS AFTER THE SEED: every roll follows from the committed seed, "
        "but whoever had read it could foresee the last 3. No head was given: 0 of 15 lines are covered by one."
    )
    whole = verified(built(game())).told[-1]
    assert whole == (
        "PASSED: every roll follows from the committed seed. No head was given: 0 of 19 lines are covered by one."
    )


def test_old_exports_stay_verifiable() -> None:
    report = verify_file(GOLDEN, commitment=GOLDEN_COMMITMENT, head=GOLDEN_HEAD)
    assert report.ok
    assert (report.commitment, report.chain[-1]["hash"][:8]) == (GOLDEN_COMMITMENT, GOLDEN_HEAD)
    assert (len(report.chain), report.rolls, report.robber_phases) == (44, 35, 8)
    with GOLDEN.open("rb") as lines:
        assert verified(lines, commitment=GOLDEN_COMMITMENT, head=GOLDEN_HEAD, word="Jürgen's hat").ok


def test_the_golden_file_is_untouched() -> None:
    digest = hashlib.sha256(GOLDEN.read_bytes()).hexdigest()
    assert digest == "6aea0aee92f08fc145c12897538fe4468ec150e938a3489f6c617106db77355c"


def standalone(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run apart from the package: isolated, without site packages."""
    command = [sys.executable, "-I", "-S", STANDALONE, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=DEADLINE_S)


def test_the_standalone_program_passes_refuses_and_explains(tmp_path: Path) -> None:
    passed = standalone(GOLDEN, "--commitment", GOLDEN_COMMITMENT.upper(), "--head", GOLDEN_HEAD)
    assert (passed.returncode, passed.stderr) == (0, "")
    assert passed.stdout.splitlines()[-1].startswith("PASSED, WITH 3 OF 35 ROLLS AFTER THE SEED")
    games = [tmp_path / f"{number}.jsonl" for number in range(3)]
    for path, lines in zip(games, evening_of(3), strict=True):
        path.write_bytes(b"".join(lines))
    assert standalone(*games).returncode == 0
    aside = built(game(ended=False, steps=(), more=seal(4, "g1", records_of(evening_of(3)[2])[0]["hash"])))
    put_aside = tmp_path / "aside.jsonl"
    put_aside.write_bytes(b"".join(aside))
    assert standalone(put_aside).returncode == 1
    assert standalone(*games, put_aside).returncode == 0, "what never began has nothing to prove"
    assert not verified(aside).begun
    gap = standalone(games[0], games[2])
    assert (gap.returncode, gap.stdout.splitlines()[0]) == (1, f"{games[0]}:")
    assert "MISSING: seals 2." in gap.stdout.splitlines()[-1]
    assert standalone(*games, "--head", "0" * 16).returncode == 2
    open_game = tmp_path / "open.jsonl"
    open_game.write_bytes(b"".join(built(game(ended=False))))
    assert standalone(open_game).returncode == 1
    assert standalone(*games, open_game).returncode == 1
    refused = standalone(GOLDEN, "--commitment", "0" * 64)
    assert refused.returncode == 1
    said = refused.stdout.splitlines()[-1]
    assert said == f"REFUSED: The hall saw commitment {'0' * 64}, but the file carries {GOLDEN_COMMITMENT}."


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "required: file"),
        (["no-such-file.jsonl"], "cannot read no-such-file.jsonl: No such file or directory"),
        ([str(GOLDEN), "--head", "12"], "--head takes 8 to 64 hexadecimal digits, not '12'"),
        ([str(GOLDEN), "--commitment", "12"], "--commitment takes 16 to 64 hexadecimal digits, not '12'"),
    ],
)
def test_bad_usage_of_the_standalone_program(arguments: list[str], sentence: str) -> None:
    wrong = standalone(*arguments)
    assert wrong.returncode == 2
    assert sentence in wrong.stderr
    assert "Traceback" not in wrong.stderr


def test_the_standalone_verifier_is_one_short_file_of_the_standard_library() -> None:
    text = STANDALONE.read_text(encoding="utf-8")
    assert "pi_controller" not in text.split('"""', 2)[2]
    assert len(text.splitlines()) <= 700


# Games that were really played, with everything a director may do, pass the verifier.

SECOND = 1_000_000_000
COMMANDS: tuple[Command, ...] = (
    Skip(),
    Skip(),
    Skip(),
    AddTime(40_000),
    AddTime(-50_000),
    Pause(),
    Resume(override=True),
    Undo(),
    Undo(replace=Skip()),
    Undo(replace=AddTime(-20_000)),
    Undo(replace=Pause()),
    Redo(),
    End(confirm=True),
    LastRounds(3),
    Start(),
    Contribute("late"),
    Claim("7", "sun"),
    SetClaims("pause"),
    SetClaims("ask"),
)
steps = st.lists(
    st.sampled_from(COMMANDS) | st.sampled_from([1, 12, 20, 35, 45, 100]), min_size=10, max_size=60
)


class Journalled:
    """A game, and the records of everything that happened in it."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.now_ns = 0
        self.records: list[dict[str, Any]] = []
        rules = game.rules
        self.record(
            "game",
            {
                "format": 2,
                "derivation": 2,
                "game_id": game.game_id,
                "rule_set": rules.name,
                "rule_set_version": rules.version,
                "rules": {"sides": [[seat, sign.name] for seat, sign in rules.sides]},
                "terms": game.dice.terms.as_data(),
                "commitment": game.dice.commitment,
            },
        )

    def record(self, kind: str, data: dict[str, Any]) -> None:
        self.records.append({"kind": kind, "data": data, "game_ns": self.now_ns})

    def happen(self, events: tuple[Event, ...]) -> None:
        for event in events:
            self.game = apply(self.game, event)
            self.record(*encode_event(event))

    def do(self, command: Command) -> tuple[str, ...]:
        decision = decide(self.game, command, at_ns=self.now_ns, now_ns=self.now_ns, source="web")
        self.happen(decision.events)
        self.wait(0)
        return decision.reasons

    def wait(self, seconds: int) -> None:
        self.now_ns += seconds * SECOND
        self.happen(tick(self.game, self.now_ns))

    def verified(self) -> VerifyReport:
        self.record("seed", {"seed": self.game.dice.seed.hex()})
        return verified(chained(self.records), commitment=self.game.dice.commitment)


@given(
    st.integers(0, 9999),
    st.sampled_from(["due_side", "other_side"]),
    st.sampled_from(["sun", "moon", "drawn"]),
    st.none() | st.just("lantern"),
    steps,
)
@settings(max_examples=60, deadline=None)
def test_whatever_the_director_does_the_game_passes(
    number: int, after_robber: Any, first_side: Any, word: str | None, todo: list[Any]
) -> None:
    rules = replace(CONNECT, after_robber=after_robber, first_side=first_side, rounds_without_seven=1)
    played = Journalled(new_game(f"played-{number}", rules, number.to_bytes(32, "big")))
    if word:
        played.do(Contribute(word))
    played.do(Start())
    for step in todo:
        played.wait(step) if isinstance(step, int) else played.do(step)
    report = played.verified()
    assert report.ok, report.told
    assert report.rolls == sum(record["kind"] == "turned" for record in played.records)


# The verifier on classic games: turns of 3 to 6 seats, no robber phases, a first seat that was rolled for.


def classic(**changes: object) -> Plan:
    seats = ("red", "blue", "white", "orange")
    book = DiceBook(bytes(range(32)), "at home", CLASSIC)
    return replace(Plan(book, seats=seats, steps=("next",) * 15), **changes)


def sides_of(lines: list[bytes]) -> list[str]:
    return [record["data"]["side"] for record in records_of(lines) if record["kind"] == "turned"]


def test_in_a_classic_game_every_roll_belongs_to_a_turn_and_a_7_begins_no_phase() -> None:
    report = verified(lines := built(classic(steps=("next",) * 60)))
    assert (report.verdict, report.rolls, report.robber_phases) == ("proved", 60, 0)
    turns = [record["data"] for record in records_of(lines) if record["kind"] == "turned"]
    assert sum(sum(turn["dice"]) == 7 for turn in turns) >= 5
    assert {turn["draw"] for turn in turns} == {0}
    assert sides_of(lines)[:5] == ["orange", "red", "blue", "white", "orange"]


@pytest.mark.parametrize("first_side", ["drawn", "highest"])
def test_more_seats_than_a_byte_can_name_are_refused_at_once(first_side: str) -> None:
    """By `drawn` no byte would ever name one of them."""
    plan = classic(steps=())
    records = records_of(built(plan))
    records[0]["data"]["terms"]["first_side"] = first_side
    records[0]["data"]["rules"] = {"sides": [[f"seat {number}", {}] for number in range(257)]}
    assert "257 seats" in verified(chained(records)).told[-1]


@pytest.mark.parametrize(
    ("terms", "wrong"),
    [
        ({"after_robber": "due_side"}, "The dice terms are wrong: schedule"),
        ({"after_robber": "due_side", "schedule": [[1, 90_000]]}, "The seed gives commitment"),
        ({"after_robber": "nobody"}, "The dice terms are wrong: after_robber"),
        ({"schedule": [[2, 90_000]]}, "The dice terms are wrong: schedule"),
        ({"first_side": "brown"}, "The dice terms are wrong: first_side"),
    ],
)
def test_other_terms_of_a_classic_game_are_refused(terms: dict[str, object], wrong: str) -> None:
    records = records_of(built(classic()))
    records[0]["data"]["terms"] |= terms
    assert wrong in verified(chained(records)).told[-1]


def test_version_1_knows_no_game_without_a_robber_phase() -> None:
    said = refusal(lambda records: records[0]["data"].update(after_robber="no_phase"))
    assert "after_robber is 'no_phase', neither 'due_side' nor 'other_side'" in said


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_a_game_that_was_played_with_undo_and_pauses_passes(seats: int) -> None:
    rules = replace(RULES, sides=CLASSIC_SEATS[:seats], building_ms=30_000)
    played = Journalled(new_game("at home", rules, bytes([seats] * 32)))
    played.do(Contribute("lantern"))
    played.do(Start())
    for number in range(20 * seats):
        played.wait(7)
        assert played.do(Turn()) == ()
        if number % 9 == 8:
            played.do(Pause())
            played.do(Resume())
            played.wait(3)
        if number % 11 == 10:
            played.do(Undo())
            played.do(Turn() if number % 2 else Redo())
    played.do(End(confirm=True))
    report = played.verified()
    assert report.ok, report.told
    assert report.rolls >= 5 * seats
    assert {record["kind"] for record in played.records} >= {"acts", "turned", "corrected"}
