"""Requests of the control socket, read from lines and checked; and the connections of an asyncio program."""

import asyncio
from collections.abc import Container
from typing import Any

from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import REQUESTS, AskProbe, AskShowPin, AskSim, AskTable, Request
from pi_controller.protocol.probes import read_probe
from pi_controller.protocol.question import LONGEST_REQUEST, VERSION
from pi_controller.protocol.simulated import check_sim
from pi_controller.protocol.strict_json import decode, read_as, shown
from pi_controller.protocol.tables import check_action
from pi_controller.sentence import Sentence

WRONG_PIN = Sentence("request.wrong_pin")


def decode_request(line: bytes, only: Container[str] = REQUESTS) -> Request:
    """The request in this line, of those that this asker may make. Malformed carries the id as far as it was
    readable."""
    if len(line) > LONGEST_REQUEST:
        raise Malformed(Sentence("request.too_long", most=LONGEST_REQUEST, length=len(line)))
    value = decode(line)
    if not isinstance(value, dict):
        raise Malformed(Sentence("request.no_object", value=shown(value)))
    request_id = value.get("id")
    if isinstance(request_id, bool) or not isinstance(request_id, int | str):
        raise Malformed(Sentence("request.without_id"))
    try:
        return _request(value, only)
    except Malformed as error:
        raise Malformed(error.sentence, request_id=request_id) from error


def _request(value: dict[str, Any], only: Container[str]) -> Request:
    if value.get("version") != VERSION:
        raise Malformed(Sentence("request.other_version", version=shown(value.get("version")), own=VERSION))
    asked = value.get("ask")
    if not isinstance(asked, str) or asked not in REQUESTS:
        raise Malformed(Sentence("request.not_asked", name=shown(asked), known=", ".join(REQUESTS)))
    if asked not in only:
        raise Malformed(Sentence("request.not_for_this_process", name=asked))
    expected = REQUESTS[asked]
    try:
        request: Request = read_as(value, expected)
    except Malformed as error:
        if expected is AskShowPin:
            raise Malformed(WRONG_PIN) from None  # which would quote what may be a PIN
        raise Malformed(Sentence("request.of_command", command=asked, problem=error.sentence)) from error
    if isinstance(request, AskSim):
        check_sim(request.do, contact=request.contact, lamp=request.lamp, name=request.name)
    if isinstance(request, AskProbe):
        request.probe = read_probe(request.probe)
    if isinstance(request, AskTable):
        check_action(request.deed)
    return request


# Both ends of a connection under asyncio: reading into memory that stays, and closing a server.


READ_AT_ONCE = 64 * 1024
"""Bytes."""


def read_buffer() -> memoryview:
    """For one protocol, or for all of one loop."""
    return memoryview(bytearray(READ_AT_ONCE))


class Buffered(asyncio.BufferedProtocol):
    """Hands each read to `data_received`, as asyncio.Protocol does. That one reads into 256 KiB of new memory
    each time, which the kernel gives and takes back: four fifths of what a short read costs."""

    __slots__ = ("_buffer",)

    def __init__(self, buffer: memoryview) -> None:
        self._buffer = buffer

    def get_buffer(self, _sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.data_received(bytes(self._buffer[:nbytes]))

    def data_received(self, data: bytes) -> None:
        raise NotImplementedError


def let_go(transport: asyncio.BaseTransport) -> None:
    """To be called when its connection is lost. It keeps methods of its own, so that the garbage collector
    alone would free it (CPython 3.11; later ones only after `abort`)."""
    own: dict[str, object] = getattr(transport, "__dict__", {})
    own.update(dict.fromkeys(own.keys() & {"_read_ready_cb", "_write_ready"}))


async def close_server(server: asyncio.Server) -> None:
    """No new connections; those that are just being accepted come in first, for their protocol to close.

    `Server.close` alone leaves such a connection half made, with an exception that nobody can catch when it
    is collected (CPython 3.11 to 3.13).
    """
    loop = asyncio.get_running_loop()
    for listening in server.sockets:
        loop.remove_reader(listening.fileno())
    await asyncio.sleep(0)
    server.close()
