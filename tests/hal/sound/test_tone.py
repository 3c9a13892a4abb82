"""The tone, and the real child process that plays it, with a program of our own in the player's place."""

import io
import itertools
import struct
import wave
from pathlib import Path

import pytest

from pi_controller.hal.sound.tone import LOUDNESS, MISSING, RATE_HZ, TONE_HZ, AplaySound, tone_wav
from pi_controller.language.words import words
from pi_controller.sentence import Sentence


@pytest.mark.parametrize("ms", [1, 50, 1000])
def test_a_tone_of_this_length_pitch_and_loudness(ms: int) -> None:
    with wave.open(io.BytesIO(tone_wav(ms))) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, RATE_HZ)
        count = file.getnframes()
        samples = struct.unpack(f"<{count}h", file.readframes(count))
    assert count == RATE_HZ * ms // 1000
    assert abs(samples[0]) < 10, "it begins without a click"
    assert max(map(abs, samples)) <= LOUDNESS * 32_767
    crossings = sum((first < 0) != (second < 0) for first, second in itertools.pairwise(samples))
    assert abs(crossings - 2 * TONE_HZ * ms / 1000) <= 2


LIMIT_S = 20.0


def player(folder: Path, text: str) -> str:
    """A program that does this; `$0.heard` is a file beside it."""
    program = folder / "player"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return str(program)


def test_the_device_and_the_whole_wav_reach_the_player(tmp_path: Path) -> None:
    program = player(tmp_path, 'echo "$@" > "$0.asked"; cat > "$0.heard"')
    wav = tone_wav(100)
    assert AplaySound("plughw:1", program=program).play(wav, limit_s=LIMIT_S) is None
    assert (tmp_path / "player.asked").read_text() == "--quiet --device=plughw:1 -\n"
    assert (tmp_path / "player.heard").read_bytes() == wav


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "cat > /dev/null; echo 'aplay: main:834: audio open error: No such device' >&2; exit 1",
            "No such device",
        ),
        ("cat > /dev/null; exit 7", "exit status 7"),
        ("exit 1", "exit status 1"),
    ],
)
def test_a_card_that_does_not_play_is_named(tmp_path: Path, text: str, why: str) -> None:
    said = AplaySound("plughw:1", program=player(tmp_path, text)).play(tone_wav(50), limit_s=LIMIT_S)
    assert said is not None
    assert words(said).startswith('The sound device "plughw:1" does not play (')
    assert why in words(said)


def test_a_card_that_hangs_is_left(tmp_path: Path) -> None:
    program = player(tmp_path, "exec sleep 60")
    said = AplaySound("hw:9", program=program).play(b"", limit_s=0.2)
    assert said == Sentence("sound.not_finished", device="hw:9", seconds=0.2)


def test_without_the_player(tmp_path: Path) -> None:
    assert AplaySound("default", program=str(tmp_path / "none")).play(b"", limit_s=1) == MISSING
    (tmp_path / "none").write_text("no program")
    said = AplaySound("default", program=str(tmp_path / "none")).play(b"", limit_s=1)
    assert said is not None
    assert "Permission denied" in words(said)
