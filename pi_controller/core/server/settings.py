"""Settings from pages: told, changed, and the new start that some of them need."""

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.runtime import Threads, by_thread
from pi_controller.language.system_errors import why
from pi_controller.language.words import all_words
from pi_controller.protocol.messages import (
    AskRestart,
    AskSetSettings,
    AskSettings,
    SetSettingsAnswer,
    SettingsAnswer,
    encode_change,
)
from pi_controller.protocol.question import encode
from pi_controller.protocol.sentences import views as keys_of
from pi_controller.protocol.server import ClientConnection, Later
from pi_controller.protocol.settings import SettingsView
from pi_controller.sentence import Sentence
from pi_controller.settings.overlay import LayeredSettings, changed, keep, mistakes, views
from pi_controller.settings.sections import Settings

log = logging.getLogger(__name__)

BROKEN_OFF = Sentence("defect.broken_off_unnamed")
BEING_SAVED = Sentence("settings.being_saved")
GAME_IS_ON = Sentence("settings.restart_between_games")

Mistakes = dict[str, tuple[Sentence, ...]]


class SettingsRequests:
    """`take` puts settings in force as far as that is possible at once; `start_again` ends core so that it is
    started anew. Called on the loop only."""

    def __init__(
        self,
        layers: LayeredSettings,
        *,
        folder: Path,
        loop: GameLoop,
        threads: Threads,
        take: Callable[[Settings], None],
        start_again: Callable[[], None],
    ) -> None:
        self._layers = layers
        self._started = layers.settings
        self._folder = folder
        self._loop = loop
        self._threads = threads
        self._take = take
        self._start_again = start_again
        self._saving = False

    def answer(self, client: ClientConnection, request: AskSettings | AskSetSettings | AskRestart) -> None:
        if isinstance(request, AskSettings):
            told = views(self._layers, self._started, request.language)
            view = SettingsView(settings=told, restart_reasons=all_words(self._against(), request.language))
            client.send(encode(SettingsAnswer(id=request.id, settings=view)))
        elif isinstance(request, AskRestart):
            against = self._against()
            client.send(encode_change(request, against))
            if not against:
                self._start_again()
        elif self._saving:
            client.send(_refused(request, (BEING_SAVED,)))
        else:
            self._saving = True
            work, then = partial(self._save, request), partial(self._saved, client.begin(request), request)
            by_thread(self._threads, work, then, broken=BROKEN_OFF, name="saves the settings")

    def _against(self) -> tuple[Sentence, ...]:
        """Why core is not started again now: the hall must not go dark during a game, nor before its end
        counts."""
        picture = self._loop.picture()
        over = picture.phase == "ended" and picture.closed
        between = (picture.phase == "ready" or over) and not self._loop.plays
        return () if between else (GAME_IS_ON,)

    def _save(self, request: AskSetSettings) -> LayeredSettings | Mistakes | Sentence:
        """On the thread: checking many values takes longer than a freeze may wait."""
        changes = {change.key: change.value for change in request.changes}
        if found := mistakes(changes):
            return found
        layers = changed(self._layers, changes)
        try:
            keep(layers, self._folder)
        except OSError as error:
            return Sentence("settings.not_saved", why=why(error))
        return layers

    def _saved(
        self, later: Later, request: AskSetSettings, saved: LayeredSettings | Mistakes | Sentence
    ) -> None:
        self._saving = False
        later.do(lambda: self._outcome(request, saved))

    def _outcome(self, request: AskSetSettings, saved: LayeredSettings | Mistakes | Sentence) -> bytes:
        if isinstance(saved, Sentence):
            return _refused(request, (saved,))
        if isinstance(saved, dict):
            problems = tuple(problem for each in saved.values() for problem in each)
            told = {
                path: all_words(tuple(map(_beside_its_field, each)), request.language)
                for path, each in saved.items()
            }
            return _refused(request, problems, told)
        log.info("settings changed by a page: %s", ", ".join(change.key for change in request.changes))
        self._layers = saved
        self._take(saved.settings)
        return encode(SetSettingsAnswer(id=request.id, accepted=True))


def _beside_its_field(problem: Sentence) -> Sentence:
    """What is wrong, without setting and value, which stand there."""
    said = dict(problem.params)
    if problem.key == "settings.value_unusable":
        return Sentence("settings.allowed_is", allowed=said["allowed"])
    inner = said.get("problem")
    return inner if problem.key == "settings.value_wrong" and isinstance(inner, Sentence) else problem


def _refused(
    request: AskSetSettings, reasons: tuple[Sentence, ...], told: dict[str, list[str]] | None = None
) -> bytes:
    answer = SetSettingsAnswer(
        id=request.id,
        accepted=False,
        reasons=all_words(reasons, request.language),
        reason_keys=keys_of(reasons),
        mistakes=told or {},
    )
    return encode(answer)
