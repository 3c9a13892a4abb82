"""A disk that takes nothing more under a running game: it pauses, says so, loses nothing, and goes on."""

import contextlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.protocol.client import Client
from pi_controller.protocol.messages import AskSim
from tests.protocol.asking import exported
from tests.system.programs import Program, cli, client_of, program, simulated, wait_for_picture, well

MOUNT = 'mount -t tmpfs -o size=4m none "$0" && exec "$@"'


class Disk:
    """A state folder on a real file system of 4 MiB. `here` is where this test finds what core finds there."""

    def __init__(self, core: Program, here: Path) -> None:
        self.core, self.here = core, here

    def fill(self) -> None:
        """To the last byte, the space kept back included."""
        with (self.here / "photos").open("wb", buffering=0) as photos, contextlib.suppress(OSError):
            while True:
                photos.write(bytes(4096))

    def make_room(self) -> None:
        (self.here / "photos").unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    state = tmp_path / "s"
    state.mkdir()
    before = ("unshare", "-rm", "sh", "-c", MOUNT, str(state))
    if subprocess.run([*before, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("this user may not mount a small disk in a name space of its own")
    with program("core", *simulated(tmp_path), before=before) as core:
        yield Disk(core, Path(f"/proc/{core.pid}/root{state}"))


def hand(disk: Disk) -> Client:
    """A client of a core that is not warned: of these disks it would say beforehand that they are too small."""
    client = client_of(disk.here, disk.core)
    client.ask(AskSim(do="fact", name="disk.free_bytes", value=10**9))
    wait_for_picture(client, well)
    return client


def test_a_full_disk_lets_no_game_begin_pauses_one_and_loses_nothing(disk: Disk, tmp_path: Path) -> None:
    client = hand(disk)
    no_game_begins(disk, client)
    assert client.command("start").accepted
    wait_for_picture(client, lambda picture: picture.running)
    disk.fill()
    answers = ask_until_it_does_not_fit(client, "during play")
    paused = wait_for_picture(client, lambda picture: "fault" in picture.pause_reasons)
    assert (paused.running, paused.health.level) == (False, "fault")
    assert any("leave the controller switched on" in message for message in paused.health.messages)
    assert paused.saved_seq < paused.seq

    refused = client.command("resume")
    assert not refused.accepted
    assert "resume anyway" in refused.reasons[0]
    assert not client.command("contribute", {"text": "late"}).accepted

    unsaved = client.command("say", {"text": "kept in memory"}, key="k1")
    assert (unsaved.accepted, unsaved.done) == (False, True)
    again = client.command("say", {"text": "kept in memory"}, key="k1")
    assert (again.accepted, again.done, again.reasons) == (False, True, unsaved.reasons)
    assert cli("say", "by hand", "--state-dir", disk.here).returncode == 5

    disk.make_room()
    mended = wait_for_picture(client, lambda picture: picture.saved_seq == picture.seq)
    assert client.command("say", {"text": "kept in memory"}, key="k1").accepted
    assert client.command("say", {"text": "it goes on"}).accepted
    wait_for_picture(client, lambda picture: picture.health.level != "fault")
    assert client.command("resume").accepted
    wait_for_picture(client, lambda picture: picture.running)
    assert disk.core.process.poll() is None
    lines = list(exported(client, mended.game_id))
    said = [json.dumps(line["data"]) for line in map(json.loads, lines) if line["kind"] == "did"]
    for text in [*answers, "kept in memory", "by hand", "it goes on"]:
        assert sum(text in data for data in said) == 1, f"{text!r} should stand there once"
    file = tmp_path / "game.jsonl"
    file.write_text("\n".join(lines) + "\n")
    checked = cli("verify", file)
    assert checked.returncode == 1, "the seed is not published yet"
    assert "Traceback" not in checked.stderr
    assert disk.core.end() == 0
    assert not any("Traceback" in line for line in disk.core.complained.all())


def ask_until_it_does_not_fit(client: Client, when: str) -> dict[str, bool]:
    """What was said and whether it was accepted; the space kept back may take the first ones."""
    answers: dict[str, bool] = {}
    while all(answers.values()):
        text = f"{when}, word {len(answers)} " + "x" * 150
        answer = client.command("say", {"text": text})
        answers[text] = answer.accepted
    assert answer.reasons[0].startswith("It is done and shown, but not saved: The journal cannot be written")
    return answers


def no_game_begins(disk: Disk, client: Client) -> None:
    """Until there is room."""
    ready = client.picture()
    disk.fill()
    ask_until_it_does_not_fit(client, "before play")
    for name, body in (("contribute", {"text": "lantern"}), ("start", None), ("arm", None)):
        answer = client.command(name, body)
        assert not answer.accepted, name
        assert answer.reasons[0].startswith("Nothing was done: The journal cannot be written"), answer.reasons
    picture = client.picture()
    assert (picture.phase, picture.public_word) == ("ready", None)
    assert (picture.game_id, picture.commitment) == (ready.game_id, ready.commitment)
    disk.make_room()
    wait_for_picture(client, lambda picture: picture.saved_seq == picture.seq)
    assert client.command("contribute", {"text": "lantern"}).accepted
