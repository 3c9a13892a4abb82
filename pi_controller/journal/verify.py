"""Checks an exported game from its lines alone: the hash chain, the commitment, the word and every roll.

On purpose not the writer's own code, so that a fault of the writer cannot vouch for itself. `verify_game.py`
does the same without this package, in the same order and with the same sentences; `docs/dice.md` describes
what is checked.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pi_controller.game.public_word import normalised
from pi_controller.journal.export_chain import (
    HASH,
    Line,
    Opening,
    RefusedError,
    Turns,
    compare_turns,
    encode,
    legal_turns,
    read_chain,
    read_opening,
)

Verdict = Literal["proved", "unproved", "refused"]

STRONG_DIGITS = 16
"""From so many digits of the head on, 64 bits, no other file meets them; eight are met in minutes."""

_FROM_16_DIGITS = re.compile(r"[0-9a-f]{16,64}")
_FROM_8_DIGITS = re.compile(r"[0-9a-f]{8,64}")
_PARAMETERS = ("set_schedule", "set_claims")
"""Commands that change what was committed to."""
_LONGEST_SENTENCE = 1000
"""A sentence quotes from the file, which may be anything."""


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What was checked, in sentences; the last one is the verdict.

    `proved`: chain intact and every roll follows from the published seed. `unproved`: chain intact, but the
    seed is not published yet. `refused`: something is wrong, and the last sentence says what. `lines` counts
    those that the chain proves; `head` is the hash of the last one. `commitment` is the one that the file
    carries, `word` its public word. `late` counts the rolls that came after the seed, `uncovered` the lines
    after the head that was given (None without one).
    """

    verdict: Verdict
    sentences: tuple[str, ...]
    commitment: str | None
    head: str | None
    word: str | None
    lines: int
    rolls: int
    robber_phases: int
    late: int
    uncovered: int | None

    @property
    def ok(self) -> bool:
        return self.verdict == "proved"

    @property
    def exit_status(self) -> int:
        return 0 if self.ok else 1


def verify_file(
    path: Path, *, commitment: str | None = None, head: str | None = None, word: str | None = None
) -> VerifyReport:
    """`verify_export` of a file; an OSError when it cannot be read."""
    with path.open("rb") as lines:
        return verify_export(lines, commitment=commitment, head=head, word=word)


def verify_export(
    lines: Iterable[bytes], *, commitment: str | None = None, head: str | None = None, word: str | None = None
) -> VerifyReport:
    """Check an export, given as lines that keep their line ends. No content raises, whatever it is.

    `commitment` (16 to 64 hex digits), `head` (8 to 64) and `word` (empty: none was spoken) are what the hall
    saw and heard; a ValueError when they are not such digits. Without them a file that was made up as a whole
    can pass, and the report says so.
    """
    seen_commitment = _digits("--commitment must be 16 to 64", commitment, _FROM_16_DIGITS)
    seen_head = _digits("--head must be 8 to 64", head, _FROM_8_DIGITS)
    check = _Check()
    try:
        opening = check.read(lines)
        check.compare_commitment(seen_commitment, opening.commitment)
        check.compare_head(seen_head)
        check.tell_terms(opening)
        spoken = check.read_word(word, opening.terms.version)
        check.roll_again(opening, spoken, check.seed())
    except RefusedError as refusal:
        check.say("refused", f"REFUSED: {refusal}")
    return check.report()


