"""Halls at a real Mosquitto that reads exactly the files of `pi-controller broker setup`, but for its port."""

import contextlib
import os
import queue
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from paho.mqtt.client import CallbackAPIVersion, Client, MQTTMessage, MQTTProtocolVersion
from paho.mqtt.reasoncodes import ReasonCode

from pi_controller.cli.halls.broker_folder import HallFile, read_hall_file
from pi_controller.cli.main import main
from tests.patience import DEADLINE_S
from tests.system.broker import HOST, Broker
from tests.system.halls import Hall, paired, watched
from tests.system.programs import cli, wait_until

NOT_AUTHORIZED = 0x87


class SecureBroker(Broker):
    """As it is set up for two halls and a program that reads."""

    def __init__(self, folder: Path, *given: str) -> None:
        super().__init__(folder)
        self.folder = folder / "b"
        made = [
            "broker",
            "setup",
            "--halls=main,east",
            f"--address={HOST}",
            f"--folder={self.folder}",
            *given,
        ]
        assert main(made) == 0
        written = (self.folder / "server/mosquitto.conf").read_text()
        here = "\n".join(
            f"listener {self.port} {HOST}" if line.startswith("listener ") else line
            for line in written.splitlines()
        )
        # the test's own folder is closed to everybody else
        self._file.write_text(f"{here}\n{'user root' if os.geteuid() == 0 else ''}\n")

    def of(self, user: str) -> HallFile:
        return read_hall_file(self.folder / "halls" / f"{user}.toml")


@contextlib.contextmanager
def secure(folder: Path, *given: str) -> Iterator[SecureBroker]:
    running = SecureBroker(folder, *given)
    running.start()
    try:
        yield running
    finally:
        running.kill()


@contextlib.contextmanager
def joined(folder: Path, broker: SecureBroker, name: str) -> Iterator[Hall]:
    """A hall whose controller has taken its file over."""
    opened = Hall(folder / name, "x", "none", broker.port)
    file = folder / f"{name}.toml"
    text = broker.of(name).text()
    file.write_text(text.replace(f"port = {broker.of(name).port}", f"port = {broker.port}"))
    opened.state_dir.mkdir(exist_ok=True)
    given = (f"--settings={opened.settings}", f"--state-dir={opened.state_dir}")
    assert main(["broker", "join", str(file), *given]) == 0
    opened.name = name
    with watched(opened):
        yield opened


