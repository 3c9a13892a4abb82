import pytest

from pi_controller.web.api.games import Worker
from pi_controller.web.http.routes import Refusal


async def test_it_runs_the_command_line_on_these_lines_in_this_language() -> None:
    worker = Worker()
    with pytest.raises(Refusal) as refusal:
        await worker.run(("report", "-"), b"nonsense\n", "de")
    assert refusal.value.status == 422
    assert "JSON" in str(refusal.value)


async def test_what_came_out_of_the_same_lines_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[bytes] = []

    async def made(_self: Worker, _arguments: tuple[str, ...], lines: bytes, _language: str) -> bytes:
        runs.append(lines)
        return lines.upper()

    monkeypatch.setattr(Worker, "_made", made)
    worker = Worker()
    for lines in (b"a", b"a", b"b"):
        assert await worker.run(("report", "-"), lines, "en") == lines.upper()
    assert runs == [b"a", b"b"]
    assert await worker.run(("report", "-", "--names"), b"a", "en") == b"A"
    assert runs == [b"a", b"b", b"a"]


async def test_when_many_wait_the_next_is_asked_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_controller.web.api.games.MOST_WAITING", 0)
    with pytest.raises(Refusal) as refusal:
        await Worker().run(("report", "-"), b"", "en")
    assert (refusal.value.status, refusal.value.headers) == (503, {"Retry-After": "5"})


async def test_who_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_controller.web.api.games.PATIENCE_S", 0.0)
    with pytest.raises(Refusal) as refusal:
        await Worker().run(("report", "-"), b"", "en")
    assert refusal.value.status == 503
