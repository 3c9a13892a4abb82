"""The recipes of docs/show_control.md, as they stand there, against the programs that really run."""

import json
import os
import re
import socket
import subprocess
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pi_controller.protocol.picture import Picture
from tests.needs import program as installed
from tests.patience import DEADLINE_S
from tests.system.broker import HOST, Broker, broker
from tests.system.halls import hall
from tests.system.programs import AT_ONCE, ROOT, Lines, client_of, program, simulated, wait_for_picture

PAGE = (ROOT / "docs/show_control.md").read_text(encoding="utf-8")
EFFECTS: dict[str, Callable[[Picture], bool]] = {
    "start": lambda picture: picture.running,
    "pause": lambda picture: picture.paused and picture.pause_reasons == ["director"],
    "add_time": lambda picture: picture.remaining_ms > 3600_000,
    "say": lambda picture: picture.message is not None and "B12" in picture.message.text,
    "resume": lambda picture: picture.running,
}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def request_of(block: str, address: str, token: str) -> urllib.request.Request:
    head, _, body = block.partition("\n\n")
    first, *headers = head.strip().splitlines()
    method, path = first.split()
    fields = dict(line.replace("TOKEN", token).split(": ", 1) for line in headers)
    return urllib.request.Request(  # noqa: S310 - on loopback
        address + path, method=method, headers=fields, data=body.strip().encode() or None
    )


def asked(block: str, address: str, token: str) -> tuple[int, Any]:
    with urllib.request.urlopen(request_of(block, address, token), timeout=DEADLINE_S) as answer:  # noqa: S310
        return answer.status, json.loads(answer.read())


def test_every_request_does_what_it_says(tmp_path: Path) -> None:
    state = tmp_path / "s"
    with program("run", *simulated(tmp_path, AT_ONCE), "--port=0") as running:
        address = running.said.wait_for("hall http://").split()[1].rstrip("/")
        client = client_of(state)
        token = (state / "web" / "token").read_text().strip()
        requests = blocks("http")
        commands = [block for block in requests if block.startswith("POST")]
        assert [block.split()[1].rpartition("/")[2] for block in commands] == list(EFFECTS)
        for block, effect in zip(commands, EFFECTS.values(), strict=True):
            status, answer = asked(block, address, token)
            assert (status, answer["accepted"]) == (200, True), block
            wait_for_picture(client, effect)
        assert client.command("claim", {"board": "B12", "side": "sun"}).accepted
        (state_block,) = (block for block in requests if block.startswith("GET"))
        status, picture = asked(state_block, address, token)
        assert status == 200
        assert [claim["board"] for claim in picture["claims"] if claim["status"] == "open"] == ["B12"]
        for path in re.findall(r"'\$\.(\w+)", PAGE):
            assert path in picture, path


def test_light_desk_and_home_assistant_hear_of_a_hall_after_a_new_broker_and_of_its_end(
    tmp_path: Path,
) -> None:
    """The description for Home Assistant names topics; there it finds the last will of a links process that was killed."""
    (line,) = blocks("sh")
    with ExitStack() as stack:
        mosquitto = stack.enter_context(broker(tmp_path / "broker"))
        desk = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        desk.bind((HOST, 0))
        desk.settimeout(DEADLINE_S)
        told = f'home_assistant = true\nosc = ["{HOST}:{desk.getsockname()[1]}"]\n'
        leader = stack.enter_context(hall(tmp_path, "main", "leader", mosquitto.port, told))
        leader.until_link("leading")
        topics = discovered(stack, mosquitto, "main")
        assert topics == {"controller/main/picture", "controller/main/status"}
        mosquitto.kill()
        mosquitto.start()
        assert discovered(stack, mosquitto, "main") == topics, "a broker that forgot everything is told again"

        colours = listening(stack, mosquitto, "wled/stage/col")
        piped = line.replace("-h BROKER", f"-h {HOST} -p {mosquitto.port}")
        start(stack, ["sh", "-c", piped])
        colours.wait_for("#FFFFFF")
        assert leader.client.command("start").accepted
        colours.wait_for("#FFC800")
        while b"/controller/main/phase\0\0,s\0\0round" not in desk.recv(1024):
            pass
        assert leader.client.command("pause").accepted
        colours.wait_for("#FF0000")
        assert leader.client.command("resume").accepted
        leader.until(lambda picture: picture.running)
        assert leader.client.command("skip").accepted
        colours.wait_for("#0050FF")

        status = listening(stack, mosquitto, "controller/main/status")
        status.wait_for('"state":"online"')
        leader.kill("links")
        status.wait_for('"state":"offline"')


def discovered(stack: ExitStack, mosquitto: Broker, hall_name: str) -> set[str]:
    """The topics that the retained description of this hall's device names."""
    place = f"homeassistant/device/pi_controller_{hall_name}/config"
    line = listening(stack, mosquitto, place).wait_for(place)
    components = json.loads(line.partition(" ")[2])["components"].values()
    return {one["state_topic"] for one in components} | {
        source["topic"] for one in components for source in one.get("availability", ())
    }


def listening(stack: ExitStack, mosquitto: Broker, topic: str) -> Lines:
    """What comes there from now on."""
    words = ["-h", "127.0.0.1", "-p", str(mosquitto.port), "-v"]
    heard = start(stack, [installed("mosquitto_sub"), *words, "-t", topic, "-t", "ready"])
    publish = [installed("mosquitto_pub"), *words[:4], "-r", "-t", "ready", "-m", "yes"]
    subprocess.run(publish, check=True, timeout=DEADLINE_S)
    heard.wait_for("ready yes")
    return heard


def start(stack: ExitStack, command: list[str]) -> Lines:
    """Until the end of the test, with all that it has started."""
    for each in ("mosquitto_sub", "mosquitto_pub", "jq"):
        installed(each)
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"LC_ALL": "C.UTF-8"},
    )
    said = Lines(process.stdout)

    def end() -> None:
        os.killpg(process.pid, 9)
        process.wait(DEADLINE_S)
        said.all()

    stack.callback(end)
    return said
