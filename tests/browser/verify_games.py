"""verify.html against the verifier in Python: `python -m tests.browser.verify_games`.

Games go into the page as files, as a person gives them: many at once, and those that pass though they are forged once
more, each with the truth that shows it. What the page says must be what Python says, sentence by sentence.
"""

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, FilePayload, Page

from pi_controller.journal.verify import VerifyReport, verify_evening
from pi_controller.language.words import words
from tests.browser.screen import staged
from tests.journal.exports import built, random_plan
from tests.journal.forgeries import FORGERIES, changed_anywhere, random_case
from tests.journal.mutations import MUTATIONS, Seen, split
from tests.journal.test_verify import verified

PAGE = Path(__file__).parents[2] / "pi_controller" / "web" / "verify.html"
AT_ONCE = 150
"""Files in one go: what is sent to the browser in one message has a limit."""
FIELDS = {"commitment": "seal", "head": "head", "word": "word"}
EVENING = (
    "() => [...document.querySelectorAll('aside li')].map((item) => [item.dataset.key, item.textContent])"
)
DONE = "() => !['', 'Computing …'].includes(document.querySelector('[data-is=status]').textContent)"
READ = """
() => [...document.querySelectorAll('article')].map((article) => [
  article.dataset.verdict,
  [...article.querySelectorAll('details li')].map((item) => [item.dataset.key, item.textContent]),
])
"""
OWN_WORDS = re.compile(r"(?<=dice terms are wrong:|These dice cannot be:).*")
"""What is wrong inside the terms the page says in words of its own."""


class Verifier:
    """The page, opened from a file, in English; a complaint of it is an error."""

    def __init__(self, browser: Browser, query: str = "") -> None:
        self.page: Page = browser.new_context(locale="en-GB").new_page()
        self.page.on("pageerror", _fail)
        self.page.goto(PAGE.as_uri() + query)

    def see(self, seen: Seen) -> None:
        """Fill in what the hall saw, and nothing besides."""
        for name, field in FIELDS.items():
            self.page.fill(f"[data-is={field}]", seen.get(name, ""))
        self.page.set_checked("[data-is=no-word]", seen.get("word") == "")

    def check(self, games: Sequence[list[bytes]], seen: Seen) -> list[tuple[str, list[list[str]]]]:
        """Verdict, and key and text of each sentence, of each game."""
        self.see(seen)
        files = [
            FilePayload(name=f"{number}.jsonl", mimeType="application/x-ndjson", buffer=b"".join(lines))
            for number, lines in enumerate(games)
        ]
        self.page.set_input_files("[data-is=files]", files)
        self.page.wait_for_function(
            "count => document.querySelectorAll('article').length === count", arg=len(files)
        )
        self.page.wait_for_function(DONE)
        found: list[tuple[str, list[list[str]]]] = self.page.evaluate(READ)
        self.evening: list[list[str]] = self.page.evaluate(EVENING)
        self.page.set_input_files("[data-is=files]", [])
        self.page.wait_for_function("() => document.querySelector('article') === null")
        return found


def _fail(error: Any) -> None:
    raise AssertionError(str(error))


def compare(verifier: Verifier, games: Sequence[list[bytes]], seen: Seen) -> list[VerifyReport]:
    """The reports of Python, after checking that the page says the same."""
    reports = [verified(lines, **seen) for lines in games]
    found = verifier.check(games, seen)
    for report, (verdict, said) in zip(reports, found, strict=True):
        assert verdict == report.verdict, (report.told, said)
        assert [key for key, _ in said] == [sentence.key for sentence in report.sentences]
        for sentence, (_, text) in zip(report.sentences, said, strict=True):
            expected = words(sentence)[:1000]
            assert OWN_WORDS.sub("", text) == OWN_WORDS.sub("", expected), (text, expected)
    if len(games) > 1:
        _, of_evening = verify_evening(reports)
        expected_ones = [[sentence.key, words(sentence)[:1000]] for sentence in of_evening]
        assert verifier.evening == expected_ones
    return reports


def true_games(verifier: Verifier, rng: random.Random, count: int) -> Counter[str]:
    verdicts = Counter[str]()
    for begin in range(0, count, AT_ONCE):
        games = [built(random_plan(rng)) for _ in range(min(AT_ONCE, count - begin))]
        verdicts.update(f"true: {report.verdict}" for report in compare(verifier, games, {}))
    return verdicts


def forged_games(verifier: Verifier, rng: random.Random, count: int) -> Counter[str]:
    """Each kind of forgery and of tampering in turn; those that pass alone are shown by the truth."""
    verdicts = Counter[str]()
    kinds = [*FORGERIES, *(mutation.__name__ for mutation in MUTATIONS), "changed anywhere"]
    games = [forged(rng, kinds[number % len(kinds)]) for number in range(count)]
    alone = compare(verifier, [lines for lines, _ in games], {})
    for report, (lines, truth) in zip(alone, games, strict=True):
        verdicts[f"forged, alone: {report.verdict}"] += 1
        if report.ok:
            (shown,) = compare(verifier, [lines], truth)
            assert shown.verdict == "refused", truth
            verdicts["forged, with the truth: refused"] += 1
    return verdicts


def forged(rng: random.Random, kind: str) -> tuple[list[bytes], Seen]:
    case = random_case(rng)
    if kind in FORGERIES:
        made = FORGERIES[kind](rng, case)
        return made.lines, made.truth
    lines, seen = case.lines, case.head
    while lines == case.lines:
        if kind == "changed anywhere":
            lines, _ = changed_anywhere(rng, case)
        else:
            lines, seen = next(each for each in MUTATIONS if each.__name__ == kind)(rng, case)
        lines = split(b"".join(lines))
    return lines, seen or case.head


def main() -> int:
    parser = argparse.ArgumentParser(description="verify.html and the verifier in Python on the same games.")
    parser.add_argument("--games", type=int, default=1_000)
    parser.add_argument("--forged", type=int, default=100, help="so many of them")
    parser.add_argument("--seed", type=int, default=20261123)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    with staged() as (browser, _):
        verifier = Verifier(browser)
        verdicts = true_games(verifier, rng, given.games - given.forged)
        verdicts += forged_games(verifier, rng, given.forged)
    for name, times in sorted(verdicts.items()):
        print(f"{times:6} {name}")
    print(f"verify.html and Python say the same of {given.games} games, {given.forged} of them forged.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
