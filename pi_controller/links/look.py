"""A look at the broker from outside the links process: is a leader there?"""

import asyncio
import logging
import ssl
from dataclasses import dataclass
from pathlib import Path

from aiomqtt import Client, Message, MqttError, ProtocolVersion

from pi_controller.language.system_errors import why
from pi_controller.links.broker import CONNECT_S, Address, payload_of
from pi_controller.links.payloads import ROOT, Status, hall_of, read
from pi_controller.links.terms import leader_of
from pi_controller.sentence import SaidError, Sentence
from pi_controller.settings.sections import Links

LOG = logging.getLogger(__name__)


class LinksFault(SaidError):  # noqa: N818 - an answer to who started it
    """Links cannot start; the sentence says why and what to do."""


@dataclass(frozen=True, slots=True)
class LeaderSeen:
    """`heard`: it plays now. `certainly_off`: the broker is there and knows that no leader is."""

    hall: str | None
    term: int
    heard: bool
    certainly_off: bool


def address_of(links: Links) -> Address:
    """Raises LinksFault for files that cannot be used."""
    try:
        lines = Path(links.password_file).read_text().splitlines() if links.password_file else []
    except (OSError, UnicodeDecodeError) as error:
        reason = why(error) if isinstance(error, OSError) else str(error)
        raise LinksFault(
            Sentence("link.password_unreadable", path=links.password_file, why=reason)
        ) from error
    try:
        tls = ssl.create_default_context(cafile=links.ca_file) if links.ca_file else None
    except (OSError, ssl.SSLError) as error:
        raise LinksFault(Sentence("link.ca_unusable", path=links.ca_file, why=str(error))) from error
    password = lines[0] if lines else None
    return Address(links.broker, links.port, links.user or None, password, tls)


async def look_for_leader(links: Links, *, listen_s: float) -> LeaderSeen:
    """Listen for so long. A broker that is not reached knows nothing: then a leader may play beyond the
    cut."""
    address, known, heard = address_of(links), dict[str, Status](), set[str]()
    client = Client(
        address.host,
        address.port,
        username=address.user,
        password=address.password,
        tls_context=address.tls,
        protocol=ProtocolVersion.V5,
        timeout=CONNECT_S,
    )
    reached = False
    try:
        async with asyncio.timeout(listen_s), client:
            for name in ("status", "beat"):
                await client.subscribe(f"{ROOT}/+/{name}")
            reached = True
            async for message in client.messages:
                _note(message, known, heard)
    except (MqttError, OSError) as problem:  # the time is over, or there is no broker
        LOG.debug("no longer listened: %s", problem)
    leader = leader_of(known.values())
    term = max((status.term for status in known.values()), default=0)
    last = max(
        (one for one in known.values() if one.role == "leader"), key=lambda one: one.term, default=None
    )
    return LeaderSeen(
        hall=None if last is None else last.hall,
        term=term,
        heard=bool(heard),
        certainly_off=reached and leader is None,
    )


def _note(message: Message, known: dict[str, Status], heard: set[str]) -> None:
    hall = hall_of(str(message.topic))
    status = read(payload_of(message), Status)
    if isinstance(status, Status):
        known[hall] = status
    else:
        heard.add(hall)
