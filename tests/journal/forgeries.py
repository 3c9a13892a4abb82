"""Files written anew with all their hashes, by whoever has the controller: what gets past verifiers that are given
nothing, and what shows it. Each function makes one row of the table in `docs/dice.md`."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from pi_controller.journal.verify_game import TURN
from tests.journal.exports import (
    CONNECT,
    Plan,
    Record,
    built,
    chained,
    classic_plan,
    random_plan,
    records_of,
    seal,
)
from tests.journal.mutations import JUNK, Case, Seen, put_junk

PAGE = (Path(__file__).parents[2] / "docs" / "dice.md").read_text(encoding="utf-8")
CHECKED = {
    "game": ("format", "derivation", "game_id", "terms", "rule_set", "rule_set_version", "after_robber", "commitment"),
    "turned": TURN,
    "contributed": ("text",),
    "seed": ("seed",),
}  # fmt: skip
"""What verifiers read of each kind of line; everything else is covered by the chain alone."""


def rows() -> dict[str, str]:
    """The table of the page: each forgery with what shows it."""
    table = PAGE.split("| Forgery | What was done | What shows it |\n|---|---|---|\n")[1].split("\n\n")[0]
    cells = [line.strip("| ").split(" | ") for line in table.splitlines()]
    return {row[0]: row[2] for row in cells}


@dataclass(frozen=True)
class Forged:
    """Lines that verifiers accept by themselves, and the truth that shows the forgery."""

    lines: list[bytes]
    truth: Seen


def true_word(case: Case) -> Seen:
    return {"word": case.plan.words[-1] or "" if case.plan.words else ""}


def strong_head(case: Case) -> Seen:
    return {"head": records_of(case.lines)[-1]["hash"][:16]}


def whole_game(rng: random.Random, case: Case) -> Forged:
    book = replace(case.plan.book, seed=rng.randbytes(32))
    return Forged(built(replace(case.plan, book=book)), case.commitment)


def another_word(rng: random.Random, case: Case) -> Forged:
    lines = built(replace(case.plan, words=(f"word {rng.randrange(10**9)}",)))
    assert records_of(lines)[0]["data"]["commitment"] == case.plan.book.commitment
    return Forged(lines, true_word(case))


def look_alike_word(_rng: random.Random, case: Case) -> Forged:
    case = replace(case, plan=replace(case.plan, words=("a lantern",)))
    return Forged(built(replace(case.plan, words=("\u0430 lantern",))), true_word(case))


def turn_again(rng: random.Random, case: Case) -> Forged:
    records = case.records()
    turns = [at for at, record in enumerate(records) if record["kind"] == "turned"]
    at = rng.choice(turns)
    records.insert(rng.randrange(at + 1, len(records)), records[at])
    return Forged(chained(records), strong_head(case))


def seed_moved(rng: random.Random, case: Case) -> Forged:
    *records, seed = case.records()
    records.insert(rng.randrange(1, len(records)), seed)
    return Forged(chained(records), strong_head(case))


def cut_after_a_turn(rng: random.Random, case: Case) -> Forged:
    *records, seed = case.records()
    turns = [at for at, record in enumerate(records) if record["kind"] == "turned"]
    return Forged(chained([*records[: rng.choice(turns) + 1], seed]), strong_head(case))


def other_lines(rng: random.Random, case: Case) -> Forged:
    records = case.records()
    others = [record for record in records if record["kind"] not in CHECKED]
    body = {"steps": [{"from_round": 1, "seconds": rng.randrange(1, 99)}]}
    schedule = {"action": {"command": {"name": "set_schedule", "body": body}}}
    added = {**records[1], "kind": rng.choice(["did", "verdict", "note"]), "data": schedule}
    match rng.randrange(3):
        case 0:
            records.remove(rng.choice(others))
        case 1:
            records.insert(rng.randrange(1, len(records)), added)
        case _:
            # The last word counts: an earlier one only seems to have been given.
            word = case.plan.words[-1] if case.plan.words else None
            given = [
                {**records[0], "kind": "contributed", "data": {"text": text}} for text in ("before", word)
            ]
            records[1:1] = given
    return Forged(chained(records), strong_head(case))


def other_fields(rng: random.Random, case: Case) -> Forged:
    records = case.records()
    record = rng.choice(records)
    match rng.randrange(3):
        case 0:
            record["game_ns"] += 1
        case 1:
            record["data"]["more"] = rng.randrange(99)
        case _:
            turn = rng.choice([record["data"] for record in records if record["kind"] == "turned"])
            turn["duration_ns"] += 1_000_000
    return Forged(chained(records), strong_head(case))


def after_the_head(rng: random.Random, case: Case) -> Forged:
    """Accepted also with the head of a line before; only a later head shows it."""
    records = case.records()
    at = rng.randrange(1, len(records))
    records[at]["game_ns"] += 1
    lines = chained(records)
    assert records_of(lines)[at - 1]["hash"] == records_of(case.lines)[at - 1]["hash"]
    return Forged(lines, strong_head(case))


def side_after_the_robber(rng: random.Random, case: Case) -> Forged:
    """In a game of version 1 in which no 7 came up."""
    terms = replace(CONNECT, rounds_without_seven=99)
    quiet = Plan(
        replace(case.plan.book, terms=terms), words=case.plan.words, steps=("next",) * rng.randrange(5, 20)
    )
    true = Case(quiet, built(quiet))
    return Forged(built(replace(quiet, after_robber="other_side")), strong_head(true))


def seats_renamed(rng: random.Random, _case: Case) -> Forged:
    """Of a game of another rule set than Connect: line 1 names other seats, and so do all turns."""
    plan = classic_plan(rng)
    true = Case(plan, built(plan))
    first, *others = plan.seats
    names = {
        first: rng.choice(["Ann", "Ben"]),
        **dict(zip(others, rng.sample(others, len(others)), strict=True)),
    }
    records = true.records()
    records[0]["data"]["rules"]["sides"] = [[names[seat], {}] for seat in plan.seats]
    for record in records:
        if record["kind"] == "turned":
            record["data"]["side"] = names[record["data"]["side"]]
    return Forged(chained(records), strong_head(true))


def seal_renumbered(rng: random.Random, case: Case) -> Forged:
    """As if fewer seals had been drawn before it."""
    true = case.records()
    true[0]["data"] |= seal(rng.randrange(2, 9), before="5e" * 32)
    forged = [{**record, "data": dict(record["data"])} for record in true]
    forged[0]["data"] |= seal(1)
    return Forged(chained(forged), {"head": records_of(chained(true))[-1]["hash"][:16]})


def rehearsal_hidden(_rng: random.Random, case: Case) -> Forged:
    true = case.records()
    true[0]["data"]["rehearsal"] = True
    forged = [{**record, "data": dict(record["data"])} for record in true]
    del forged[0]["data"]["rehearsal"]
    return Forged(chained(forged), {"head": records_of(chained(true))[-1]["hash"][:16]})


FORGERIES: dict[str, Callable[[random.Random, Case], Forged]] = {
    "whole game": whole_game,
    "another word": another_word,
    "turn again": turn_again,
    "seed moved": seed_moved,
    "cut after a turn": cut_after_a_turn,
    "other lines": other_lines,
    "other fields": other_fields,
    "after the head": after_the_head,
    "look-alike word": look_alike_word,
    "side after the robber": side_after_the_robber,
    "seats renamed": seats_renamed,
    "seal renumbered": seal_renumbered,
    "rehearsal hidden": rehearsal_hidden,
}
"""Every row but `head met`, which takes 2^32 tries: that row is in what the verifiers say of a short head."""


def random_case(rng: random.Random) -> Case:
    plan = random_plan(rng)
    return Case(plan, built(plan))


def changed_anywhere(rng: random.Random, case: Case) -> tuple[list[bytes], bool]:
    """One field of one line changed and all hashes made anew; and whether verifiers read that field."""
    records = case.records()
    record = rng.choice(records)
    dispensable = _dispensable(records, record)
    if rng.random() < 0.3:
        name = rng.choice(["kind", "game_ns", "boot_id", "wall", "more"])
        kinds = [kind for kind in (*CHECKED, "did", "note", "corrected") if kind != record["kind"]]
        before, record[name] = record["kind"], rng.choice(kinds if name == "kind" else JUNK)
        read = name == "kind" and not dispensable and not {before, record["kind"]}.isdisjoint(CHECKED)
        return chained(records), read
    name = rng.choice([*record["data"], "more"])
    put_junk(rng, record["data"], name)
    return chained(records), name in CHECKED.get(record["kind"], ())


def _dispensable(records: list[Record], record: Record) -> bool:
    """Whether this turn can be left out: it is entered again before a further one comes, or none comes (row `turn again`)."""
    if record["kind"] != "turned":
        return False
    places = [
        (each["data"]["due_round"], each["data"]["draw"]) for each in records if each["kind"] == "turned"
    ]
    mine = [each is record for each in records if each["kind"] == "turned"].index(True)
    later = (place for place in places[mine + 1 :] if place >= places[mine])
    return places[mine] in places[:mine] or next(later, places[mine]) == places[mine]
