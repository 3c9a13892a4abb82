"""Checks an exported game from its lines alone: the hash chain, the commitment and every roll.

On purpose not the writer's own code, so that a fault of the writer cannot vouch for itself. `verify_game.py`
does the same without this package; `docs/dice.md` describes what is checked.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal

from pi_controller.game.commands import Side
from pi_controller.game.dice import DiceBook, Roll
from pi_controller.journal.export_chain import (
    HASH,
    Line,
    Opening,
    RefusedError,
    encode,
    read_chain,
    read_opening,
)

Verdict = Literal["proved", "unproved", "refused"]

TURN_FIELDS = ("phase", "round", "due_round", "side", "dice", "draw", "robber_target", "robber_dice")
"""What the seed decides in a `turned` line; its times are covered by the chain only."""

_HEAD = re.compile(r"[0-9a-f]{8,64}")
_LONGEST_SENTENCE = 1000
"""A refusal quotes from the file, which may be anything."""


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What was checked, in sentences; the last one is the verdict.

    `proved`: chain intact and every roll follows from the published seed. `unproved`: chain intact, but the
    seed is not published yet. `refused`: something is wrong, and the last sentence says what. `lines` counts
    those that the chain proves; `head` is the first 8 digits of the last one's hash. `commitment` is the one
    that the file carries.
    """

    verdict: Verdict
    sentences: tuple[str, ...]
    commitment: str | None
    head: str | None
    lines: int
    rolls: int
    robber_phases: int

    @property
    def ok(self) -> bool:
        return self.verdict == "proved"

    @property
    def exit_status(self) -> int:
        return 0 if self.ok else 1


def verify_file(path: Path, *, commitment: str | None = None, head: str | None = None) -> VerifyReport:
    """`verify_export` of a file; an OSError when it cannot be read."""
    with path.open("rb") as lines:
        return verify_export(lines, commitment=commitment, head=head)


def verify_export(
    lines: Iterable[bytes], *, commitment: str | None = None, head: str | None = None
) -> VerifyReport:
    """Check an export, given as lines that keep their line ends. No content raises, whatever it is.

    `commitment` (64 hex digits) and `head` (8 to 64) are what the hall saw; a ValueError when they are not
    such digits. Without them a file that was made up as a whole can pass, and the report says so.
    """
    seen_commitment = _digits("--commitment must be 64", commitment, HASH)
    seen_head = _digits("--head must be 8 to 64", head, _HEAD)
    check = _Check()
    try:
        opening = check.read(lines)
        check.compare_commitment(seen_commitment, opening.commitment)
        check.compare_head(seen_head)
        check.roll_again(opening, check.word(), check.seed())
    except RefusedError as refusal:
        check.say("refused", f"REFUSED: {str(refusal)[:_LONGEST_SENTENCE]}")
    except RecursionError:
        check.say("refused", "REFUSED: A line of the file is nested too deeply.")
    return check.report()


