"""Mute, ducking and the test of the loudspeakers, handed on to core."""

from typing import get_args

from aiohttp import web

from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import AskSound
from pi_controller.protocol.sound import SoundAction
from pi_controller.protocol.strict_json import read_as
from pi_controller.sentence import Sentence
from pi_controller.web.http.bodies import Refusal, change_answer, read_json
from pi_controller.web.http.language import LANGUAGE
from pi_controller.web.http.routes import REFUSALS, Route, post
from pi_controller.web.live.core_link import CoreLink

ACTIONS: tuple[str, ...] = get_args(SoundAction)


class SoundApi:
    def __init__(self, link: CoreLink) -> None:
        self._link = link

    def routes(self) -> tuple[Route, ...]:
        return (
            post(
                path="/api/sound/{action}",
                handler=self.act,
                access="technician",
                summary="Mute, make softer, or test the loudspeakers",
                answers=(200, 404, 408, 422, 503, *REFUSALS),
                answer_schema="change_answer",
                body_schema="sound_body",
            ),
        )

    async def act(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/sound/{action}`: 200 done, 422 the body does not belong to the action."""
        action = request.match_info["action"]
        if action not in ACTIONS:
            known = ", ".join(ACTIONS)
            raise Refusal(404, Sentence("web.sound_unknown_action", action=repr(action), known=known))
        language = request[LANGUAGE]
        await self._link.client.ask(_asked(action, await read_json(request), language))
        return change_answer([], [], language)


def _asked(action: str, body: object, language: str) -> AskSound:
    """Raises a Refusal (422)."""
    fields = {} if body is None else body
    if not isinstance(fields, dict) or fields.keys() - {"minutes", "loudspeaker"}:
        raise Refusal(422, Sentence("web.form_of_sound_action"))
    try:
        read: AskSound = read_as({"do": action, "lang": language, **fields}, AskSound)
    except Malformed as problem:
        raise Refusal(
            422, Sentence("request.of_command", command=action, problem=problem.sentence)
        ) from problem
    return read
