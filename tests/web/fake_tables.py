"""Virtual tables that only talk: their socket's lines, and a note of what was asked of them."""

import asyncio
import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def table(number: int, **changes: Any) -> Json:
    """Virtual table `number`: its displays are dark, its lamps off."""
    display = {"width": 128, "height": 64, "on": True, "contrast": 128, "bits": "AAAA"}
    return {
        "uid": f"e66{number:013x}", "segment": "ABCDEFGH"[(number - 1) // 32], "position": (number - 1) % 32 + 1,
        "alive": True, "displays": [display | {"side": "sun"}, display | {"side": "moon"}],
        "lamps": {"sun": 0, "moon": 0, "claim_sun": 0, "claim_moon": 0},
        "cut_before": False, "babbling": False, "loss": 0, "supply_v": 23.8, "wires": [],
    } | changes  # fmt: skip


class FakeTables:
    """Serves `path`; `actions` are what came, `malformed` is the sentence of the answers, if any."""

    def __init__(self, path: Path, tables: list[Json]) -> None:
        self.path = path
        self.tables = tables
        self.actions: list[Json] = []
        self.malformed: str | None = None
        self.mute = False
        """It hangs up instead of an answer."""
        self._server: asyncio.Server
        self._writers: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_unix_server(self._serve, self.path)

    async def stop(self) -> None:
        self._server.close()
        for writer in self._writers:
            writer.close()
        await self._server.wait_closed()
        self.path.unlink(missing_ok=True)

    def show(self, *tables: Json) -> None:
        """These have changed."""
        self.say({"tables": list(tables)})

    def say(self, message: Any) -> None:
        for writer in self._writers:
            writer.write(json.dumps(message).encode() + b"\n")

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = json.loads(await reader.readline())
        assert asked.pop("version") == 1
        number = asked.pop("id")
        if asked.pop("ask") == "watch":
            self._writers.add(writer)
            self.show_to(writer)
            await reader.read()
            self._writers.discard(writer)
        elif not self.mute:
            self.actions.append(asked)
            answer: Json = {"done": True} if self.malformed is None else {"malformed": self.malformed}
            writer.write(json.dumps({"id": number} | answer).encode() + b"\n")
        writer.close()

    def show_to(self, writer: asyncio.StreamWriter) -> None:
        writer.write(json.dumps({"tables": self.tables}).encode() + b"\n")
