"""What a journal's threads report."""

import pytest

from tests.journal.chains import Reports


@pytest.fixture
def reports() -> Reports:
    return Reports()
