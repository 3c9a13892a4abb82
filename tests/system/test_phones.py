"""An evening without a panel and without table nodes, through the real processes: 40 phones claim over loopback."""

import asyncio
import random
import time
from itertools import combinations
from pathlib import Path

import aiohttp

from pi_controller.protocol.client import Client
from pi_controller.protocol.messages import AskSeatCodes
from pi_controller.protocol.paths import socket_path
from tests.system.programs import ONE_ROUND, cli, program, simulated

PHONES = 40
WRONG_US = 500_000
SETTINGS = f"{ONE_ROUND}[tables]\nseat_codes = true\n"


def true_us() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000


class Phone:
    """Its clock is wrong; what it knows of core's it has measured over its own line."""

    def __init__(self, code: str, wrong_us: int) -> None:
        self.code = code
        self.wrong_us = wrong_us
        self.pressed_us = 0

    def own_us(self) -> int:
        return true_us() + self.wrong_us

    async def claim(self, session: aiohttp.ClientSession, address: str, together: asyncio.Barrier) -> None:
        async with session.ws_connect(f"{address}/api/seat") as line:
            await line.send_json({"code": self.code, "device": f"phone-{self.code}"[:64]})
            assert "seat" in await line.receive_json()
            guesses = []
            for _ in range(8):
                await line.send_json({"ping": self.own_us()})
                answer = await line.receive_json()
                way_us = self.own_us() - answer["pong"]
                guesses.append((-(-way_us // 2), answer["at_us"] - answer["pong"] - way_us // 2))
            await together.wait()
            error_us, offset_us = min(guesses)
            self.pressed_us = true_us()
            claim = {"claim": f"claim-{self.code[:12]}", "error_us": error_us}
            claim["pressed_us"] = self.own_us() + offset_us
            for _ in range(2):  # the second time as after an answer that was lost
                await line.send_json(claim)
                assert (await line.receive_json())["accepted"]


async def claims(address: str, phones: list[Phone]) -> None:
    together = asyncio.Barrier(len(phones))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(phone.claim(session, address, together) for phone in phones))


def test_40_phones_claim_within_the_error_that_is_shown(tmp_path: Path) -> None:
    state = tmp_path / "s"
    options = simulated(tmp_path, SETTINGS)
    with program("run", *options, "--hardware=none", "--port=0") as running:
        address = running.said.wait_for("hall http").split()[1].rstrip("/")
        running.said.wait_for("director http")
        assert running.said.count("virtual hall") == 0
        assert cli("roster", "new", "--rows", f"1x{PHONES}", "--state-dir", state).returncode == 0
        core = Client(socket_path(state))
        assert core.command("start").accepted
        side = core.picture().side
        draw = random.Random(12)
        codes = {each.board: each.code for each in core.ask(AskSeatCodes()).codes if each.side == side}
        phones = {board: Phone(code, draw.randint(-WRONG_US, WRONG_US)) for board, code in codes.items()}
        asyncio.run(claims(address, list(phones.values())))
        picture = core.picture()
        assert running.end() == 0
    found = {str(claim.board): claim for claim in picture.claims}
    assert len(picture.claims) == len(found) == PHONES
    assert {(claim.source, claim.count) for claim in picture.claims} == {("seat", 1)}
    end_us = picture.as_of_us + picture.remaining_us
    for board, claim in found.items():
        error_us = (claim.press_error_ms or 0) * 1000
        assert abs(end_us - claim.pressed_ms_before_end * 1000 - phones[board].pressed_us) <= error_us + 1000
    order = {str(claim.board): place for place, claim in enumerate(picture.claims)}
    for one, other in combinations(found, 2):
        apart = (found[one].press_error_ms or 0) + (found[other].press_error_ms or 0)
        if phones[one].pressed_us + apart * 1000 < phones[other].pressed_us:
            assert order[one] < order[other]
