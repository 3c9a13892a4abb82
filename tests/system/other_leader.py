"""A leader that is not this program."""

import time

import msgspec
from paho.mqtt.client import CallbackAPIVersion, Client, MQTTMessage, MQTTProtocolVersion

from pi_controller.links.payloads import Answer, Ask, Status, hall_of, topic
from tests.patience import DEADLINE_S
from tests.system.broker import HOST


class OtherLeader:
    """A leader of another version: it tells the time, and what a test has it publish. An older one does not
    say in its answers when its core told something; a beat says so too."""

    def __init__(self, port: int, *, answers: bool = True, older: bool = False) -> None:
        self._older = older
        self._status = Status(state="online", hall="main", role="leader", term=3, since_ms=1, id="x")
        self._mqtt = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
        self._mqtt.on_message = self._asked
        self._mqtt.connect(HOST, port)
        self._mqtt.subscribe("controller/+/ask")
        self._mqtt.loop_start()
        if answers:
            self.publish("status", msgspec.json.encode(self._status))

    def publish(self, name: str, payload: bytes, *, retain: bool = True) -> None:
        self._mqtt.publish(topic("main", name), payload, qos=1, retain=retain).wait_for_publish(DEADLINE_S)

    def close(self) -> None:
        self._mqtt.disconnect()
        self._mqtt.loop_stop()

    def _asked(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        now_us = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000
        ask = msgspec.json.decode(message.payload, type=Ask)
        answer = Answer(
            sent_us=ask.sent_us,
            received_us=now_us,
            answered_us=now_us,
            hall="main",
            term=3,
            core_us=None if self._older else now_us,
        )
        self._mqtt.publish(topic(hall_of(message.topic), "answer"), msgspec.json.encode(answer))
