"""Ears at a broker."""

import json
import queue
from typing import Any

from paho.mqtt.client import CallbackAPIVersion, Client, MQTTMessage, MQTTProtocolVersion
from paho.mqtt.subscribeoptions import SubscribeOptions

from tests.patience import DEADLINE_S
from tests.system.broker import HOST


class Listener:
    """Keeps what comes at these topics."""

    def __init__(self, port: int, topics: str) -> None:
        self.messages: queue.Queue[tuple[str, bytes, bool]] = queue.Queue()
        self._mqtt = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
        self._mqtt.on_message = self._heard
        self._mqtt.connect(HOST, port)
        self._mqtt.subscribe(topics, options=SubscribeOptions(retainAsPublished=True))
        self._mqtt.loop_start()

    def publish(self, name: str, payload: str) -> None:
        self._mqtt.publish(name, payload, qos=1).wait_for_publish(DEADLINE_S)

    def keep(self, name: str, payload: str) -> None:
        """As a message that the broker is to keep."""
        self._mqtt.publish(name, payload, qos=1, retain=True).wait_for_publish(DEADLINE_S)

    def next(self, name: str) -> dict[str, Any]:
        """The next message at this topic."""
        while True:
            topic, payload, _ = self.messages.get(timeout=DEADLINE_S)
            if topic == name:
                found: dict[str, Any] = json.loads(payload)
                return found

    def close(self) -> None:
        self._mqtt.disconnect()
        self._mqtt.loop_stop()

    def _heard(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        self.messages.put((message.topic, message.payload, message.retain))
