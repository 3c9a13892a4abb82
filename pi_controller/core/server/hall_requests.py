"""What the links process asks: of a leader and of a follower."""

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from pi_controller.core.following.follower import Follower
from pi_controller.core.following.leading import Leader
from pi_controller.core.game_loop.pending import encode_answer
from pi_controller.core.runtime.threads import Threads
from pi_controller.core.runtime.timers import Tasks
from pi_controller.language.system_errors import why
from pi_controller.protocol.answer_types import DoneAnswer, LinkAnswer
from pi_controller.protocol.messages import (
    AskFollow,
    AskHallCommand,
    AskKeepTerm,
    AskLink,
    AskSettle,
    AskUplinkDone,
    AskWatchUplink,
    encode,
    encode_error,
)
from pi_controller.protocol.news import News
from pi_controller.protocol.server import Client, Later
from pi_controller.sentence import Sentence

Followed = AskFollow | AskWatchUplink | AskUplinkDone
HallRequest = AskLink | AskSettle | AskKeepTerm | AskHallCommand | Followed
BROKEN_OFF = Sentence("defect.broken_off_unnamed")
NO_LINKS = Sentence("link.none_is_set")
NO_LEADER = Sentence("link.does_not_lead")
NO_FOLLOWER = Sentence("link.does_not_follow")


class HallRequests:
    """`end` is what this core is among the halls, None where it plays for itself; `own` is what it is known
    by there, and `keep` writes its lease down: OSError, on a thread."""

    def __init__(
        self,
        end: Leader | Follower | None,
        *,
        tasks: Tasks,
        threads: Threads,
        own: LinkAnswer,
        keep: Callable[[AskKeepTerm], None],
    ) -> None:
        self._end = end
        self._tasks = tasks
        self._threads = threads
        self._own = own
        self._keep = keep

    def answer(self, client: Client, request: HallRequest) -> None:
        if isinstance(request, AskLink) and self._end is not None:
            settle = self._end.tell(request)
            client.send(encode(replace(self._own, id=request.id, settle=settle)))
        elif isinstance(request, AskKeepTerm) and isinstance(self._end, Leader):
            later = client.begin(request)
            self._threads.run_in_thread(lambda: self._keep_term(later, request), "keeps the term")
        elif isinstance(request, AskSettle) and isinstance(self._end, Leader):
            unproven = request.lead and self._own.lease_key is None
            against = _no_key(request) if unproven else self._end.settle(request)
            refusal = None if against is None else encode_error(request.id, against, request.language)
            client.send(refusal or encode(DoneAnswer(id=request.id)))
        elif isinstance(request, AskHallCommand) and isinstance(self._end, Leader):
            self._tasks.start(client.begin(request).fill(partial(_carried_out, request, self._end)))
        elif isinstance(request, Followed) and isinstance(self._end, Follower):
            client.send(_followed(client, request, self._end))
        else:
            client.send(encode_error(request.id, self._against(request), request.language))

    def _keep_term(self, later: Later, request: AskKeepTerm) -> None:
        """On the thread."""
        unkept: Sentence | None = BROKEN_OFF
        try:
            self._keep(request)
            unkept = None
        except OSError as error:
            unkept = Sentence("link.decision_not_kept", why=why(error))
        finally:
            refusal = None if unkept is None else encode_error(request.id, unkept, request.language)
            line = refusal or encode(DoneAnswer(id=request.id))
            kept = None if refusal else request
            self._threads.call_on_loop(lambda: self._kept(later, line, kept))

    def _kept(self, later: Later, line: bytes, term: AskKeepTerm | None) -> None:
        """On the loop: a links process that is started anew is told this term."""
        if term is not None:
            self._own = replace(self._own, term=term.term, over=tuple(term.over))
        later.send(line)

    def _against(self, request: HallRequest) -> Sentence:
        if self._end is None:
            return NO_LINKS
        return NO_LEADER if isinstance(request, AskHallCommand | AskSettle | AskKeepTerm) else NO_FOLLOWER


def _no_key(request: AskSettle) -> Sentence:
    return Sentence("link.no_pairing_key", hall=request.hall)


async def _carried_out(request: AskHallCommand, leader: Leader) -> bytes:
    answer = await leader.hall_command(request)
    if leader.decided(request):
        return encode_answer(request, answer)
    return encode_error(request.id, answer.reasons[0], request.language)


def _followed(client: Client, request: Followed, follower: Follower) -> bytes:
    if isinstance(request, AskWatchUplink):
        follower.outbox.watch(client)
        return encode(News())
    if isinstance(request, AskUplinkDone):
        follower.done(request)
    else:
        follower.hear(request)
    return encode(DoneAnswer(id=request.id))