class _Check:
    """One run over one export; every step adds its sentence or ends the run with a RefusedError."""

    def __init__(self) -> None:
        self._verdict: Verdict = "unproved"
        self._sentences: list[str] = []
        self._chain: list[Line] = []
        self._commitment: str | None = None
        self._rolls = 0
        self._robber_phases = 0

    def say(self, verdict: Verdict, sentence: str) -> None:
        self._verdict = verdict
        self._sentences.append(sentence)

    def read(self, lines: Iterable[bytes]) -> Opening:
        for line in read_chain(lines):
            self._chain.append(line)
        if not self._chain:
            raise RefusedError("The file is empty.")
        self._sentences.append(f"Chain: {len(self._chain)} lines, unbroken, head {self._chain[-1].hash[:8]}.")
        opening = read_opening(self._chain[0])
        self._commitment = opening.commitment
        for line in self._chain[1:]:
            if line.kind == "game":
                raise RefusedError(f"Line {line.number} begins another game in the same file.")
        terms = opening.terms
        self._sentences.append(
            f"Game {opening.game_id!r}: {terms.rule_set!r} version {terms.rule_set_version}."
        )
        return opening

    def compare_commitment(self, seen: str | None, carried: str) -> None:
        if seen is None:
            own = "only the file's own. Compare it with what the hall saw, or give that with --commitment."
            self._sentences.append(f"Commitment {carried}: {own}")
        elif seen != carried:
            raise RefusedError(f"The hall saw commitment {seen}, but the file carries {carried}.")
        else:
            self._sentences.append(f"Commitment {carried}: the one that the hall saw.")

    def compare_head(self, seen: str | None) -> None:
        if seen is None:
            self._sentences.append(
                "Head: none given. Changes outside the rolls, and lines cut away after the seed, only show "
                "when the head that the hall saw is given with --head."
            )
            return
        line = next((line for line in self._chain if line.hash.startswith(seen)), None)
        if line is None:
            raise RefusedError(f"The hall saw head {seen}, but no line of the file has it.")
        after = len(self._chain) - line.number
        self._sentences.append(
            f"Head {seen}: that of line {line.number}; it does not cover the {after} lines after."
        )

    def word(self) -> str | None:
        word: str | None = None
        given = rolled = 0
        for line in self._chain:
            rolled += line.kind == "turned"
            if line.kind != "contributed":
                continue
            if rolled:
                raise RefusedError(f"Line {line.number} gives a public word after the first roll.")
            word = line.data.get("text", "")
            given += 1
        more = f" (the last of {given} lines counts)" if given > 1 else ""
        self._sentences.append(f"Public word: {'none' if word is None else repr(word)}{more}.")
        return word

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
        self._sentences.append("Seed: fits the commitment.")
        self._compare_turns(legal_turns(book, other_side=opening.after_robber == "other_side"))
        self.say("proved", "PASSED: every roll follows from the committed seed.")

    def _compare_turns(self, turns: Iterator[dict[str, Any]]) -> None:
        """Each turn is the next one, or one that was shown before: an undo may enter it again."""
        shown: set[str] = set()
        again = published = late = 0
        due = encode(next(turns))
        for line in self._chain:
            published += line.kind == "seed"
            if line.kind != "turned":
                continue
            turn = encode({name: line.data[name] for name in TURN_FIELDS if name in line.data})
            if turn == due:
                shown.add(due)
                due = encode(next(turns))
            elif turn in shown:
                again += 1
            else:
                raise RefusedError(f"Next the seed gives {due}, but line {line.number} shows {turn!r}.")
            self._rolls += 1
            self._robber_phases += line.data["phase"] == "robber"
            late += bool(published)
        self._sentences.append(
            f"Rolls: {self._rolls} computed again, {self._robber_phases} of them robber phases, "
            f"{again} entered again after an undo, {late} made after the seed was published."
        )

    def report(self) -> VerifyReport:
        return VerifyReport(
            verdict=self._verdict,
            sentences=tuple(self._sentences),
            commitment=self._commitment,
            head=self._chain[-1].hash[:8] if self._chain else None,
            lines=len(self._chain),
            rolls=self._rolls,
            robber_phases=self._robber_phases,
        )


def legal_turns(book: DiceBook, *, other_side: bool) -> Iterator[dict[str, Any]]:
    """Every turn of the game in order, without end, as the TURN_FIELDS of its `turned` line.

    `other_side`: after a robber phase the other side comes, not the one that was due.
    """
    sides: tuple[Side, Side] = ("sun", "moon") if book.first_side() == "sun" else ("moon", "sun")
    flips = 0
    for due_round in count(1):
        roll = book.round_roll(due_round, 0)
        while roll.sum == 7:
            yield _robber_turn(book, due_round, roll)
            flips += other_side
            roll = book.round_roll(due_round, roll.draw + 1)
        side = sides[(due_round - 1 + flips) % 2]
        yield _turn("round", due_round, due_round=due_round, side=side, roll=roll)


def _robber_turn(book: DiceBook, due_round: int, roll: Roll) -> dict[str, Any]:
    target = book.robber_target(due_round, roll.draw)
    turn = _turn("robber", due_round - 1, due_round=due_round, side=None, roll=roll)
    return {**turn, "robber_target": target.target, "robber_dice": target.dice}


def _turn(phase: str, round_no: int, *, due_round: int, side: Side | None, roll: Roll) -> dict[str, Any]:
    return {
        "phase": phase,
        "round": round_no,
        "due_round": due_round,
        "side": side,
        "dice": roll.dice,
        "draw": roll.draw,
        "robber_target": None,
        "robber_dice": None,
    }


def _digits(must: str, text: str | None, form: re.Pattern[str]) -> str | None:
    if text is not None and not form.fullmatch(text.lower()):
        raise ValueError(f"{must} hexadecimal digits, not {text!r}")
    return text and text.lower()
