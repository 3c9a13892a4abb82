"""What is said to a person, before it is put into words: a key and its parameters. Nothing else."""

from dataclasses import dataclass
from typing import TypeAlias

Parameter: TypeAlias = "str | int | float | Sentence | tuple[Sentence, ...]"


@dataclass(frozen=True, slots=True, init=False)
class Sentence:
    """One sentence, or a part of one, that a catalogue puts into words (`language/words.py`).

    `key` names its text in the catalogues, such as `claim.too_old`; the first word is the area that says it.
    `params` are what the text names in braces, by name: names of boards and files, numbers in the unit that
    their name ends with, and sentences that stand inside this one. `count`, where there is one, chooses
    between singular and plural.
    """

    key: str
    params: tuple[tuple[str, Parameter], ...]

    def __init__(self, key: str, /, **params: Parameter) -> None:
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "params", tuple(params.items()))
