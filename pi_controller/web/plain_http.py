"""The library's side of a connection, with our own words and headers where a request reaches no route."""

import asyncio
import logging
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web_request import BaseRequest

from pi_controller.web.answers import SECURITY_HEADERS, json_answer

LOG = logging.getLogger(__name__)

LONGEST_LINE = 8190
"""Bytes of a line of a request's head."""
LINGERING_S = 1.0
KEEPALIVE_S = 300.0
"""Never reached: the door cuts who is silent, on a clock that tests move by hand."""
NOT_UNDERSTOOD = (
    f"This is not HTTP as it is understood here, or a line of the head is longer than {LONGEST_LINE} bytes:"
    " send a plain HTTP/1.1 request."
)
BROKE_OFF = "The request could not be answered, which is a mistake of the controller: its log says more."


class PlainHttp(web.RequestHandler):
    """Serves one connection for `server`."""

    def __init__(self, server: web.Server) -> None:
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            access_log=None,  # type: ignore[arg-type]
            auto_decompress=False,
            keepalive_timeout=KEEPALIVE_S,
            lingering_time=LINGERING_S,
            max_line_size=LONGEST_LINE,
            max_field_size=LONGEST_LINE,
        )

    def handle_error(self, request: BaseRequest, status: int = 500, *why: Any, **named: Any) -> web.Response:
        """What is answered in the place of a route: to nonsense from strangers, which is no fault of ours to
        log, and when a handler fails. `why` is an exception and a text, as the library gives them."""
        nonsense = isinstance(next(iter(why), None), HttpProcessingError)
        if nonsense:
            LOG.debug("no HTTP from %s: %s", request.remote, why[0])
        else:
            super().handle_error(request, status, *why, **named)  # it logs, and makes an answer of its own
        sentence = NOT_UNDERSTOOD if nonsense else BROKE_OFF
        answer = json_answer({"error": sentence}, status, SECURITY_HEADERS)
        answer.force_close()
        return answer
