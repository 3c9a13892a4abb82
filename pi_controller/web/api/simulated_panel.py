"""The virtual hall: what the simulated panel shows, and fingers for its button. Exists only in simulation."""

from typing import cast, get_args

from aiohttp import web

from pi_controller.hal.names import ContactName, LampName
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.simulated import NEEDS_LAMP, SimAction
from pi_controller.sentence import Sentence
from pi_controller.web.http.bodies import Refusal, json_answer, read_json
from pi_controller.web.http.routes import Route, simulated_action, simulated_feed
from pi_controller.web.live.broadcaster import Broadcaster, listen
from pi_controller.web.live.core_link import CoreLink

ACTIONS: tuple[str, ...] = get_args(SimAction)


class SimulatedPanelApi:
    def __init__(self, link: CoreLink, broadcaster: Broadcaster) -> None:
        self._link = link
        self._broadcaster = broadcaster

    def routes(self) -> tuple[Route, ...]:
        """Without log-in at this machine only: a simulated button does to the game what the real one does."""
        return (
            simulated_feed(
                path="/api/sim",
                handler=self.socket,
                summary="WebSocket: what the simulated panel shows, at once and on each change",
            ),
            simulated_action(
                path="/api/sim/{action:(?!tables$)[^/]+}",
                handler=self.act,
                summary="Do something to the simulated panel",
                body_schema="sim_body",
            ),
        )

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """`WS /api/sim`: the panel at once and on each change."""
        return await listen(request, self._broadcaster)

    async def act(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/sim/{action}`."""
        action = request.match_info["action"]
        if action not in ACTIONS:
            raise Refusal(404, Sentence("web.sim_unknown_action", known=", ".join(ACTIONS)))
        body = await read_json(request)
        try:
            if action == "fact":
                await self._link.client.sim_fact(*_fact(body))
            else:
                lamp = _lamp(body, action)
                contact = None if lamp else _contact(body, action)
                await self._link.client.sim(cast(SimAction, action), contact, lamp=lamp)
        except Malformed as problem:
            raise Refusal(422, problem.sentence) from problem
        return json_answer({"done": True})


def _fact(body: object) -> tuple[str, object]:
    """What the simulated computer shall say. Raises a Refusal (422)."""
    if isinstance(body, dict) and body.keys() == {"name", "value"} and isinstance(body["name"], str):
        return body["name"], body["value"]
    raise Refusal(422, Sentence("web.form_of_fact"))


def _lamp(body: object, action: str) -> LampName | None:
    """The lamp that a body names, where the action needs one. Raises a Refusal (422)."""
    if action not in NEEDS_LAMP:
        return None
    if isinstance(body, dict) and body.keys() == {"lamp"} and body["lamp"] in get_args(LampName):
        return cast(LampName, body["lamp"])
    raise Refusal(422, Sentence("web.form_of_lamp", action=action))


def _contact(body: object, action: str) -> ContactName | None:
    """The wire that a body names. Raises a Refusal (422)."""
    if body is None or body == {}:
        return None
    if action == "break_wire" and body in ({"contact": "nc"}, {"contact": "no"}):
        return cast(dict[str, ContactName], body)["contact"]
    raise Refusal(422, Sentence("web.form_of_contact"))
