"""A sentence as it stands in JSON beside its words, for whoever puts it into others."""

from typing import Annotated

from msgspec import Meta, Struct

from pi_controller.language.words import words
from pi_controller.sentence import Parameter, Sentence, as_told

Value = str | int | float


class SentenceView(Struct, frozen=True, kw_only=True):
    """`key` names the text, such as `claim.too_long_ago`; `params` are what the text names, by name: texts,
    numbers, and sentences that stand inside this one."""

    key: Annotated[str, Meta(pattern=r"^[a-z_]+\.[a-z0-9_]+$")]
    params: dict[str, "Value | SentenceView | list[SentenceView]"] = {}


def view(said: Sentence) -> SentenceView:
    """The sentence for JSON."""
    return SentenceView(key=said.key, params={name: _plain(value) for name, value in said.params})


def views(said: tuple[Sentence, ...]) -> list[SentenceView]:
    """Each of them for JSON."""
    return [view(one) for one in said]


def sentence(seen: SentenceView) -> Sentence:
    """Back from JSON."""
    return Sentence.of(seen.key, {name: _said(value) for name, value in seen.params.items()})


def sayable(seen: list[SentenceView]) -> tuple[Sentence, ...]:
    """Those of another controller's sentences for which this version has a text."""
    return tuple(said for said in map(sentence, seen) if _has_words(said))


def told(text: str, seen: SentenceView | None) -> Sentence:
    """A sentence that came as words with its key beside them; the words as they are where there is no key, or
    this version has no text for it."""
    if seen is None:
        return as_told(text)
    said = sentence(seen)
    return said if _has_words(said) else as_told(text)


def _has_words(said: Sentence) -> bool:
    """Also where it names a text in place of a number."""
    try:
        words(said)
    except (LookupError, ValueError):
        return False
    return True


def _plain(value: Parameter) -> Value | SentenceView | list[SentenceView]:
    if isinstance(value, Sentence):
        return view(value)
    return views(value) if isinstance(value, tuple) else value


def _said(value: Value | SentenceView | list[SentenceView]) -> Parameter:
    if isinstance(value, SentenceView):
        return sentence(value)
    return tuple([sentence(one) for one in value]) if isinstance(value, list) else value
