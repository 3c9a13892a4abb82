"""A whole hall with a voice on a clock moved by hand; the player only remembers what it was told."""

from pi_controller.core.sound.phrases import NamedSeat, every_phrase
from pi_controller.core.sound.speaker import Loudness, Manner, Speaker
from pi_controller.core.sound.voice import RenderOrder, Voice
from pi_controller.hal.names import SoundKind
from pi_controller.hal.sound.orders import Order, SayOrder, SoundPlan
from pi_controller.language.words import words
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.sentences import sentence
from pi_controller.sentence import Sentence
from tests.core.hall import Hall, accepted
from tests.core.hand import MS, S
from tests.core.hand_threads import HandThreads

SEATS = (NamedSeat("sun", Sentence("side.sun")), NamedSeat("moon", Sentence("side.moon")))
TARGETS = (2, 3, 4, 5, 6, "desert", 8, 9, 10, 11, 12)


class HandPlayer:
    def __init__(self, told: list[Picture | Order]) -> None:
        self.orders: list[Order] = []
        self._told = told
        self.closed = False

    def send(self, order: Order) -> None:
        self.orders.append(order)
        self._told.append(order)

    def close(self) -> None:
        self.closed = True


class SoundHall:
    """`said` are the sounds of each call-out since the last look; `told` all pictures and orders of the player in
    their order. `lengths`: of the voice's sounds, instead of one for all."""

    def __init__(
        self,
        *,
        languages: tuple[str, ...] = ("en",),
        off: frozenset[SoundKind] = frozenset(),
        early_ms: int = 0,
        ms: int = 900,
        lengths: dict[tuple[str, str], int] | None = None,
    ) -> None:
        self.told: list[Picture | Order] = []
        self.hall = Hall(languages=languages)
        self.player = HandPlayer(self.told)
        threads = HandThreads(at_once=False)
        order = RenderOrder(state_dir="/nowhere", languages=languages, rule_set="connect", targets=TARGETS)
        self.voice = Voice(
            order, loop=self.hall.loop, timers=self.hall.timers, threads=threads, player=self.player
        )
        phrases = [phrase.name for phrase in every_phrase(SEATS, TARGETS)]
        if lengths is None:
            lengths = {(language, name): ms for language in languages for name in phrases}
        self.voice.lengths = lengths
        self.speaker = Speaker(
            Manner(
                device="default", languages=languages, voice=True, off=off, name_side_early_ns=early_ms * MS
            ),
            loop=self.hall.loop,
            timers=self.hall.timers,
            threads=threads,
            player=self.player,
            voice=self.voice,
            loudness=Loudness(volume_percent=100, ducking_db=12, timers=self.hall.timers),
        )
        threads.call_on_loop = lambda act: act()  # type: ignore[method-assign]
        self.hall.loop.showing.show_to(Sentence("part.tables"), self.told.append)
        self.hall.loop.showing.show_to(Sentence("part.sound"), self.speaker.shown)
        self.speaker.start()
        self.hall.begin()
        self.hall.move(0)

    def said(self) -> list[list[str]]:
        self.hall.move(0)
        found = [
            [" ".join(group) for group in order.groups]
            for order in self.player.orders
            if isinstance(order, SayOrder)
        ]
        self.player.orders = [order for order in self.player.orders if not isinstance(order, SayOrder)]
        return found

    def planned(self) -> list[tuple[str, float]]:
        """Of the newest plan, with seconds from now."""
        plans = [order for order in self.player.orders if isinstance(order, SoundPlan)]
        return [
            (one.groups[0][0], round((one.at_ns - self.hall.timers.boot_ns()) / S, 3))
            for one in plans[-1].moments
        ]

    def captions(self) -> list[str]:
        sound = self.hall.loop.picture().sound
        return [] if sound is None else [words(sentence(seen)) for seen in sound.captions]

    def start(self) -> None:
        assert accepted(self.hall.ask("start"))
