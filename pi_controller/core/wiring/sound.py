"""Settings to the voice and the tones."""

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.sound.mute import Loudness
from pi_controller.core.sound.rendering import RenderOrder
from pi_controller.core.sound.speaker import Manner, Speaker
from pi_controller.core.sound.voice import Player, Voice
from pi_controller.core.wiring.start import Start
from pi_controller.hal.sim.machine import SimPlayer
from pi_controller.hal.sound.orders import Report
from pi_controller.hal.sound.process import PlayerProcess
from pi_controller.sentence import Sentence
from pi_controller.settings.sections import Settings


def open_speaker(start: Start, loop: GameLoop) -> Speaker | None:
    """None where the settings name no device: then nothing is rendered and no process is started."""
    settings, runtime = start.settings, start.runtime
    if settings.sound.device == "none":
        return None
    news = _News()
    player: Player = (
        SimPlayer()
        if settings.hardware.sound == "sim"
        else PlayerProcess(settings.sound.device, delay_ms=settings.sound.delay_ms, news=news.heard)
    )
    order = render_order(str(start.options.state_dir), settings)
    speaker = Speaker(
        _manner(settings),
        loop=loop,
        timers=runtime.timers,
        threads=runtime.threads,
        player=player,
        voice=Voice(order, loop=loop, timers=runtime.timers, threads=runtime.threads, player=player),
        loudness=Loudness(
            volume_percent=settings.sound.volume_percent,
            ducking_db=settings.sound.ducking_db,
            timers=runtime.timers,
        ),
    )
    start.closing.callback(speaker.close)
    news.tell(speaker)
    speaker.start()
    loop.showing.show_to(Sentence("part.sound"), speaker.shown)
    loop.metrics.family(speaker.figures)
    speaker.shown(loop.picture())
    return speaker


def render_order(state_dir: str, settings: Settings) -> RenderOrder:
    """What can be said in a game by these settings; nothing where the voice is off."""
    return RenderOrder(
        state_dir=state_dir,
        languages=settings.hall.languages if settings.sound.voice else (),
        rule_set=settings.game.rule_set,
        targets=settings.game.robber_targets,
    )


def _manner(settings: Settings) -> Manner:
    sound = settings.sound
    return Manner(
        device=sound.device,
        languages=settings.hall.languages,
        voice=sound.voice,
        off=frozenset(sound.off),
        name_side_early_ns=sound.name_side_early_ms * 1_000_000,
    )


class _News:
    """The player reports from its start on, the speaker is there a little later."""

    def __init__(self) -> None:
        self._speakers: list[Speaker] = []

    def tell(self, speaker: Speaker) -> None:
        self._speakers.append(speaker)

    def heard(self, report: Report | None) -> None:
        for speaker in self._speakers:
            speaker.heard_of(report)
