"""Halls at a real Mosquitto that reads exactly the files of `pi-controller broker setup`, but for its port."""

import asyncio
import contextlib
import os
import queue
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from paho.mqtt.client import CallbackAPIVersion, Client, MQTTMessage, MQTTProtocolVersion
from paho.mqtt.reasoncodes import ReasonCode

from pi_controller.cli import halls
from pi_controller.cli.broker_files import HallFile, Users, read_hall_file, rights_text
from pi_controller.cli.main import main
from pi_controller.links.payloads import OF_HALLS, RETAINED, Status
from pi_controller.settings.load import load
from tests.matrix import further
from tests.patience import DEADLINE_S
from tests.system.broker import HOST, Broker, mosquitto
from tests.system.halls import Hall, hall, watched
from tests.system.listener import Listener
from tests.system.other_leader import OtherLeader
from tests.system.programs import cli, wait_until

__all__ = ["mosquitto"]

NOT_AUTHORIZED = 0x87
MAIN = Status(state="online", hall="main", role="leader", leads=True, term=1, controller="c", id="r")


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
            f"--state-dir={folder / 's'}",
            *given,
        ]
        assert main(made) == 0
        configuration = self.folder / "server/mosquitto.conf"
        here = "\n".join(
            f"listener {self.port} {HOST}" if line.startswith("listener ") else line
            for line in configuration.read_text().splitlines()
        )
        configuration.write_text(here)  # `broker check` looks there for the running one
        # the test's own folder is closed to everybody else
        self._file.write_text(f"{here}\n{'user root' if os.geteuid() == 0 else ''}\n")

    def of(self, user: str) -> HallFile:
        return read_hall_file(self.folder / "halls" / f"{user}.toml")

    @property
    def rights(self) -> Path:
        return self.folder / "server/acl"

    def check(self) -> int:
        return main(["broker", "check", f"--folder={self.folder}"])


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

    def publish(self, topic: str, payload: bytes = b"{}", *, retain: bool = False) -> int:
        """What the broker answers (MQTT 5, section 3.4.2.1)."""
        self._mqtt.publish(topic, payload, qos=1, retain=retain)
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


BOTH = pytest.mark.parametrize("given", [("--tls",), *further(((),))])


@BOTH
def test_a_hall_writes_its_own_topics_and_a_listener_none(tmp_path: Path, given: tuple[str, ...]) -> None:
    with secure(tmp_path, *given) as broker, contextlib.ExitStack() as stack:
        leader, east, listener = (
            stack.enter_context(contextlib.closing(User(broker, user)))
            for user in ("main", "east", "listener")
        )
        denied = {
            east: (
                *(f"controller/main/{name}" for name in ("answer/east", "result/east", "picture", "claim")),
                *(f"controller/east/{name}" for name in ("lease", "picture", "beat", "answer/main", "other")),
                "controller/main/status",
                "homeassistant/device/pi_controller_east/config",
                "other",
            ),
            leader: (
                *(f"controller/east/{name}" for name in ("press", "picture", "answer/main", "claim")),
                "homeassistant/device/pi_controller_east/config",
            ),
            listener: ("controller/listener/claim", "controller/main/picture", "controller/main/answer/east"),
        }
        allowed = {
            east: tuple(f"controller/east/{name}" for name in OF_HALLS),
            leader: (
                *(f"controller/main/{name}" for name in ("lease", "answer/east", "result/east", "picture")),
                "homeassistant/device/pi_controller_main/config",
            ),
        }
        for user, topics in denied.items():
            assert [user.publish(topic) for topic in topics] == [NOT_AUTHORIZED] * len(topics)
        for user, topics in allowed.items():
            assert NOT_AUTHORIZED not in [user.publish(topic) for topic in topics]
        assert leader.publish("controller/main/beat") != NOT_AUTHORIZED
        to_read, last = ("status", "health", "tables"), "controller/main/beat"
        heard = {user: heard_until(user, last) for user in (leader, east, listener)}
        own, of_leader = {f"controller/east/{name}" for name in OF_HALLS}, {"controller/main/picture", last}
        answers = {"controller/main/answer/east", "controller/main/result/east"}
        assert heard[leader] == own | of_leader | {"controller/main/lease"}
        told = {f"controller/east/{name}" for name in to_read} | of_leader
        assert heard[east] == told | answers | {"controller/main/lease", "controller/east/ask"}
        # neither the leader's copy for its followers nor who claims
        assert heard[listener] == told | {"homeassistant/device/pi_controller_main/config"}


