"""The words of the tables' displays, from the catalogues: a module of the firmware for each language, and for
each word the room that it has."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from babel.messages.pofile import read_po

from pi_controller.language.languages import ENGLISH, EVERY, NAMES

AREA: Final = "node."
NONE: Final = "none"
"""In place of a language that the firmware has no words for: only what the words' parameters say."""
Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Line:
    """A text that stands as one."""

    key: str

    def literal(self, texts: Texts) -> str:
        return _quoted(texts[self.key])


@dataclass(frozen=True, slots=True)
class TwoLines:
    """A text in two lines, as even as its spaces let them be."""

    key: str

    def literal(self, texts: Texts) -> str:
        return _tuple([_quoted(line) for line in in_two(texts[self.key])])


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several texts by a number; None: nothing is said."""

    keys: tuple[str | None, ...]

    def literal(self, texts: Texts) -> str:
        return _tuple([_quoted(texts[key] if key else "") for key in self.keys])


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why play is paused, the most important first: bit of the reason, its text in two lines, and what is
    said of it beside a more important one."""

    reasons: tuple[tuple[int, str, str], ...]

    def literal(self, texts: Texts) -> str:
        return _tuple(
            [
                _tuple([str(bit), *map(_quoted, in_two(texts[first])), _quoted(texts[beside])])
                for bit, first, beside in self.reasons
            ]
        )


WORDS: Final[Mapping[str, Line | TwoLines | Choice | Reasons]] = {
    "YOUR_TURN": Line("node.heading_your_turn"),
    "PLAYS": Choice(("node.sun_plays", "node.moon_plays")),
    "YOU_PLAY": Line("node.you_play"),
    "SEAT_PLAYS": Line("node.seat_plays"),
    "SEAT": Line("node.seat_number"),
    "WAS": Line("node.note_was"),
    "ROUND": Line("node.note_round"),
    "LAST_ROUND": TwoLines("node.note_last_round"),
    "UPDATE": TwoLines("node.note_update_me"),
    "FOUNDING": Line("node.poster_founding"),
    "ROBBER_TO": Line("node.bar_robber_to_number"),
    "ROBBER_TO_DESERT": Line("node.bar_robber_to_desert"),
    "ROBBER": Line("node.short_robber"),
    "TO": Line("node.short_to_number"),
    "DESERT": Line("node.short_to_desert"),
    "PAUSE": Line("node.heading_pause"),
    "PAUSE_REMARK": Line("node.remark_nobody_moves"),
    "REASONS": Reasons(
        (
            (4, "node.reason_claim", "node.remark_and_claim"),
            (8, "node.reason_check", "node.remark_and_check"),
            (2, "node.reason_director", "node.remark_and_director"),
            (1, "node.reason_button", "node.remark_and_button"),
            (16, "node.reason_restart", "node.remark_and_restart"),
        )
    ),
    "GOES_ON": Line("node.heading_goes_on_in"),
    "STARTS_IN": Line("node.heading_starts_in"),
    "READY": Line("node.poster_ready"),
    "MAINTENANCE": Line("node.poster_in_repair"),
    "ENDED": Line("node.poster_game_over"),
    "THANKS": Line("node.remark_thank_you"),
    "WINNER": Line("node.poster_winner"),
    "CONGRATULATIONS": Line("node.remark_well_played"),
    "NO_LINK": Line("node.bar_no_link"),
    "LOOK": TwoLines("node.lines_look_at_the_hall_screen"),
    "PRESS_HERE": TwoLines("node.lines_press_here"),
    "WALK": Line("node.bar_walk_test"),
    # By `claim` of the view, up to received.
    "WALKED": Choice((None, None, "node.remark_press_sent", "node.remark_press_heard")),
    "SAFE": Line("node.bar_safe_mode"),
    "NEW_FIRMWARE": Line("node.bar_new_firmware"),
    "LEAVE_PLUGGED": TwoLines("node.lines_leave_plugged_in"),
    "CALL": TwoLines("node.lines_call_the_technician"),
    "NODE": Line("node.bar_table_node"),
    "VERSION": Line("node.bar_version"),
    "TOO_OLD": Line("node.bar_old_micropython"),
    # By `claim` of the view, from holding on.
    "CLAIMS": Choice(
        (
            None,
            "node.claim_call_the_director",
            "node.claim_calling",
            "node.claim_received",
            "node.claim_director_asked",
            "node.claim_director_comes",
            "node.claim_rejected",
            "node.claim_taken_back",
            "node.claim_winner",
            "node.claim_wait_for_your_side",
        )
    ),
    "TAKE_BACK": Line("node.claim_hold_to_take_back"),
    "TAKING_BACK": Line("node.claim_taking_back"),
    # The same on half a display.
    "SHORT_CLAIMS": Choice(
        (
            None,
            "node.short_call_the_director",
            "node.claim_calling",
            "node.claim_received",
            "node.claim_director_asked",
            "node.short_director_comes",
            "node.claim_rejected",
            "node.claim_taken_back",
            "node.claim_winner",
            "node.short_wait_for_your_side",
        )
    ),
    "SHORT_TAKE_BACK": Line("node.short_hold_to_take_back"),
}
"""By the name that each has in the firmware."""


