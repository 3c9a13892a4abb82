"""What may be asked about seat codes over the control socket."""

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
                client.begin()
                self._tasks.start(self._claim(client, request))
            case AskSeatTaken():
                self._seats.taken(request.code)
                client.send(encode(DoneAnswer(id=request.id)))
            case AskSeatCodes():
                found = self._seats.printed(request.revoke)
                if isinstance(found, Sentence):
                    client.send(encode_error(request.id, found, request.language))
                else:
                    client.send(encode(SeatCodesAnswer(id=request.id, codes=found)))

    async def _claim(self, client: Client, asked: AskSeatClaim) -> None:
        try:
            answer = await self._seats.claim(asked)
        finally:
            client.end()
        client.send(encode_answer(asked, answer))
