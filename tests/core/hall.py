"""A game loop on a hand-moved clock with a panel that remembers and a journal whose disk answers when told."""

from dataclasses import dataclass, field
from typing import Any

from pi_controller.core.game_loop.commands import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.opening import Arming
from pi_controller.core.game_loop.pending import (
    PANEL,
    Answer,
    Asker,
    KeptAnswers,
    PendingCommand,
    SeenPicture,
)
from pi_controller.core.game_loop.picture import GameTime
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.runtime import Tasks
from pi_controller.game.game import Game, new_game
from pi_controller.game.rule_sets import CONNECT
from pi_controller.journal.record import FIRST_PREV, Record, seal
from pi_controller.journal.seals import Evening
from pi_controller.protocol.commands import parse_command
from pi_controller.sentence import Sentence
from pi_controller.settings.sections import Settings
from tests.core.hand import MS, HandBuzzer, HandDisplay, HandLamp, HandTimers, S, events, settle

SEED = bytes(range(32))


@dataclass
class HandLog:
    """Lines handed over; with `prompt` the disk answers at once, otherwise on `save`."""

    prompt: bool = True
    lines: list[tuple[int, str, dict[str, Any]]] = field(default_factory=list)
    game_ns: list[int] = field(default_factory=list)
    boot_ns: list[int] = field(default_factory=list)
    waiting: int | None = None
    hall: "Hall | None" = None
    opened: list[str] = field(default_factory=list)

    def append_all(
        self, lines: list[tuple[str, dict[str, Any]]], *, game_ns: int, boot_ns: int, tag: int
    ) -> None:
        assert self.waiting != tag, "the lines of one change are handed over together"
        self.lines.extend((tag, kind, data) for kind, data in lines)
        self.game_ns.extend(game_ns for _ in lines)
        self.boot_ns.extend(boot_ns for _ in lines)
        self.waiting = tag

    def new_game_id(self, ending: str | None = None) -> str:
        return f"g{len(self.opened) + 2}"

    def open_game(
        self, game: Game, opening: dict[str, Any], *, game_ns: int, boot_ns: int, tag: int
    ) -> Record:
        self.opened.append(game.game_id)
        self.append_all([("game", opening)], game_ns=game_ns, boot_ns=boot_ns, tag=tag)
        data = {**opening, "game_id": game.game_id}
        at = {"boot_id": HandTimers.boot_id, "wall": HandTimers().wall()}
        return seal("game", data, seq=0, game_ns=game_ns, boot_ns=boot_ns, prev=FIRST_PREV, **at)

    def kinds(self) -> list[str]:
        return [kind for _, kind, _ in self.lines]


class Hall:
    def __init__(
        self,
        *,
        prompt: bool = True,
        rate: float = 1.0,
        game: Game | None = None,
        answers: KeptAnswers | None = None,
        languages: tuple[str, ...] = ("en",),
        close_after_minutes: int = 0,
    ) -> None:
        self.timers = HandTimers()
        self.log = HandLog(prompt=prompt, hall=self)
        self.sun, self.moon, self.pause_lamp = HandLamp(), HandLamp(), HandLamp()
        self.buzzer, self.display = HandBuzzer(clock=self.timers), HandDisplay()
        self.outputs = Outputs(
            timers=self.timers,
            sun=self.sun,
            moon=self.moon,
            pause_lamp=self.pause_lamp,
            buzzer=self.buzzer,
            display=self.display,
        )
        self.pictures: list[dict[str, Any]] = []
        now_ns = self.timers.boot_ns()
        self.loop = GameLoop(
            game=game or new_game("g1", CONNECT, SEED),
            time=GameTime(now_ns, now_ns, rate),
            session="s",
            log=self.log,
            timers=self.timers,
            outputs=self.outputs,
            languages=languages,
            close_after_minutes=close_after_minutes,
        )
        self.loop.showing.show_to(
            Sentence("part.pages"),
            self._publish_as_it_is_then,
            saved=lambda picture, _fresh: self._publish_as_it_is_then(picture),
        )
        self.tasks = Tasks(events())
        self.arming = Arming(
            files=self.log,
            settings=Settings(),
            timers=self.timers,
            evening=Evening(self.timers),
            rate=rate,
            draw_seed=lambda: SEED,
        )
        self.commands = CommandQueue(
            loop=self.loop,
            answers=answers or KeptAnswers(),
            arming=self.arming,
            timers=self.timers,
            tasks=self.tasks,
        )

    @property
    def picture(self) -> dict[str, Any]:
        return self.pictures[-1]

    def publish(self, picture: dict[str, Any]) -> None:
        """The pages get a picture; a test may let it break off."""
        self.pictures.append(picture)

    def _publish_as_it_is_then(self, picture: dict[str, Any]) -> None:
        self.publish(picture)

    def begin(self) -> "Hall":
        self.loop.begin()
        self.save()
        return self

    def save(self) -> None:
        """The disk takes everything that was handed over."""
        while self.log.waiting is not None:
            tag, self.log.waiting = self.log.waiting, None
            self.saved(tag, f"{len(self.log.lines):064x}")

    def saved(self, tag: int, head: str) -> None:
        """The disk has taken what was handed over up to this change, and everybody is told."""
        self.loop.saves.saved(tag, head)
        settle()
        self.loop.show_saved()

    def move(self, ns: int) -> None:
        """Time passes; a prompt disk keeps up."""
        settle()
        self.timers.move(ns)
        self._keep_up()
        self.timers.move(0)

    def ask(
        self,
        name: str,
        body: object = None,
        *,
        key: str | None = None,
        source: str = "cli",
        asker: Asker = PANEL,
        seen: SeenPicture | None = None,
    ) -> list[Answer]:
        """Give a command; the list fills with its answer."""
        answers: list[Answer] = []
        pending = PendingCommand(
            name=name,
            body=body,
            command=parse_command(name, body),
            source=source,
            at_ns=self.timers.boot_ns(),
            key=key,
            asker=asker,
            seen=seen,
        )

        async def carry_out() -> None:
            answers.append(await self.commands.carry_out(pending))

        self.tasks.start(carry_out())
        self._keep_up()
        return answers

    def press(self, late_ns: int = 4 * MS) -> None:
        """The button was pressed so long ago and counts now."""
        self.loop.press(self.timers.boot_ns() - late_ns)
        self._keep_up()

    def play(self) -> "Hall":
        """Into round 1, at its very beginning."""
        self.begin()
        self.ask("start")
        self.move(3 * S)
        return self

    def _keep_up(self) -> None:
        settle()
        if self.log.prompt:
            self.save()


def accepted(answers: list[Answer]) -> bool:
    """Answered once, with yes."""
    assert len(answers) == 1, answers
    return answers[0].accepted
