"""Cases that only `make test-all` tries; the default run tries a sample of their matrix."""

from itertools import product
from typing import Any

import pytest


def further(*cases: Any) -> list[Any]:
    """Such cases; one with several parameters is a tuple."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.matrix)
        for case in cases
    ]


def paired(**values: list[Any]) -> pytest.MarkDecorator:
    """Two parameters that do not depend on each other, as colours and sizes: the sample has each value of both."""
    first, second = values.values()
    most = max(len(first), len(second))
    sample = [(first[number % len(first)], second[number % len(second)]) for number in range(most)]
    others = [case for case in product(first, second) if case not in sample]
    return pytest.mark.parametrize(tuple(values), [*sample, *further(*others)])
