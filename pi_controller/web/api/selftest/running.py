"""The self-test over HTTP: begin, answer, fix, stop, and what everybody sees of it."""

from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import assert_never

import msgspec
from aiohttp import web

from pi_controller.protocol.answer_types import ChangeAnswer
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.sentences import told
from pi_controller.protocol.tables import TableAction
from pi_controller.selftest.fixes import exchange
from pi_controller.selftest.operator import Operator, Reply
from pi_controller.selftest.report import Report
from pi_controller.selftest.session import run_selftest
from pi_controller.selftest.verdicts import Fix
from pi_controller.sentence import Sentence
from pi_controller.web.api.selftest.host import Run, SelftestHost
from pi_controller.web.api.selftest.views import AnswerBody, BeginBody, FixBody
from pi_controller.web.http.bodies import Refusal, json_answer, own_answer, read_body
from pi_controller.web.http.language import LANGUAGE
from pi_controller.web.http.pin import PinFault, PinFile
from pi_controller.web.http.routes import REFUSALS, Route, get, post, socket
from pi_controller.web.http.tokens import Tokens
from pi_controller.web.live.broadcaster import Broadcaster, listen
from pi_controller.web.live.core_link import CoreLink

READS = (200, 401, 429)
CHANGES = (200, 408, 409, 422, *REFUSALS)
SOCKETS = (101, 401, 403, 426, 429, 503)


class SelftestApi:
    def __init__(self, host: SelftestHost, link: CoreLink, broadcaster: Broadcaster, tokens: Tokens) -> None:
        self._host = host
        self._tokens = tokens
        self._link = link
        self._broadcaster = broadcaster

    def routes(self) -> tuple[Route, ...]:
        act = partial(post, access="technician", answers=CHANGES, answer_schema="change_answer")
        return (
            get(
                path="/api/selftest",
                handler=self.snapshot,
                access="technician",
                summary="The self-test that runs, or ran last",
                answers=READS,
                answer_schema="selftest",
            ),
            socket(
                path="/api/selftest/feed",
                handler=self.socket,
                access="technician",
                summary="WebSocket: the self-test at once and on each change",
                answers=SOCKETS,
            ),
            act(
                path="/api/selftest/begin",
                handler=self.begin,
                summary="Begin a self-test; what core has against it comes with the self-test's `sentence`",
                body_schema="selftest.begin",
            ),
            act(
                path="/api/selftest/answer",
                handler=self.answer,
                summary="Answer the question that stands",
                body_schema="selftest.answer",
            ),
            act(
                path="/api/selftest/mend",
                handler=self.fix,
                answers=(*CHANGES, 503),
                summary="Do what fixes a finding",
                body_schema="selftest.mend",
            ),
            act(path="/api/selftest/stop", handler=self.stop, summary="End the self-test by hand"),
        )

    async def snapshot(self, _request: web.Request) -> web.StreamResponse:
        """`GET /api/selftest`."""
        return json_answer(self._host.snapshot)

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """`WS /api/selftest/feed`: the snapshot at once and on each change."""
        return await listen(request, self._broadcaster)

    async def begin(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/selftest/begin`: 200 it has begun, 409 another one runs. What core has against it,
        such as a game that runs, comes with the snapshot."""
        plan, language = await read_body(request, BeginBody), request[LANGUAGE]
        return _answer(request, self._host.begin(plan, self._tokens.this_generation(), language))

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/selftest/answer`: 200 taken, 409 another question stands, or it takes no such answer."""
        body = await read_body(request, AnswerBody)
        return _answer(
            request, self._host.answer(body.question, Reply(answer=body.answer, reason=body.reason))
        )

    async def stop(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/selftest/stop`: 200 it ends, 409 none runs."""
        return _answer(request, self._host.stop())

    async def fix(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/selftest/mend`: 200 done, 409 refused, or nothing to fix there."""
        body, language = await read_body(request, FixBody), request[LANGUAGE]
        fix = self._fix(body)
        if fix is None:
            return own_answer(language, Sentence("selftest.nothing_to_mend"))
        try:
            reasons = await _apply(self._link.client, fix)
        except Malformed as problem:
            raise Refusal(422, problem.sentence) from problem
        if not reasons:
            self._host.mended(body.code, body.finding)
        return own_answer(language, *reasons)

    def _fix(self, body: FixBody) -> Fix | None:
        """What fixes this finding, as long as it is not mended."""
        for result in self._host.snapshot.results:
            if result.code == body.code and body.finding < len(result.findings):
                finding = result.findings[body.finding]
                return None if finding.mended else finding.fix
        return None


def selftest_runner(state_dir: Path, pin: PinFile) -> Run:
    """Runs self-tests of this state folder's core, on the calling thread; each raises CannotRun."""

    def pin_matches(text: str) -> bool | None:
        try:
            return pin.matches(text) if pin.is_set() else None
        except PinFault:
            return False  # a damaged one lets nobody in, and the mode of the file is looked at anyway

    def run(plan: BeginBody, operator: Operator, language: str) -> Report:
        return run_selftest(
            state_dir,
            level=plan.level,
            only=plan.only,
            who=plan.operator,
            operator=operator,
            uid=plan.uid,
            language=language,
            pin_matches=pin_matches,
        )

    return run


def _answer(request: web.Request, reason: Sentence | None) -> web.Response:
    return own_answer(request[LANGUAGE], *([] if reason is None else [reason]))


async def _apply(client: AsyncClient, fix: Fix) -> list[Sentence]:
    """Fix a finding by what core offers for tables and the roster anyway; the reasons why it was not done,
    empty: done."""
    match fix.do:
        case "swap_sides":
            answer = await client.table(TableAction(do="swap", board=fix.board))
        case "place":
            answer = await client.table(TableAction(do="replace", board=fix.board, uid=fix.uid))
        case "exchange_boards":
            return await _exchange(client, fix.board, fix.other)
        case _ as never:
            assert_never(never)
    return _reasons(answer)


async def _exchange(client: AsyncClient, one: str, other: str) -> list[Sentence]:
    """Let the nodes of these two boards change places."""
    roster = await client.roster()
    if roster.board(one) is None or roster.board(other) is None:
        return [Sentence("selftest.boards_not_in_the_roster", one=one, other=other)]
    return _reasons(await client.set_roster(msgspec.to_builtins(exchange(roster, one, other))))


def _reasons(answer: ChangeAnswer) -> list[Sentence]:
    if answer.accepted:
        return []
    return [told(text, key) for text, key in zip_longest(answer.reasons, answer.reason_keys)]
