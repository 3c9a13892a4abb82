"""What is said to a person, before it is put into words: a key and its parameters. Nothing else."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Parameter: TypeAlias = "str | int | float | Sentence | tuple[Sentence, ...]"


@dataclass(frozen=True, slots=True, init=False)
class Sentence:
    """One sentence, or a part of one, that a catalogue puts into words (`language/words.py`).

    `key` names its text in the catalogues, such as `claim.too_old`; the first word is the area that says it.
    `params` are what the text names in braces, by name: names of boards and files, numbers in the unit that
    their name ends with, and sentences that stand inside this one. `count`, where there is one, chooses
    between singular and plural; `nth` chooses a line of the text, from 0.
    """

    key: str
    params: tuple[tuple[str, Parameter], ...]

    def __init__(self, key: str, /, **params: Parameter) -> None:
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "params", tuple(params.items()))

    @classmethod
    def of(cls, key: str, params: Mapping[str, Parameter]) -> "Sentence":
        """One that was kept or sent; what the controller says itself is written out."""
        return cls(key, **params)


class SaidError(Exception):
    """Base of what is raised with a sentence for whoever asked."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def sentence_of(error: Exception) -> Sentence:
    """The sentence that it was raised with, also within an error of another library; or its text as it is."""
    for one in (error, error.__cause__):
        if isinstance(one, SaidError):
            return one.sentence
    return as_told(str(error))


def as_told(text: str) -> Sentence:
    """Words that come as they are: of another program, of another library, of an older journal."""
    return Sentence("told.as_it_is", text=text)


# Several at once, at least one. Side by side and not one within the other: a request or a payload has only so
# many levels.


def listed(parts: Iterable[Sentence | str]) -> Sentence:
    """As the language lists them in a sentence: "A1, A2 and A3"."""
    each = _each(parts)
    return Sentence("list.all", parts=each) if len(each) > 1 else each[0]


def one_of(parts: Iterable[Sentence | str]) -> Sentence:
    """As the language lists them where one is meant: "A1, A2 or A3"."""
    each = _each(parts)
    return Sentence("list.one_of", parts=each) if len(each) > 1 else each[0]


def separated(parts: Iterable[Sentence | str]) -> Sentence:
    """With commas alone, outside of sentences: "A1, A2, A3"."""
    each = _each(parts)
    return Sentence("list.commas", parts=each) if len(each) > 1 else each[0]


def _each(parts: Iterable[Sentence | str]) -> tuple[Sentence, ...]:
    return tuple(as_told(part) if isinstance(part, str) else part for part in parts)