def keys() -> frozenset[str]:
    """All keys of the catalogues that the nodes' words come from."""
    found: set[str] = set()
    for word in WORDS.values():
        match word:
            case Line(key) | TwoLines(key):
                found.add(key)
            case Choice(several):
                found.update(key for key in several if key)
            case Reasons(reasons):
                found.update(key for _, *pair in reasons for key in pair)
    return frozenset(found)


def sources(root: Path) -> dict[str, str]:
    """Path below the repository and content of each language's module, and of the one without words."""
    english = texts(root, ENGLISH)
    made = {tag: _source(texts(root, tag), f"in {NAMES[tag]}") for tag in EVERY}
    made[NONE] = _source({key: _parameters(text) for key, text in english.items()}, "that are none")
    return {f"firmware/table_node/{module(tag)}.py": text for tag, text in made.items()}


def module(tag: str) -> str:
    """The module's name; the node finds it in the same way (firmware/table_node/languages.py)."""
    return "words_" + tag.lower().replace("-", "_")


def texts(root: Path, tag: str) -> Texts:
    """The nodes' texts of this language; where it has none, the English ones."""
    own = dict(_read(root, tag))
    if tag == ENGLISH:
        return own
    return {key: own.get(key) or text for key, text in _read(root, ENGLISH)}


def in_two(text: str) -> tuple[str, str]:
    """The text in two lines, broken where the longer one is shortest; the second is empty for one word."""
    parts = text.split(" ")
    breaks = [(" ".join(parts[:at]), " ".join(parts[at:])) for at in range(1, len(parts))]
    return min(reversed(breaks), key=lambda lines: max(map(len, lines)), default=(text, ""))


def undrawn(texts: Texts, letters: str) -> list[str]:
    """Each letter of these texts that is not among the letters of a font, with the keys of the texts."""
    found: dict[str, list[str]] = {}
    for key, text in texts.items():
        for letter in dict.fromkeys(text):
            if letter not in letters:
                found.setdefault(letter, []).append(key)
    return [f"{letter}: {', '.join(keys)}" for letter, keys in found.items()]


def _read(root: Path, tag: str) -> Iterator[tuple[str, str]]:
    folder = root / "pi_controller" / "locale" / tag.replace("-", "_")
    with (folder / "LC_MESSAGES" / "controller.po").open("rb") as file:
        for message in read_po(file):
            if isinstance(message.id, str) and message.id.startswith(AREA):
                yield message.id, str(message.string)


def _source(said: Texts, which: str) -> str:
    lines = [
        f'"""Words {which} on the tables\' displays. Made by `make generate` from the catalogues."""',
        "",
        *(f"{name} = {word.literal(said)}" for name, word in WORDS.items()),
    ]
    return "\n".join(lines) + "\n"


def _parameters(text: str) -> str:
    return " ".join(re.findall(r"\{\w+\}", text))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _tuple(values: list[str]) -> str:
    return "(" + ", ".join(values) + ")"
