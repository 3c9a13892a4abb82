"""The one answer to a probe."""

from collections.abc import Callable
from typing import Any

from pi_controller.protocol.answer_types import ProbeAnswer
from pi_controller.protocol.messages import AskProbe, encode, encode_error
from pi_controller.protocol.server import Client
from pi_controller.sentence import Sentence


class Reply:
    """`result` or `error`, once; whichever comes second is dropped. `valid` tells whether the test that asked
    still goes on: afterwards nothing may be done to the hardware for it."""

    def __init__(
        self,
        client: Client,
        request: AskProbe,
        *,
        done: Callable[[], None] = lambda: None,
        valid: Callable[[], bool] = lambda: True,
    ) -> None:
        self.client = client
        self.valid = valid
        self._request = request
        self._done = done
        self._given = False
        client.begin()

    def result(self, value: Any) -> None:
        self._give(encode(ProbeAnswer(id=self._request.id, result=value)))

    def error(self, sentence: Sentence) -> None:
        self._give(encode_error(self._request.id, sentence, self._request.language))

    def _give(self, line: bytes) -> None:
        if not self._given:
            self._given = True
            self.client.end()
            self._done()
            self.client.send(line)
