"""One bit flips on the card while the controller is off: the hall is told what is lost, and fetches it from a copy. Of a
newer version's journal nothing is touched."""

import json
import shutil
from pathlib import Path

from pi_controller.journal.record import FORMAT, encode, seal
from tests.protocol.asking import exported
from tests.system.programs import cli, client_of, program, simulated, told, wait_for_picture

COMMANDS = 20


def play_and_flip(folder: Path) -> Path:
    """A game with commands; then a bit in the middle of its journal. Where a copy from before lies."""
    state, copy = folder / "s", folder / "copy"
    with program("core", *simulated(folder)) as core:
        client = client_of(state, core)
        assert client.command("start").accepted
        wait_for_picture(client, lambda picture: picture.running)
        for number in range(COMMANDS):
            assert client.command("say", {"text": f"text {number:02}."}).accepted
        core.process.kill()
        core.left()
    shutil.copytree(state / "games", copy / "games")
    shutil.rmtree(
        state / "exports", ignore_errors=True
    )  # the export has these lines too, once a second has passed
    (journal,) = state.glob("games/*/journal.jsonl")
    content = bytearray(journal.read_bytes())
    content[content.index(b"text 07.")] ^= 1
    journal.write_bytes(content)
    return copy


def test_lost_commands_are_told_and_fetched_from_a_copy(tmp_path: Path) -> None:
    copy = play_and_flip(tmp_path)
    state = tmp_path / "s"
    with program("core", *simulated(tmp_path)) as core:
        seen = client_of(state, core).picture()
        assert core.end() == 0
    assert (seen.paused, seen.health.level, seen.health.lost) == (True, "fault", True)
    (sentence,) = [item.text for item in seen.health.items if item.key == "journal.lost_fetch"]
    assert "12 commands after " in sentence
    assert "13 lines, 1 of them unreadable" in sentence

    fetched = cli("restore", copy, "--state-dir", state)
    assert fetched.returncode == 0, fetched.stderr
    with program("core", *simulated(tmp_path)) as core:
        client = client_of(state, core)
        picture = client.picture()
        assert (told(picture), picture.health.lost, picture.paused) == ([], False, True)
        lines = list(exported(client, picture.game_id))
        assert core.end() == 0
    for number in range(COMMANDS):
        assert sum(f"text {number:02}." in line for line in lines) == 1
    journal = make_newer(state)
    content = journal.read_bytes()
    with program("core", *simulated(tmp_path)) as core:
        assert any(
            f"This journal has format {FORMAT + 1}" in text for text in told(client_of(state, core).picture())
        )
        assert core.end() == 0
    assert journal.read_bytes() == content, "another game stands in"


def make_newer(state: Path) -> Path:
    """The game's journal, its first line as a later version would write it."""
    (journal,) = state.glob("games/*/journal.jsonl")
    first, *rest = journal.read_bytes().splitlines(keepends=True)
    line = json.loads(first)
    rest_of_line = {name: line[name] for name in ("seq", "game_ns", "boot_ns", "boot_id", "wall", "prev")}
    newer = seal(line["kind"], line["data"] | {"format": FORMAT + 1}, **rest_of_line)
    journal.write_bytes(b"".join([encode(newer), *rest]))
    return journal
