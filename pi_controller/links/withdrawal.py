"""Publishing where the broker says of each topic whether this account may: so what it keeps of a hall is
withdrawn, and rights are tried.
"""

import asyncio
import contextlib
import logging
import math
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any, get_args

import msgspec
from aiomqtt import Client, MqttError

from pi_controller import __version__
from pi_controller.hal.system.file_thread import FileThread
from pi_controller.journal.store import write_private
from pi_controller.links.broker import Address
from pi_controller.links.payloads import RETAINED, topic
from pi_controller.protocol.picture import HealthLevel
from pi_controller.sentence import SaidError, Sentence
from pi_controller.vocabulary import Phase

# What Home Assistant finds by itself: one retained message that describes a hall as a device with sensors.
#
# They read the hall's `picture` and `status` topics. The form is that of MQTT device discovery, since its
# release 2024.11.


Component = dict[str, object]

LAMP_STATES = ["off", "on", "blinking"]
BOTH_SEATS = "value_json.phase in ['collecting', 'ended']"
"""As on the panel: both lamps are lit once no round comes any more."""
ROBBER = "value_json.phase == 'robber'"
ENDS = (
    "{{ (now() + timedelta(milliseconds=value_json.remaining_ms / value_json.rate)).isoformat()"
    " if value_json.running and value_json.duration_ms else 'None' }}"
)
"""The picture tells how much is left and not when that was, so this counts from its arrival."""


def discovery(hall: str, *, prefix: str = "homeassistant") -> tuple[str, bytes]:
    """Topic and payload, to be published retained; an empty payload there takes the device away again."""
    payload = {
        "device": {
            "identifiers": [f"pi_controller_{hall}"],
            "name": f"Hall {hall}",
            "manufacturer": "pi-controller",
            "sw_version": __version__,
        },
        "origin": {"name": "pi-controller", "sw_version": __version__},
        "components": {name: _whole(hall, name, one) for name, one in _components().items()},
    }
    return f"{prefix}/device/pi_controller_{hall}/config", msgspec.json.encode(payload)


def _whole(hall: str, name: str, component: Component) -> Component:
    """With what all have: an identity of its own, where it reads, and when that is to be believed."""
    status = {"topic": f"controller/{hall}/status", "value_template": "{{ value_json.state }}"}
    believed = (
        {"state_topic": status["topic"]}
        if name == "online"
        else {"state_topic": f"controller/{hall}/picture", "availability": [status]}
    )
    attributes = (
        {"json_attributes_topic": believed["state_topic"]} if "json_attributes_template" in component else {}
    )
    return {"unique_id": f"pi_controller_{hall}_{name}", **believed, **attributes, **component}


def _components() -> dict[str, Component]:
    return {
        "side": _sensor("Side", "{{ value_json.side or 'none' }}", icon="mdi:theme-light-dark"),
        "phase": _sensor("Phase", "{{ value_json.phase }}", options=list(get_args(Phase))),
        "round": _sensor("Round", "{{ value_json.round }}", icon="mdi:counter"),
        "roll": _sensor("Roll", "{{ value_json.sum or 'None' }}", icon="mdi:dice-multiple"),
        "claims": _sensor(
            "Open claims",
            "{{ value_json.claims | selectattr('status', 'eq', 'open') | list | count }}",
            icon="mdi:hand-back-right",
        ),
        "remaining": _sensor(
            "Remaining time at the last change",
            "{{ value_json.remaining_ms / 1000 }}",
            device_class="duration",
            unit_of_measurement="s",
        ),
        "phase_ends": _sensor("Phase ends", ENDS, device_class="timestamp"),
        "paused": _binary("Paused", "value_json.paused", icon="mdi:pause-octagon"),
        "sun_lamp": _sensor("Sun lamp", _seat_lamp(0), options=LAMP_STATES),
        "moon_lamp": _sensor("Moon lamp", _seat_lamp(1), options=LAMP_STATES),
        "pause_lamp": _sensor(
            "Pause lamp",
            "{{ 'blinking' if value_json.paused else 'on' if value_json.running else 'off' }}",
            options=LAMP_STATES,
        ),
        "health": _sensor(
            "Health",
            "{{ value_json.health.level }}",
            options=["ok", *get_args(HealthLevel)],
            json_attributes_template="{{ {'messages': value_json.health.messages} | tojson }}",
        ),
        "online": _binary("Controller", "value_json.state == 'online'", device_class="connectivity"),
    }


def _seat_lamp(seat: int) -> str:
    lit = f"{BOTH_SEATS} or ({ROBBER} and value_json.paused) or value_json.seat == {seat}"
    return f"{{{{ 'on' if {lit} else 'blinking' if {ROBBER} else 'off' }}}}"


def _sensor(name: str, template: str, *, options: list[str] | None = None, **more: str) -> Component:
    kind = {} if options is None else {"device_class": "enum", "options": options}
    return {"platform": "sensor", "name": name, "value_template": template, **kind, **more}


