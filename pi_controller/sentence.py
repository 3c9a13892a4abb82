"""What is said to a person, before it is put into words: a key and its parameters. Nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
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


def both(parts: Sequence[str]) -> Sentence:
    """At least one name, one and the other, as the language joins them."""
    return reduce(lambda before, one: Sentence("list.and", before=before, next=one), map(as_told, parts))


def listed(parts: Sequence[Sentence]) -> Sentence:
    """At least one, one after the other, as the language separates them. Side by side and not one within the
    other: a request or a payload has only so many levels."""
    return parts[0] if len(parts) == 1 else Sentence("list.commas", parts=tuple(parts))
