"""Files of a running core that somebody removes: what was accepted is on the disk again within a second, and no
second core comes in.

What a command line was told *accepted* is looked for after a kill, in what then lies at the paths.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.journal.heartbeat import read_heartbeat
from pi_controller.journal.recovery import recover
from pi_controller.journal.store import Store
from pi_controller.protocol.client import Client
from tests.matrix import further
from tests.system.programs import (
    Program,
    cli,
    client_of,
    program,
    simulated,
    told,
    wait_for_picture,
    wait_until,
)

COMMANDS = 30


@pytest.fixture
def given(tmp_path: Path) -> list[str | Path]:
    return ["core", *simulated(tmp_path)]


@pytest.fixture
def core(given: list[str | Path], tmp_path: Path) -> Iterator[Program]:
    with program(*given) as running:
        assert client_of(tmp_path / "s", running).command("start").accepted
        yield running


def test_what_is_removed_during_play_is_there_again(
    core: Program, given: list[str | Path], tmp_path: Path
) -> None:
    """All of the state folder; single files: tests/journal/test_removed.py."""
    state = tmp_path / "s"
    client = client_of(state, core)
    texts = [f"text number {number}." for number in range(COMMANDS)]
    for text in texts[:10]:
        assert client.command("say", {"text": text}).accepted
    shutil.rmtree(state, ignore_errors=True)
    warned = wait_until_warned(state, "were removed from")
    assert any("written there again" in message for message in told(warned))
    again = client_of(state, core)
    for text in texts[10:]:
        assert again.command("say", {"text": text}).accepted
    beat = wait_until(lambda: read_heartbeat(state / "heartbeat"))
    assert beat.game_id == warned.game_id
    core.process.kill()
    core.left()
    found = recover(state)
    assert found is not None
    said = [json.dumps(record.data) for record in found.records if record.kind == "did"]
    assert [text for text in texts if sum(text in each for each in said) != 1] == []
    assert (state / "lock").read_text() == f"{core.pid}\n"
    with program(*given) as later:
        picture = client_of(state, later).picture()
        assert (picture.game_id, picture.paused) == (warned.game_id, True)
        assert picture.commitment == warned.commitment, "the seed is the same"


def wait_until_warned(state: Path, words: str) -> dict[str, object]:
    """The picture with this sentence, from a core whose control socket may just be made again."""

    def warned(picture: dict[str, object]) -> bool:
        return any(words in message for message in picture.health.messages)  # type: ignore[index]

    return wait_for_picture(Client(state / "control.sock"), warned)


@pytest.mark.parametrize("again", [True, *further(False)])
def test_no_second_core_comes_in_when_lock_or_folder_is_removed(
    core: Program, given: list[str | Path], tmp_path: Path, again: bool
) -> None:
    """`again`: once core has made it again, or at once."""
    state = tmp_path / "s"
    (state / "lock").unlink()
    for _ in range(2):
        if again:
            wait_until((state / "lock").exists)
        second = cli(*given)
        assert (second.returncode, second.stderr.count("\n")) == (2, 1), second.stderr
        assert f"Process {core.pid} already runs a controller" in second.stderr
        shutil.rmtree(state, ignore_errors=True)
    wait_until_warned(state, "were removed from")
    wait_until(lambda: Store(state).game_ids() == [client_of(state, core).picture().game_id])
    assert client_of(state, core).command("pause").accepted