class _Check:
    """One run over one export; every step adds its sentence or ends the run with a RefusedError."""

    def __init__(self) -> None:
        self._verdict: Verdict = "unproved"
        self._sentences: list[str] = []
        self._chain: list[Line] = []
        self._commitment: str | None = None
        self._word: str | None = None
        self._turns = Turns(0, 0, 0, 0)
        self._uncovered: int | None = None

    def say(self, verdict: Verdict, sentence: str) -> None:
        self._verdict = verdict
        self._tell(sentence)

    def _tell(self, sentence: str) -> None:
        self._sentences.append(sentence[:_LONGEST_SENTENCE])

    def read(self, lines: Iterable[bytes]) -> Opening:
        for line in read_chain(lines):
            self._chain.append(line)
        if not self._chain:
            raise RefusedError("The file is empty.")
        self._tell(f"Chain: {len(self._chain)} lines, unbroken, head {self._chain[-1].hash}.")
        opening = read_opening(self._chain[0])
        self._commitment = opening.commitment
        for line in self._chain[1:]:
            if line.kind == "game":
                raise RefusedError(f"Line {line.number} begins another game in the same file.")
        terms = opening.terms
        self._tell(
            f"Game {opening.game_id!r}: {terms.rule_set!r} version {terms.rule_set_version}, "
            f"dice of derivation {terms.version}."
        )
        return opening

    def compare_commitment(self, seen: str | None, carried: str) -> None:
        if seen is None:
            own = "the file's own. Compare it with what the hall saw, or give that: --commitment."
            self._tell(f"Commitment {carried}: {own}")
        elif not carried.startswith(seen):
            raise RefusedError(f"The hall saw commitment {seen}, but the file carries {carried}.")
        else:
            self._tell(f"Commitment {carried}: the hall saw {len(seen)} digits of it.")

    def compare_head(self, seen: str | None) -> None:
        if seen is None:
            lines = f"none of the {len(self._chain)} lines is compared with what the hall saw"
            self._tell(
                f"Head: none given, so {lines}. "
                "Changes outside the rolls, and lines cut away, only show with --head."
            )
            return
        line = next((line for line in self._chain if line.hash.startswith(seen)), None)
        if line is None:
            raise RefusedError(f"The hall saw head {seen}, but no line of the file has it.")
        self._uncovered = len(self._chain) - line.number
        strength = "strong" if len(seen) >= STRONG_DIGITS else "weak"
        self._tell(
            f"Head {seen}: that of line {line.number}; the {self._uncovered} lines after it are not covered. "
            f"{len(seen)} digits are {strength}: another file meets them in some 2^{4 * len(seen)} tries."
        )

    def tell_terms(self, opening: Opening) -> None:
        self._tell(f"Committed to: {encode(opening.terms.as_data())}.")
        if opening.terms.version == 1:
            after_robber = opening.order.after_robber
            self._tell(f"Not committed to: after_robber {after_robber!r}, times, target points, claims mode.")
        else:
            changes = [change for line in self._chain[1:] for change in _changes(line)]
            self._tell(f"Changed after the commitment: {'; '.join(changes) or 'nothing'}.")

    def read_word(self, heard: str | None, version: int) -> str | None:
        given = rolled = 0
        for line in self._chain:
            rolled += line.kind == "turned"
            if line.kind != "contributed":
                continue
            if rolled:
                raise RefusedError(f"Line {line.number} gives a public word after the first roll.")
            word = line.data.get("text", "")
            if word is not None and (not isinstance(word, str) or not word):
                raise RefusedError(f"Line {line.number} gives a public word that is no text.")
            self._word = word
            given += 1
        more = f" (the last of {given} lines counts)" if given > 1 else ""
        told = f"Public word: {_shown(self._word)}{more}"
        if heard is None:
            self._tell(f"{told}; the file's own. Compare it with what the hall heard, or give that: --word.")
            return self._word
        if not _same_word(heard, self._word or "", version):
            raise RefusedError(
                f"The hall heard the word {_shown(heard)}, but the file has {_shown(self._word)}."
            )
        self._tell(f"{told}; the hall heard it.")
        return self._word

    def seed(self) -> bytes | None:
        seeds = [line.data.get("seed") for line in self._chain if line.kind == "seed"]
        if not seeds:
            return None
        if not isinstance(seeds[0], str) or not HASH.fullmatch(seeds[0]):
            raise RefusedError("The seed is not written as 64 lower-case hexadecimal digits.")
        if any(seed != seeds[0] for seed in seeds):
            raise RefusedError("The file publishes different seeds.")
        return bytes.fromhex(seeds[0])

    def roll_again(self, opening: Opening, word: str | None, seed: bytes | None) -> None:
        book = opening.book(seed or bytes(32), word)
        if seed is None:
            later = "The seed is published with the end of the game."
            self.say("unproved", f"NOT YET VERIFIABLE: chain intact, rolls unproved. {later}")
            return
        if book.commitment != opening.commitment:
            raise RefusedError(f"The seed gives commitment {book.commitment}, not {opening.commitment}.")
        self._tell("Seed: fits the commitment.")
        self._turns = turns = compare_turns(self._chain, legal_turns(book, opening.order))
        self._tell(turns.sentence)
        if turns.late:
            foreseen = f"but whoever had read it could foresee the last {turns.late}"
            self.say(
                "proved",
                f"PASSED, WITH {turns.late} OF {turns.rolls} ROLLS AFTER THE SEED: "
                f"every roll follows from the committed seed, {foreseen}.",
            )
        else:
            self.say("proved", "PASSED: every roll follows from the committed seed.")

    def report(self) -> VerifyReport:
        return VerifyReport(
            verdict=self._verdict,
            sentences=tuple(self._sentences),
            commitment=self._commitment,
            head=self._chain[-1].hash if self._chain else None,
            word=self._word,
            lines=len(self._chain),
            rolls=self._turns.rolls,
            robber_phases=self._turns.robber_phases,
            late=self._turns.late,
            uncovered=self._uncovered,
        )


def _changes(line: Line) -> Iterator[str]:
    """What this line changes of the parameters that were committed to."""
    parts = {"did": {"action": ""}, "corrected": {"removed": "takes back ", "put": "puts "}}
    for part, deed in parts.get(line.kind, {}).items():
        action = line.data.get(part)
        command = action.get("command") if isinstance(action, dict) else None
        if isinstance(command, dict) and command.get("name") in _PARAMETERS:
            yield f"line {line.number} {deed}{command['name']} {encode(command.get('body'))}"


def _shown(word: str | None) -> str:
    """The word for people, with its code points where two letters may look alike."""
    if word is None or word.isascii():
        return repr(word) if word else "none"
    return f"{word!r} ({' '.join(f'U+{ord(sign):04X}' for sign in word)})"


def _same_word(heard: str, written: str, version: int) -> bool:
    """From version 2 on the text counts as it is written down; version 1 brings both to NFC."""
    if version > 1:
        return normalised(heard) == written
    return unicodedata.normalize("NFC", heard) == unicodedata.normalize("NFC", written)


def _digits(must: str, text: str | None, form: re.Pattern[str]) -> str | None:
    if text is not None and not form.fullmatch(text.lower()):
        raise ValueError(f"{must} hexadecimal digits, not {text!r}")
    return text and text.lower()
