"""What may be asked about seat codes over the control socket."""

from functools import partial

from pi_controller.core.game_loop.pending import encode_answer
from pi_controller.core.runtime.timers import Tasks
from pi_controller.core.tables.seats import SeatClaims
from pi_controller.protocol.answer_types import DoneAnswer, SeatCodesAnswer
from pi_controller.protocol.messages import AskSeatClaim, AskSeatCodes, AskSeatTaken, encode, encode_error
from pi_controller.protocol.server import Client
from pi_controller.sentence import Sentence


class SeatRequests:
    """Answers these requests."""

    def __init__(self, seats: SeatClaims, tasks: Tasks) -> None:
        self._seats = seats
        self._tasks = tasks

    def answer(self, client: Client, request: AskSeatClaim | AskSeatTaken | AskSeatCodes) -> None:
        match request:
            case AskSeatClaim():
                self._tasks.start(client.begin(request).fill(partial(self._claim, request)))
            case AskSeatTaken():
                self._seats.taken(request.code)
                client.send(encode(DoneAnswer(id=request.id)))
            case AskSeatCodes():
                found = self._seats.printed(request.revoke)
                if isinstance(found, Sentence):
                    client.send(encode_error(request.id, found, request.language))
                else:
                    client.send(encode(SeatCodesAnswer(id=request.id, codes=found)))

    async def _claim(self, asked: AskSeatClaim) -> bytes:
        return encode_answer(asked, await self._seats.claim(asked))