def _binary(name: str, condition: str, **more: str) -> Component:
    template = f"{{{{ 'ON' if {condition} else 'OFF' }}}}"
    return {"platform": "binary_sensor", "name": name, "value_template": template, **more}


LOG = logging.getLogger(__name__)

LIST_NAME = "retained.json"
RETRY_S = 5.0
NOT_AUTHORIZED = 0x87
"""MQTT 5, section 3.4.2.1."""
ANSWER_S = 10.0
"""A broker that is there answers sooner."""


class BrokerFault(SaidError):  # noqa: N818 - an answer to who asked
    """The broker is not reached; or `refuses`: it does not let this account in."""

    def __init__(self, sentence: Sentence, *, refuses: bool) -> None:
        super().__init__(sentence)
        self.refuses = refuses


def retained_of(hall: str) -> list[str]:
    """All topics of which the broker keeps something of this hall."""
    return [*(topic(hall, name) for name in RETAINED), discovery(hall)[0]]


class RetainedTopics:
    """What the broker keeps of this controller, listed in its state folder so that it can be withdrawn once
    the hall has another name, Home Assistant is switched off, or the hall plays for itself."""

    def __init__(self, state_dir: Path, now: Iterable[str]) -> None:
        """`now` are the topics of this start."""
        self._path = state_dir / LIST_NAME
        self._now = list(now)

    async def withdraw_former(self, address: Address) -> None:
        """Until the broker is there. What it lets only another account withdraw stays listed, and is tried at
        the next start."""
        files = FileThread("retained")
        try:
            former = await files.do(self.listed, patience_s=math.inf)
            await files.do(lambda: self._keep([*former, *self._now]), patience_s=math.inf)
            refused = await _withdraw_at_last(address, former) if former else []
            if refused:
                LOG.warning("the broker lets only another account withdraw: %s", ", ".join(refused))
            await files.do(lambda: self._keep([*refused, *self._now]), patience_s=math.inf)
        except OSError as error:
            LOG.warning("what the broker keeps cannot be listed: %s", error)

    def listed(self) -> list[str]:
        """What was told before and is not told any more. Raises OSError; reads a file."""
        try:
            listed = msgspec.json.decode(self._path.read_bytes(), type=list[str])
        except (FileNotFoundError, msgspec.DecodeError):
            return []
        return [name for name in listed if name not in self._now]

    def _keep(self, topics: list[str]) -> None:
        if topics:
            write_private(self._path, msgspec.json.encode(topics) + b"\n")
        else:
            self._path.unlink(missing_ok=True)


async def _withdraw_at_last(address: Address, topics: list[str]) -> list[str]:
    """As soon as the broker is there; those that it refuses."""
    while True:
        try:
            async with talking_to(address) as client:
                return await withdraw(client, topics)
        except BrokerFault as fault:
            LOG.info("what the broker keeps from before is not withdrawn yet: %s", fault)
        await asyncio.sleep(RETRY_S)


@contextlib.asynccontextmanager
async def talking_to(address: Address) -> AsyncIterator[Client]:
    """A single conversation; nobody's name, no last will. Raises BrokerFault."""
    try:
        async with address.client(timeout=ANSWER_S) as client:
            yield client
    except MqttError as error:
        refusal = address.refusal(error)
        silent = Sentence("link.broker_not_reached", broker=str(address), why=str(error))
        raise BrokerFault(refusal or silent, refuses=refusal is not None) from error


async def withdraw(client: Client, topics: Iterable[str]) -> list[str]:
    """Take away what the broker keeps at these topics; those at which it does not let this account. Raises
    MqttError."""
    return await publish_each(client, topics, retain=True)


async def publish_each(
    client: Client, topics: Iterable[str], payload: bytes = b"", *, retain: bool = False
) -> list[str]:
    """With QoS 1; those of the topics that the broker has refused to this account. Not two of them at a time
    with one client. Raises MqttError.

    The library does not tell what the broker answers, so this listens beside it.
    """
    paho, loop = client._client, asyncio.get_running_loop()  # noqa: SLF001
    tell_library: Callable[..., Any] | None = paho.on_publish
    answers: dict[int, asyncio.Future[bool]] = {}

    def answered(of: object, data: object, number: int, reason: Any, properties: object) -> None:
        if number in answers and not answers[number].done():
            answers[number].set_result(reason.value == NOT_AUTHORIZED)
        elif tell_library is not None:
            tell_library(of, data, number, reason, properties)

    paho.on_publish = answered
    sent = dict[str, asyncio.Future[bool]]()
    try:
        for name in topics:
            number = paho.publish(name, payload, qos=1, retain=retain).mid
            sent[name] = answers[number] = loop.create_future()
        ended = client._disconnected  # noqa: SLF001
        async with asyncio.timeout(ANSWER_S):
            for answer in answers.values():
                await asyncio.wait((answer, ended), return_when=asyncio.FIRST_COMPLETED)
                if not answer.done():
                    raise MqttError("Disconnected")
    except TimeoutError:
        raise MqttError("Operation timed out") from None
    finally:
        paho.on_publish = tell_library
    return [name for name, refused in sent.items() if refused.result()]
