"""The leader's game, kept by a follower."""

import asyncio
import threading
from pathlib import Path

import pytest

from pi_controller.links.copies import MOST_BYTES, CopyKeeper, CopyReader
from pi_controller.links.payloads import CopyPart
from tests.patience import DEADLINE_S

GAME = "games/20261124-0001"


@pytest.fixture
def leaders(tmp_path: Path) -> Path:
    folder = tmp_path / "leader"
    (folder / GAME).mkdir(parents=True)
    (folder / GAME / "journal.jsonl").write_text('{"line":0}\n{"line":1}\n')
    (folder / GAME / "seed.sealed").write_bytes(b"\xf3sealed")
    (folder / "heartbeat").write_text("beat 1")
    return folder


def bring(leaders: Path, keeper: CopyKeeper) -> int:
    """One question and its answer; how many parts came."""
    parts = CopyReader(leaders).parts({one.file: one.size for one in keeper.have()})
    assert all(keeper.take(part) for part in parts)
    return len(parts)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_everything_comes_and_then_only_what_is_new(leaders: Path, tmp_path: Path) -> None:
    keeper = CopyKeeper(tmp_path / "copy")
    bring(leaders, keeper)
    assert bring(leaders, keeper) == 1  # the heartbeat, always
    assert files(tmp_path / "copy") == files(leaders)
    with (leaders / GAME / "journal.jsonl").open("a") as journal:
        journal.write('{"line":2}\n{"torn')
    (leaders / "heartbeat").write_text("beat 2")
    bring(leaders, keeper)
    kept = files(tmp_path / "copy")
    assert kept[f"{GAME}/journal.jsonl"] == b'{"line":0}\n{"line":1}\n{"line":2}\n'
    assert kept["heartbeat"] == b"beat 2"


def test_the_heartbeat_of_the_game_that_is_on_comes(leaders: Path, tmp_path: Path) -> None:
    (leaders / GAME / "heartbeat").write_text("of this game")
    keeper = CopyKeeper(tmp_path / "copy")
    bring(leaders, keeper)
    assert (tmp_path / "copy/heartbeat").read_text() == "of this game"


def test_a_long_journal_comes_in_parts(leaders: Path, tmp_path: Path) -> None:
    line = '{"text":"' + "x" * 1000 + '"}\n'
    (leaders / GAME / "journal.jsonl").write_text(line * 200)
    (leaders / GAME / "journal.2.jsonl").write_text(line * 3)
    keeper = CopyKeeper(tmp_path / "copy")
    turns = 0
    while files(tmp_path / "copy").keys() != files(leaders).keys() or turns < 2:
        assert all(
            len(part.data) <= MOST_BYTES
            for part in CopyReader(leaders).parts({one.file: one.size for one in keeper.have()})
        )
        bring(leaders, keeper)
        turns += 1
        assert turns < 10
    assert files(tmp_path / "copy") == files(leaders)


def test_of_an_earlier_game_nothing_is_kept(leaders: Path, tmp_path: Path) -> None:
    keeper = CopyKeeper(tmp_path / "copy")
    bring(leaders, keeper)
    (leaders / "games/20261124-0002").mkdir()
    (leaders / "games/20261124-0002/journal.jsonl").write_text('{"line":0}\n')
    bring(leaders, keeper)
    assert [path.name for path in (tmp_path / "copy/games").iterdir()] == ["20261124-0002"]


@pytest.mark.parametrize(
    "name",
    [
        "../pairing.key",
        "games/../../x/journal.jsonl",
        "/etc/passwd",
        "settings.toml",
        "games/a/b",
        "../heartbeat",
        "heartbeat/x",
    ],
)
def test_nothing_else_can_be_written(tmp_path: Path, name: str) -> None:
    keeper = CopyKeeper(tmp_path / "copy")
    assert not keeper.take(CopyPart(file=name, offset=0, data=b"x", whole=True))
    assert not (tmp_path / "copy").exists()


def test_a_part_that_does_not_follow_is_left_out(leaders: Path, tmp_path: Path) -> None:
    keeper = CopyKeeper(tmp_path / "copy")
    bring(leaders, keeper)
    assert not keeper.take(CopyPart(file=f"{GAME}/journal.jsonl", offset=5, data=b"again"))
    assert files(tmp_path / "copy")[f"{GAME}/journal.jsonl"].count(b"\n") == 2


def test_without_a_game_there_is_nothing_to_bring(tmp_path: Path) -> None:
    assert CopyReader(tmp_path / "none").parts({}) == []


class Stick(CopyReader):
    """Hangs until it is let go."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.loose = threading.Event()

    def parts(self, have: dict[str, int]) -> list[CopyPart]:
        assert self.loose.wait(DEADLINE_S)
        return super().parts(have)


def test_a_stick_that_hangs_delays_no_answer_and_what_it_gives_at_last_comes_later(leaders: Path) -> None:
    async def ask() -> None:
        stick = Stick(leaders)
        for hall in ("north", "south", "north"):
            assert await stick.parts_soon(hall, {}) == []
        stick.loose.set()
        async with asyncio.timeout(DEADLINE_S):
            while not (found := await stick.parts_soon("north", {})):
                continue
        assert found == CopyReader(leaders).parts({})
        has = {"roster.json": 1, f"{GAME}/seed.sealed": 7}
        async with asyncio.timeout(DEADLINE_S):
            while not (found := await stick.parts_soon("south", has)):
                continue
        assert found == CopyReader(leaders).parts(has), "not what was read for what it had before"

    asyncio.run(ask())
