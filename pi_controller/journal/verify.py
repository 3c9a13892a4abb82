"""The verifier of exported games, with its sentences in the controller's languages. All that is checked
stands in `verify_game.py`, which runs without this package; `docs/dice.md` describes it."""

import re
from collections.abc import Iterable
from pathlib import Path

from pi_controller.journal import verify_game
from pi_controller.language.words import WordedError, all_words
from pi_controller.sentence import Sentence


class NoDigits(WordedError, ValueError):  # noqa: N818 - says what is the matter
    """What the hall saw is given in another form."""


class VerifyReport(verify_game.Verification):
    """A check of one export, the last of its sentences being the verdict."""

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        return tuple(map(_sentence, self.said))

    @property
    def told(self) -> tuple[str, ...]:
        """The sentences in the language of this thread, each cut where it quotes too much of the file."""
        return tuple(text[: verify_game.LONGEST_SENTENCE] for text in all_words(self.sentences))


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
    if commitment is not None and not re.fullmatch(r"[0-9a-f]{16,64}", commitment.lower()):
        raise NoDigits(Sentence("verify.form_of_commitment", digits=repr(commitment)))
    if head is not None and not re.fullmatch(r"[0-9a-f]{8,64}", head.lower()):
        raise NoDigits(Sentence("verify.form_of_head", digits=repr(head)))
    report = VerifyReport()
    report.check(lines, commitment=commitment and commitment.lower(), head=head and head.lower(), word=word)
    return report


def verify_evening(reports: Iterable[VerifyReport]) -> tuple[bool, tuple[Sentence, ...]]:
    """Whether the seals of these games follow from each other without a gap, evening by evening, and what
    was found. Games that are refused, and those whose seal has no number, are left out."""
    in_order, said = verify_game.check_evening(reports)
    return in_order, tuple(map(_sentence, said))


def _sentence(said: verify_game.Said) -> Sentence:
    """The same for the catalogues, whose keys name the area, too."""
    key = said.key if "." in said.key else f"verify.{said.key}"
    named = {
        name: _sentence(value) if isinstance(value, verify_game.Said) else value
        for name, value in said.named.items()
    }
    return Sentence.of(key, named)
