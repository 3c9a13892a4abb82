"""Junk at all topics of the halls: `python -m tests.soak.halls_junk [--payloads 1000000] [--seed 1]`.

A real leader and a real follower, each with core and links process, at a real Mosquitto that lets everybody write. What
halls really say is spoilt in all ways that somebody thought of, and published below the names of both and of
others, some of it retained. Between each links process and its core stands a recorder that reads every line as core
would. In the end no process has ended, no request has passed but those that a links process makes, each of them as it
must be, the memory of both links processes is steady, and the halls still play.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
from paho.mqtt.client import CallbackAPIVersion, Client, MQTTMessage, MQTTProtocolVersion

from pi_controller.links.lease import LeaseClaim
from pi_controller.links.payloads import LARGEST, PAYLOADS, RETAINED, hall_and_name, read
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import OF_LINKS, decode_request
from pi_controller.protocol.paths import links_socket
from tests.links.test_schema import EXAMPLES
from tests.patience import DEADLINE_S
from tests.soak.promises import DifferenceError, kept
from tests.system.broker import HOST, broker
from tests.system.halls import Hall
from tests.system.programs import program, wait_until

BATCH = 500
"""So many, then both links processes must have come through them."""
HALLS = ("main", "east", "west", "a-hall-1", "+", "x" * 40, "", "mäin", "..")
WARM = 0.2
"""Of the run: until then memory may grow to its size."""
STEADY_MB = 8.0


class Recorder:
    """Stands at a links process's socket in the place of its core, hands everything on, and reads each line."""

    def __init__(self, path: Path, core: Path) -> None:
        self.asked: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.marks: set[str] = set()
        self._path = path
        self._core = core

    async def start(self) -> asyncio.Server:
        return await asyncio.start_unix_server(self._serve, self._path, limit=4 * LARGEST)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer), contextlib.suppress(OSError, asyncio.IncompleteReadError):
            from_core, to_core = await asyncio.open_unix_connection(self._core, limit=4 * LARGEST)
            with contextlib.closing(to_core):
                back = asyncio.create_task(_hand_on(from_core, writer))
                while line := await reader.readline():
                    self._look(line)
                    to_core.write(line)
                    await to_core.drain()
                back.cancel()

    def _look(self, line: bytes) -> None:
        try:
            request = decode_request(line, OF_LINKS)
        except Malformed as error:
            if line.startswith(b'{"ask":"follow"') and _is_one(line):
                self.asked["pictures that core refuses"] += 1
            else:
                self.wrong.append(f"{error.sentence.key}: {line[:200]!r}")
            return
        told = str(request.__struct_config__.tag)
        self.asked[told] += 1
        picture = getattr(request, "picture", None)
        if picture is not None:
            self.marks.add(picture.event.name)


def _is_one(line: bytes) -> bool:
    """One JSON value, of which core sees what is wrong with it: numbers, texts and levels of a picture."""
    return isinstance(json.loads(line), dict)


async def _hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()


