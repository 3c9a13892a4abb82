"""The verifier on tampered and forged games: `python -m tests.journal.verifier_fuzz`."""

import argparse
import random
import sys
from collections import Counter

from tests.journal.forgeries import FORGERIES, changed_anywhere, random_case, rows
from tests.journal.mutations import MUTATIONS
from tests.journal.test_verify import verified

CASES = 50
ACCEPTED = {
    "sides_order_changed": ("side after the robber",),
    "forged_as_a_whole": ("whole game",),
    "forged_with_other_terms": ("whole game",),
    "chained_again_after_a_change": ("other lines", "other fields"),
}
"""Mutations that verifiers accept which are given nothing, with their rows in the table of the page."""


def mutated(rng: random.Random, times: int) -> Counter[str]:
    """So many tampered exports: refused by what the hall saw, and accepted without it only when documented."""
    known = rows()
    tried = Counter[str]()
    for number in range(times):
        if number % max(1, times // CASES) == 0:
            case = random_case(rng)
            assert verified(case.lines, **case.head, **case.commitment).ok
        mutation = MUTATIONS[number % len(MUTATIONS)]
        lines, seen = mutation(rng, case)
        assert lines != case.lines, mutation.__name__
        assert not verified(lines, **seen).ok, mutation.__name__
        if seen and verified(lines).ok:
            assert all(row in known for row in ACCEPTED[mutation.__name__]), mutation.__name__
            tried[f"accepted: {mutation.__name__}"] += 1
        tried[mutation.__name__] += 1
    return tried


def rechained(rng: random.Random, times: int) -> Counter[str]:
    """So many games written anew with all their hashes, every second one a row of the page's table."""
    known = rows()
    tried = Counter[str]()
    names = list(FORGERIES)
    for number in range(times):
        case = random_case(rng)
        if number % 2:
            lines, read = changed_anywhere(rng, case)
            while lines == case.lines:
                lines, read = changed_anywhere(rng, case)
            accepted = verified(lines).ok
            assert not (accepted and read), number
            assert not verified(lines, **case.head).ok, number
            tried["a change anywhere, accepted" if accepted else "a change anywhere, refused"] += 1
        else:
            name = names[number // 2 % len(names)]
            assert name in known, name
            forged = FORGERIES[name](rng, case)
            assert verified(forged.lines).ok, name
            assert not verified(forged.lines, **forged.truth).ok, name
            tried[name] += 1
    return tried


def main() -> int:
    parser = argparse.ArgumentParser(description="The verifier on tampered and forged games.")
    parser.add_argument("--mutations", type=int, default=20_000)
    parser.add_argument("--rechained", type=int, default=600)
    parser.add_argument("--seed", type=int, default=20261120)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    for tried in (mutated(rng, given.mutations), rechained(rng, given.rechained)):
        for name, times in sorted(tried.items()):
            print(f"{times:6} {name}")
    print(f"The verifier judged {given.mutations} mutated and {given.rechained} re-chained games rightly.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
