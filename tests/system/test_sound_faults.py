"""What sound can lose beside a running game: the game never notices, one sentence says so, and it heals by itself.

One core with its own player on PipeWire's null sink, which can be pulled; a program of ours stands in the place of
espeak-ng, and `voice/` is a small disk of its own where this user may mount one. Each test begins with all of it in order.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from benchmarks.null_sink import DEVICE, NullSink
from pi_controller.core.sound.voice import wanted
from pi_controller.game.rule_sets import CONNECT
from pi_controller.hal.sound.library import KEPT, write
from pi_controller.hal.sound.orders import tone
from pi_controller.protocol.picture import Picture
from tests.needs import program as full_path
from tests.system.programs import AT_ONCE, BUSY, client_of, program, wait_for_picture, wait_until

SETTINGS = f"""
[hardware]
lamps = "sim"
buzzer = "sim"
pause_button = "sim"
display = "none"
shutdown_button = "none"
sound = "alsa"
[sound]
device = "{DEVICE}"
{AT_ONCE}"""
PLAYER = "pi_controller.hal.sound.player"
ENGINE = '#!/bin/sh\n[ "$1" = --version ] && echo 1 && exit\nexec {cat} {wav}\n'
MOUNT = '{mount} -t tmpfs -o size=2m none "$0" && exec "$@"'
PHRASES = len(wanted(("en",), CONNECT.name, CONNECT.robber_targets))


class Game:
    """A game that runs, and what is put in and taken away beside it. There is no card at first."""

    def __init__(self, folder: Path, ending: ExitStack) -> None:
        state, settings = folder / "s", folder / "settings.toml"
        kept, programs, wav = state / KEPT, folder / "programs", folder / "said.wav"
        kept.mkdir(parents=True)
        programs.mkdir()
        settings.write_text(SETTINGS)
        write(wav, tone(700, 10))
        self._engine = programs / "espeak-ng"
        self._engine_text = ENGINE.format(cat=full_path("cat"), wav=wav)
        self._ending = ending
        self._sink = NullSink(Path(ending.enter_context(TemporaryDirectory())))
        self._has_sink = self._is_plugged = False
        self.install_voice()
        self.disk = small_disk(kept)
        environment = {**self._sink.environment, "PATH": str(programs)}
        arguments = ("core", "--settings", settings, "--state-dir", state)
        self.core = ending.enter_context(program(*arguments, environment=environment, before=self.disk))
        self.client = client_of(state, self.core)
        self.kept = Path(f"/proc/{self.core.pid}/root{kept}")
        wait_until(lambda: len(list(self.kept.glob("*.wav"))) == PHRASES)
        wait_for_picture(self.client, lambda picture: "voice.being_rendered" not in told_keys(picture))
        assert self.client.command("start").accepted
        self._ends_us = ends_us(self.client.picture())

    def plug_in(self) -> None:
        """Returns when the card can be played on."""
        if self._has_sink:
            self._sink.plug_in()
        else:
            self._ending.enter_context(self._sink)
        self._has_sink = self._is_plugged = True

    def pull(self) -> None:
        self._sink.pull()
        self._is_plugged = False

    def install_voice(self) -> None:
        self._engine.write_text(self._engine_text)
        self._engine.chmod(0o755)

    def remove_voice(self) -> None:
        self._engine.unlink()

    def delete_cache(self) -> None:
        for path in self.kept.iterdir():
            path.unlink()

    def pause(self) -> None:
        """The voice looks whether everything is there when the clock comes to stand."""
        assert self.client.command("pause").accepted

    def resume(self) -> None:
        assert self.client.command("resume").accepted
        self._ends_us = ends_us(wait_for_picture(self.client, lambda picture: picture.running))

    def until(self, key: str | None) -> None:
        """This alone is told, or nothing; and on the way to it never more than one sentence."""
        wanted_keys = [] if key is None else [key]

        def look(picture: Picture) -> bool:
            told = told_keys(picture)
            assert len(told) <= 1, told
            return told == wanted_keys

        wait_for_picture(self.client, look)

    def plays_on(self) -> None:
        """Commands are done, the clock has not stood still for an instant, and nothing pauses."""
        assert self.client.command("say", {"text": "It goes on."}).accepted
        picture = self.client.picture()
        assert (picture.running, picture.pause_reasons) == (True, [])
        assert abs(ends_us(picture) - self._ends_us) <= 1

    def in_order(self) -> None:
        """As a test finds it."""
        if not self._is_plugged:
            self.plug_in()
        self.until(None)


def small_disk(folder: Path) -> tuple[str, ...]:
    """What starts a program for which `folder` is a file system of its own; nothing where this user may not."""
    sh = full_path("sh")
    mount = MOUNT.format(mount=full_path("mount"))
    before = (full_path("unshare"), "-rm", sh, "-c", mount, str(folder))
    done = subprocess.run([*before, sh, "-c", ":"], check=False, capture_output=True)
    return before if done.returncode == 0 else ()


def ends_us(picture: Picture) -> int:
    """When the round is over, by the computer's clock."""
    return picture.as_of_us + picture.remaining_us


def told_keys(picture: Picture) -> list[str]:
    """What is wrong besides a busy machine."""
    told = zip(picture.health.items, picture.health.messages, strict=True)
    return [item.key for item, text in told if not BUSY.match(text)]


@pytest.fixture(scope="module")
def started() -> Iterator[Game]:
    with TemporaryDirectory() as folder, ExitStack() as ending:
        yield Game(Path(folder), ending)


@pytest.fixture
def game(started: Game) -> Game:
    started.in_order()
    return started


def test_no_card_at_the_start(started: Game) -> None:
    started.until("sound.no_card")
    started.plays_on()
    started.plug_in()
    started.until(None)
    started.plays_on()


def test_a_card_that_is_pulled_and_comes_back(game: Game) -> None:
    game.pull()
    game.until("sound.no_card")
    game.plays_on()
    game.plug_in()
    game.until(None)
    game.plays_on()


def test_a_player_that_is_killed(game: Game) -> None:
    before = game.core.child(PLAYER)
    os.kill(before, signal.SIGKILL)
    game.until("sound.player_ended")
    game.until(None)
    assert game.core.child(PLAYER) != before
    game.plays_on()


def test_a_cache_that_is_deleted(game: Game) -> None:
    game.delete_cache()
    game.plays_on()
    game.pause()
    game.until("voice.being_rendered")
    game.until(None)
    assert len(list(game.kept.glob("*.wav"))) == PHRASES
    game.resume()
    game.plays_on()


def test_a_voice_that_is_not_installed(game: Game) -> None:
    """What lies there still plays, and nothing is told before something is missing."""
    game.remove_voice()
    next(game.kept.glob("*pause*.wav")).unlink()
    game.pause()
    game.until("voice.engine_missing")
    game.resume()
    game.until("voice.engine_missing")
    game.plays_on()
    game.install_voice()
    game.pause()
    game.until(None)
    game.resume()
    assert len(list(game.kept.glob("*.wav"))) == PHRASES


def test_a_full_disk(game: Game) -> None:
    if not game.disk:
        pytest.skip("this user may not mount a small disk in a name space of its own")
    next(game.kept.glob("*pause*.wav")).unlink()
    photos = game.kept / "holidays" / "photos"
    photos.parent.mkdir()
    with photos.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    game.pause()
    game.until("voice.not_kept")
    game.resume()
    game.until("voice.not_kept")
    game.plays_on()
    photos.unlink()
    game.pause()
    game.until(None)
    game.resume()
    assert len(list(game.kept.glob("*.wav"))) == PHRASES