def heard_until(user: User, last: str) -> set[str]:
    heard = set[str]()
    while last not in heard:
        heard.add(user.heard.get(timeout=DEADLINE_S)[0])
    return heard


@BOTH
def test_check_passes_rights_as_they_should_be(
    tmp_path: Path, given: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with secure(tmp_path, *given) as broker:
        capsys.readouterr()
        assert broker.check() == 0
        said = capsys.readouterr()
        assert said.err == ""
        head, *rows = [" ".join(line.split()) for line in said.out.splitlines()]
        assert head == "account may by the list of rights at the running broker"
        assert rows == [
            "main lead 76 tried, all right 22 tried, all right",
            "east follow 76 tried, all right 30 tried, all right",
            "listener read 76 tried, all right 38 tried, all right",
            "_broker withdraw 76 tried, all right 1 tried, all right",
            "All that was tried is as it should be.",
        ]
        (broker.folder / "halls/east.toml").unlink()
        assert broker.check() == 0
        assert "there is no password file here for: east." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lines", "sentences"),
    [
        (
            "user east\ntopic write controller/main/claim\n",
            ['"east" may write controller/main/claim, but must not.'],
        ),
        (
            "user listener\ntopic read controller/+/claim\n",
            [f'"listener" may read controller/{hall}/claim, but must not.' for hall in ("main", "east")],
        ),
        (
            "user main\ntopic deny controller/main/lease\n",
            [f'"main" may not {what} controller/main/lease, but must.' for what in ("write", "read")],
        ),
        ("nonsense\n", ["Mosquitto does not start with the list of rights "]),
    ],
)
def test_check_finds_a_line_that_should_not_be_there(
    tmp_path: Path, lines: str, sentences: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with secure(tmp_path) as broker:
        broker.rights.write_text(broker.rights.read_text() + lines)
        capsys.readouterr()
        assert broker.check() == 3
        *found, remedy = capsys.readouterr().err.splitlines()
        assert len(found) == len(sentences)
        assert all(one.startswith(sentence) for one, sentence in zip(found, sentences, strict=True)), found
        assert remedy.startswith("`sudo pi-controller broker setup` rewrites the list of rights")


def test_check_finds_that_the_running_broker_is_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with secure(tmp_path) as broker:
        listed = broker.rights.read_text()
        other = rights_text(Users(("main", "east"), ("listener",), ("main", "east")))
        broker.rights.write_text(other)
        capsys.readouterr()
        assert broker.check() == 3
        said = capsys.readouterr().err.splitlines()
        assert said[0].startswith("The running broker uses other passwords or another list of rights")
        assert said[1:] == ['"east" may not write controller/east/answer/_broker, but must.',
                            '"east" may not write controller/east/result/_broker, but must.']  # fmt: skip
        broker.rights.write_text(listed)
        broker.kill()
        assert broker.check() == 3
        assert capsys.readouterr().err.startswith(
            f"The MQTT broker at {HOST}:{broker.port} cannot be reached"
        )


def test_a_forgotten_hall_is_withdrawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    device = "homeassistant/device/pi_controller_main/config"
    topics = [device, *(f"controller/main/{name}" for name in RETAINED)]
    with (
        secure(tmp_path) as broker,
        contextlib.closing(User(broker, "main")) as leader,
        contextlib.closing(User(broker, "listener")) as listener,
        joined(tmp_path, broker, "east") as east,
    ):
        for topic in topics:
            leader.publish(topic, b"old", retain=True)
        assert {listener.heard.get(timeout=DEADLINE_S) for _ in topics} == {(one, b"old") for one in topics}
        given = (f"--settings={east.settings}", f"--state-dir={east.state_dir}")
        assert main(["links", "forget", "main", *given]) == 3
        assert capsys.readouterr().err == (
            "The broker does not let a hall withdraw what another one has published: on the broker's machine,"
            " `sudo pi-controller broker forget main`.\n"
        )
        assert main(["broker", "forget", "main", f"--folder={broker.folder}"]) == 0
        assert 'What the broker kept of the hall "main" is withdrawn.\n' in capsys.readouterr().out
        assert {listener.heard.get(timeout=DEADLINE_S) for _ in topics} == {(one, b"") for one in topics}


def test_a_hall_withdraws_another_where_the_broker_lets_it(
    tmp_path: Path, mosquitto: Broker, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(halls, "LISTEN_S", 0.3)
    east = Hall(tmp_path / "east", "east", "follower", mosquitto.port)
    given = (f"--settings={east.settings}", f"--state-dir={east.state_dir}")
    with (
        contextlib.closing(OtherLeader(mosquitto.port, leads=False)) as leader,
        contextlib.closing(Listener(mosquitto.port, "controller/main/status")) as listener,
    ):
        leader.publish("status", msgspec.json.encode(MAIN))
        assert listener.next("controller/main/status")["state"] == "online"
        assert main(["links", "forget", "main", *given]) == 3
        assert 'the broker says that the hall "main" is online' in capsys.readouterr().err
        assert main(["links", "forget", "main", "--is-off", *given]) == 0
        assert capsys.readouterr().out == 'What the broker kept of the hall "main" is withdrawn.\n'
        assert listener.messages.get(timeout=DEADLINE_S) == ("controller/main/status", b"", True)
    assert main(["links", "forget", "east", *given]) == 3
    assert capsys.readouterr().err == '"east" is this hall itself: choose another one to forget.\n'


def test_a_hall_that_is_heard_is_not_withdrawn(
    tmp_path: Path, mosquitto: Broker, capsys: pytest.CaptureFixture[str]
) -> None:
    east = Hall(tmp_path / "east", "east", "follower", mosquitto.port)
    with hall(tmp_path, "main", "leader", mosquitto.port) as leader:
        leader.until_link("leading")
        given = (f"--settings={east.settings}", f"--state-dir={east.state_dir}")
        assert main(["links", "forget", "main", "--is-off", *given]) == 3
        assert 'the hall "main" is still sending' in capsys.readouterr().err


def test_two_halls_play_encrypted_and_a_follower_takes_the_leaders_place_with_the_same_game(
    tmp_path: Path,
) -> None:
    with (
        secure(tmp_path, "--tls", "--leaders=main,east") as broker,
        joined(tmp_path, broker, "main") as leader,
        joined(tmp_path, broker, "east") as follower,
        contextlib.closing(User(broker, "listener", "controller/main/status")) as listener,
    ):
        leader.start("core", "links").until_link("leading")
        follower.start("core", "links").until_following()
        assert leader.client.command("start").accepted
        follower.until(lambda picture: picture.running)
        side = leader.picture().side
        assert follower.client.command("claim", {"board": "A1", "side": side}).accepted
        before = leader.picture()
        assert [claim.board for claim in before.claims] == ["east/A1"]
        own, kept = (
            one.state_dir / "copy/games" / before.game_id / "journal.jsonl" for one in (leader, follower)
        )
        wait_until(lambda: kept.exists() and b'"claim"' in kept.read_bytes())
        copied = kept.read_bytes()
        wait_until(lambda: own.read_bytes().startswith(copied))

        follower.end("core", "links")
        heard = (
            'The hall "main" leads and is online: two halls must never lead. Switch its controller off first.'
        )
        assert promote(follower) == (3, heard)
        leader.kill("core", "links")
        while b'"offline"' not in listener.heard.get(timeout=DEADLINE_S)[1]:  # the last will
            pass
        links = load(follower.settings).links
        wait_until(lambda: asyncio.run(halls.look_for_leader(links, listen_s=halls.LISTEN_S)).certainly_off)
        broker.kill()
        status, sentence = promote(follower)
        assert (status, sentence.startswith("Nothing was changed")) == (3, True)
        broker.start()
        status, said = promote(follower, "--leader-is-off", "?")
        assert (status, 'The hall "east" leads from leadership term 2 on.' in said) == (0, True)

        led = follower.start("core", "links").until_link("leading")
        for name in ("game_id", "round", "side", "dice", "commitment"):
            assert getattr(led, name) == getattr(before, name), name
        assert (led.paused, [claim.board for claim in led.claims]) == (True, ["east/A1"])
        told = leader.start("core", "links").until_link("refused")
        assert any('the hall "east" does (leadership term 2)' in text for text in told.health.messages)


def promote(one: Hall, *more: str) -> tuple[int, str]:
    given = (f"--state-dir={one.state_dir}", f"--settings={one.settings}", *more)
    done = cli("links", "promote", *given, environment=one.clock.environment)
    return done.returncode, done.stderr.strip().split("\n")[-1] if done.returncode else done.stdout


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


def test_who_is_not_let_lead_says_so_and_stands_still(tmp_path: Path) -> None:
    with secure(tmp_path) as broker, joined(tmp_path, broker, "east") as east:
        east.settings.write_text(east.settings.read_text().replace('role = "follower"', 'role = "leader"'))
        east.start("core", "links")
        shown = east.until_link("refused")
        assert ("link.not_let_lead", "fault") in {(item.key, item.level) for item in shown.health.items}
        refused = east.client.command("start")
        assert [reason.key for reason in refused.reason_keys] == ["link.not_let_lead"]
