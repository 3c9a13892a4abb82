"""The table nodes and the hall's roster: handed on from core, and actions handed to it."""

from collections.abc import Awaitable
from typing import get_args

from aiohttp import web

from pi_controller.protocol.answer_types import ChangeAnswer
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.strict_json import read_as
from pi_controller.protocol.tables import TableAction, TableActionName
from pi_controller.sentence import Sentence
from pi_controller.web.http.bodies import Refusal, change_answer, json_answer, read_json
from pi_controller.web.http.language import LANGUAGE
from pi_controller.web.http.routes import REFUSALS, Route, get, post, socket
from pi_controller.web.live.broadcaster import Broadcaster, listen
from pi_controller.web.live.core_link import CoreLink

ACTIONS: tuple[str, ...] = get_args(TableActionName)


class TablesApi:
    """The technician uses the director's log-in."""

    def __init__(self, link: CoreLink, broadcaster: Broadcaster) -> None:
        self._link = link
        self._broadcaster = broadcaster

    def routes(self) -> tuple[Route, ...]:
        return (
            get(
                path="/api/tables",
                handler=self.snapshot,
                access="staff",
                summary="The table nodes of this moment",
                answers=(200, 401, 429, 503),
                answer_schema="tables",
            ),
            socket(
                path="/api/tables/feed",
                handler=self.socket,
                access="staff",
                summary="WebSocket: the table nodes at once and on each change, at most twice a second",
                answers=(101, 401, 403, 426, 429, 503),
            ),
            post(
                path="/api/tables/{action:(?!feed$)[^/]+}",
                handler=self.act,
                access="technician",
                summary="Do something to a table",
                answers=(200, 404, 408, 409, 422, 503, *REFUSALS),
                answer_schema="change_answer",
                body_schema="table_body",
            ),
            get(
                path="/api/roster",
                handler=self.roster,
                access="staff",
                summary="Rows, boards and the node at each board",
                answers=(200, 401, 429, 503),
                answer_schema="roster",
            ),
            post(
                path="/api/roster",
                handler=self.set_roster,
                access="technician",
                summary="Put this roster in place of the present one",
                answers=(200, 408, 409, 422, 503, *REFUSALS),
                answer_schema="change_answer",
                body_schema="roster",
            ),
        )

    async def snapshot(self, _request: web.Request) -> web.StreamResponse:
        """`GET /api/tables`."""
        return json_answer(await self._link.client.tables())

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """`WS /api/tables/feed`: the snapshot at once and on each change."""
        return await listen(request, self._broadcaster)

    async def roster(self, _request: web.Request) -> web.StreamResponse:
        """`GET /api/roster`."""
        return json_answer(await self._link.client.roster())

    async def set_roster(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/roster`: 200 in force, 409 with every mistake in a sentence, 422 no roster at all."""
        roster, language = await read_json(request), request[LANGUAGE]
        if roster is None:
            raise Refusal(422, Sentence("web.roster_missing"))
        return await _changed(self._link.client.set_roster(roster, lang=language), language)

    async def act(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/tables/{action}`: 200 done, 409 refused, 422 the body does not belong to the action."""
        action = request.match_info["action"]
        if action not in ACTIONS:
            raise Refusal(
                404, Sentence("web.table_unknown_action", action=repr(action), known=", ".join(ACTIONS))
            )
        body = await read_json(request)
        asked, language = _table_action(action, body), request[LANGUAGE]
        return await _changed(self._link.client.table(asked, lang=language), language)


def _table_action(action: str, body: object) -> TableAction:
    """The action that a body fills in. Raises a Refusal (422)."""
    fields = {} if body is None else body
    if not isinstance(fields, dict) or "do" in fields:
        raise Refusal(422, Sentence("web.form_of_table_action"))
    try:
        read: TableAction = read_as({"do": action, **fields}, TableAction)
    except Malformed as problem:
        raise Refusal(
            422, Sentence("request.of_command", command=action, problem=problem.sentence)
        ) from problem
    return read


async def _changed(asking: Awaitable[ChangeAnswer], language: str) -> web.StreamResponse:
    try:
        answer = await asking
    except Malformed as problem:
        raise Refusal(422, problem.sentence) from problem
    return change_answer(answer.reasons, answer.reason_keys, language)
