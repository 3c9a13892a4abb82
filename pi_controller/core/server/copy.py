"""What becomes of the copy of another controller that was found in the place of the second copy: a person
decides."""

from collections.abc import Callable

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.take_over import Chosen
from pi_controller.core.runtime.threads import Threads
from pi_controller.journal.errors import JournalError
from pi_controller.language.words import all_words
from pi_controller.protocol.answer_types import ChangeAnswer
from pi_controller.protocol.messages import AskCopy, encode
from pi_controller.protocol.sentences import views
from pi_controller.protocol.server import Client, Later
from pi_controller.sentence import Sentence, said_by

UNDER_WAY = Sentence("restore.game_under_way")
BROKEN_OFF = Sentence("archive.broken_off")
"""Told when it ends with a defect of this program."""


class CopyDecision:
    """`choose` reads the game of that id from the copy, on a thread; `leave` ends core so that it goes on
    with what was chosen; `use` lets the journal write to the device. Called on the loop only."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        threads: Threads,
        choose: Callable[[str], Chosen],
        leave: Callable[[Chosen], None],
        use: Callable[[], None],
    ) -> None:
        self._loop = loop
        self._threads = threads
        self._choose = choose
        self._leave = leave
        self._use = use

    def answer(self, client: Client, request: AskCopy) -> None:
        if request.deed.do == "use":
            self._use()
            client.send(_answer(request, ()))
        elif self._loop.game.state.phase not in ("ready", "ended"):
            client.send(_answer(request, (UNDER_WAY,)))
        else:
            later = client.begin(request)
            self._threads.run_in_thread(lambda: self._look(later, request), "reads the copy")

    def _look(self, later: Later, request: AskCopy) -> None:
        """On the thread."""
        found: Chosen | Sentence = BROKEN_OFF
        try:
            found = self._choose(request.deed.game)
        except (JournalError, OSError) as error:
            found = said_by(error)
        finally:
            self._threads.call_on_loop(lambda: self._decided(later, request, found))

    def _decided(self, later: Later, request: AskCopy, found: Chosen | Sentence) -> None:
        reasons = (found,) if isinstance(found, Sentence) else ()
        later.do(lambda: _answer(request, reasons))
        if not isinstance(found, Sentence):
            self._leave(found)


def _answer(request: AskCopy, reasons: tuple[Sentence, ...]) -> bytes:
    told, keys = all_words(reasons, request.language), views(reasons)
    return encode(ChangeAnswer(id=request.id, accepted=not reasons, reasons=told, reason_keys=keys))
