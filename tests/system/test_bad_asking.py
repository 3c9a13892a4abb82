"""Malformed commands, malformed JSON and wrong claim sheets, through the real processes: the contract's answer with
one sentence, and nothing changed."""

import http.client
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace

from pi_controller.protocol.client import Client
from pi_controller.protocol.paths import socket_path
from tests.patience import DEADLINE_S
from tests.system.programs import ONE_ROUND, cli, client_of, program, simulated, wait_for_picture
from tests.system.test_bad_start import journals

TOO_MANY_CITIES = {"settlements": 5, "cities": 6}


OF_THE_MACHINE = ("as_of_ms", "as_of_us", "seq", "saved_seq", "health")
"""What changes in the picture by itself: a busy machine says in `health` that it is late."""


@dataclass
class Hall:
    state: Path
    address: str
    token: str
    claim: str

    def client(self) -> Client:
        return client_of(self.state)

    def post(self, path: str, body: bytes, **headers: str) -> tuple[int, Any]:
        """Status and JSON of the answer."""
        connection = http.client.HTTPConnection(urlsplit(self.address).netloc, timeout=DEADLINE_S)
        try:
            head = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"} | headers
            connection.request("POST", path, body, head)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """A game that is paused with an open claim."""
    folder = tmp_path_factory.mktemp("hall")
    state, settings = folder / "s", f'{ONE_ROUND}[pause_button]\ncontacts = "no"\n'
    with program("run", *simulated(folder, settings), "--port=0") as running:
        address = running.said.wait_for("hall http").split()[1].rstrip("/")
        client = client_of(state)
        assert client.command("start").accepted
        wait_for_picture(client, lambda picture: picture.running)
        assert client.command("claim", {"board": "B7", "side": "sun"}).accepted
        assert client.command("pause").accepted
        (claim,) = client.picture().claims
        yield Hall(state, address, (state / "web" / "token").read_text().strip(), claim.id)
        assert running.end() == 0
        assert running.faults() == []


@pytest.fixture
def untouched(hall: Hall) -> Iterator[None]:
    """The game is the same afterwards, line for line."""
    before, picture = asked_lines(hall.state), hall.client().picture()
    yield
    assert asked_lines(hall.state) == before
    after = hall.client().picture()
    assert replace(after, **{name: getattr(picture, name) for name in OF_THE_MACHINE}) == picture


def asked_lines(state: Path) -> list[bytes]:
    """The journal without what core notes about a machine that is late."""
    lines = [line for content in journals(state).values() for line in content.splitlines()]
    return [line for line in lines if b'"kind":"note"' not in line]


