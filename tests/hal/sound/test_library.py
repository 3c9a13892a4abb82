"""The real espeak-ng, and programs of our own in its place."""

import shutil
import wave
from array import array
from dataclasses import replace
from pathlib import Path

import pytest

from pi_controller.hal.sound.library import KEPT, OWN, Espeak, Library, SoundFile, WantedPhrase
from pi_controller.hal.sound.orders import RATE_HZ, tone
from pi_controller.language.words import words

EIGHT = WantedPhrase("en", "round_sun_8", "8, Sun.")
PAUSE = WantedPhrase("pl", "pause", "Pauza.")


def program(folder: Path, text: str) -> Espeak:
    made = folder / "engine"
    made.write_text(f"#!/bin/sh\n{text}\n")
    made.chmod(0o755)
    return Espeak(str(made))


def all_of(state: Path, engine: Espeak, *wanted: WantedPhrase) -> list[SoundFile]:
    return list(Library(state, engine).every(wanted))


def told(sound: SoundFile) -> str:
    return "" if sound.trouble is None else words(sound.trouble)


def test_the_voice_speaks_and_what_it_said_is_kept(tmp_path: Path) -> None:
    first = all_of(tmp_path, Espeak(), EIGHT, PAUSE)
    assert [told(sound) for sound in first] == ["", ""]
    assert all(300 < sound.ms < 1_500 for sound in first), first
    stamps = [sound.path.stat().st_mtime_ns for sound in first if sound.path]
    again = all_of(tmp_path, Espeak(), EIGHT, PAUSE)
    assert [replace(sound, made=True) for sound in again] == first
    assert [sound.path.stat().st_mtime_ns for sound in again if sound.path] == stamps


def test_another_text_is_spoken_anew_and_the_old_one_goes(tmp_path: Path) -> None:
    library = Library(tmp_path, Espeak())
    (old,) = library.every([EIGHT])
    (new,) = library.every([WantedPhrase("en", "round_sun_8", "Eight for the Sun.")])
    library.tidy([new])
    assert list((tmp_path / KEPT).iterdir()) == [new.path]
    assert new.path != old.path


def test_what_is_there_comes_first(tmp_path: Path) -> None:
    all_of(tmp_path, Espeak(), PAUSE)
    assert [sound.wanted for sound in all_of(tmp_path, Espeak(), EIGHT, PAUSE)] == [PAUSE, EIGHT]


def recording(path: Path, *, rate_hz: int = 44_100, channels: int = 2, width: int = 2) -> None:
    path.parent.mkdir(parents=True)
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(channels)
        sound.setsampwidth(width)
        sound.setframerate(rate_hz)
        samples = tone(440, 500)
        frames = array("h", [sample for sample in samples for _ in range(2 * channels)])
        sound.writeframes(bytes(len(frames)) if width == 1 else frames.tobytes())


def test_an_own_recording_takes_the_voices_place(tmp_path: Path) -> None:
    recording(tmp_path / OWN / "en" / "round_sun_8.wav")
    (sound,) = all_of(tmp_path, program(tmp_path, "exit 1"), EIGHT)
    assert (sound.own, told(sound)) == (True, "")
    assert sound.ms == pytest.approx(500, abs=15)
    with wave.open(str(sound.path)) as kept:
        assert (kept.getnchannels(), kept.getframerate()) == (1, RATE_HZ)


def test_a_recording_that_cannot_be_used_gives_way_and_is_told(tmp_path: Path) -> None:
    recording(tmp_path / OWN / "en" / "round_sun_8.wav", width=1)
    (sound,) = all_of(tmp_path, Espeak(), EIGHT)
    assert sound.path is not None
    assert told(sound) == "round_sun_8.wav is not a 16-bit recording."


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("kill -SEGV $$", "{program} does not speak: exit status -11."),
        ("echo 'no such voice' >&2; exit 2", "{program} does not speak: no such voice."),
        ("exit 0", "{program} gives no sound for en."),
    ],
)
def test_a_voice_that_crashes_costs_its_own_sound(tmp_path: Path, text: str, why: str) -> None:
    engine = program(tmp_path, f'[ "$1" = --version ] && exit 0\n{text}')
    (sound,) = all_of(tmp_path, engine, EIGHT)
    assert sound.path is None
    assert told(sound) == why.format(program=tmp_path / "engine")


def test_without_the_engine_what_was_spoken_before_is_used(tmp_path: Path) -> None:
    (before,) = all_of(tmp_path, Espeak(), EIGHT)
    kept, lost = all_of(tmp_path, Espeak("no-such-engine"), EIGHT, PAUSE)
    assert kept == replace(before, made=False)
    assert told(lost) == "The voice no-such-engine is not installed."


def test_a_cache_that_was_deleted_is_made_again(tmp_path: Path) -> None:
    (sound,) = all_of(tmp_path, Espeak(), EIGHT)
    assert sound.path is not None
    shutil.rmtree(sound.path.parent)
    assert all_of(tmp_path, Espeak(), EIGHT) == [sound]


def test_a_disk_that_takes_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / KEPT).write_text("no folder")
    (sound,) = all_of(tmp_path, Espeak(), EIGHT)
    assert sound.path is None
    assert told(sound).startswith(f"The voice cannot be saved in {tmp_path / KEPT}: ")


def test_what_has_no_words_needs_no_sound(tmp_path: Path) -> None:
    assert all_of(tmp_path, program(tmp_path, "exit 1"), WantedPhrase("en", "x", "")) == [
        SoundFile(WantedPhrase("en", "x", ""), None, 0)
    ]
