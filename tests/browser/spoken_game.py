"""A whole game with a voice on a clock moved by hand: its pictures, and what the player is told, in their order."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pi_controller.core.sound.voice import wanted
from pi_controller.hal.sound.library import Espeak, Library
from pi_controller.hal.sound.orders import Order
from pi_controller.protocol.picture import Picture
from tests.core.hall import accepted
from tests.core.hand import MS
from tests.core.sound.sound_hall import TARGETS, SoundHall
from tests.needs import program

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
