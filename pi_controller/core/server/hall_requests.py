"""What the links process asks: of a leader and of a follower."""

from functools import partial

from pi_controller.core.following.follower import Follower
from pi_controller.core.following.leading import Leader
from pi_controller.core.game_loop.pending import encode_answer
from pi_controller.core.runtime.timers import Tasks
from pi_controller.protocol.answer_types import DoneAnswer
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import (
    AskFollow,
    AskHallCommand,
    AskLink,
    AskUplinkDone,
    AskWatchUplink,
    encode,
    encode_error,
    encode_malformed,
)
from pi_controller.protocol.news import News
from pi_controller.protocol.server import Client
from pi_controller.sentence import Sentence

Followed = AskFollow | AskWatchUplink | AskUplinkDone
HallRequest = AskLink | AskHallCommand | Followed
NO_LINKS = Sentence("link.none_is_set")
NO_LEADER = Sentence("link.does_not_lead")
NO_FOLLOWER = Sentence("link.does_not_follow")


class HallRequests:
    """`end` is what this core is among the halls, None where it plays for itself."""

    def __init__(self, end: Leader | Follower | None, tasks: Tasks) -> None:
        self._end = end
        self._tasks = tasks

    def answer(self, client: Client, request: HallRequest) -> None:
        if isinstance(request, AskLink) and self._end is not None:
            self._end.tell(request)
            client.send(encode(DoneAnswer(id=request.id)))
        elif isinstance(request, AskHallCommand) and isinstance(self._end, Leader):
            self._tasks.start(client.begin(request).fill(partial(_carried_out, request, self._end)))
        elif isinstance(request, Followed) and isinstance(self._end, Follower):
            client.send(_followed(client, request, self._end))
        else:
            client.send(encode_error(request.id, self._against(request), request.language))

    def _against(self, request: HallRequest) -> Sentence:
        if self._end is None:
            return NO_LINKS
        return NO_LEADER if isinstance(request, AskHallCommand) else NO_FOLLOWER


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
        try:
            follower.hear(request)
        except Malformed as error:
            return encode_malformed(request.id, error.sentence, request.language)
    return encode(DoneAnswer(id=request.id))
