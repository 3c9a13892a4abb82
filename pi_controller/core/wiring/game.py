"""The game of the state folder with what acts on it."""

import logging
import secrets
from pathlib import Path

from msgspec import Struct

from pi_controller.core.following.follower import Follower
from pi_controller.core.following.leading import Leader
from pi_controller.core.game_loop.answers import Answers
from pi_controller.core.game_loop.arming import SEED_BYTES, Arming, DiskDoesNotAnswer
from pi_controller.core.game_loop.command_queue import CommandQueue
from pi_controller.core.game_loop.game_time import GameTime
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.obstacles import KNOWN_GAME
from pi_controller.core.game_loop.opening import rules_from
from pi_controller.core.game_loop.pending import PendingCommand
from pi_controller.core.game_loop.recovery import Restored, passed_over
from pi_controller.core.game_loop.shortfall import Shortfall, tell
from pi_controller.core.game_loop.stand_in import ENDING, Damaged, find
from pi_controller.core.hardware_test.lease import Lease
from pi_controller.core.hardware_test.watchers import Watchers
from pi_controller.core.server.feed import Feed
from pi_controller.core.tables.press_times import PressTimes
from pi_controller.core.wiring.journal import Journal
from pi_controller.core.wiring.links import make_end
from pi_controller.core.wiring.panel import Panel
from pi_controller.core.wiring.start import Start
from pi_controller.core.wiring.tables import OpenBus, TableParts, make_tables, stood_still
from pi_controller.journal.witnesses import forget, keep_beat, missed
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.protocol.commands import Arm
from pi_controller.protocol.picture import EventView
from pi_controller.sentence import Sentence
from pi_controller.settings.event import LogoFault, read_logo
from pi_controller.settings.sections import Event

MOST_LOST_TOLD = 5
"""The others stand in the list of the games."""

log = logging.getLogger(__name__)


class OpenGame(Struct, frozen=True):
    """The game, whatever game that is at the time, with who acts on it."""

    loop: GameLoop
    commands: CommandQueue
    lease: Lease
    tables: TableParts
    end: Leader | Follower | None
    """What this core is among the halls."""


