"""hardware/work.csv rolled up: who does what in which order, and how long a crew takes."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

COLUMNS = ("step", "what", "who", "per", "minutes", "after", "gate")
WHO = ("solders fine", "solders", "crimps", "flashes", "measures")
PER = ("first", "node", "table_cable", "zone_cable", "chain", "zone", "hall")
CREWS = {
    20: {"solders fine": 1, "solders": 1, "crimps": 1, "flashes": 1, "measures": 1},
    50: {"solders fine": 2, "solders": 2, "crimps": 2, "flashes": 1, "measures": 1},
    200: {"solders fine": 4, "solders": 4, "crimps": 4, "flashes": 1, "measures": 2},
}
"""People for each size of hall; who solders fine also solders."""
EVENING = 3.0
"""Hours."""


class WorkError(ValueError):
    """A step that cannot be planned; the text says which and what to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """`minutes` for each `per` of the hall, after the steps `after` have begun to give something."""

    number: int
    what: str
    who: str
    per: str
    minutes: float
    after: tuple[int, ...]
    gate: str

    def hours(self, counts: Mapping[str, int]) -> float:
        return self.minutes * (1 if self.per == "first" else counts[self.per]) / 60


def read(text: str) -> list[Step]:
    """In the order of the work: every step stands behind those it needs."""
    rows = csv.DictReader(io.StringIO(text))
    if tuple(rows.fieldnames or ()) != COLUMNS:
        raise WorkError(f"hardware/work.csv must have the columns {', '.join(COLUMNS)}.")
    steps: list[Step] = []
    for line, row in enumerate(rows, 2):
        where = f"hardware/work.csv, line {line}"
        if row["who"] not in WHO or row["per"] not in PER:
            raise WorkError(f"{where}: who must be one of {', '.join(WHO)}, per one of {', '.join(PER)}.")
        step = Step(
            number=int(row["step"]),
            what=row["what"],
            who=row["who"],
            per=row["per"],
            minutes=float(row["minutes"]),
            after=tuple(map(int, row["after"].split())),
            gate=row["gate"],
        )
        if step.number != len(steps) + 1 or any(not 0 < number < step.number for number in step.after):
            raise WorkError(f"{where}: steps count from 1, and a step comes after earlier ones only.")
        steps.append(step)
    return steps


def hours(steps: Sequence[Step], counts: Mapping[str, int], *, placed: bool) -> dict[str, float]:
    """Of each kind of worker; `placed`: the board house places the surface parts of the nodes."""
    done = [step for step in steps if not (placed and _by_machine(step))]
    return {who: sum(step.hours(counts) for step in done if step.who == who) for who in WHO}


def evenings(needed: Mapping[str, float], crew: Mapping[str, int]) -> int:
    """Until the busiest kind of worker is through; who solders fine helps who solders."""
    fine, rough = crew["solders fine"], crew["solders"]
    soldering = (needed["solders fine"] + needed["solders"]) / (fine + rough)
    longest = max(
        soldering,
        needed["solders fine"] / fine,
        *(needed[who] / crew[who] for who in ("crimps", "flashes", "measures")),
    )
    return math.ceil(longest / EVENING)


def page(steps: Sequence[Step], halls: Mapping[int, Mapping[str, int]]) -> str:
    lines = [
        "# Time plan: who does what in which order",
        "",
        "State: **paper**. Made by `make generate` from [work.csv](../work.csv). The minutes are",
        "**estimates**: nobody has built a node yet. Put in those of your first ten and run it again.",
        "",
        "| # | Do | Who | For each | Minutes | After | Gate |",
        "|--:|---|---|---|--:|---|---|",
        *(
            f"| {step.number} | {step.what} | {step.who} | {_per(step.per)} | {step.minutes:g} | "
            f"{', '.join(map(str, step.after)) or '-'} | {step.gate or '-'} |"
            for step in steps
        ),
        "",
        "Nobody starts a step in number before the first piece of it has passed its gate. Steps 2, 6 and 9",
        "need nothing from each other: begin them on the same evening. *Solders fine*: parts on the surface;",
        "whoever does so helps with the rest. The panel has a part with legs 0.5 mm apart, its current",
        "sensor: flux, wick, magnifier.",
    ]
    for size, counts in halls.items():
        lines += ["", *_size(steps, size, counts)]
    return "\n".join(lines) + "\n"


def _size(steps: Sequence[Step], size: int, counts: Mapping[str, int]) -> list[str]:
    crew = CREWS[size]
    people = sum(crew.values())
    by_hand, by_house = (hours(steps, counts, placed=placed) for placed in (False, True))
    rows = [f"| {who} | {crew[who]} | {by_hand[who]:.0f} | {by_house[who]:.0f} |" for who in WHO]
    return [
        f"## {size} boards",
        "",
        "| Who | People | Hours, all by hand | Hours, house places surface parts of the nodes |",
        "|---|--:|--:|--:|",
        *rows,
        f"| **Together** | {people} | {sum(by_hand.values()):.0f} | {sum(by_house.values()):.0f} |",
        f"| **Evenings of {EVENING:g} hours** | | {evenings(by_hand, crew)} | {evenings(by_house, crew)} |",
    ]


def _by_machine(step: Step) -> bool:
    return step.per == "node" and step.who == "solders fine"


def _per(per: str) -> str:
    return {"first": "hall, once"}.get(per, per.replace("_", " "))
