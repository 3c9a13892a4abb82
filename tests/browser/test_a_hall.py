"""A whole game in the hall's own languages: screen, displays, captions and call-outs agree with every picture."""

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pi_controller.core.sound import phrases
from pi_controller.core.sound.voice import wanted
from pi_controller.core.tables.state import table_state
from pi_controller.game.rule_sets import SIDE_NAMES
from pi_controller.hal.sound.library import Espeak, Library
from pi_controller.hal.sound.orders import Order, SayOrder, SoundPlan
from pi_controller.language.words import all_texts, words
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.sentences import sentence
from pi_controller.sentence import Sentence
from pi_controller.virtual_hall.hall import VirtualHall
from pi_controller.virtual_hall.table import start_firmware
from pi_controller.vocabulary import SIDES
from table_node import face as face_module
from table_node.canvas import Canvas, Font
from table_node.view import View
from tests.browser.screen import Screen
from tests.core.hall import accepted
from tests.core.hand import MS
from tests.core.sound.sound_hall import TARGETS, SoundHall
from tests.matrix import further
from tests.needs import program
from tests.virtual_hall.virtual_time import Drive
from tools import node_words
from tools.table_faces import Buffer

# A whole game with a voice on a clock moved by hand: its pictures, and what the player is told, in their order.

EARLY_MS = 4_000
MESSAGE = "Łódź 12"
"""Says the same in every language."""
SHEETS = {"A2": {"settlements": 4, "cities": 1}, "B1": {"settlements": 2, "cities": 3}}
"""Equal in none of their counts: the second one wins."""
TOLD_NS = 200 * MS
"""Until a caption stands in a picture."""


class Lengths(dict[tuple[str, str], int]):
    """Milliseconds of each sound by language and phrase; the real voice renders what is asked for."""

    def __init__(self, folder: Path, languages: Sequence[str]) -> None:
        super().__init__()
        self._library = Library(folder, Espeak(program("espeak-ng")))
        self._wanted = {(one.language, one.name): one for one in wanted(languages, "connect", TARGETS)}

    def __contains__(self, sound: object) -> bool:
        return sound in self._wanted

    def __missing__(self, sound: tuple[str, str]) -> int:
        (rendered,) = self._library.every([self._wanted[sound]])
        assert rendered.path is not None, rendered.trouble
        self[sound] = rendered.ms
        return rendered.ms

    def text(self, sound: str) -> str:
        """What was rendered under this name."""
        language, name = sound.split("/")
        return self._wanted[language, name].text


