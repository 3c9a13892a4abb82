"""The one answer to a probe."""

from collections.abc import Awaitable, Callable
from typing import Any

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.defects import caught, caught_in
from pi_controller.protocol.messages import AskProbe, ProbeAnswer, encode, encode_error
from pi_controller.protocol.server import Client
from pi_controller.sentence import Sentence


class Reply:
    """`result` or `error`, once; whichever comes second is dropped. `valid` tells whether the test that asked
    still goes on: afterwards nothing may be done to the hardware for it.

    Everything that is done for the answer is done by `do` or `fill`, so that it comes whatever breaks off.
    """

    def __init__(
        self,
        client: Client,
        request: AskProbe,
        *,
        loop: GameLoop,
        done: Callable[[], None] = lambda: None,
        valid: Callable[[], bool] = lambda: True,
    ) -> None:
        self.client = client
        self.valid = valid
        self._request = request
        self._done = done
        self._loop = loop
        self._later = client.begin(request)

    def do(self, act: Callable[[], object]) -> None:
        """A step on the way to the answer."""
        if (error := caught(act)) is not None:
            self._broke_off(error)

    async def fill(self, work: Callable[[], Awaitable[None]]) -> None:
        """The same of a coroutine."""
        if isinstance(error := await caught_in(work()), Exception):
            self._broke_off(error)

    def result(self, value: Any) -> None:
        self.do(lambda: self._give(encode(ProbeAnswer(id=self._request.id, result=value))))

    def error(self, sentence: Sentence) -> None:
        self._give(encode_error(self._request.id, sentence, self._request.language))

    def _broke_off(self, error: Exception) -> None:
        self.error(self._loop.broke_off(error, type(self._request.probe).__name__))

    def _give(self, line: bytes) -> None:
        if self._later.end():
            self._done()
            self.client.send(line)
