"""An operator who truly looks: every answer comes from what is to be seen, heard and pressed in a hall."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from pi_controller.language.words import words
from pi_controller.protocol.probes import Level
from pi_controller.selftest.checks.looks import WORDS
from pi_controller.selftest.operator import Live, OperatorQuestion, OperatorReply, Progress
from pi_controller.selftest.report import SelfTestReport
from pi_controller.selftest.session import run_selftest
from pi_controller.selftest.verdicts import CheckResult, Code
from pi_controller.vocabulary import SIDES, Side

LOOK_S = 0.05
MOST_EXTRA = 3
PRESSES, LOOKS = 2, 60
"""At a table: so many tries, each watched for so many looks."""


class World(Protocol):
    """What somebody in the hall can see and do. `seats` are the tables by what is written on them, as they
    stand."""

    @property
    def seats(self) -> list[str]: ...
    def panel_lamps(self) -> set[str]: ...
    def chirps(self) -> int: ...
    def tone(self) -> bool: ...
    def panel_shows(self, pattern: str) -> bool: ...
    def table_lamps(self, label: str) -> tuple[bool, ...]: ...
    def table_shows(self, label: str, place: Side, pattern: str) -> bool: ...
    def press_button(self) -> None: ...
    def touch(self, label: str, place: Side) -> None: ...
    def pull_cable(self, label: str) -> None: ...
    def plug_cable(self) -> None: ...
    def no_link_shown(self) -> bool: ...
    def take_terminator(self) -> None: ...
    def put_terminator(self) -> None: ...
    def pull_mains(self) -> None: ...
    def alarm(self) -> bool: ...


def at_once(_wanted: Callable[[], bool]) -> None:
    """Everything shows at once in a small hall."""


class Somebody:
    """Implements `Operator`. `look_until` gives the hall time to come to look like that; `fixes`: whether
    offered fixes are taken; `instead`: replies for some questions, by words of theirs, each used once."""

    def __init__(
        self, world: World, *, look_until: Callable[[Callable[[], bool]], None] = at_once, fixes: bool = True
    ) -> None:
        self.world = world
        self.fixes = fixes
        self.instead: dict[str, OperatorReply] = {}
        self.asked: list[OperatorQuestion] = []
        self.steps: list[Progress] = []
        self.results: list[CheckResult] = []
        self._look_until = look_until

    def progress(self, step: Progress) -> None:
        self.steps.append(step)

    def result(self, result: CheckResult) -> None:
        self.results.append(result)

    async def ask(self, question: OperatorQuestion, live: Live | None = None) -> OperatorReply:
        self.asked.append(question)
        for part in [part for part in self.instead if part in question.text]:
            return self.instead.pop(part)
        if "mend" in question.answers:
            return OperatorReply(answer="mend" if self.fixes else "leave")
        if live is not None:
            return await self._do(question, live)
        answer: Callable[[OperatorQuestion], OperatorReply] = getattr(self, f"_{question.code.lower()}")
        return await asyncio.to_thread(answer, question)

    async def _do(self, question: OperatorQuestion, live: Live) -> OperatorReply:
        act = {"edges": self._press, "walk": self._walk, "": self._pull}[question.live]
        await act(live)
        return OperatorReply(answer=question.answers[0])

    async def _press(self, live: Live) -> None:
        for _ in range((await live.wait(LOOK_S)).of + MOST_EXTRA):
            await asyncio.to_thread(self.world.press_button)
            if (await live.wait(LOOK_S)).finished:
                return

    async def _walk(self, live: Live) -> None:
        for label in self.world.seats:
            for place in SIDES:
                await self._touch(live, label, place)

    async def _touch(self, live: Live, label: str, place: Side) -> None:
        """Press until the table shows a number; nobody presses a dead button for ever."""
        done = (await live.wait(0.0)).done
        for _ in range(PRESSES):
            await asyncio.to_thread(self.world.touch, label, place)
            for _ in range(LOOKS):
                if (await live.wait(LOOK_S)).done > done:
                    return

    async def _pull(self, live: Live) -> None:
        seats = self.world.seats
        await asyncio.to_thread(self.world.pull_cable, seats[len(seats) // 2])
        await self._watch(live, lambda text: "are back" in text)
        await self._watch(live, lambda text: False)  # all that lie behind it are to be lost
        await asyncio.to_thread(self.world.plug_cable)
        await self._watch(live, lambda text: False)

    async def _watch(self, live: Live, wanted: Callable[[str], bool]) -> None:
        for _ in range(200):
            view = await live.wait(LOOK_S)
            if view.finished or wanted(view.text):
                return

    def _lmp(self, question: OperatorQuestion) -> OperatorReply:
        wanted = {question.picture.removesuffix("_lamp")}
        self._look_until(lambda: self.world.panel_lamps() == wanted)
        seen = self.world.panel_lamps()
        return (
            OperatorReply(answer="saw")
            if seen == wanted
            else OperatorReply(answer="not", reason=" ".join(sorted(seen)) or "nothing")
        )

    def _hrn(self, _question: OperatorQuestion) -> OperatorReply:
        return _said(self.world.chirps() >= 2)

    def _snd(self, _question: OperatorQuestion) -> OperatorReply:
        return _said(self.world.tone())

    def _led(self, question: OperatorQuestion) -> OperatorReply:
        if "only the Sun lamps" in question.text:
            return self._sides()
        wanted = "lit: Sun, Moon" in question.text
        self._look_until(
            lambda: all(lit == wanted for label in self.world.seats for lit in self.world.table_lamps(label))
        )
        wrong = [
            f"{label}-{place}"
            for label in self.world.seats
            for at, place in enumerate(SIDES)
            if {self.world.table_lamps(label)[at], self.world.table_lamps(label)[at + 2]} != {wanted}
        ]
        told = [name for name in wrong if name in question.names]
        return _said(not told, " ".join(told))

    def _sides(self) -> OperatorReply:
        right = (True, False, False, False)
        self._look_until(lambda: all(self.world.table_lamps(label) == right for label in self.world.seats))
        crossed = [label for label in self.world.seats if self.world.table_lamps(label)[:2] == (False, True)]
        return _said(not crossed, " ".join(crossed))

    def _old(self, question: OperatorQuestion) -> OperatorReply:
        pattern = next(name for name, shown in WORDS.items() if f"show {words(shown)}" in question.text)

        def missing() -> list[str]:
            return [name for name in question.names if not self._shows(name, pattern)]

        self._look_until(lambda: not missing())
        return _said(not missing(), " ".join(missing()))

    def _shows(self, name: str, pattern: str) -> bool:
        if name == "panel":
            return self.world.panel_shows(pattern)
        label, _, place = name.rpartition("-")
        return self.world.table_shows(label, "sun" if place == "sun" else "moon", pattern)

    def _mrg(self, question: OperatorQuestion) -> OperatorReply:
        if "Put the terminator back" in question.text:
            self.world.put_terminator()
        else:
            self.world.take_terminator()
        return OperatorReply(answer="done")

    def _pul(self, _question: OperatorQuestion) -> OperatorReply:
        return _said(self.world.no_link_shown())

    def _bat(self, _question: OperatorQuestion) -> OperatorReply:
        return OperatorReply(answer="yes")

    def _ups(self, question: OperatorQuestion) -> OperatorReply:
        if "Has the controller" in question.text:
            return OperatorReply(answer="yes")
        if "Pull the mains" in question.text:
            self.world.pull_mains()
            return OperatorReply(answer="done")
        return _said(self.world.alarm())


def _said(saw: bool, reason: str = "") -> OperatorReply:
    return OperatorReply(answer="saw") if saw else OperatorReply(answer="not", reason=reason)


def run(
    hall: Any, operator: Somebody | None = None, *only: Code, level: Level = "field", uid: str | None = None
) -> SelfTestReport:
    """A self-test of a small hall, held against the newest one that it has kept."""
    return asyncio.run(
        run_selftest(
            hall, level=level, only=only, who="Ada", operator=operator or Somebody(hall), uid=uid,
            now=hall.now, clock=hall.clock, pause=hall.wait,
        )
    )  # fmt: skip
