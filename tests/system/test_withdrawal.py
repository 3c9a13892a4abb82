"""What a broker keeps of a hall goes when the hall is no more what it was."""

import contextlib
import json
from pathlib import Path

from tests.patience import DEADLINE_S
from tests.system.broker import Broker, mosquitto
from tests.system.halls import Hall, hall
from tests.system.listener import Listener
from tests.system.programs import wait_until

__all__ = ["mosquitto"]


def kept(port: int) -> set[str]:
    """What a broker tells who comes anew, until it tells a mark that was published then."""
    found = set()
    with contextlib.closing(Listener(port, "#")) as heard:
        heard.publish("mark", "1")
        while (message := heard.messages.get(timeout=DEADLINE_S))[0] != "mark":
            if message[2] and message[1]:
                found.add(message[0])
    return found


def again(before: Hall, role: str, name: str, port: int) -> Hall:
    """The same controller, with other settings."""
    before.settings.write_text(f'[links]\nrole = "{role}"\nhall = "{name}"\nport = {port}\n')
    return before


def test_what_is_switched_off_or_renamed_is_withdrawn(tmp_path: Path, mosquitto: Broker) -> None:
    config = "homeassistant/device/pi_controller_main/config"
    of_hall = {f"controller/main/{name}" for name in ("status", "health", "picture")}
    renamed = {topic.replace("main", "hall-1") for topic in of_hall}
    with hall(tmp_path, "main", "leader", mosquitto.port, "home_assistant = true\n") as changed:
        changed.until_link("leading")
        wait_until(lambda: kept(mosquitto.port) == of_hall | {config})
        listed = changed.state_dir / "retained.json"
        for role, name, left, gone in (
            ("leader", "main", of_hall, {config}),
            ("leader", "hall-1", renamed, of_hall),
            ("none", "hall-1", set[str](), renamed),
        ):
            changed.end("links")
            again(changed, role, name, mosquitto.port).start("links")
            wait_until(lambda left=left: kept(mosquitto.port) == left)
            wait_until(
                lambda gone=gone: not set(json.loads(listed.read_text()) if listed.exists() else []) & gone
            )
