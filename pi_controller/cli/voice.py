"""`pi-controller voice`: mute, ducking, the test of the loudspeakers, and the list of all phrases."""

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import get_args

from pi_controller.cli.ask import core_of
from pi_controller.cli.usage import (
    ACCEPTED,
    REFUSED,
    SETTINGS,
    Argument,
    argument,
    command,
    flag,
    lines_of_table,
    state_dir,
    whole_number,
)
from pi_controller.core.sound.phrases import GAP_MS, SLOTS_MS, Phrase, every_callout
from pi_controller.core.sound.voice import seats_of, wanted
from pi_controller.hal.names import CalloutKind, Loudspeaker
from pi_controller.hal.sound.library import Espeak, Library, SoundFile
from pi_controller.language.words import words
from pi_controller.protocol.messages import AskSound
from pi_controller.protocol.picture import SoundAction
from pi_controller.sentence import Sentence
from pi_controller.settings.load import load
from pi_controller.settings.sections import Settings

LOUDSPEAKER = argument(
    "loudspeaker",
    choices=get_args(Loudspeaker),
    nargs="?",
    default="both",
    meaning=Sentence("help.voice_loudspeaker"),
)
MINUTES = argument(
    "minutes",
    type=whole_number,
    nargs="?",
    shown=Sentence("metavar.minutes"),
    meaning=Sentence("help.voice_minutes"),
)
TASKS: dict[SoundAction, tuple[Sentence, tuple[Argument, ...]]] = {
    "mute": (Sentence("help.voice_mute"), (MINUTES,)),
    "release": (Sentence("help.voice_release"), ()),
    "duck": (Sentence("help.voice_duck"), ()),
    "unduck": (Sentence("help.voice_unduck"), ()),
    "test": (Sentence("help.voice_test"), (LOUDSPEAKER,)),
}


def do(name: SoundAction, arguments: Namespace) -> None:
    """Ask core for it."""
    minutes = getattr(arguments, "minutes", None)
    loudspeaker: Loudspeaker = getattr(arguments, "loudspeaker", "both")
    core_of(arguments).ask(AskSound(do=name, minutes=minutes, loudspeaker=loudspeaker))


for _name, (_meaning, _arguments) in TASKS.items():
    command(f"voice {_name}", *_arguments, meaning=_meaning)(partial(do, _name))


@command(
    "voice list",
    flag("--render", Sentence("help.voice_render")),
    SETTINGS,
    meaning=Sentence("help.voice_list"),
)
def list_phrases(arguments: Namespace) -> int:
    """Status REFUSED when something would not fit its slot or cannot be spoken."""
    settings = load(arguments.settings)
    library = Library(state_dir(arguments), Espeak())
    phrases = wanted(settings.hall.languages, settings.game.rule_set, settings.game.robber_targets)
    found = (
        list(library.every(phrases))
        if arguments.render
        else [sound for one in phrases if (sound := library.found(one)) is not None]
    )
    sounds = {(sound.wanted.language, sound.wanted.name): sound for sound in found}
    known, own, made = slots(settings), Sentence("voice.own"), Sentence("voice.of_engine")
    shape: dict[Sentence, Callable[[SoundFile], str]] = {
        Sentence("voice.column_phrase"): lambda sound: sound.wanted.name,
        Sentence("voice.column_language"): lambda sound: sound.wanted.language,
        Sentence("voice.column_length"): lambda sound: str(sound.ms) if sound.path else "-",
        Sentence("voice.column_slot"): lambda sound: str(known.get(sound.wanted.name, "-")),
        Sentence("voice.column_source"): lambda sound: (
            words(own if sound.own else made) if sound.path else "-"
        ),
        Sentence("voice.column_text"): lambda sound: sound.wanted.text,
        Sentence("voice.column_file"): lambda sound: str(library.own_path(sound.wanted)),
    }
    told = [sounds.get((one.language, one.name)) or SoundFile(one, None, 0) for one in phrases if one.text]
    print("\n".join(lines_of_table(shape, told)))
    if not arguments.render:
        return ACCEPTED
    for note in _taking_turns(settings, sounds):
        print(words(note))
    problems = list(_problems(settings, sounds))
    for problem in problems:
        print(f"! {words(problem)}", file=sys.stderr)
    return REFUSED if problems else ACCEPTED


def slots(settings: Settings) -> Mapping[str, int]:
    """Milliseconds that each phrase has, by its name; a part of a winner's call-out has none of its own."""
    return {phrase.name: SLOTS_MS[kind] for kind, phrase in _spoken(settings)}


def _spoken(settings: Settings) -> Iterator[tuple[CalloutKind, Phrase]]:
    for callout in every_callout(seats_of(settings.game.rule_set), settings.game.robber_targets):
        yield from ((callout.kind, phrase) for phrase in callout.phrases)


def _problems(settings: Settings, sounds: Mapping[tuple[str, str], SoundFile]) -> Iterator[Sentence]:
    """What cannot be spoken, or does not fit by itself."""
    yield from dict.fromkeys(sound.trouble for sound in sounds.values() if sound.trouble is not None)
    for name, slot_ms in slots(settings).items():
        for language in settings.hall.languages:
            sound = sounds.get((language, name))
            if sound is not None and sound.ms > slot_ms:
                yield Sentence("voice.too_long", name=name, language=language, ms=sound.ms, slot_ms=slot_ms)


def _taking_turns(settings: Settings, sounds: Mapping[tuple[str, str], SoundFile]) -> Iterator[Sentence]:
    """What fits in one language only."""
    for name, slot_ms in slots(settings).items():
        both_ms = sum(sounds[language, name].ms + GAP_MS for language in settings.hall.languages) - GAP_MS
        if both_ms > slot_ms:
            yield Sentence("voice.in_turn", name=name, ms=both_ms, slot_ms=slot_ms)