class User:
    """Somebody at the broker with this user's password: what comes at these topics, and how publishing ends."""

    def __init__(self, broker: SecureBroker, user: str, topics: str = "#") -> None:
        file = broker.of(user)
        self.heard: queue.Queue[tuple[str, bytes]] = queue.Queue()
        self._ends: queue.Queue[int] = queue.Queue()
        there = threading.Event()
        self._mqtt = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
        self._mqtt.username_pw_set(user, file.password)
        if file.ca:
            self._mqtt.tls_set_context(ssl.create_default_context(cadata=file.ca))
        self._mqtt.on_message = self._on_message
        self._mqtt.on_publish = self._on_publish
        self._mqtt.on_subscribe = lambda *_: there.set()
        self._mqtt.connect(HOST, broker.port)
        self._mqtt.loop_start()
        self._mqtt.subscribe(topics)
        assert there.wait(DEADLINE_S)

    def publish(self, topic: str) -> int:
        """What the broker answers (MQTT 5, section 3.4.2.1)."""
        self._mqtt.publish(topic, b"{}", qos=1)
        return self._ends.get(timeout=DEADLINE_S)

    def close(self) -> None:
        self._mqtt.disconnect()
        self._mqtt.loop_stop()

    def _on_message(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        self.heard.put((message.topic, message.payload))

    def _on_publish(
        self, _client: object, _data: object, _number: int, reason: ReasonCode, _: object
    ) -> None:
        self._ends.put(reason.value)


@pytest.mark.parametrize("given", [("--tls",), ()], ids=["tls", "own_network"])
def test_a_hall_writes_its_own_topics_and_a_listener_none(tmp_path: Path, given: tuple[str, ...]) -> None:
    with secure(tmp_path, *given) as broker, contextlib.ExitStack() as stack:
        leader, east, listener = (
            stack.enter_context(contextlib.closing(User(broker, user)))
            for user in ("main", "east", "listener")
        )
        denied = {
            east: ("controller/main/claim", "controller/main/status", "homeassistant/x/config", "other"),
            leader: ("controller/east/press", "controller/east/picture"),
            listener: ("controller/listener/claim", "controller/main/picture", "controller/east/answer"),
        }
        allowed = {
            # each hall may lead, since one takes the place of a leader that is gone
            east: ("controller/main/answer", "controller/east/claim", "controller/east/picture"),
            leader: ("controller/east/result", "homeassistant/device/pi_controller_main/config"),
        }
        for user, topics in denied.items():
            assert [user.publish(topic) for topic in topics] == [NOT_AUTHORIZED] * len(topics)
        for user, topics in allowed.items():
            assert NOT_AUTHORIZED not in [user.publish(topic) for topic in topics]
        assert leader.publish("controller/main/beat") != NOT_AUTHORIZED
        heard = []
        while "controller/main/beat" not in heard:
            heard.append(listener.heard.get(timeout=DEADLINE_S)[0])
        # neither the leader's copy for its followers nor who claims
        assert heard == [
            "controller/east/picture", "homeassistant/device/pi_controller_main/config", "controller/main/beat",
        ]  # fmt: skip


def test_two_halls_play_encrypted_and_a_follower_takes_the_leaders_place(tmp_path: Path) -> None:
    with (
        secure(tmp_path, "--tls") as broker,
        joined(tmp_path, broker, "main") as leader,
        joined(tmp_path, broker, "east") as follower,
        contextlib.closing(User(broker, "listener", "controller/main/status")) as listener,
    ):
        paired(tmp_path, "main", "east")
        leader.start("core", "links").until_link("leading")
        follower.start("core", "links").until_following()
        assert leader.client.command("start").accepted
        follower.until(lambda picture: picture.running)
        side = leader.picture().side
        assert follower.client.command("claim", {"board": "A1", "side": side}).accepted
        assert [claim.board for claim in leader.picture().claims] == ["east/A1"]
        game = leader.picture().game_id
        kept = follower.state_dir / "copy/games" / game / "journal.jsonl"
        wait_until(lambda: kept.exists() and b'"claim"' in kept.read_bytes())
        leader.kill("core", "links")
        while b'"offline"' not in listener.heard.get(timeout=DEADLINE_S)[1]:  # the last will
            pass
        follower.end("core", "links")
        given = (f"--state-dir={follower.state_dir}", f"--settings={follower.settings}")
        done = cli("links", "promote", *given, environment=follower.clock.environment)
        assert done.returncode == 0, done.stderr
        leads = follower.start("core", "links").until_link("leading")
        assert (leads.game_id, leads.paused) == (game, True)
        leader.start("links", "core")
        leader.until_link("refused")
        assert leader.link().leader == "east"


def test_a_hall_with_a_wrong_password_or_certificate_says_so(tmp_path: Path) -> None:
    with secure(tmp_path, "--tls") as broker, joined(tmp_path, broker, "east") as hall:
        password, ca = (hall.state_dir / "links" / name for name in ("password", "ca.pem"))
        at = f"MQTT broker at {HOST}:{broker.port}"
        right, trusted = password.read_text(), ca.read_text()
        password.write_text("guessed\n")
        hall.start("core", "links")
        until_said(hall, f'The {at} does not let the user "east" in: check `links.user`')
        hall.end("links")
        password.write_text(right)
        other = SecureBroker(tmp_path / "other", "--tls")
        ca.write_text(other.of("east").ca)
        hall.start("links")
        until_said(hall, f"The certificate of the {at} is not trusted here (")
        hall.end("links")
        ca.write_text("no certificate\n")
        hall.start("links --unattended")
        until_said(hall, f"The certificate file {ca} cannot be used")
        ca.write_text(trusted)
        hall.until(lambda picture: picture.link is not None and picture.link.state == "looking")
        hall.end("links --unattended")


def until_said(hall: Hall, sentence: str) -> None:
    hall.until(lambda picture: any(text.startswith(sentence) for text in picture.health.messages))
