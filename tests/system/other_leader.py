"""A leader that is not this program."""

import threading
import time

import msgspec
from paho.mqtt.client import CallbackAPIVersion, Client, MQTTMessage, MQTTProtocolVersion

from pi_controller.links.leader import CLAIM_S
from pi_controller.links.lease import LeaseClaim
from pi_controller.links.payloads import ClockAnswer, ClockQuestion, hall_and_name, topic
from tests.patience import DEADLINE_S
from tests.system.broker import HOST

RUN = "other"
SESSION = "another"


class OtherLeader:
    """It says that it leads, tells the time, and what a test has it publish, with SESSION in its pictures.
    `core_told`: it says in its answers when its core told something; a beat says so too."""

    def __init__(self, port: int, *, leads: bool = True, core_told: bool = True) -> None:
        self._core_told = core_told
        self._closed = threading.Event()
        self._mqtt = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
        self._mqtt.on_message = self._asked
        self._mqtt.connect(HOST, port)
        self._mqtt.subscribe("controller/+/ask")
        self._mqtt.loop_start()
        self._claiming = threading.Thread(target=self._claim)
        if leads:
            self._claiming.start()

    def publish(self, name: str, payload: bytes, *, retain: bool = True) -> None:
        self._mqtt.publish(topic("main", name), payload, qos=1, retain=retain).wait_for_publish(DEADLINE_S)

    def close(self) -> None:
        self._closed.set()
        if self._claiming.is_alive():
            self._claiming.join()
        self._mqtt.disconnect()
        self._mqtt.loop_stop()

    def _claim(self) -> None:
        claim = LeaseClaim(
            hall="main",
            controller=RUN,
            run=RUN,
            session=SESSION,
            state="leading",
            progress="playing",
            term=1,
        )
        while not self._closed.is_set():
            self._mqtt.publish(topic("main", "lease"), msgspec.json.encode(claim), qos=1)
            self._closed.wait(CLAIM_S)

    def _asked(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        now_us, of = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000, hall_and_name(message.topic)
        assert of is not None
        ask = msgspec.json.decode(message.payload, type=ClockQuestion)
        told_us = now_us if self._core_told else None
        answer = ClockAnswer(
            sent_us=ask.sent_us, received_us=now_us, answered_us=now_us, run=RUN, core_us=told_us
        )
        self._mqtt.publish(topic("main", "answer", of[0]), msgspec.json.encode(answer))
