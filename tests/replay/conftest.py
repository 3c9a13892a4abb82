import pytest

from tests.replay import recorded_tables
from tests.replay.recorded_tables import Played


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A game on two virtual tables, and what stood on their glass."""
    return recorded_tables.play(tmp_path_factory.mktemp("tables"))
