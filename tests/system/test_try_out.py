"""Several halls on one machine, as `pi-controller run --halls` starts them."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

from pi_controller.protocol.client import Client
from pi_controller.protocol.messages import AskSim
from pi_controller.protocol.picture import Picture
from tests.needs import program as installed
from tests.system.halls import unlinked
from tests.system.programs import children_of, client_of, lives, program, wait_for_picture, wait_until


def test_two_halls_play_one_game_also_when_broker_and_links_were_killed(tmp_path: Path) -> None:
    installed("mosquitto")
    given = (f"--state-dir={tmp_path}", "--hardware=sim", "--halls=2", "--port=0")
    with program("run", *given) as halls:
        leader, follower = (client_of(tmp_path / "halls" / name) for name in ("main", "east"))
        until(follower, lambda picture: picture.link is not None and picture.link.state == "following")
        assert leader.command("start").accepted
        until(follower, lambda picture: picture.running)
        for name in ("mosquitto", "east/links"):
            kill(halls.pid, name)
            halls.complained.wait_for(f"{name} was ended by SIGKILL; it will be restarted")
        follower.ask(AskSim(do="tap"))
        until(leader, lambda picture: picture.pause_reasons == ["button"])
        until(follower, lambda picture: picture.paused and not unlinked(picture))
        children = children_of(halls.pid)
        assert len(children) == 7
        for pid in (*children, halls.pid):  # as a terminal's Ctrl-C reaches all of them
            os.kill(pid, signal.SIGINT)
        assert halls.left() == 0, "\n".join(halls.complained.all())
        assert [pid for pid in children if lives(pid)] == []


def until(client: Client, wanted: Callable[[Picture], bool]) -> Picture:
    return wait_for_picture(client, wanted)


def kill(parent: int, name: str) -> None:
    """With this hall before this program's name, or without for what serves all."""
    hall, _, what = name.rpartition("/")

    def found() -> list[int]:
        return [
            pid
            for pid in children_of(parent)
            for words in [Path(f"/proc/{pid}/cmdline").read_text().split("\0")]
            if any(word == what or word.endswith(f"/{what}") for word in words[:4])
            and any(f"/halls/{hall}" in word for word in words)
        ]

    (pid,) = wait_until(found)
    os.kill(pid, signal.SIGKILL)
