"""A game that cannot go on leaves no hall without a clock: another one stands in for it, in real processes."""

import functools
import shutil
import signal
from pathlib import Path

import msgspec
import pytest

from pi_controller.cli.main import main
from pi_controller.core.game_loop.recovery import ENDING, find
from pi_controller.hal.system.kernel import SystemClock
from pi_controller.journal.store import Store
from pi_controller.journal.witnesses import GameSummary, JournalExtent, missed
from pi_controller.protocol.picture import HealthItem, Picture
from tests.core.disk import GAME_ID, DiskHall
from tests.core.test_main import Start, client_of, cores, left, wait_for
from tests.core.test_main import start as start_core
from tests.matrix import further

__all__ = ["start_core"]


@pytest.fixture
def start(start_core: Start, tmp_path: Path) -> Start:
    """Play begins at once."""
    path = tmp_path / "settings.toml"
    path.write_text("[game]\nstart_countdown_seconds = 0\n")
    return functools.partial(start_core, settings_path=path)


@pytest.fixture(scope="module")
def paused(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The id of a paused game in round 1, whose controller has ended, and the state folder that it left."""
    folder = tmp_path_factory.mktemp("paused")
    settings = folder / "settings.toml"
    settings.write_text("[game]\nstart_countdown_seconds = 0\n")
    with cores() as run:
        core = run(state_dir=folder / "state", settings_path=settings)
        client = client_of(core, folder / "state")
        assert client.command("start").accepted
        wait_for(client, lambda picture: picture.round == 1)
        assert client.command("pause").accepted
        game_id = str(client.picture().game_id)
        core.send_signal(signal.SIGTERM)
        assert left(core)[0] == 0
    return game_id, folder / "state"


@pytest.fixture
def played(tmp_path: Path, paused: tuple[str, Path]) -> tuple[str, Path]:
    """That game's id and folder, in a state folder of the test's own."""
    game_id, state = paused
    shutil.copytree(state, tmp_path, dirs_exist_ok=True)
    return game_id, tmp_path / "games" / game_id


def lose_first_line(game: Path) -> None:
    journal = game / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[1:]))


def flip_a_bit_in_the_first_line(game: Path) -> None:
    journal = game / "journal.jsonl"
    content = bytearray(journal.read_bytes())
    content[40] ^= 1
    journal.write_bytes(content)


def lose_the_seed(game: Path) -> None:
    (game / "seed").unlink()


def another_seed(game: Path) -> None:
    (game / "seed").write_text("11" * 32 + "\n")


def half_a_seed(game: Path) -> None:
    (game / "seed").write_text("11" * 7)


DAMAGE = [flip_a_bit_in_the_first_line, *further(another_seed, lose_first_line, lose_the_seed, half_a_seed)]


def files(game: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in game.iterdir()}


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_a_damaged_game_stays_untouched_and_another_stands_in_for_it(
    tmp_path: Path, start: Start, played: tuple[str, Path], damage: object
) -> None:
    game_id, game = played
    shutil.rmtree(tmp_path / "exports")  # from which a damaged journal would come back
    damage(game)  # type: ignore[operator]
    before = files(game)
    core = start(state_dir=tmp_path)
    client = client_of(core, tmp_path)
    picture = client.picture()
    assert (picture.phase, picture.health.level) == ("ready", "fault")
    assert str(picture.game_id).endswith(f"-{ENDING}")
    (told,) = picture.health.messages
    assert told.startswith(f"E1: Game {game_id} could not continue, so a new game replaces it")
    refused = client.command("start")
    assert not refused.accepted, "to start another game than the one that was on is for a person to decide"
    assert game_id in refused.reasons[0]
    assert client.command("start", {"override": True}).accepted
    wait_for(client, lambda picture: picture.running and picture.saved_seq == picture.seq)
    assert before.items() <= files(game).items()
    core.kill()
    core.wait()
    again = client_of(start(state_dir=tmp_path), tmp_path).picture()
    assert (again.game_id, again.pause_reasons) == (picture.game_id, ["recovery"])
    assert again.health.messages == [told]
    assert before.items() <= files(game).items()


def test_a_damage_that_is_mended_in_time_brings_the_game_back(
    tmp_path: Path, start: Start, played: tuple[str, Path]
) -> None:
    game_id, game = played
    seed = (game / "seed").read_bytes()
    lose_the_seed(game)
    core = start(state_dir=tmp_path)
    stands_in = client_of(core, tmp_path).picture().game_id
    core.send_signal(signal.SIGTERM)
    assert left(core)[0] == 0
    core = start(state_dir=tmp_path)
    assert client_of(core, tmp_path).picture().game_id == stands_in, "no third game is made"
    core.send_signal(signal.SIGTERM)
    assert left(core)[0] == 0
    (game / "seed").write_bytes(seed)
    picture = client_of(start(state_dir=tmp_path), tmp_path).picture()
    assert (picture.game_id, picture.round, picture.health.level) == (game_id, 1, "ok")


@pytest.mark.parametrize("fault", ["a folder", *further("no rights", "zeros")])
def test_a_heartbeat_that_cannot_be_read_costs_the_time_alone(
    tmp_path: Path, start: Start, played: tuple[str, Path], fault: str
) -> None:
    game_id, _ = played
    beat = tmp_path / "heartbeat"
    if fault == "a folder":
        beat.unlink()
        beat.mkdir()
    elif fault == "zeros":
        beat.write_bytes(bytes(beat.stat().st_size))
    else:
        beat.unlink()
        beat.symlink_to(tmp_path / "nowhere")  # root may read all, but follows no link either
    picture = client_of(start(state_dir=tmp_path), tmp_path).picture()
    assert (picture.game_id, picture.round, picture.paused) == (game_id, 1, True)
    told = [item.key for item in picture.health.items]
    assert "start.shortfall" not in told
    if fault != "zeros":
        assert "start.heartbeat_unread" in told


def test_an_earlier_game_that_only_an_export_knows_is_told_until_it_is_given_up(
    tmp_path: Path, start: Start, played: tuple[str, Path]
) -> None:
    assert played[1].is_dir()
    earlier = "20200101-000000-abcd"
    about = JournalExtent(GameSummary(earlier), lines=12)
    (tmp_path / "exports" / f"{earlier}.json").write_bytes(msgspec.json.encode(about))
    core = start(state_dir=tmp_path)
    client = client_of(core, tmp_path)

    def lost(picture: Picture) -> list[HealthItem]:
        return [item for item in picture.health.items if item.key == "journal.games_lost"]

    (told,) = lost(wait_for(client, lambda picture: bool(lost(picture))))
    assert told.level == "fault"
    assert earlier in told.text
    assert "12 lines" in told.text
    assert client.command("resume").accepted, "the newest game is there: nothing is started in its place"
    core.send_signal(signal.SIGTERM)
    assert left(core)[0] == 0
    assert main(["journal", "remove", earlier, "--state-dir", str(tmp_path)]) == 0
    assert f"{earlier}\n" in (tmp_path / "removed").read_text()
    assert missed(Store(tmp_path), None, but=[]) == []


def test_a_stand_in_is_newer_than_the_game_it_stands_in_for_also_when_the_wall_clock_went_back(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path)
    store.prepare()
    later = "20991231-235959-abcd"
    (tmp_path / "exports").mkdir()
    (tmp_path / "exports" / f"{later}.jsonl").write_bytes(b"")
    found = find(store, SystemClock(), second_copy=None)
    assert found.damaged is not None
    assert found.damaged.game_id == later
    assert store.new_game_id("2026-11-26T19:00:00Z", ENDING) > later


def test_a_game_that_was_only_being_armed_is_missed_by_nobody(tmp_path: Path) -> None:
    """Its seed comes first, and the heartbeat goes on naming the game before."""
    hall = DiskHall(tmp_path).play()
    hall.beat()
    hall.crash()
    hall.store.create_game("20991231-235959-abcd", bytes(32))
    found = find(hall.store, SystemClock(), second_copy=None)
    assert found.damaged is None
    assert found.restored is not None
    assert found.restored.game.game_id == GAME_ID
    hall.store.heartbeat_path.unlink()
    found = find(hall.store, SystemClock(), second_copy=None)
    assert found.damaged is not None, "nothing says that another game was on"