class RecordedHall:
    """Its links process has a state folder of its own, in which the recorder stands."""

    def __init__(self, opened: Hall, loop: asyncio.AbstractEventLoop, ending: contextlib.ExitStack) -> None:
        self.hall = opened
        folder = opened.state_dir.parent / "l"
        folder.mkdir()
        self.recorder = Recorder(links_socket(folder), links_socket(opened.state_dir))
        wait_until(lambda: links_socket(opened.state_dir).exists())
        server = asyncio.run_coroutine_threadsafe(self.recorder.start(), loop).result(DEADLINE_S)
        ending.callback(loop.call_soon_threadsafe, server.close)
        given = (f"--state-dir={folder}", f"--settings={opened.settings}")
        self.links = ending.enter_context(program("links", *given, environment=opened.clock.environment))

    def memory_mb(self) -> float:
        pages = int(Path(f"/proc/{self.links.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Spoiler:
    """Makes payloads of what halls say."""

    def __init__(self, chance: random.Random, said: dict[str, list[Any]]) -> None:
        self._chance = chance
        self._said = said

    def one(self) -> tuple[str, bytes, bool]:
        """Topic, payload, whether it is to be retained."""
        chance = self._chance
        name = chance.choice([*self._said, "other", "check"])
        hall = chance.choice(HALLS[:3]) if chance.random() < 0.9 else chance.choice(HALLS)
        to = f"/{chance.choice(HALLS)}" if name in ("answer", "result") or chance.random() < 0.02 else ""
        where = f"controller/{hall}/{name}{to}".replace("+", "plus")
        while True:
            payload = self._payload(self._said.get(name) or [{}])
            if not _leads(name, payload):
                return where, payload, chance.random() < (0.2 if name in RETAINED else 0.01)

    def _payload(self, said: list[Any]) -> bytes:
        chance = self._chance
        kind = chance.random()
        if kind < 0.03:
            return chance.randbytes(chance.randrange(200))
        if kind < 0.05:
            deep = chance.choice((20, 2_000, 100_000))
            return chance.choice(
                (b"[" * deep, b"[" * deep + b"]" * deep, b'{"a":' * deep + b"1" + b"}" * deep)
            )
        value = chance.choice(said)
        if kind < 0.07:
            request = {"version": 1, "id": 1, "ask": "set_roster", "roster": {"version": 1, "rows": []}}
            text = json.dumps(value).encode()
            return text[:-1] + b"}\n" + json.dumps(request).encode() + b'\n{"x":{}}'
        if kind < 0.45:
            value = self._changed(value)
        text = json.dumps(value, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
        if kind >= 0.45:
            text = self._bytes_changed(text)
        if chance.random() < 0.0005:
            text = text[:-1] + b',"pad":"' + b"x" * LARGEST + b'"}'
        return text

    def _changed(self, value: Any) -> Any:
        """One value anywhere in it is another one."""
        chance = self._chance
        strange: list[Any] = [
            *(
                None,
                True,
                -1,
                0,
                2**53,
                -(2**63),
                2**70,
                1e308,
                0.1,
                "",
                "x" * 5_000,
                "\ud800",
                "a\nb",
                "\x00",
            ),
            *([], {}, [[]], {"a": {}}, ["x"] * 2_000, {"key": "link.lost", "params": {}}, "main", "east"),
        ]
        if isinstance(value, dict) and value and chance.random() < 0.85:
            name = chance.choice(list(value))
            if chance.random() < 0.1:
                return {key: one for key, one in value.items() if key != name}
            if chance.random() < 0.1:
                return value | {chance.choice(("weather", "x" * 60, "a b", name.upper())): 1}
            return value | {name: self._changed(value[name])}
        if isinstance(value, list) and value and chance.random() < 0.7:
            at = chance.randrange(len(value))
            return [*value[:at], self._changed(value[at]), *value[at + 1 :]]
        return chance.choice(strange)

    def _bytes_changed(self, text: bytes) -> bytes:
        chance = self._chance
        wire = bytearray(text)
        for _ in range(chance.choice((1, 1, 2, 5, 20))):
            at = chance.randrange(len(wire) + 1)
            deed = chance.randrange(4)
            if deed == 0 and at < len(wire):
                wire[at] = chance.randrange(256)
            elif deed == 1:
                wire[at:at] = chance.choice(
                    (b"\n", b"\0", b'"', b"[", b"{", b"}", b",", b"1e999", b"NaN", b"\xff")
                )
            elif deed == 2:
                del wire[at : at + chance.randrange(8)]
            else:
                wire[at:at] = wire[at : at + chance.randrange(30)]
        return bytes(wire)


def _leads(name: str, payload: bytes) -> bool:
    """A claim that is right says that somebody leads here: that is no junk."""
    if name != "lease":
        return False
    with contextlib.suppress(Malformed):
        read(payload, LeaseClaim)
        return True
    return False


class Run:
    """`main` leads, `east` follows, both are recorded."""

    def __init__(self, folder: Path, port: int, seed: int, ending: contextlib.ExitStack) -> None:
        loop = ending.enter_context(asyncio.Runner()).get_loop()
        beside = threading.Thread(target=loop.run_forever, daemon=True)
        beside.start()
        ending.callback(beside.join)
        ending.callback(loop.call_soon_threadsafe, loop.stop)
        self._opened = [
            Hall(folder / name, name, role, port).start("core")
            for name, role in (("main", "leader"), ("east", "follower"))
        ]
        for one in self._opened:
            ending.callback(one.close)
        self._halls = [RecordedHall(one, loop, ending) for one in self._opened]
        self._heard: dict[str, list[bytes]] = {}
        self._answers: set[int] = set()
        self._changed = threading.Condition()
        self._mqtt = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
        self._mqtt.max_queued_messages_set(0)
        self._mqtt.on_message = self._hear
        self._mqtt.connect(HOST, port)
        self._mqtt.subscribe("controller/#")
        self._mqtt.loop_start()
        ending.callback(self._mqtt.disconnect)
        self.main, self.east = self._opened
        self.main.until_link("leading")
        self.east.until_following()
        if not self.main.client.command("start").accepted:
            raise DifferenceError("the game was not started")
        self.east.until(lambda picture: picture.running)
        self._chance = random.Random(seed)
        self._spoiler = Spoiler(self._chance, self._said())
        self._marks = 0

    def batch(self, count: int) -> None:
        for _ in range(count):
            where, payload, retain = self._spoiler.one()
            with contextlib.suppress(ValueError):  # no topic at all, as the library sees
                self._mqtt.publish(where, payload, qos=0, retain=retain)
        self._mark()

    def check(self) -> None:
        """Raises DifferenceError."""
        for one in self._halls:
            if one.links.process.poll() is not None or one.hall.running["core"].process.poll() is not None:
                raise DifferenceError(
                    f"a process of {one.hall.name} has ended: {one.links.complained.all()[-5:]}"
                )
            if one.recorder.wrong:
                raise DifferenceError(f"{one.hall.name} was asked: {one.recorder.wrong[:3]}")
            strange = one.recorder.asked.keys() - OF_LINKS - {"pictures that core refuses"}
            if strange:
                raise DifferenceError(f"{one.hall.name} was asked {strange}")

    def memory_mb(self) -> list[float]:
        return [one.memory_mb() for one in self._halls]

    def asked(self) -> Counter[str]:
        return self._halls[0].recorder.asked + self._halls[1].recorder.asked

    def still_plays(self) -> None:
        """The follower shows what the leader has; a strange picture may stand there until the next one."""
        for one in self._halls:
            failed = [
                item.text for item in one.hall.picture().health.items if item.key == "health.something_failed"
            ]
            if failed:
                raise DifferenceError(f"inside {one.hall.name}: {failed}")
        self.main.client.command("pause")
        self.main.until(lambda picture: picture.paused)
        theirs = self.main.picture()
        self.east.until(lambda picture: (picture.game_id, picture.paused) == (theirs.game_id, True))
        for one in self._halls:
            if one.links.end() != 0:
                raise DifferenceError(f"the links process of {one.hall.name} has not ended well")
            broken = [line for line in one.links.complained.all() if "Error" in line or "xception" in line]
            if broken:
                raise DifferenceError(f"inside the links process of {one.hall.name}: {broken[:5]}")

    def _said(self) -> dict[str, list[Any]]:
        """What each topic has, as examples and as it was really heard, addressed as it must be to count."""
        run = wait_until(lambda: self._last("lease"))["run"]
        session = self.main.picture().session
        found: dict[str, list[Any]] = {name: [] for name in PAYLOADS}
        for where, text in EXAMPLES.items():
            of = hall_and_name(where)
            assert of is not None
            found[of[1]].append(json.loads(text) | ({"to": run} if '"to"' in text else {}))
        for name in ("picture", "beat", "tables", "status", "ask", "answer", "lease", "health"):
            with self._changed:
                found[name] += [json.loads(one) for one in self._heard.get(name, [])[-3:]]
        found["beat"].append({"version": 1, "beat": 1, "session": session, "as_of_ms": 1})
        for name in ("answer", "result"):
            found[name] = [one | {"run": run} for one in found[name]]
        return {name: said or [{}] for name, said in found.items()}

    def _last(self, name: str) -> Any:
        with self._changed:
            heard = self._heard.get(name)
            return json.loads(heard[-1]) if heard else None

    def _hear(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        of = hall_and_name(message.topic)
        if of is None or message.retain:
            return
        with self._changed:
            if of[1] == "answer" and message.topic.endswith("/marker"):
                self._answers.add(msgspec.json.decode(message.payload)["sent_us"])
                self._changed.notify_all()
            elif not hasattr(self, "_spoiler"):
                self._heard.setdefault(of[1], []).append(message.payload)

    def _mark(self) -> None:
        """Until both have read what came before: the leader answers a question, the follower's core gets a
        picture."""
        self._marks += 1
        number, name = self._marks, f"mark-{self._marks}"
        picture = self.main.picture()
        event = msgspec.structs.replace(picture.event, name=name)
        marked = msgspec.json.encode(msgspec.structs.replace(picture, event=event))
        run = self._last("lease")["run"]
        ask = json.dumps({"sent_us": number, "controller": "marker", "to": run})
        until = time.monotonic() + DEADLINE_S
        while time.monotonic() < until:
            self._mqtt.publish("controller/marker/ask", ask)
            self._mqtt.publish("controller/main/picture", marked)
            with self._changed:
                self._changed.wait_for(lambda: number in self._answers, 0.05)
                answered = number in self._answers
            if answered and name in self._halls[1].recorder.marks:
                return
            self.check()
        raise DifferenceError("what was published is not read any more")


def run(folder: Path, *, payloads: int, seed: int) -> str:
    """What was found; raises DifferenceError."""
    with contextlib.ExitStack() as ending:
        mosquitto = ending.enter_context(broker(folder / "broker", "max_inflight_messages 0\n"))
        going = Run(folder, mosquitto.port, seed, ending)
        warm, begun_s, sent = [0.0, 0.0], time.monotonic(), 0
        while sent < payloads:
            count = min(BATCH, payloads - sent)
            going.batch(count)
            sent += count
            going.check()
            if not any(warm) and sent >= payloads * WARM:
                warm = going.memory_mb()
            if sent % (100 * BATCH) == 0:
                print(
                    f"{sent:,} payloads in {time.monotonic() - begun_s:.0f} s, {_in_mb(going.memory_mb())}",
                    flush=True,
                )
        at_end = going.memory_mb()
        grown = max(after - before for before, after in zip(warm, at_end, strict=True))
        if grown > STEADY_MB:
            raise DifferenceError(f"memory has grown: {_in_mb(warm)} to {_in_mb(at_end)}")
        asked = dict(going.asked())
        going.still_plays()
        return (
            f"{sent:,} payloads in {time.monotonic() - begun_s:.0f} s: no process ended, no request passed but those of "
            f"a links process ({asked}); links {_in_mb(warm)} after a fifth, {_in_mb(at_end)} at the end"
        )


def _in_mb(each: list[float]) -> str:
    return " and ".join(f"{one:.1f} MB" for one in each)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--payloads", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    return kept(lambda folder: run(folder, payloads=given.payloads, seed=given.seed))


if __name__ == "__main__":
    raise SystemExit(main())
