"""Places at the control socket, and the loop's time: nobody takes those of the others."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from pi_controller.protocol import server
from pi_controller.protocol.server import MOST_CLIENTS
from tests.protocol.test_server import Desk, connect, run


def test_a_client_too_many_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_OF_A_PROGRAM", MOST_CLIENTS)

    async def talk(at: Desk) -> None:
        lines = [await connect(at) for _ in range(MOST_CLIENTS)]
        lines[-1].ask(ask="picture")
        await lines[-1].read()
        more = await connect(at)
        assert "connected already" in (await more.read())["error"]
        lines[0].writer.close()
        await lines[0].writer.wait_closed()
        lines[-1].ask(ask="picture")
        await lines[-1].read()
        again = await connect(at)
        again.ask(ask="picture")
        assert "picture" in await again.read()

    run(tmp_path, talk)


TAKES_ALL = """
import socket, sys
there = [socket.socket(socket.AF_UNIX) for _ in range(40)]
for each in there:
    each.connect(sys.argv[1])
refused = [each.makefile().readline() for each in there[32:]]
print(refused[0], flush=True)
sys.stdin.read()
"""


def test_one_program_never_takes_the_places_of_the_others(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        greedy = await asyncio.create_subprocess_exec(
            sys.executable, "-c", TAKES_ALL, str(at.path), stdin=PIPE, stdout=PIPE
        )
        assert greedy.stdin is not None
        assert greedy.stdout is not None
        said = await greedy.stdout.readline()
        assert json.loads(said)["error"] == "This program is connected 32 times already: close a connection."
        assert (await at.client().command("pause")).reasons  # asked and answered: no game runs
        greedy.stdin.close()
        await greedy.wait()

    run(tmp_path, talk)


def test_requests_of_one_client_do_not_keep_the_others_waiting(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        flood, other = await connect(at), await connect(at)
        taken: list[str] = []
        answer = at.server._answer
        at.server._answer = lambda client, request: (taken.append(request.id), answer(client, request))
        flood.send(b'{"version":1,"id":"flood","ask":"metrics"}\n' * 500)
        other.ask(ask="picture")
        await other.read()
        assert taken.count("flood") < 500
        for _ in range(500):
            assert (await flood.read())["id"] == "flood"

    run(tmp_path, talk)
