"""Bodies of requests that are read as a type, with the complaint as a sentence."""

from typing import TypeVar

import msgspec
from aiohttp import web

from pi_controller.protocol.wording import explain
from pi_controller.web.answers import Refusal, as_sentence, json_answer
from pi_controller.web.commands import read_json

BodyT = TypeVar("BodyT")


async def read_body(request: web.Request, expected: type[BodyT]) -> BodyT:
    """The body as this type. Refusal (422) when it is none, and those of `read_json`."""
    value = await read_json(request)
    body = {} if value is None else value
    try:
        return msgspec.convert(body, expected, strict=True)
    except msgspec.ValidationError as problem:
        raise Refusal(422, as_sentence(explain(problem, body, expected))) from problem


def changed(reasons: list[str]) -> web.StreamResponse:
    """200 done, or 409 with the reasons."""
    return json_answer({"accepted": not reasons, "reasons": reasons}, 409 if reasons else 200)
