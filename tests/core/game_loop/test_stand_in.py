"""A game that cannot go on leaves no hall without a clock: another one stands in for it, in real processes."""

import functools
import shutil
import signal
from pathlib import Path

import pytest

from pi_controller.core.game_loop.stand_in import ENDING
from tests.core.test_main import Start, client_of, left, wait_for
from tests.core.test_main import start as start_core
from tests.matrix import further

__all__ = ["start_core"]


@pytest.fixture
def start(start_core: Start, tmp_path: Path) -> Start:
    """Play begins at once."""
    path = tmp_path / "settings.toml"
    path.write_text("[game]\nstart_countdown_seconds = 0\n")
    return functools.partial(start_core, settings_path=path)


def played(folder: Path, start: Start) -> tuple[str, Path]:
    """A paused game in round 1, whose controller has ended: its id and folder."""
    core = start(state_dir=folder)
    client = client_of(core, folder)
    assert client.command("start").accepted
    wait_for(client, lambda picture: picture.round == 1)
    assert client.command("pause").accepted
    game_id = str(client.picture().game_id)
    core.send_signal(signal.SIGTERM)
    assert left(core)[0] == 0
    return game_id, folder / "games" / game_id


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


DAMAGE = [flip_a_bit_in_the_first_line, another_seed, *further(lose_first_line, lose_the_seed, half_a_seed)]


def files(game: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in game.iterdir()}


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_a_damaged_game_stays_untouched_and_another_stands_in_for_it(
    tmp_path: Path, start: Start, damage: object
) -> None:
    game_id, game = played(tmp_path, start)
    shutil.rmtree(tmp_path / "exports")  # from which a damaged journal would come back
    damage(game)  # type: ignore[operator]
    before = files(game)
    core = start(state_dir=tmp_path)
    client = client_of(core, tmp_path)
    picture = client.picture()
    assert (picture.phase, picture.health.level) == ("ready", "fault")
    assert str(picture.game_id).endswith(f"-{ENDING}")
    (told,) = picture.health.messages
    assert told.startswith(f"E1: Game {game_id} could not go on, and a new game stands in for it")
    refused = client.command("start")
    assert not refused.accepted, "to start another game than the one that was on is for a person to decide"
    assert game_id in refused.reasons[0]
    assert client.command("start", {"override": True}).accepted
    wait_for(client, lambda picture: picture.running)
    assert before.items() <= files(game).items()
    core.kill()
    core.wait()
    again = client_of(start(state_dir=tmp_path), tmp_path).picture()
    assert (again.game_id, again.pause_reasons) == (picture.game_id, ["recovery"])
    assert again.health.messages == [told]
    assert before.items() <= files(game).items()


def test_a_damage_that_is_mended_in_time_brings_the_game_back(tmp_path: Path, start: Start) -> None:
    game_id, game = played(tmp_path, start)
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
