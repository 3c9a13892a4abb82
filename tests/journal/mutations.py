"""Ways to tamper with an export. Each gives lines that differ from the true ones, and what the hall saw."""

import hashlib
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pi_controller.game.dice_terms import DiceTerms
from tests.journal.exports import Plan, Record, built, chained, encoded, records_of

Seen = dict[str, str]
Tampered = tuple[list[bytes], Seen]

JUNK = (None, True, False, 0, 1, 1.0, -1, 2**70, 0.5, "", "1", "sun", "\u007f", [], [1], [[]], {}, {"a": 1})


@dataclass(frozen=True)
class Case:
    """A true export of this plan, with its seed in the last line only."""

    plan: Plan
    lines: list[bytes]

    @property
    def head(self) -> Seen:
        return {"head": json.loads(self.lines[-1])["hash"][:8]}

    @property
    def commitment(self) -> Seen:
        return {"commitment": self.plan.book.commitment}

    def records(self, kind: str | None = None) -> list[Record]:
        return [record for record in records_of(self.lines) if kind in (None, record["kind"])]


def bit_flipped(rng: random.Random, case: Case) -> Tampered:
    text = bytearray(b"".join(case.lines))
    text[rng.randrange(len(text))] ^= 1 << rng.randrange(8)
    return split(bytes(text)), {}


def split(text: bytes) -> list[bytes]:
    """Lines as a file opened in binary gives them."""
    lines = [line + b"\n" for line in text.split(b"\n")]
    return lines[:-1] if text.endswith(b"\n") else [*lines[:-1], lines[-1][:-1]]


def cut_short(rng: random.Random, case: Case) -> Tampered:
    text = b"".join(case.lines)
    return split(text[: rng.randrange(1, len(text))]), {}


def bytes_cut_out(rng: random.Random, case: Case) -> Tampered:
    text = b"".join(case.lines)
    at = rng.randrange(len(text) - 1)
    return split(text[:at] + text[at + rng.randrange(1, 200) :]), {}


def line_cut(rng: random.Random, case: Case) -> Tampered:
    at = rng.randrange(len(case.lines))
    return case.lines[:at] + case.lines[at + 1 :], {}


def lines_swapped(rng: random.Random, case: Case) -> Tampered:
    one, other = rng.sample(range(len(case.lines)), 2)
    lines = list(case.lines)
    lines[one], lines[other] = lines[other], lines[one]
    return lines, {}


def line_doubled(rng: random.Random, case: Case) -> Tampered:
    at, to = rng.randrange(len(case.lines)), rng.randrange(len(case.lines) + 1)
    return [*case.lines[:to], case.lines[at], *case.lines[to:]], {}


def junk_line_added(rng: random.Random, case: Case) -> Tampered:
    junk = rng.choice(
        [b"\n", b"{}\n", b"\xff\n", b"[" * 100_000 + b"\n", b"NaN\n", b"9" * 5000 + b"\n", b" ", b""]
    )
    to = rng.randrange(len(case.lines) + 1)
    return [*case.lines[:to], junk, *case.lines[to:]], {}


def written_otherwise(rng: random.Random, case: Case) -> Tampered:
    lines = list(case.lines)
    at = rng.randrange(len(lines))
    record = json.loads(lines[at])
    texts = [
        json.dumps(record, sort_keys=True),
        json.dumps(dict(reversed(record.items())), separators=(",", ":"), ensure_ascii=False),
        lines[at].decode().rstrip("\n") + " ",
        lines[at].decode().rstrip("\n") + "\r",
        lines[at].decode().replace('{"boot_id"', '{"boot_id":"b","boot_id"', 1).rstrip("\n"),
    ]
    lines[at] = rng.choice(texts).encode() + b"\n"
    return lines, {}


def dice_changed(rng: random.Random, case: Case) -> Tampered:
    def change(data: Record) -> None:
        data["dice"] = other(rng, data["dice"], lambda: [rng.randint(1, 6), rng.randint(1, 6)])

    return with_turn(rng, case, change), {}


def target_changed(rng: random.Random, case: Case) -> Tampered:
    def change(data: Record) -> None:
        data["robber_target"] = other(rng, data["robber_target"], lambda: rng.choice([2, 12, "desert", None]))

    return with_turn(rng, case, change), {}


def side_changed(rng: random.Random, case: Case) -> Tampered:
    def change(data: Record) -> None:
        data["side"] = other(rng, data["side"], lambda: rng.choice(["sun", "moon", None]))

    return with_turn(rng, case, change), {}


def junk_in_a_turn(rng: random.Random, case: Case) -> Tampered:
    def change(data: Record) -> None:
        put_junk(rng, data, rng.choice([name for name in data if not name.endswith("_ns")]))

    return with_turn(rng, case, change), {}


def junk_in_the_first_line(rng: random.Random, case: Case) -> Tampered:
    records = case.records()
    opening = records[0]["data"]
    names = [name for name in opening if name not in ("software", "seal", "rehearsal")]
    if rng.random() < 0.5:
        put_junk(rng, opening["terms"], rng.choice([*opening["terms"], "more"]))
    else:
        put_junk(rng, opening, rng.choice(names))
    return chained(records), {}


def junk_in_the_seed(rng: random.Random, case: Case) -> Tampered:
    records = case.records()
    put_junk(rng, records[-1]["data"], "seed")
    return chained(records), {}


def junk_in_the_frame(rng: random.Random, case: Case) -> Tampered:
    """A line whose own hash is right, but which has a wrong kind, data, seq or prev."""
    lines = list(case.lines)
    at = rng.randrange(len(lines))
    body = json.loads(lines[at])
    del body["hash"]
    put_junk(rng, body, rng.choice(["kind", "data", "seq", "prev"]))
    digest = hashlib.sha256(encoded(body).encode()).hexdigest()
    lines[at] = encoded({**body, "hash": digest}).encode() + b"\n"
    return lines, {}


