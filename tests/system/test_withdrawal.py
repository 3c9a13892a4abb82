"""What a broker keeps of a hall goes when the hall is no more what it was."""

import contextlib
import json
from pathlib import Path

import pytest

from pi_controller.cli.main import main
from tests.patience import DEADLINE_S
from tests.system.broker import Broker, mosquitto
from tests.system.halls import Hall, hall, two_halls, unlinked
from tests.system.listener import Listener
from tests.system.programs import wait_until

__all__ = ["mosquitto"]

OF_LEADER = {
    "homeassistant/device/pi_controller_main/config",
    *(f"controller/main/{name}" for name in ("status", "health", "picture")),
}


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


@pytest.mark.parametrize(
    ("after", "gone"),
    [
        (("leader", "main"), {"homeassistant/device/pi_controller_main/config"}),
        (("leader", "hall-1"), OF_LEADER),
        (("none", "main"), OF_LEADER),
    ],
)
def test_what_is_switched_off_or_renamed_is_withdrawn(
    tmp_path: Path, mosquitto: Broker, after: tuple[str, str], gone: set[str]
) -> None:
    with hall(tmp_path, "main", "leader", mosquitto.port, "home_assistant = true\n") as main_hall:
        main_hall.until_link("leading")
        wait_until(lambda: kept(mosquitto.port) == OF_LEADER)
        main_hall.end("links")
        again(main_hall, *after, mosquitto.port).start("links")
        wait_until(lambda: not kept(mosquitto.port) & gone)
        listed = main_hall.state_dir / "retained.json"
        wait_until(lambda: not set(json.loads(listed.read_text()) if listed.exists() else []) & gone)


def test_a_hall_that_is_killed_and_renamed_meanwhile_is_no_hall_that_is_missed(
    tmp_path: Path, mosquitto: Broker
) -> None:
    with two_halls(tmp_path, mosquitto.port) as (leader, east):
        east.kill("links", "core")
        leader.until(lambda picture: "link.halls_away" in unlinked(picture))
        again(east, "follower", "annex", mosquitto.port).start("core", "links")
        shown = leader.until(lambda picture: [one.hall for one in picture.link.halls] == ["annex"])
        assert unlinked(shown) == []
        given = (f"--settings={leader.settings}", f"--state-dir={leader.state_dir}")
        assert main(["links", "forget", "annex", *given]) == 3, "it is there"
