"""Checks an exported game from its lines alone: the hash chain, the commitment, the word and every roll.

On purpose not the writer's own code, so that a fault of the writer cannot vouch for itself. `verify_game.py`
does the same without this package, in the same order and with the same sentences; `docs/dice.md` describes
what is checked.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Literal

from pi_controller.game.moves import normalised
from pi_controller.journal.export_chain import (
    HASH,
    Line,
    Opening,
    Place,
    RefusedError,
    Turns,
    compare_turns,
    encode,
    legal_turns,
    read_chain,
    read_opening,
)
from pi_controller.language.words import WordedError, all_words
from pi_controller.sentence import Sentence

Verdict = Literal["proved", "partly", "unproved", "refused"]

STRONG_DIGITS = 16
"""From so many digits of the head on, 64 bits, no other file meets them; eight are met in minutes."""

_FROM_16_DIGITS = re.compile(r"[0-9a-f]{16,64}")
_FROM_8_DIGITS = re.compile(r"[0-9a-f]{8,64}")
_PARAMETERS = ("set_schedule", "set_claims")
"""Commands that change what was committed to."""
_BESIDE = ("seed", "note", "answered")
_STAGE = ("say", "cover", "timer")
"""Lines of these kinds, and those with these commands, tell nothing of how the game went."""
_DEEDS = {"did": ("action",), "corrected": ("removed", "put")}
"""Where lines of these kinds hold commands."""
_LONGEST_SENTENCE = 1000
"""A sentence quotes from the file, which may be anything."""
_MOST_CHANGES = 100
"""More are longer than a sentence may be."""


class NoDigits(WordedError, ValueError):  # noqa: N818 - says what is the matter
    """What the hall saw is given in another form."""


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What was checked, in sentences; the last one is the verdict.

    `proved`: chain intact and every roll follows from the published seed. `partly`: so it is, but lines of
    the game come after the head that was given. `unproved`: chain intact, but the seed is not published yet.
    `refused`: something is wrong, and the last sentence says what. `lines` counts those that the chain
    proves; `head` is the hash of the last one. `commitment` is the one that the file carries, `word` its
    public word. `late` counts the rolls that came after the seed, `uncovered` the lines after the head that
    was given (None without one). `place` is that of its seal among those of the evening, None when the file
    cannot be read so far or its seal has no number. `begun`: it has rolls, proved or not.
    """

    verdict: Verdict
    sentences: tuple[Sentence, ...]
    commitment: str | None
    head: str | None
    word: str | None
    lines: int
    rolls: int
    robber_phases: int
    late: int
    uncovered: int | None
    place: Place | None
    begun: bool

    @property
    def told(self) -> tuple[str, ...]:
        """The sentences in English, each cut where it quotes too much of the file."""
        return tuple(text[:_LONGEST_SENTENCE] for text in all_words(self.sentences))

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
    saw and heard; NoDigits when they are not such digits. Without them a file that was made up as a whole
    can pass, and the report says so.
    """
    if not _are_digits(commitment, _FROM_16_DIGITS):
        raise NoDigits(Sentence("verify.form_of_commitment", digits=repr(commitment)))
    if not _are_digits(head, _FROM_8_DIGITS):
        raise NoDigits(Sentence("verify.form_of_head", digits=repr(head)))
    check = _Check()
    try:
        opening = check.read(lines)
        check.compare_commitment(commitment and commitment.lower(), opening.commitment)
        check.compare_head(head and head.lower())
        check.tell_terms(opening)
        spoken = check.read_word(word, opening.terms.version)
        check.roll_again(opening, spoken, check.seed())
    except RefusedError as refusal:
        check.say("refused", Sentence("verify.refused", why=refusal.sentence))
    return check.report()


def verify_evening(reports: Iterable[VerifyReport]) -> tuple[bool, tuple[Sentence, ...]]:
    """Whether the seals of these games follow from each other without a gap, evening by evening, and what
    was found. Games that are refused, and those whose seal has no number, are left out."""
    evenings: dict[str, dict[str, Place]] = {}
    for report in reports:
        if report.verdict != "refused" and report.place is not None:
            evenings.setdefault(report.place.evening, {})[report.place.hash] = report.place
    said: list[Sentence] = []
    for evening, found in sorted(evenings.items()):
        places = sorted(found.values(), key=lambda place: (place.number, place.game_id, place.hash))
        numbers = ", ".join(str(place.number) for place in places)
        said.append(Sentence("verify.evening_has_seals", evening=repr(evening), numbers=numbers))
        said += [
            Sentence("verify.in_the_evening", evening=repr(evening), wrong=wrong)
            for wrong in _not_in_order(places)
        ]
    return len(said) == len(evenings), tuple(said)


def _not_in_order(places: Sequence[Place]) -> Iterator[Sentence]:
    """What is wrong with these seals of one evening, which are sorted by their numbers."""
    words: dict[str, int] = {}
    reached = 0
    before: Place | None = None
    for place in places:
        number, word = place.number, place.word
        if number > reached + 1:
            gap = str(number - 1) if number == reached + 2 else f"{reached + 1}-{number - 1}"
            yield Sentence("verify.seals_are_missing", numbers=gap)
        elif before is not None and number == reached:
            game_id, other = repr(before.game_id), repr(place.game_id)
            yield Sentence("verify.seal_of_two_games", number=number, game_id=game_id, other=other)
        elif before is not None and place.before != before.hash:
            yield Sentence("verify.seal_does_not_follow", number=number, before=reached)
        if word in words:
            yield Sentence("verify.word_of_two_seals", number=words[word], other=number, word=_shown(word))
        elif word:
            words[word] = number
        reached, before = number, place


class _Check:
    """One run over one export; every step adds its sentence or ends the run with a RefusedError."""

    def __init__(self) -> None:
        self._verdict: Verdict = "unproved"
        self._sentences: list[Sentence] = []
        self._chain: list[Line] = []
        self._commitment: str | None = None
        self._word: str | None = None
        self._turns = Turns(0, 0, 0, 0)
        self._uncovered: int | None = None
        self._partly = False
        """Lines of the game come after the head that was given."""
        self._place: Place | None = None

    def say(self, verdict: Verdict, sentence: Sentence) -> None:
        self._verdict = verdict
        self._tell(sentence)

    def _tell(self, sentence: Sentence) -> None:
        self._sentences.append(sentence)

    def read(self, lines: Iterable[bytes]) -> Opening:
        for line in read_chain(lines):
            self._chain.append(line)
        if not self._chain:
            raise RefusedError(Sentence("verify.file_is_empty"))
        self._tell(
            Sentence("verify.chain_lines_unbroken_head", lines=len(self._chain), head=self._chain[-1].hash)
        )
        opening = read_opening(self._chain[0])
        self._commitment = opening.commitment
        for line in self._chain[1:]:
            if line.kind == "game":
                raise RefusedError(Sentence("verify.line_begins_another_game", line=line.number))
        terms = opening.terms
        self._tell(
            Sentence(
                "verify.game_version_dice_of_derivation",
                game_id=repr(opening.game_id),
                rule_set=repr(terms.rule_set),
                rule_set_version=terms.rule_set_version,
                version=terms.version,
            )
        )
        return opening

    def compare_commitment(self, seen: str | None, carried: str) -> None:
        if seen is None:
            self._tell(Sentence("verify.commitment_of_the_file", commitment=carried))
        elif not carried.startswith(seen):
            raise RefusedError(
                Sentence("verify.hall_saw_commitment_but_the_file", seen=seen, carried=carried)
            )
        else:
            self._tell(
                Sentence("verify.commitment_the_hall_saw_digits", commitment=carried, digits=len(seen))
            )

    def compare_head(self, seen: str | None) -> None:
        if seen is None:
            self._tell(Sentence("verify.no_head_given", count=len(self._chain)))
            return
        line = next((line for line in self._chain if line.hash.startswith(seen)), None)
        if line is None:
            raise RefusedError(Sentence("verify.hall_saw_head_but_no_line", seen=seen))
        self._uncovered = len(self._chain) - line.number
        self._partly = any(map(_is_of_the_game, self._chain[line.number :]))
        self._tell(
            Sentence(
                "verify.head_is_of_line",
                head=seen,
                line=line.number,
                count=self._uncovered,
                strength=_strength(seen),
            )
        )

    def tell_terms(self, opening: Opening) -> None:
        self._tell(Sentence("verify.committed_to", terms=encode(opening.terms.as_data())))
        if opening.terms.version == 1:
            after_robber = opening.order.after_robber
            self._tell(
                Sentence("verify.not_committed_to_after_robber_times", after_robber=repr(after_robber))
            )
        else:
            changes = [change for line in self._chain[1:] for change in _changes(line)]
            told = _one_after_the_other(changes) if changes else Sentence("verify.nothing_changed")
            self._tell(Sentence("verify.changed_after_the_commitment", changes=told))

        if opening.unknown_rules:
            self._tell(Sentence("verify.unknown_rules", names=encode(opening.unknown_rules)))
        self._place = opening.place
        self._tell(Sentence("verify.seal_without_a_number") if self._place is None else self._place.sentence)

    def read_word(self, heard: str | None, version: int) -> str | None:
        given = rolled = 0
        for line in self._chain:
            rolled += line.kind == "turned"
            if line.kind != "contributed":
                continue
            if rolled:
                raise RefusedError(Sentence("verify.line_gives_a_public_word_after", line=line.number))
            word = line.data.get("text", "")
            if word is not None and (not isinstance(word, str) or not word):
                raise RefusedError(Sentence("verify.line_gives_a_public_word", line=line.number))
            self._word = word
            given += 1
        told = Sentence("verify.public_word", word=_shown(self._word))
        if given > 1:
            told = Sentence("verify.public_word_of_many", word=_shown(self._word), count=given)
        if heard is None:
            self._tell(Sentence("verify.files_own_compare_it_with_what", told=told))
            return self._word
        if not _same_word(heard, self._word or "", version):
            raise RefusedError(
                Sentence("verify.hall_heard_the_word_but", heard=_shown(heard), word=_shown(self._word))
            )
        self._tell(Sentence("verify.hall_heard", told=told))
        return self._word

    def seed(self) -> bytes | None:
        seeds = [line.data.get("seed") for line in self._chain if line.kind == "seed"]
        if not seeds:
            return None
        if not isinstance(seeds[0], str) or not HASH.fullmatch(seeds[0]):
            raise RefusedError(Sentence("verify.seed_is_not_written_as_64"))
        if any(seed != seeds[0] for seed in seeds):
            raise RefusedError(Sentence("verify.file_publishes_different_seeds"))
        return bytes.fromhex(seeds[0])

    def roll_again(self, opening: Opening, word: str | None, seed: bytes | None) -> None:
        book = opening.book(seed or bytes(32), word)
        if seed is None:
            self.say("unproved", Sentence("verify.not_yet_verifiable", covered=self._covered()))
            return
        if book.commitment != opening.commitment:
            raise RefusedError(
                Sentence(
                    "verify.seed_gives_commitment_not",
                    commitment=book.commitment,
                    commitment_2=opening.commitment,
                )
            )
        self._tell(Sentence("verify.seed_fits_the_commitment"))
        self._turns = turns = compare_turns(self._chain, legal_turns(book, opening.order))
        self._tell(turns.sentence)
        passed = Sentence("verify.passed")
        for limit in self._limits(opening):
            passed = Sentence("verify.passed_but", passed=passed, limit=limit)
        proved = Sentence("verify.every_roll_follows")
        if turns.late:
            proved = Sentence("verify.every_roll_follows_but_foreseen", late=turns.late)
        verdict = Sentence("verify.verdict", passed=passed, proved=proved, covered=self._covered())
        self.say("proved", verdict)
        self._verdict = "partly" if self._partly else "proved"

    def _limits(self, opening: Opening) -> Iterator[Sentence]:
        """Why it is no plain pass."""
        if opening.rehearsal:
            yield Sentence("verify.as_a_rehearsal")
        if self._turns.late:
            yield Sentence("verify.with_rolls_after_the_seed", late=self._turns.late, rolls=self._turns.rolls)
        if self._partly:
            yield Sentence("verify.only_up_to_line", line=self._reach, lines=len(self._chain))

    def _covered(self) -> Sentence:
        """How many lines the head covers."""
        lines = len(self._chain)
        if self._uncovered is None:
            return Sentence("verify.covers_nothing", lines=lines)
        if self._uncovered == 0:
            return Sentence("verify.covers_all", lines=lines)
        if self._partly:
            return Sentence("verify.covers_part", line=self._reach, lines=lines)
        return Sentence("verify.covers_the_game", line=self._reach, lines=lines)

    @property
    def _reach(self) -> int:
        return len(self._chain) - (self._uncovered or 0)

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
            begun=any(line.kind == "turned" for line in self._chain),
            place=self._place and replace(self._place, word=self._word or ""),
        )


def _is_of_the_game(line: Line) -> bool:
    """Whether it tells anything of how the game went, and not only what the screens showed besides."""
    action = line.data.get("action") if line.kind == "did" else None
    command = action.get("command") if isinstance(action, dict) else None
    staged = isinstance(command, dict) and command.get("name") in _STAGE
    return line.kind not in _BESIDE and not staged


def _strength(seen: str) -> Sentence:
    """How many tries another file needs that meets these digits."""
    bits = 4 * len(seen)
    if len(seen) >= STRONG_DIGITS:
        return Sentence("verify.digits_are_strong", count=len(seen), bits=bits)
    return Sentence("verify.digits_are_weak", count=len(seen), bits=bits)


def _one_after_the_other(changes: Sequence[Sentence]) -> Sentence:
    """At least one; no more of them than a sentence has room for."""
    some = changes[:_MOST_CHANGES]
    return reduce(lambda before, one: Sentence("list.semicolon", before=before, next=one), some)


def _changes(line: Line) -> Iterator[Sentence]:
    """What this line changes of the parameters that were committed to."""
    for part in _DEEDS.get(line.kind, ()):
        action = line.data.get(part)
        command = action.get("command") if isinstance(action, dict) else None
        if isinstance(command, dict) and command.get("name") in _PARAMETERS:
            name, body = str(command["name"]), encode(command.get("body"))
            match part:
                case "removed":
                    yield Sentence("verify.line_takes_back", line=line.number, name=name, body=body)
                case "put":
                    yield Sentence("verify.line_puts", line=line.number, name=name, body=body)
                case _:
                    yield Sentence("verify.line_says", line=line.number, name=name, body=body)


def _shown(word: str | None) -> str | Sentence:
    """The word for people, with its code points where two letters may look alike."""
    if word is None or word.isascii():
        return repr(word) if word else Sentence("verify.no_word")
    return f"{word!r} ({' '.join(f'U+{ord(sign):04X}' for sign in word)})"


def _same_word(heard: str, written: str, version: int) -> bool:
    """From version 2 on the text counts as it is written down; version 1 brings both to NFC."""
    if version > 1:
        return normalised(heard) == written
    return unicodedata.normalize("NFC", heard) == unicodedata.normalize("NFC", written)


def _are_digits(text: str | None, form: re.Pattern[str]) -> bool:
    return text is None or form.fullmatch(text.lower()) is not None
