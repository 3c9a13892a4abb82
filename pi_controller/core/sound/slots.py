"""In which languages what is said has room: no call-out runs into the next one, and none is cut. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pi_controller.core.sound.phrases import Callout
from pi_controller.hal.names import CalloutKind

GAP_MS = 150
"""Of silence between two call-outs, and between two languages."""

SLOTS_MS: Mapping[CalloutKind, int] = {
    "round": 4_000,
    "next_side": 3_000,
    "robber": 5_000,
    "robber_possible": 6_000,
    "last_rounds": 4_000,
    "pause": 3_000,
    "count": 950,
    "claim": 5_000,
    "rejected": 5_000,
    "winner": 15_000,
    "end": 5_000,
}
"""The longest that a call-out of this kind may last in all its languages together."""

Lengths = Mapping[tuple[str, str], int]
"""Milliseconds of each sound that there is, by language and phrase."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A call-out in one language; its sounds in their order."""

    language: str
    callout: Callout
    sounds: tuple[tuple[str, str], ...]
    ms: int


def spoken(callout: Callout, language: str, lengths: Lengths) -> Spoken | None:
    """None when one of its sounds is not there: half a sentence would say something else."""
    sounds = tuple((language, phrase.name) for phrase in callout.phrases)
    if any(sound not in lengths for sound in sounds):
        return None
    return Spoken(language, callout, sounds, sum(lengths[sound] for sound in sounds))


def that_fit(
    callouts: Sequence[Callout],
    languages: Sequence[str],
    lengths: Lengths,
    *,
    room_ms: float,
    standing: str,
) -> tuple[Spoken, ...]:
    """What is said within `room_ms`, in the order in which it is said.

    First every call-out in the `standing` language, or in another where that one has no room, in the order
    of their urgency; then each in the other languages, as far as there is room. What has no room is left out
    whole; nothing else is shortened for it.
    """
    chosen: list[list[Spoken]] = []
    left_ms = room_ms
    for callout in callouts:
        one = _first(callout, languages, lengths, room_ms=left_ms, standing=standing)
        chosen.append([] if one is None else [one])
        left_ms -= 0 if one is None else one.ms + GAP_MS
    for said in chosen:
        left_ms -= _add_languages(said, languages, lengths, room_ms=left_ms)
    return tuple(
        one for said in chosen for one in sorted(said, key=lambda part: languages.index(part.language))
    )


def _first(
    callout: Callout, languages: Sequence[str], lengths: Lengths, *, room_ms: float, standing: str
) -> Spoken | None:
    room_ms = min(room_ms, SLOTS_MS[callout.kind])
    first = sorted(languages, key=lambda language: language != standing)
    found = (spoken(callout, language, lengths) for language in first)
    return next((one for one in found if one is not None and one.ms <= room_ms), None)


def _add_languages(said: list[Spoken], languages: Sequence[str], lengths: Lengths, *, room_ms: float) -> int:
    """Adds the other languages of what is said already; the milliseconds that they take."""
    added_ms = 0
    if not said:
        return 0
    callout, slot_ms = said[0].callout, SLOTS_MS[said[0].callout.kind] - said[0].ms
    for language in languages:
        more = spoken(callout, language, lengths)
        if more is None or any(one.language == language for one in said):
            continue
        if more.ms + GAP_MS + added_ms <= min(slot_ms, room_ms):
            said.append(more)
            added_ms += more.ms + GAP_MS
    return added_ms
