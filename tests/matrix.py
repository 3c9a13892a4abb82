"""Cases that only `make test-all` tries; the default run tries a sample of their matrix."""

from typing import Any

import pytest


def further(*cases: Any) -> list[Any]:
    """Such cases; one with several parameters is a tuple."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.matrix)
        for case in cases
    ]
