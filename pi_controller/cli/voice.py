"""`pi-controller voice`: mute, ducking, the test of the loudspeakers, and the list of all phrases."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import get_args

from pi_controller.cli.ask import core_of
from pi_controller.cli.hall.tables import columns
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    REFUSED,
    add_settings,
    add_state_dir,
    parser_for,
    state_dir,
    whole_number,
)
from pi_controller.core.sound.phrases import GAP_MS, SLOTS_MS, Phrase, every_callout
from pi_controller.core.sound.rendering import seats_of, wanted
from pi_controller.hal.names import CalloutKind, Loudspeaker
from pi_controller.hal.sound.library import Espeak, Library, Sound
from pi_controller.language.words import all_words, words
from pi_controller.protocol.messages import AskSound
from pi_controller.sentence import Sentence
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load
from pi_controller.settings.sections import Settings

HEAD = (
    Sentence("voice.column_phrase"),
    Sentence("voice.column_language"),
    Sentence("voice.column_length"),
    Sentence("voice.column_slot"),
    Sentence("voice.column_source"),
    Sentence("voice.column_text"),
    Sentence("voice.column_file"),
)


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar=words(Sentence("metavar.task")), required=True)
    mute = tasks.add_parser("mute", help=words(Sentence("help.voice_mute")))
    mute.add_argument(
        "minutes",
        type=whole_number,
        nargs="?",
        metavar=words(Sentence("metavar.minutes")),
        help=words(Sentence("help.voice_minutes")),
    )
    release = tasks.add_parser("release", help=words(Sentence("help.voice_release")))
    duck = tasks.add_parser("duck", help=words(Sentence("help.voice_duck")))
    unduck = tasks.add_parser("unduck", help=words(Sentence("help.voice_unduck")))
    test = tasks.add_parser("test", help=words(Sentence("help.voice_test")))
    test.add_argument(
        "loudspeaker",
        choices=get_args(Loudspeaker),
        nargs="?",
        default="both",
        help=words(Sentence("help.voice_loudspeaker")),
    )
    listed = tasks.add_parser("list", help=words(Sentence("help.voice_list")))
    listed.add_argument("--render", action="store_true", help=words(Sentence("help.voice_render")))
    add_settings(listed)
    for task in (mute, release, duck, unduck, test, listed):
        add_state_dir(task)
    arguments = parser.parse_args(given)
    if arguments.task == "list":
        return _list(arguments)
    with core_of(arguments) as core:
        core.ask(
            AskSound(
                do=arguments.task,
                minutes=getattr(arguments, "minutes", None),
                loudspeaker=getattr(arguments, "loudspeaker", "both"),
            )
        )
    return ACCEPTED


def _list(arguments: Namespace) -> int:
    """Status REFUSED when something would not fit its slot or cannot be spoken."""
    try:
        settings = load(arguments.settings)
    except SettingsFault as fault:
        print(fault, file=sys.stderr)
        return BAD_USAGE
    library = Library(state_dir(arguments), Espeak())
    phrases = wanted(settings.hall.languages, settings.game.rule_set, settings.game.robber_targets)
    found = (
        list(library.every(phrases))
        if arguments.render
        else [sound for one in phrases if (sound := library.found(one)) is not None]
    )
    sounds = {(sound.wanted.language, sound.wanted.name): sound for sound in found}
    rows = [
        _row(sounds.get((one.language, one.name)) or Sound(one, None, 0), library, slots(settings))
        for one in phrases
        if one.text
    ]
    print("\n".join(columns([tuple(all_words(HEAD)), *rows])))
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


def _row(sound: Sound, library: Library, known: Mapping[str, int]) -> tuple[str, ...]:
    one = sound.wanted
    slot = known.get(one.name)
    source = Sentence("voice.own") if sound.own else Sentence("voice.of_engine")
    return (
        one.name,
        one.language,
        str(sound.ms) if sound.path else "-",
        "-" if slot is None else str(slot),
        words(source) if sound.path else "-",
        one.text,
        str(library.own_path(one)),
    )


def _problems(settings: Settings, sounds: Mapping[tuple[str, str], Sound]) -> Iterator[Sentence]:
    """What cannot be spoken, or does not fit by itself."""
    yield from dict.fromkeys(sound.trouble for sound in sounds.values() if sound.trouble is not None)
    for name, slot_ms in slots(settings).items():
        for language in settings.hall.languages:
            sound = sounds.get((language, name))
            if sound is not None and sound.ms > slot_ms:
                yield Sentence("voice.too_long", name=name, language=language, ms=sound.ms, slot_ms=slot_ms)


def _taking_turns(settings: Settings, sounds: Mapping[tuple[str, str], Sound]) -> Iterator[Sentence]:
    """What fits in one language only."""
    for name, slot_ms in slots(settings).items():
        both_ms = sum(sounds[language, name].ms + GAP_MS for language in settings.hall.languages) - GAP_MS
        if both_ms > slot_ms:
            yield Sentence("voice.in_turn", name=name, ms=both_ms, slot_ms=slot_ms)
