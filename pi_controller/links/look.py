"""A look at the broker from outside the links process: is a leader there?"""

import asyncio
import contextlib
import logging
import ssl
from dataclasses import dataclass
from pathlib import Path

from aiomqtt import Client, Message, MqttError, ProtocolVersion

from pi_controller.language.system_errors import why
from pi_controller.links.broker import CONNECT_S, Address, payload_of
from pi_controller.links.lease import LeaseClaim
from pi_controller.links.payloads import ROOT, Status, hall_and_name, read
from pi_controller.protocol.errors import Malformed
from pi_controller.sentence import SaidError, Sentence
from pi_controller.settings.sections import Links

LOG = logging.getLogger(__name__)


class LinksFault(SaidError):  # noqa: N818 - an answer to who started it
    """Links cannot start; the sentence says why and what to do."""


@dataclass(frozen=True, slots=True)
class LeaderSeen:
    """`heard`: it plays now. `certainly_off`: the broker is there and knows that no leader is."""

    hall: str | None
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
    address, known, claims = address_of(links), dict[str, Status](), list[LeaseClaim]()
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
            for name in ("status", "lease"):
                await client.subscribe(f"{ROOT}/+/{name}")
            reached = True
            async for message in client.messages:
                _note(message, known, claims)
    except (MqttError, OSError) as problem:  # the time is over, or there is no broker
        LOG.debug("no longer listened: %s", problem)
    leading = [claim.hall for claim in claims if claim.leads]
    told = [status.hall for status in known.values() if status.leads and status.state == "online"]
    return LeaderSeen(
        hall=next(iter((*leading, *told)), None),
        heard=bool(leading),
        certainly_off=reached and not told,
    )


def _note(message: Message, known: dict[str, Status], claims: list[LeaseClaim]) -> None:
    """What is not understood says nothing here."""
    of, payload = hall_and_name(str(message.topic)), payload_of(message)
    with contextlib.suppress(Malformed):
        if of is not None and of[1] == "status":
            known[of[0]] = read(payload, Status)
        elif of is not None and not message.retain:
            claims.append(read(payload, LeaseClaim))
