"""The least that a process does which takes what a broker says to a local socket: a links process's floor.

python -m benchmarks.bare_subscriber PORT TOPIC SOCKET   (paho-mqtt, which links stands on too)
"""

import socket
import sys

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion


def main(port: int, topic: str, path: str) -> None:
    core = socket.socket(socket.AF_UNIX)
    core.connect(path)

    def heard(_client: Client, _data: object, message: MQTTMessage) -> None:
        core.sendall(message.payload + b"\n")

    client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
    client.on_message = heard
    client.connect("127.0.0.1", port)
    client.subscribe(topic)
    client.loop_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:4])
