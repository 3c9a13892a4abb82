"""`POST /api/commands/{name}`: hands a command to core and core's answer back; decides nothing itself."""

import asyncio

from aiohttp import web

from pi_controller.protocol import strict_json
from pi_controller.protocol.errors import Malformed
from pi_controller.web.answers import BODY_PATIENCE_S, Refusal, as_sentence, json_answer
from pi_controller.web.core_link import CoreLink

LONGEST_KEY = 128


class Commands:
    def __init__(self, link: CoreLink) -> None:
        self._link = link

    async def post(self, request: web.Request) -> web.StreamResponse:
        """200 accepted, 409 refused by the game, 422 malformed, 503 no core, 507 done but not saved."""
        key = _idempotency_key(request)
        body = await read_json(request)
        try:
            answer = await self._link.client.command(request.match_info["name"], body, source="web", key=key)
        except Malformed as problem:
            raise Refusal(422, as_sentence(str(problem))) from problem
        value = {"accepted": answer.accepted, "seq": answer.seq, "reasons": answer.reasons}
        if answer.accepted:
            return json_answer(value, 200)
        return json_answer(value | {"done": True}, 507) if answer.done else json_answer(value, 409)


async def read_bytes(request: web.Request) -> bytes:
    """The body as it came. Refusal 408 (too slow), 413 (too large)."""
    if not request.can_read_body:
        return b""
    try:
        async with asyncio.timeout(BODY_PATIENCE_S):
            return await request.read()
    except TimeoutError:
        raise Refusal(408, "The body did not arrive in time: send it again.") from None


async def read_json(request: web.Request) -> object:
    """The body's JSON value, None for no body. Refusal 408 (too slow), 413 (too large), 422 (not JSON)."""
    raw = await read_bytes(request)
    if not raw:
        return None
    try:
        return strict_json.decode(raw)
    except Malformed as problem:
        raise Refusal(422, as_sentence(str(problem))) from problem


def _idempotency_key(request: web.Request) -> str | None:
    keys = request.headers.getall("Idempotency-Key", [])
    if not keys:
        return None
    if (
        len(keys) > 1
        or not 1 <= len(keys[0]) <= LONGEST_KEY
        or not (keys[0].isascii() and keys[0].isprintable())
    ):
        raise Refusal(
            422, f"Idempotency-Key must be given once, as 1 to {LONGEST_KEY} printable ASCII characters."
        )
    return keys[0]
