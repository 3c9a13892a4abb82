"""A visitor of the hall screen who believes nothing: every picture must fit the published schema and the rules."""

import asyncio
import json
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import aiohttp
import msgspec

from pi_controller.protocol.picture import Picture
from tests.patience import DEADLINE_S
from tests.system.programs import ROOT
from tests.web.json_schema import problems

SCHEMA = json.loads((ROOT / "docs" / "api.schema.json").read_text())


class Rules:
    """Rules C3 to C12 as seen from a chair, for a game with the usual times that the Sun begins."""

    def __init__(self) -> None:
        self.rounds: dict[int, tuple[str, tuple[int, int]]] = {}
        self.robbers: list[tuple[int, str | int]] = []
        self.pauses: set[str] = set()
        self.phases: set[str] = set()

    def check(self, picture: Picture, before: Picture | None) -> None:
        self.phases.add(picture.phase)
        self.pauses |= set(picture.pause_reasons)
        assert 0 <= picture.remaining_ms <= picture.duration_ms or picture.phase == "ended", picture
        assert picture.saved_seq <= picture.seq
        assert not (picture.paused and picture.running)
        if before is not None and before.session == picture.session:
            assert picture.seq >= before.seq
            assert picture.as_of_ms >= before.as_of_ms
        if picture.phase == "round":
            self._round(picture)
        elif picture.phase == "robber":
            self._robber(picture, before)
        for roll in picture.history:
            if roll.kind == "round":
                self._roll(roll.round, roll.side, roll.dice)

    def _round(self, picture: Picture) -> None:
        number = picture.round
        assert picture.duration_ms == (35_000 if number <= 10 else 45_000), picture
        assert sum(picture.dice) == picture.sum != 7
        assert picture.next_side == ("moon" if picture.side == "sun" else "sun")
        self._roll(number, picture.side, picture.dice)
        assert ("robber_possible" in picture.notices) == (number == 11), picture

    def _roll(self, number: int, side: str, dice: tuple[int, int]) -> None:
        assert side == ("sun" if number % 2 else "moon"), f"round {number} was the {side}'s"
        rolled = (side, dice)
        assert self.rounds.setdefault(number, rolled) == rolled, f"round {number} shows another roll"

    def _robber(self, picture: Picture, before: Picture | None) -> None:
        assert picture.round >= 10, "a 7 in the first ten rounds"
        assert (picture.sum, sum(picture.dice)) == (7, 7)
        assert (picture.side, picture.duration_ms) == (None, 12_000)
        target, dice = picture.robber_target, picture.robber_dice
        assert target == ("desert" if sum(dice) == 7 else sum(dice))
        same = before is not None and before.phase == "robber" and before.history == picture.history
        if not same:
            self.robbers.append((picture.round, target))


class Audience:
    """A reader of the feed at this address; the rules are watched in a game with the usual times only."""

    def __init__(self, address: str, *, usual_times: bool = True) -> None:
        self.connections = 0
        self._usual_times = usual_times
        self.rules = Rules()
        self.pictures = 0
        self.beats = 0
        self.newest: Picture | None = None
        self._address = address
        self._changed = asyncio.Condition()
        self._reading: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        assert self._reading is not None
        if self._reading.done():
            self._reading.result()  # what it had to complain about
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    async def until(self, wanted: Callable[[Picture], bool]) -> Picture:
        """The first picture from now on that is like this."""
        assert self._reading is not None
        async with asyncio.timeout(DEADLINE_S), self._changed:
            while self.newest is None or not wanted(self.newest):
                await self._changed.wait()
                if self._reading.done():
                    self._reading.result()
            return self.newest

    async def _read(self) -> None:
        try:
            async with aiohttp.ClientSession() as session, session.ws_connect(self._address) as feed:
                self.connections += 1
                async for message in feed:
                    await self._take(message.json())
        finally:
            async with self._changed:
                self._changed.notify_all()

    async def _take(self, said: dict[str, Any]) -> None:
        kind = "beat" if "beat" in said else "picture"
        wrong = problems(said, SCHEMA["$defs"][kind], SCHEMA)
        assert not wrong, wrong
        if kind == "beat":
            self.beats += 1
            return
        picture = msgspec.convert(said, Picture)
        if self._usual_times:
            self.rules.check(picture, self.newest)
        self.pictures += 1
        async with self._changed:
            self.newest = picture
            self._changed.notify_all()