BODIES: dict[str, tuple[str, bytes, str]] = {
    "no JSON": ("add_time", b"{", "JSON"),
    "no UTF-8": ("say", b'{"text": "\xff"}', "UTF-8"),
    "NaN": ("add_time", b'{"ms": NaN}', "NaN"),
    "infinity": ("timer", b'{"label": "x", "seconds": Infinity}', "Infinity"),
    "a float out of range": ("timer", b'{"label": "x", "seconds": 1e999}', "not finite"),
    "a whole number out of range": ("add_time", b'{"ms": 99999999999999999999}', ""),
    "deep nesting": ("say", b"[" * 20_000, "nested"),
    "a name twice": ("add_time", b'{"ms": 1, "ms": 2}', "twice"),
    "half a character": ("say", b'{"text": "\\ud800"}', ""),
    "a text for a number": ("add_time", b'{"ms": "5"}', "`ms`"),
    "a fraction for a whole number": ("add_time", b'{"ms": 1.5}', "`ms`"),
    "a truth for a number": ("add_time", b'{"ms": true}', "`ms`"),
    "an unknown field": ("add_time", b'{"ms": 1, "hours": 2}', "`hours`"),
    "a missing field": ("add_time", b"{}", "`ms`"),
    "a list for an object": ("pause", b"[]", "list"),
    "an object for a list": ("set_schedule", b'{"from_round": 1}', "list"),
    "a schedule that begins late": ("set_schedule", b'[{"from_round": 2, "seconds": 30}]', "from_round 1"),
    "a round of no length": ("set_schedule", b'[{"from_round": 1, "seconds": 0}]', "seconds"),
    "an unknown side": ("claim", b'{"board": "B7", "side": "mars"}', "side"),
    "an end without the second step": ("end", b'{"confirm": false}', "confirm"),
    "a verdict without a verdict": ("verdict", b'{"claim": "c1"}', "sheet"),
    "both verdicts": ("verdict", b'{"claim": "c1", "confirmed": true, "sheet": {}}', "sheet"),
    "a sheet with a negative count": ("verdict", b'{"claim": "c1", "sheet": {"settlements": 1, "cities": -1}}', "cities"),
    "a sheet with a word": ("verdict", b'{"claim": "c1", "sheet": {"cities": "many"}}', "cities"),
    "a sheet with an unknown entry": ("verdict", b'{"claim": "c1", "sheet": {"castles": 1}}', "castles"),
    "an unknown resource": ("verdict", b'{"claim": "c1", "sheet": {"resources": {"gold": 1}}}', "gold"),
    "an undo by nonsense": ("undo", b'{"replace": {"name": "dance"}}', "dance"),
    "an unknown command": ("dance", b"{}", "dance"),
}  # fmt: skip


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("what", BODIES)
def test_a_malformed_command_is_one_sentence_of_the_pages_and_of_the_control_socket(
    hall: Hall, what: str
) -> None:
    name, body, part = BODIES[what]
    status, said = hall.post(f"/api/commands/{name}", body)
    assert (status, said["accepted"], len(said["reasons"])) == (422, False, 1), said
    assert part in said["error"], said
    check_sentence(said["error"])
    line = b'{"version": 1, "id": 7, "ask": "command", "name": "%s", "body": %s}\n' % (name.encode(), body)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(DEADLINE_S)
        connection.connect(str(socket_path(hall.state)))
        with connection.makefile("rwb") as lines:
            lines.write(line)
            lines.flush()
            answer = json.loads(lines.readline())
            lines.write(b'{"version": 1, "id": 8, "ask": "picture"}\n')
            lines.flush()
            assert json.loads(lines.readline())["picture"]["paused"], "it talks on after a mistake"
    assert set(answer) == {"id", "malformed", "malformed_key"}
    assert answer["malformed"]
    assert "Traceback" not in answer["malformed"]


@pytest.mark.usefixtures("untouched")
def test_requests_that_are_no_commands(hall: Hall) -> None:
    good = b'{"ms": 1000}'
    for expected, path, body, headers in (
        (401, "/api/commands/add_time", good, {"Authorization": "Bearer wrong"}),
        (403, "/api/commands/add_time", good, {"Origin": "http://elsewhere.example"}),
        (404, "/api/orders/add_time", good, {}),
        (413, "/api/commands/say", b'{"text": "' + b"x" * 70_000 + b'"}', {}),
        (415, "/api/commands/add_time", good, {"Content-Type": "text/plain"}),
        (422, "/api/commands/add_time", good, {"Idempotency-Key": "k" * 200}),
        (404, "/api/sim/explode", b"{}", {}),
        (422, "/api/sim/tap", b'{"contact": "no"}', {}),
        (422, "/api/sim/break_wire", b'{"contact": "nc"}', {}),  # only the NO contact is wired here
    ):
        status, said = hall.post(path, body, **headers)
        assert status == expected, (path, headers, said)
        check_sentence(said["error"])


@pytest.mark.parametrize(
    ("sheet", "part"),
    [
        (TOO_MANY_CITIES, "cities"),
        ({"settlements": 6, "cities": 0}, "settlements"),
    ],
)
def test_a_wrong_claim_sheet_is_refused_with_the_reason(
    hall: Hall, tmp_path: Path, sheet: dict[str, int], part: str
) -> None:
    before = hall.client().picture()
    body = json.dumps({"claim": hall.claim, "sheet": sheet}).encode()
    file = tmp_path / "sheet.json"
    file.write_text(json.dumps(sheet))
    status, said = hall.post("/api/commands/verdict", body)
    assert (status, said["accepted"]) == (409, False)
    assert part in said["reasons"][0]
    ended = cli("verdict", hall.claim, file, "--state-dir", hall.state)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert ended.stderr.splitlines() == said["reasons"]
    after = hall.client().picture()
    assert after.claims == before.claims


def check_sentence(text: str) -> None:
    assert text.endswith("."), text
    assert "\n" not in text
    assert "Traceback" not in text