def phase_hidden(rng: random.Random, case: Case) -> Tampered:
    """A turn is left out altogether, though later ones are shown."""
    records = case.records()
    turns = [record["data"] for record in records if record["kind"] == "turned"]
    places = [(turn["due_round"], turn["draw"]) for turn in turns]
    hidden = rng.choice(sorted(set(places) - {max(places)}))
    kept = [
        record
        for record in records
        if record["kind"] != "turned" or (record["data"]["due_round"], record["data"]["draw"]) != hidden
    ]
    return chained(kept), {}


def word_changed(rng: random.Random, case: Case) -> Tampered:
    records = [record for record in case.records() if record["kind"] != "contributed"]
    if not case.plan.words or rng.random() < 0.7:
        records.insert(1, {**records[0], "kind": "contributed", "data": {"text": f"word {rng.random()}"}})
    return chained(records), {}


def word_given_late(rng: random.Random, case: Case) -> Tampered:
    records = case.records()
    first_turn = next(at for at, record in enumerate(records) if record["kind"] == "turned")
    at = rng.randrange(first_turn + 1, len(records) + 1)
    records.insert(at, {**records[0], "kind": "contributed", "data": {"text": case.plan.book.word}})
    return chained(records), {}


def terms_changed(rng: random.Random, case: Case) -> Tampered:
    records = case.records()
    opening = records[0]["data"]
    terms = opening["terms"]
    match rng.randrange(4):
        case 0:
            terms["rounds_without_seven"] += 1
        case 1:
            terms["allow_consecutive_sevens"] = not terms["allow_consecutive_sevens"]
        case 2:
            rng.shuffle(terms["robber_targets"])
            terms["robber_targets"].pop()
        case _:
            opening["game_id"] += "x"
    return chained(records), {}


def sides_order_changed(rng: random.Random, case: Case) -> Tampered:
    """In version 1 `after_robber` is not committed to; where it would change no side, the head tells."""
    records = case.records()
    opening = records[0]["data"]
    holder = opening if opening["format"] == 1 else opening["terms"]
    holder["after_robber"] = "due_side" if holder["after_robber"] == "other_side" else "other_side"
    return chained(records), case.head if opening["format"] == 1 else {}


def seed_swapped(rng: random.Random, case: Case) -> Tampered:
    records = case.records()
    records[-1]["data"]["seed"] = rng.randbytes(32).hex()
    return chained(records), {}


def second_seed(rng: random.Random, case: Case) -> Tampered:
    records = case.records()
    records.insert(
        rng.randrange(1, len(records) + 1), records[-1] | {"data": {"seed": rng.randbytes(32).hex()}}
    )
    return chained(records), {}


def seed_withheld(rng: random.Random, case: Case) -> Tampered:
    return chained(record for record in case.records() if record["kind"] != "seed"), {}


def second_game(rng: random.Random, case: Case) -> Tampered:
    records = case.records()
    records.insert(rng.randrange(len(records)), records[0])
    return chained(records), {}


def forged_as_a_whole(rng: random.Random, case: Case) -> Tampered:
    """Another seed, its own commitment and its own rolls: all true, but not what the hall saw."""
    book = replace(case.plan.book, seed=rng.randbytes(32))
    return built(replace(case.plan, book=book)), rng.choice([case.commitment, case.head])


def forged_with_other_terms(rng: random.Random, case: Case) -> Tampered:
    terms: DiceTerms = case.plan.book.terms
    more = replace(terms, rounds_without_seven=terms.rounds_without_seven + 1)
    return built(replace(case.plan, book=replace(case.plan.book, terms=more))), case.commitment


def chained_again_after_a_change(rng: random.Random, case: Case) -> Tampered:
    """Something that the seed does not decide: only the head can tell."""
    records = case.records()
    record = rng.choice(records)
    match rng.randrange(3):
        case 0:
            record["game_ns"] += 1
        case 1:
            records.remove(
                rng.choice([each for each in records[1:] if each["kind"] not in ("turned", "seed")])
            )
        case _:
            records.insert(rng.randrange(1, len(records)), {**records[1], "kind": "verdict", "data": {}})
    return chained(records), case.head


def with_turn(rng: random.Random, case: Case, change: Callable[[Record], None]) -> list[bytes]:
    records = case.records()
    change(rng.choice([record["data"] for record in records if record["kind"] == "turned"]))
    return chained(records)


def other(rng: random.Random, value: Any, draw: Callable[[], Any]) -> Any:
    drawn = draw()
    return drawn if drawn != value else other(rng, value, draw)


def put_junk(rng: random.Random, data: Record, name: str) -> None:
    """Another value, or none at all; 1.0 and true are other values than 1."""
    if name in data and rng.random() < 0.1:
        del data[name]
        return
    junk = rng.choice(JUNK)
    while name in data and encoded(junk) == encoded(data[name]):
        junk = rng.choice(JUNK)
    data[name] = junk


MUTATIONS: tuple[Callable[[random.Random, Case], Tampered], ...] = (
    bit_flipped,
    cut_short,
    bytes_cut_out,
    line_cut,
    lines_swapped,
    line_doubled,
    junk_line_added,
    written_otherwise,
    dice_changed,
    target_changed,
    side_changed,
    junk_in_a_turn,
    junk_in_the_first_line,
    junk_in_the_seed,
    junk_in_the_frame,
    phase_hidden,
    word_changed,
    word_given_late,
    terms_changed,
    sides_order_changed,
    seed_swapped,
    second_seed,
    seed_withheld,
    second_game,
    forged_as_a_whole,
    forged_with_other_terms,
    chained_again_after_a_change,
)
