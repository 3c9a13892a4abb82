"""For tests of benchmarks."""

import pytest

from pi_controller.bench import feed, pace


@pytest.fixture
def no_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for processors to sleep."""
    monkeypatch.setattr(pace, "QUIET_S", (0.0, 0.0))
    monkeypatch.setattr(feed, "WORK_S", 0.0)
