"""The spare controller: A is killed in the middle of a round, its stick goes to B, and B goes on with the same game."""

from pathlib import Path

from pi_controller.journal.recovery import recover
from tests.system.programs import cli, client_of, program, wait_for_picture, wait_until
from tests.system.spare import Drill


def test_a_game_goes_on_at_the_spare(tmp_path: Path) -> None:
    drill = Drill(tmp_path)
    with program(*drill.core("a")) as first:
        client = client_of(drill.state["a"], first)
        for command in ("start", "skip", "skip"):
            assert client.command(command).accepted
        before = wait_for_picture(client, lambda picture: picture.running)
        wait_until(lambda: _copied(drill.stick, before.game_id) == _copied(drill.state["a"], before.game_id))
        first.process.kill()
        first.left()
    stick = drill.pull_stick()
    seed = (drill.state["a"] / "games" / before.game_id / "seed").read_text().strip()
    on_stick = b"".join(path.read_bytes() for path in stick.rglob("*") if path.is_file())
    assert seed.encode() not in on_stick
    assert bytes.fromhex(seed) not in on_stick

    done = cli("restore", stick, "--state-dir", drill.state["b"])
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Game {before.game_id} comes back in round 3 with " in done.stdout

    rolls = _future(drill, "a")
    with program(*drill.core("b", stick=stick)) as second:
        client = client_of(drill.state["b"], second)
        after = client.picture()
        assert (after.paused, after.pause_reasons) == (True, ["recovery"])
        for name in ("game_id", "round", "side", "dice", "commitment", "public_word"):
            assert getattr(after, name) == getattr(before, name), name
        assert cli("restore", stick, "--state-dir", drill.state["b"]).returncode == 3, "a core runs"
        assert _rolls(client) == rolls
        assert client.command("end", {"confirm": True}).accepted
        assert client.command("close", {"confirm": True}).accepted
        ended = client.picture()
        assert ended.seed == seed
        second.end()
    game = tmp_path / "game.jsonl"
    exported = cli("journal", "export", before.game_id, "--state-dir", drill.state["b"], "-o", game)
    assert exported.returncode == 0, exported.stderr
    verdict = cli("verify", game, "--commitment", before.commitment, "--head", ended.journal_head)
    assert verdict.returncode == 0, verdict.stdout
    found = recover(drill.state["b"])
    assert found is not None
    assert (found.lost, found.cut) == (0, ())


def _copied(folder: Path, game_id: str) -> int:
    if not (folder / "games" / game_id).is_dir():
        return 0
    found = recover(folder, game_id)
    return len(found.records) if found is not None else 0


def _future(drill: Drill, name: str) -> list[object]:
    """The rolls to come, from the first controller's own card, brought back to life on its own."""
    with program(*drill.core(name)) as core:
        return _rolls(client_of(drill.state[name], core))


def _rolls(client: object) -> list[object]:
    assert client.command("resume").accepted  # type: ignore[attr-defined]
    rolls = []
    for _ in range(12):
        assert client.command("skip").accepted  # type: ignore[attr-defined]
        picture = client.picture()  # type: ignore[attr-defined]
        rolls.append((picture.phase, picture.round, picture.dice, picture.robber_target))
    return rolls
