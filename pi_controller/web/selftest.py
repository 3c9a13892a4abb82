"""The self-test over HTTP: begin, answer, mend, stop, and what everybody sees of it."""

from aiohttp import web

from pi_controller.protocol.errors import Malformed
from pi_controller.selftest.operator import Reply
from pi_controller.selftest.verdicts import Mend
from pi_controller.web.answers import Refusal, as_sentence, json_answer
from pi_controller.web.audience import Audience, listen
from pi_controller.web.bodies import changed, read_body
from pi_controller.web.core_link import CoreLink
from pi_controller.web.keys import Keys
from pi_controller.web.mending import mend
from pi_controller.web.selftest_host import Host
from pi_controller.web.selftest_views import AnswerBody, BeginBody, MendBody


class Selftest:
    def __init__(self, host: Host, link: CoreLink, audience: Audience, keys: Keys) -> None:
        self._host = host
        self._keys = keys
        self._link = link
        self._audience = audience

    async def snapshot(self, _request: web.Request) -> web.StreamResponse:
        """`GET /api/selftest`."""
        return json_answer(self._host.snapshot)

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """`WS /api/selftest/feed`: the snapshot at once and on each change."""
        return await listen(request, self._audience)

    async def begin(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/selftest/begin`: 200 it has begun, 409 another one runs. What core has against it,
        such as a game that runs, comes with the snapshot."""
        return changed(self._host.begin(await read_body(request, BeginBody), self._keys.this_generation()))

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/selftest/answer`: 200 taken, 409 another question stands, or it takes no such answer."""
        body = await read_body(request, AnswerBody)
        return changed(self._host.answer(body.question, Reply(answer=body.answer, reason=body.reason)))

    async def stop(self, _request: web.Request) -> web.StreamResponse:
        """`POST /api/selftest/stop`: 200 it ends, 409 none runs."""
        return changed(self._host.stop())

    async def mend(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/selftest/mend`: 200 done, 409 refused, or nothing to mend there."""
        body = await read_body(request, MendBody)
        deed = self._deed(body)
        if deed is None:
            return changed(["There is nothing to mend here any more: look at the results."])
        try:
            reasons = await mend(self._link.client, deed)
        except Malformed as problem:
            raise Refusal(422, as_sentence(str(problem))) from problem
        if not reasons:
            self._host.mended(body.code, body.finding)
        return changed(reasons)

    def _deed(self, body: MendBody) -> Mend | None:
        """What mends this finding, as long as it is not mended."""
        for result in self._host.snapshot.results:
            if result.code == body.code and body.finding < len(result.findings):
                finding = result.findings[body.finding]
                return None if finding.mended else finding.mend
        return None
