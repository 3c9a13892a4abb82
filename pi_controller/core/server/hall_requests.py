"""What the links process asks: of a leader and of a follower."""

from functools import partial

from pi_controller.core.following.follower import Follower
from pi_controller.core.following.leading import Leader
from pi_controller.core.game_loop.pending import encode_answer
from pi_controller.core.runtime.timers import Tasks
from pi_controller.protocol.answer_types import DoneAnswer, LinkAnswer
from pi_controller.protocol.messages import (
    AskFollow,
    AskHallCommand,
    AskLink,
    AskSettle,
    AskUplinkDone,
    AskWatchUplink,
    encode,
    encode_error,
)
from pi_controller.protocol.news import News
from pi_controller.protocol.server import Client
from pi_controller.sentence import Sentence

Followed = AskFollow | AskWatchUplink | AskUplinkDone
HallRequest = AskLink | AskSettle | AskHallCommand | Followed
NO_LINKS = Sentence("link.none_is_set")
NO_LEADER = Sentence("link.does_not_lead")
NO_FOLLOWER = Sentence("link.does_not_follow")


class HallRequests:
    """`end` is what this core is among the halls, None where it plays for itself; `lease_key` is of the
    halls' pairing key, where there is one."""

    def __init__(self, end: Leader | Follower | None, tasks: Tasks, *, lease_key: str | None = None) -> None:
        self._end = end
        self._lease_key = lease_key
        self._tasks = tasks

    def answer(self, client: Client, request: HallRequest) -> None:
        if isinstance(request, AskLink) and self._end is not None:
            settle = self._end.tell(request)
            client.send(encode(LinkAnswer(id=request.id, lease_key=self._lease_key, settle=settle)))
        elif isinstance(request, AskSettle) and isinstance(self._end, Leader):
            unproven = request.lead and self._lease_key is None
            against = _no_key(request) if unproven else self._end.settle(request)
            refusal = None if against is None else encode_error(request.id, against, request.language)
            client.send(refusal or encode(DoneAnswer(id=request.id)))
        elif isinstance(request, AskHallCommand) and isinstance(self._end, Leader):
            self._tasks.start(client.begin(request).fill(partial(_carried_out, request, self._end)))
        elif isinstance(request, Followed) and isinstance(self._end, Follower):
            client.send(_followed(client, request, self._end))
        else:
            client.send(encode_error(request.id, self._against(request), request.language))

    def _against(self, request: HallRequest) -> Sentence:
        if self._end is None:
            return NO_LINKS
        return NO_LEADER if isinstance(request, AskHallCommand | AskSettle) else NO_FOLLOWER


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
