"""What is said, for tests: errors by their words, and sentences that stand for any."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pi_controller.language.words import words
from pi_controller.sentence import SaidError


@contextmanager
def refuses(kind: type[SaidError], part: str) -> Iterator[None]:
    """It raises this with a sentence that has this part."""
    with pytest.raises(kind) as caught:
        yield
    assert part in words(caught.value.sentence)