def played(languages: tuple[str, ...], lengths: Lengths, *, rounds: int) -> list[Picture | Order]:
    """So many rounds at least, with a claim that is rejected, a pause in a robber phase, an announced end, and sheets of which one wins.

    On a thread of its own: where playwright keeps a loop running, core's would not run."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_play, languages, lengths, rounds).result()


def _play(languages: tuple[str, ...], lengths: Lengths, rounds: int) -> list[Picture | Order]:
    sound = SoundHall(languages=languages, early_ms=EARLY_MS, lengths=lengths)
    game = _Game(sound)
    game.ask("start")
    while game.picture.round < 3:
        game.next_phase()
    sound.hall.press()
    game.ask("claim", {"board": "A1", "side": "sun"})
    game.ask("verdict", {"claim": game.picture.claims[-1].id, "confirmed": False})
    game.resume()
    while game.picture.phase != "robber" or game.picture.round < rounds - 2:
        game.next_phase()
    game.ask("pause")
    game.ask("say", {"text": MESSAGE})
    game.resume()
    game.next_phase()
    game.ask("say", {"text": ""})
    game.ask("last_rounds", {"count": 1})
    while game.picture.phase != "collecting":
        game.next_phase()
    for board, sheet in SHEETS.items():
        game.ask("claim", {"board": board, "side": "moon"})
        game.ask("verdict", {"claim": game.picture.claims[-1].id, "sheet": sheet})
    game.ask("end", {"confirm": True})
    return sound.told


class _Game:
    """What a director does, and the time between."""

    def __init__(self, sound: SoundHall) -> None:
        self._hall = sound.hall

    @property
    def picture(self) -> Picture:
        return self._hall.loop.picture()

    def ask(self, name: str, body: object = None) -> None:
        answer = self._hall.ask(name, body)
        assert accepted(answer), (name, answer)
        self._hall.move(TOLD_NS)

    def resume(self) -> None:
        self.ask("resume")
        self.next_phase()
        assert self.picture.running

    def next_phase(self) -> None:
        """To the end of what runs, the phase or the 3-2-1, and a little further."""
        counted, left_ns = self.picture.resume_in_ms, self.picture.remaining_us * 1_000
        self._hall.move((left_ns if counted is None else counted * MS) + TOLD_NS)


# Everybody who sees and hears a game: each picture is compared with what they see and hear of it.

BOOTED_US = 700_000
JOINED_US = 1_500_000
"""For a master that begins when the table has booted: discovery, and the words of its languages."""
SHOWN_US = 300_000
CLAIMS = {"open": phrases.CLAIM, "rejected": phrases.REJECTED}
LOOK = """() => {
  const text = (selector) => document.querySelector(selector)?.textContent ?? "";
  const places = [...document.querySelectorAll("[data-word]")].filter((place) => place.checkVisibility());
  return {
    words: places.map((place) => [place.dataset.word, place.textContent]),
    language: document.documentElement.lang,
    sign: text(".languages .spoken"),
    scene: document.body.dataset.scene,
    caption: text('[data-is="caption"]:not([hidden])'),
    countin: text('[data-is="countin-title"]'),
    winner: text('[data-is="winner-title"]'),
    winners: text(".winner-board") + text(".winner-points"),
    decided: text('[data-is="decided"]'),
    says: text('[data-is="says"]:not([hidden]) [data-is="says-text"]'),
    heading: text('[data-is="round"]'),
    side: text(".side.acting .side-word"),
    sum: text('[data-is="sum"]'),
    target: text('[data-is="target-number"]') || text('[data-is="target-desert"]:not([hidden]) .desert-word'),
    digits: text('[data-is="digits"]'),
  };
}"""


class Noting(Canvas):
    """Notes what is written: `written`."""

    written: set[str]

    def text(self, font: Font, text: str, x: int, page: int) -> int:
        self.written.add(text)
        return super().text(font, text, x, page)


class SpokenHall:
    """A table in the node's firmware and the hall screen, each on a clock moved by hand."""

    def __init__(self, languages: tuple[str, ...], screen: Screen, lengths: Lengths) -> None:
        self.languages = languages
        self.stood: set[tuple[str, str]] = set()
        """Phases and languages that were on."""
        self.said = 0
        self._lengths = lengths
        self._tables = VirtualHall(1, start_firmware)
        self._drive = Drive(self._tables.segments["A"])
        self._screen = screen
        self._uncaptioned: list[str] | None = None
        self._scene: object = None
        screen.stage.speak(*languages)
        screen.open()
        screen.page.wait_for_load_state("networkidle")
        self._drive.silent = True
        self._drive.run_for(BOOTED_US)
        self._drive.silent = False
        self._drive.run_for(JOINED_US)

    def follow(self, told: Sequence[Picture | Order]) -> None:
        """Show each picture on the screen and, where it is another scene, on the tables; compare what is said with the
        picture before it."""
        for one in told:
            if isinstance(one, Picture):
                self._show(one)
            elif isinstance(one, SayOrder):
                self._hear(one.groups)
            elif isinstance(one, SoundPlan):
                for planned in one.moments:
                    if planned.voice:
                        self._foretold(planned.groups)

    def _show(self, picture: Picture) -> None:
        self.picture = picture
        self.stood.add((picture.phase, picture.language))
        if self._uncaptioned is not None:
            assert captions(picture) == self._uncaptioned
            self._uncaptioned = None
        self._screen.play(msgspec.to_builtins(picture))
        seen = self._screen.page.evaluate(LOOK)
        labels = seen.pop("words")
        assert labels == [[key, page_word(picture, key)] for key, _ in labels]
        expected = on_screen(picture, self.languages)
        assert {name: seen[name] for name in expected} == expected, (seen, expected)
        scene = (picture.phase, picture.round, picture.paused, picture.resume_in_ms is None, picture.dice)
        if scene != self._scene:
            self._scene = scene
            self._show_tables(picture)

    def _hear(self, groups: Sequence[Sequence[str]]) -> None:
        """It comes after its picture and before any other: what it says is of that one."""
        self.said += 1
        said = self._texts(groups)
        right = {spoken(one, each) for one in callouts(self.picture) for each in self.languages}
        assert {text for _, text in said} <= right, (self.picture.phase, said, right)
        standing = [text for language, text in said if language == self.picture.language]
        assert standing[0] in right
        if self.picture.running:
            assert standing[0] == spoken(callouts(self.picture)[0], self.picture.language)
        if self.picture.resume_in_ms is None:
            language = self.picture.language
            captioned = {
                spoken(one, language): words(one.sentence, language) for one in callouts(self.picture)
            }
            self._uncaptioned = [captioned[text] for text in standing]

    def _foretold(self, groups: Sequence[Sequence[str]]) -> None:
        """What this picture makes certain: the numbers of its 3-2-1, or which side comes."""
        said = self._texts(groups)
        assert self.picture.language in dict(said)
        for language, text in said:
            assert text in {spoken(one, language) for one in foretold(self.picture)}

    def _texts(self, groups: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
        """The language and the text of each group of sounds, as it is `heard`."""
        found = [
            (group[0].split("/")[0], heard(" ".join(map(self._lengths.text, group)))) for group in groups
        ]
        assert {language for language, _ in found} <= set(self.languages)
        return found

    def _show_tables(self, picture: Picture) -> None:
        offset_us = self._drive.master_us() - picture.as_of_us
        state = table_state(picture, offset_us=offset_us, brightness=128, languages=self.languages)
        self._drive.master.show(state)
        self._drive.run_for(SHOWN_US)
        texts = texts_of(picture.language)
        module = import_module(f"table_node.{node_words.module(picture.language)}")
        for table in self._tables.tables.values():
            for side, display in enumerate(table.displays):
                view = table.program.views[side]  # type: ignore[union-attr]
                buffer, written = drawn(view)
                assert bytes(display.shown) == bytes(buffer)
                assert view.words is module
                assert on_face(picture, side, texts) <= written, (picture.phase, side, written)
                known = set() if picture.message is None else {picture.message.text}
                assert [text for text in written - known if not is_of(text, texts)] == []


def heard(text: str) -> str:
    """Without blanks: a winner's board is put together of letters and numbers."""
    return "".join(text.split())


def spoken(callout: phrases.Callout, language: str) -> str:
    """What is heard of it."""
    return heard(" ".join(phrase.text(language) for phrase in callout.phrases))


@cache
def texts_of(language: str) -> node_words.Texts:
    """Of the catalogue, those of the displays."""
    found = all_texts(language)
    return {key: str(found[key]) for key in sorted(node_words.keys())}


def captions(picture: Picture) -> list[str]:
    """What was said last, in the language that stands."""
    said = [] if picture.sound is None else picture.sound.captions
    return [words(sentence(one), picture.language) for one in said]


def page_word(picture: Picture, key: str, **params: Any) -> str:
    return words(Sentence.of(f"page.{key}", params), picture.language)


def on_screen(picture: Picture, languages: Sequence[str]) -> dict[str, str]:
    """What stands on the hall screen."""
    sign = picture.language.upper() if len(languages) > 1 else ""
    caption = " ".join(captions(picture))
    says = "" if picture.message is None else picture.message.text
    found = {"language": picture.language, "sign": sign, "caption": caption, "says": says, **_scene(picture)}
    if found["scene"] == "play":
        found["digits"] = str(ceil(picture.remaining_ms / 1_000))
    return found


def _scene(picture: Picture) -> dict[str, str]:
    if picture.phase == "ended":
        return {"scene": "ended", "winner": page_word(picture, "winner"), **_winner(picture)}
    if picture.phase == "collecting":
        return {"scene": "collecting"}
    if picture.resume_in_ms is not None:
        title = "starts_in" if picture.phase == "ready" else "goes_on"
        return {"scene": "countin", "countin": page_word(picture, title)}
    if picture.paused or picture.phase == "ready":
        return {"scene": "pause" if picture.paused else "ready"}
    if picture.phase == "robber":
        target = page_word(picture, "desert") if picture.robber_target == "desert" else picture.robber_target
        heading = page_word(picture, "after_round", round=picture.round)
        return {
            "scene": "play",
            "heading": heading,
            "side": page_word(picture, "robber"),
            "target": str(target),
        }
    side = page_word(picture, picture.side or "")
    heading = page_word(picture, "round", round=picture.round)
    return {"scene": "play", "heading": heading, "side": side, "sum": str(picture.sum)}


def _winner(picture: Picture) -> dict[str, str]:
    """Board, side, points, the step that decided, and who comes next."""
    (winner,) = picture.winners
    side, points = page_word(picture, winner.side or ""), page_word(picture, "points", count=winner.points)
    decided = page_word(picture, f"decided_{picture.decided_by}")
    for rival in picture.ranking[1:2]:
        board = page_word(picture, "claim_board", board=rival.board)
        name = f"{board} · {page_word(picture, rival.side or '')}"
        decided = page_word(picture, "ahead_of", decided=decided, rival=name)
    return {"winners": f"{winner.board}{side} · {points}", "decided": decided}


def callouts(picture: Picture) -> Sequence[phrases.Callout]:
    """What may be said when this picture comes; while play runs the first one is."""
    if picture.phase == "ended":
        (winner,) = picture.winners
        return [phrases.winner(winner.board or "", named(winner.side or "sun"))]
    if picture.phase == "collecting":
        return [phrases.COLLECTING]
    if picture.resume_in_ms is not None:
        return [phrases.count(ceil(picture.resume_in_ms / 1_000))]
    if picture.paused:
        return [phrases.PAUSE, *(CLAIMS[claim.status] for claim in picture.claims)]
    if picture.phase == "robber":
        return [phrases.robber(picture.robber_target or "desert")]
    found = [phrases.next_round(picture.sum or 0, named(SIDES[picture.seat or 0]))]
    if picture.last_round is not None:
        found.append(phrases.last_rounds(picture.last_round - picture.round))
    if "robber_possible" in picture.notices:
        found.append(phrases.ROBBER_POSSIBLE)
    return found


def foretold(picture: Picture) -> Iterator[phrases.Callout]:
    if picture.resume_in_ms is not None:
        yield from map(phrases.count, (1, 2, 3))
    elif picture.next_seat is not None:
        yield phrases.next_side(named(SIDES[picture.next_seat]))


def named(side: str) -> phrases.NamedSeat:
    return phrases.NamedSeat(side, SIDE_NAMES[side])


def on_face(picture: Picture, side: int, texts: node_words.Texts) -> set[str]:
    """What stands at least on the display of this side."""
    if picture.phase in ("collecting", "ended"):
        return {texts["node.poster_game_over"]}
    if picture.resume_in_ms is not None:
        return {texts["node.heading_starts_in" if picture.phase == "ready" else "node.heading_goes_on_in"]}
    if picture.paused:
        return {texts["node.heading_pause"]}
    if picture.phase == "ready":
        return {texts["node.poster_ready"]}
    if picture.phase == "robber":
        if picture.robber_target == "desert":
            return {texts["node.bar_robber_to_desert"]}
        return {texts["node.bar_robber_to_number"].format(number=picture.robber_target)}
    others = texts["node.moon_plays" if picture.seat else "node.sun_plays"]
    heading = texts["node.heading_your_turn"] if picture.seat == side else others
    last = picture.last_round is not None and picture.round >= picture.last_round
    notes = (
        node_words.in_two(texts["node.note_last_round"])
        if last
        else (texts["node.note_round"], str(picture.round))
    )
    said = str(picture.sum) if picture.message is None else picture.message.text
    return {heading, said, *notes}


def is_of(text: str, texts: node_words.Texts) -> bool:
    """Whether it is of these texts, or half of one that stands in two lines; numbers are of all languages."""
    if not any(letter.isalpha() for letter in text):
        return True
    lines = {line for whole in texts.values() for line in (whole, *node_words.in_two(whole))}
    return any(re.fullmatch(re.sub(r"\\\{\w+\\\}", ".+", re.escape(line)), text) for line in lines)


def drawn(view: View) -> tuple[bytearray, set[str]]:
    """This view drawn anew, and what is written there."""
    display, Noting.written = Buffer(), set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(face_module, "Canvas", Noting)
        face = face_module.Face(display)
        while not face.draw(view):
            pass
    return display.buffer, Noting.written


pytestmark = pytest.mark.browser
PHASES = {"ready", "round", "robber", "collecting", "ended"}


def seen_and_heard(languages: tuple[str, ...], screen: Screen, folder: Path, *, rounds: int) -> SpokenHall:
    lengths = Lengths(folder, languages)
    told = played(languages, lengths, rounds=rounds)
    hall = SpokenHall(languages, screen, lengths)
    hall.follow(told)
    return hall


@pytest.mark.parametrize("languages", [("pt", "en"), *further((("pl",),))], ids="+".join)
def test_all_that_is_seen_and_heard_agrees_with_the_picture(
    languages: tuple[str, ...], screen: Screen, tmp_path: Path
) -> None:
    hall = seen_and_heard(languages, screen, tmp_path, rounds=12)
    assert {phase for phase, _ in hall.stood} == PHASES
    assert {("round", language) for language in languages} <= hall.stood
    assert hall.said >= 12


@pytest.mark.soak
@pytest.mark.parametrize(
    "languages", [("de",), ("es", "en"), ("pt-BR", "es"), ("pl", "de"), ("en", "pt")], ids="+".join
)
def test_long_games_agree_in_every_language(
    languages: tuple[str, ...], screen: Screen, tmp_path: Path
) -> None:
    hall = seen_and_heard(languages, screen, tmp_path, rounds=60)
    assert {phase for phase, _ in hall.stood} == PHASES
    assert {(phase, language) for phase in ("round", "robber") for language in languages} <= hall.stood
