"""What the web side tells core for the local display, from the socket to the display's glass."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from pi_controller.hal.oled.display import draw_face, wander
from pi_controller.hal.roles import StatusFace
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.messages import AskStaffPages
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.question import CoreLine
from pi_controller.protocol.simulated import PanelPicture
from tests.system.programs import client_of, program

ADDRESS = StatusFace("Staff pages", lines=("https://", "192.0.2.50", ":8443"))
WANTED = {draw_face(ADDRESS, wander(minute * 60_000_000_000)).tobytes() for minute in range(100)}


class Shown(Exception):  # noqa: N818 - ends the stream
    """The address stands on the glass."""


def look(line: CoreLine) -> None:
    if line.panel and msgspec.json.decode(bytes(line.panel), type=PanelPicture).display.bits in WANTED:
        raise Shown


async def until_shown(state: Path) -> None:
    client = AsyncClient(socket_path(state))
    try:
        await client.ask(AskStaffPages(address="https://192.0.2.50:8443", fingerprint=""))
        await client.panel(look)
    finally:
        await client.aclose()


def test_the_staffs_address_stands_on_the_glass(tmp_path: Path) -> None:
    with program("core", "--hardware", "sim", "--state-dir", tmp_path / "s") as core:
        client_of(tmp_path / "s", core)
        with pytest.raises(Shown):
            asyncio.run(until_shown(tmp_path / "s"))
        assert core.end() == 0
