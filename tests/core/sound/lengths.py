"""How long each call-out lasts in each language and in each pair of languages, spoken by the real voice, beside its slot.

`python -m tests.core.sound.lengths` prints a table, which docs/sound.md sums up; a minute, or three on a busy machine.
"""

import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

from pi_controller.core.sound.phrases import (
    GAP_MS,
    SIGNS,
    SLOTS_MS,
    Callout,
    Lengths,
    Spoken,
    every_callout,
    spoken,
    winner,
)
from pi_controller.core.sound.voice import seats_of, wanted
from pi_controller.game.rule_sets import RULE_SETS
from pi_controller.hal.names import CalloutKind
from pi_controller.hal.sound.library import Espeak, Library
from pi_controller.language.languages import LANGUAGES as VOICES
from pi_controller.language.words import words

LONGEST_BOARD_NAME = 6
"""Of the roster."""
PAIRS = tuple(combinations(VOICES, 2))


def lengths_of(folder: Path, languages: Sequence[str]) -> Lengths:
    """By the real voice. ValueError where it cannot say something."""
    library, found = Library(folder, Espeak()), {}
    for rules in RULE_SETS.values():
        for sound in library.every(wanted(languages, rules.name, rules.robber_targets)):
            if sound.trouble is not None:
                raise ValueError(words(sound.trouble))
            found[sound.wanted.language, sound.wanted.name] = sound.ms
    return found


def callouts(lengths: Lengths) -> tuple[Callout, ...]:
    """Everything that can be said by any rules; of winners those whose board's name takes longest, in each language."""
    names = {
        name for language in {language for language, _ in lengths} for name in slowest(language, lengths)
    }
    found = []
    for rules in RULE_SETS.values():
        seats = seats_of(rules.name)
        found += every_callout(seats, rules.robber_targets)
        found += [winner(name, seat) for seat in seats for name in sorted(names)]
    return tuple(dict.fromkeys(found))


def slowest(language: str, lengths: Lengths) -> tuple[str, str]:
    """Of letters, and of numbers of two digits with letters between them."""
    by_length = sorted(SIGNS, key=lambda sign: lengths[language, f"sign_{sign.lower()}"])
    letter = next(sign for sign in reversed(by_length) if sign.isalpha())
    number = next(sign for sign in reversed(by_length) if len(sign) > 1)
    return letter * LONGEST_BOARD_NAME, f"{number}{letter}" * (LONGEST_BOARD_NAME // 3)


def longest(kind: CalloutKind, language: str, lengths: Lengths) -> Spoken:
    return max((one for one in said(language, lengths) if one.callout.kind == kind), key=lambda one: one.ms)


def said(language: str, lengths: Lengths) -> Iterator[Spoken]:
    for callout in callouts(lengths):
        one = spoken(callout, language, lengths)
        if one is not None:
            yield one


def together_ms(callout: Callout, pair: tuple[str, str], lengths: Lengths) -> int:
    """In both languages, one after the other."""
    both = [one for language in pair if (one := spoken(callout, language, lengths)) is not None]
    return sum(one.ms for one in both) + GAP_MS * (len(both) - 1)


def in_turn(kind: CalloutKind, lengths: Lengths) -> list[tuple[str, str]]:
    """Pairs of languages in which something of this kind has no room in both."""
    those = [callout for callout in callouts(lengths) if callout.kind == kind]
    return [pair for pair in PAIRS if any(together_ms(one, pair, lengths) > SLOTS_MS[kind] for one in those)]


def table(lengths: Lengths) -> list[str]:
    head = ["call-out", *VOICES, "the longest pair", "at most", "pairs that take turns"]
    rows = [head, ["---"] * len(head)]
    for kind, slot_ms in SLOTS_MS.items():
        each = [f"{longest(kind, language, lengths).ms / 1000:.2f}" for language in VOICES]
        those = [callout for callout in callouts(lengths) if callout.kind == kind]
        both = max((together_ms(one, pair, lengths), pair) for one in those for pair in PAIRS)
        turns = in_turn(kind, lengths)
        rows.append(
            [
                f"`{kind}`",
                *each,
                f"{both[0] / 1000:.2f} ({', '.join(both[1])})",
                f"{slot_ms / 1000:g}",
                "all" if len(turns) == len(PAIRS) else f"{len(turns)} of {len(PAIRS)}" if turns else "none",
            ]
        )
    return ["| " + " | ".join(row) + " |" for row in rows]


def main() -> int:
    with TemporaryDirectory() as folder:
        print("\n".join(table(lengths_of(Path(folder), tuple(VOICES)))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
