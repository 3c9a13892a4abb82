"""Why core does not start, left in the state folder for the web process: a console may be read by nobody."""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from pi_controller.language.words import words
from pi_controller.protocol.sentences import SentenceView, sentence, view
from pi_controller.sentence import Sentence, as_told

FILE_NAME = "refusal"
LONGEST = 16_384
"""Bytes that are read; a sentence has about 300."""


def leave(state_dir: Path, sentences: Sequence[Sentence]) -> None:
    """Core does not start, and this is why: as many of the sentences as have room. Where the folder takes no
    file, stderr alone has it."""
    fresh = state_dir / f"{FILE_NAME}.new"
    with contextlib.suppress(OSError):
        fresh.unlink(missing_ok=True)
        handle = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(_encoded(sentences))
        fresh.replace(state_dir / FILE_NAME)


def withdraw(state_dir: Path) -> None:
    """Core runs."""
    with contextlib.suppress(OSError):
        (state_dir / FILE_NAME).unlink(missing_ok=True)


def read(state_dir: Path) -> Sentence | None:
    """What a core says that did not start; None when there is nothing."""
    with contextlib.suppress(OSError):
        handle = os.open(state_dir / FILE_NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            return _decoded(os.read(handle, LONGEST))
        finally:
            os.close(handle)
    return None


def _encoded(sentences: Sequence[Sentence]) -> bytes:
    told = [view(one) for one in sentences]
    while len(text := msgspec.json.encode(told)) > LONGEST and len(told) > 1:
        told.pop()
    return text


def _decoded(text: bytes) -> Sentence | None:
    """What is no list of sentences that there are words for, as it is: another release may have left it."""
    try:
        told = msgspec.json.decode(text, type=list[SentenceView])
        said = Sentence("list.sentences", sentences=tuple(sentence(one) for one in told))
        return said if words(said) else None
    except (msgspec.DecodeError, LookupError):
        plain = text.decode("utf-8", "replace").strip()
        return as_told(plain) if plain else None