class GameOpener:
    """Opens the game of the journal, paused; from an empty state folder a new one. `open` is called once."""

    def __init__(
        self, start: Start, journal: Journal, *, shortfalls: list[Shortfall], open_bus: OpenBus
    ) -> None:
        self._start = start
        self._journal = journal
        self._shortfalls = shortfalls
        self._open_bus = open_bus
        seed = bytes.fromhex(start.options.seed_hex or "")
        self._arming = Arming(
            files=journal,
            settings=start.settings,
            timers=start.runtime.timers,
            evening=journal.evening,
            rate=start.options.speed,
            draw_seed=lambda: seed or secrets.token_bytes(SEED_BYTES),
            chosen=bool(seed),
        )

    async def open(self, panel: Panel, *, feed: Feed, watchers: Watchers) -> OpenGame:
        """Returns when the game is shown, and is on the disk if it is new.

        Raises CannotArm, DiskDoesNotAnswer, JournalError and HardwareError.
        """
        start, journal = self._start, self._journal
        own_copy = journal.own_copy()
        found = find(
            start.store,
            start.runtime.clock,
            second_copy=own_copy,
            progress=start.notices.reading,
        )
        restored, damaged = found.restored, found.damaged
        if damaged is not None:
            self._shortfalls.append(Shortfall("game", damaged.told()))
        if restored is not None:
            journal.exports.go_on(restored.recovered)
            journal.writer.continue_game(restored.recovered, restored.game.dice.seed)
            game, time = restored.game, self._time_after(restored)
        else:
            game, time = self._arming.make(ending=None if damaged is None else ENDING)
        self._keep_beat(game.game_id)
        event, logo_fault = _event(start.settings.event)
        loop = GameLoop(
            game=game,
            time=time,
            session=secrets.token_hex(8),
            log=journal.writer,
            timers=start.runtime.timers,
            outputs=panel.outputs,
            languages=start.settings.hall.languages,
            event=event,
            close_after_minutes=start.settings.game.close_after_minutes,
        )
        journal.beats.tell_of(loop, journal.writer)
        journal.news.tell(loop)
        start.closing.callback(loop.stop)
        tell(loop.health, self._shortfalls)
        loop.health.report("event", "warning", logo_fault)
        for part, level, sentence in passed_over(found.passed_over):
            loop.health.report(part, level, sentence)
        if damaged is not None and not found.confirmed:
            loop.obstacles.set(KNOWN_GAME, Sentence("start.another_game_was_on", game=damaged.game_id))
        opened = self._with_its_actors(loop, restored, watchers=watchers)
        tables = opened.tables.tables
        # Tables hear of a freeze before those who only look on.
        loop.showing.show_to(Sentence("part.tables"), tables.show, expect=tables.expect)
        loop.showing.show_to(Sentence("part.pages"), feed.publish, expect=feed.expect)
        if restored is not None:
            for part, level, sentence in restored.news:
                loop.health.report(part, level, sentence)
            loop.begin(restored.events, [restored.restart.line()], ended_ns=restored.ended_ns)
            await self._arm_asked(opened)
            self._forget(loop)
            self._look_for_lost_games(loop, damaged, own_copy)
            return opened
        self._arming.open(game, time, tag=loop.reserve_seq())
        if (trouble := await loop.saves.on_disk()) is not None:
            folder = str(start.options.state_dir)
            raise DiskDoesNotAnswer(Sentence("start.no_game_armed", folder=folder, trouble=trouble))
        loop.begin(lines=None if damaged is None else [damaged.line()])
        self._forget(loop)
        self._look_for_lost_games(loop, damaged, own_copy)
        return opened

    def _keep_beat(self, game_id: str) -> None:
        """A heartbeat belongs to one game: that of another one must not be written over."""
        try:
            keep_beat(self._start.store, game_id)
        except OSError as error:
            log.warning("the last heartbeat of the game before could not be kept: %s", error)

    def _look_for_lost_games(self, loop: GameLoop, damaged: Damaged | None, own_copy: Path | None) -> None:
        """Besides the game that is on, and the one that it stands in for; on a thread: there may be many."""
        start, threads = self._start, self._start.runtime.threads
        but = {loop.game.game_id, *(() if damaged is None else (damaged.game_id,))}

        def work() -> None:
            found = missed(start.store, own_copy, but=but)
            if found:
                told = Sentence(
                    "list.sentences", sentences=tuple(known.told for known in found[:MOST_LOST_TOLD])
                )
                lost = Sentence("journal.games_lost", games=told, count=len(found))
                threads.call_on_loop(lambda: loop.report("lost games", "fault", lost))

        threads.run_in_thread(work, "looks for lost games")

    async def _arm_asked(self, opened: OpenGame) -> None:
        """Where the command line asks for another game than the one that was found, that one gives way; one
        that is under way goes on."""
        options, timers = self._start.options, self._start.runtime.timers
        asked, found = rules_from(self._start.settings), opened.loop.game.rules
        named = options.rule_set is not None or options.players is not None
        if named and (asked.name, asked.seats) != (found.name, found.seats):
            arm = PendingCommand("arm", None, Arm(), "system", at_ns=timers.boot_ns())
            answer = await opened.commands.carry_out(arm)
            if not answer.accepted:
                log.warning("The game that was found goes on: %s", " ".join(map(words, answer.reasons)))

    def _forget(self, loop: GameLoop) -> None:
        """Remove the games that are too old, and say so in the journal of the one that is on."""
        start = self._start
        try:
            gone = forget(
                start.store,
                keep_days=start.settings.journal.keep_days,
                wall=start.runtime.clock.wall(),
                second_copy=start.second_copy,
            )
        except OSError as error:
            loop.report("retention", "warning", Sentence("journal.not_forgotten", why=why(error)))
            return
        if gone:
            log.info("games removed after %s days: %s", start.settings.journal.keep_days, ", ".join(gone))
            loop.note({"forgotten": gone})

    def _with_its_actors(self, loop: GameLoop, restored: Restored | None, *, watchers: Watchers) -> OpenGame:
        start, runtime = self._start, self._start.runtime
        lease = Lease(loop=loop, obstacles=loop.obstacles, timers=runtime.timers)
        commands = CommandQueue(
            loop=loop,
            answers=Answers() if restored is None else restored.answers,
            arming=self._arming,
            timers=runtime.timers,
            tasks=runtime.tasks,
        )
        start.closing.push_async_callback(runtime.tasks.stop)
        times = PressTimes(loop=loop, timers=runtime.timers, stood_still=stood_still(restored))
        end = make_end(start, loop=loop, commands=commands, times=times)
        tables = make_tables(
            start,
            loop=loop,
            commands=commands,
            open_bus=self._open_bus,
            pressed=watchers.pressed,
            times=times,
        )
        start.closing.callback(tables.close)
        loop.metrics.family(tables.tables.figures)
        return OpenGame(loop, commands, lease, tables, end)

    def _time_after(self, restored: Restored) -> GameTime:
        now_ns = self._start.runtime.clock.boot_ns()
        return GameTime(anchor_boot_ns=now_ns, anchor_game_ns=restored.at_ns, rate=self._start.options.speed)


def _event(settings: Event) -> tuple[EventView, Sentence | None]:
    """The event as the pictures show it, and why it goes without its logo."""
    colours = list(settings.colours) or None
    try:
        logo, fault = read_logo(settings.logo) is not None, None
    except LogoFault as problem:
        logo, fault = False, problem.sentence
    return EventView(name=settings.name, logo=logo, colours=colours), fault
