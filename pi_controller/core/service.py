"""One running core from start to clean end: what build makes is wired, watched and closed here."""

import asyncio
import contextlib
import gc
import logging
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pi_controller.core.arming import Arming, DiskDoesNotAnswer
from pi_controller.core.asks import Asks
from pi_controller.core.beats import Beats
from pi_controller.core.build import (
    JournalFiles,
    Panel,
    computer_carers,
    hand_over_to,
    make_archive,
    make_arming,
    make_exports,
    make_facts,
    open_panel,
)
from pi_controller.core.button import ButtonWatch
from pi_controller.core.control_server import ControlServer
from pi_controller.core.copying import key_for_copy
from pi_controller.core.display import beside
from pi_controller.core.feed import Feed
from pi_controller.core.game_time import GameTime
from pi_controller.core.journal_news import JournalNews
from pi_controller.core.loop import GameLoop
from pi_controller.core.obstacles import Obstacles
from pi_controller.core.outputs import Outputs
from pi_controller.core.recovery import Restored
from pi_controller.core.shortfall import Shortfall, tell
from pi_controller.core.stand_in import ENDING, find
from pi_controller.core.supervise import EXIT_STATUS
from pi_controller.core.tables import Tables
from pi_controller.core.tables_build import OpenBus, TableParts, bus_opener, make_tables
from pi_controller.core.testing.build import make_machine, make_testing
from pi_controller.core.testing.testing import Testing
from pi_controller.core.timers import LoopTimers
from pi_controller.core.watching import Watched, watch
from pi_controller.hal.roles import Clock, HardwareError
from pi_controller.hal.system.systemd import Notices
from pi_controller.journal.heartbeat import HeartbeatWriter
from pi_controller.journal.store import Store
from pi_controller.journal.writer import JournalWriter
from pi_controller.protocol.options import CoreOptions
from pi_controller.protocol.paths import socket_path
from pi_controller.roster.store import FILE_NAME as ROSTER_NAME
from pi_controller.settings.sections import Settings

log = logging.getLogger(__name__)

CLOSE_JOURNAL_S = 1.0
CLOSE_EXPORTS_S = 0.3
"""A clean end takes at most 2 s in all, also with a stalled disk."""


class Service:
    """`start`, wait for `stopped`, then `stop`. `status` is the exit status, `refusal` forbids any start."""

    def __init__(
        self,
        options: CoreOptions,
        settings: Settings,
        *,
        store: Store,
        clock: Clock,
        notices: Notices,
        open_bus: OpenBus | None = None,
        shortfalls: tuple[Shortfall, ...] = (),
    ) -> None:
        self.status = 0
        self.refusal: HardwareError | None = None
        self.stopped = asyncio.Event()
        self._shortfalls = list(shortfalls)
        self._options = options
        self._settings = settings
        self._store, self._clock, self._notices = store, clock, notices
        copy = settings.journal.second_copy
        self._second_copy = Path(copy) if copy else None
        self._events = asyncio.get_running_loop()
        self._events.set_exception_handler(self._defect)
        self._hand_over = hand_over_to(self._events)
        self._timers = LoopTimers(self._events, clock)
        self._closing = contextlib.AsyncExitStack()
        self.panel: Panel | None = None
        """Open from `start` on."""
        self._loop: GameLoop | None = None
        self._parts: TableParts | None = None
        self._open_bus = open_bus or bus_opener(options, settings, clock)
        self._facts = make_facts(options, settings)
        self._obstacles = Obstacles()
        self._news = JournalNews(self._on_loop)
        self._exports = make_exports(store, clock, self._news)
        self._beats = Beats(clock)
        self._darken: Callable[[], None] = lambda: None

    @property
    def loop(self) -> GameLoop:
        """The game loop, once `start` is through; RuntimeError before."""
        if self._loop is None:
            raise RuntimeError("The game loop is there when start() has returned.")
        return self._loop

    @property
    def tables(self) -> Tables:
        """The table nodes, once `start` is through; RuntimeError before."""
        if self._parts is None:
            raise RuntimeError("The tables are there when start() has returned.")
        return self._parts.tables

    async def start(self) -> None:
        """Raises what its parts raise when they cannot start; call `stop` also then."""
        panel = self.panel = open_panel(
            self._settings,
            clock=self._clock,
            timers=self._timers,
            hand_over=self._hand_over,
            state_dir=self._options.state_dir,
            on_callback_error=self._callback_failed,
            facts=self._facts,
            make_do=self._options.unattended,
        )
        self._shortfalls += panel.shortfalls
        self._closing.callback(panel.close)
        self._darken = panel.outputs.darken
        feed = Feed(timers=self._timers)
        writer = self._open_writer()
        files = JournalFiles(self._store, writer, self._clock)
        arming = make_arming(self._options, self._settings, files=files, timers=self._timers)
        loop = await self._open_game(writer, arming=arming, outputs=panel.outputs, feed=feed)
        heartbeat = self._start_heartbeat()
        testing = self._make_testing(loop, panel)
        button = ButtonWatch(
            button=panel.button,
            qualifier=panel.qualifier,
            loop=loop,
            timers=self._timers,
            hand_over=self._hand_over,
            tap=testing.button_tap,
        )
        button.start()
        self._closing.callback(button.stop)
        server = await self._start_server(loop, panel, arming=arming, feed=feed, testing=testing)
        loop.metrics.gauge("watchers", feed.watchers)
        loop.metrics.gauge("journal_pending_lines", writer.pending)
        if panel.display is not None:
            beside(lambda: self._open_display(panel), "opens the display")
        # What was made for the start lives to the end: the collector need not look at it again during a game.
        gc.collect()
        gc.freeze()
        self._notices.ready(f"game {loop.game.game_id}")
        self._exports.start()
        self.tables.begin()
        self._look_after_the_computer(loop, panel, testing)
        self._watch(loop, panel, writer=writer, heartbeat=heartbeat, button=button, server=server)

    async def stop(self) -> None:
        """Clean end: lamps dark at once, journal closed, devices released."""
        self._notices.stopping()
        self._darken()
        await self._closing.aclose()
        self._notices.close()

    def give_up(self, sentence: str) -> None:
        """A part that the controller cannot do without is gone: leave, so that a fresh start can go on."""
        if self.status == 0:
            log.critical("%s; the controller ends so that it can be started afresh", sentence)
        self.status = EXIT_STATUS
        self.stopped.set()

    async def _open_game(
        self, writer: JournalWriter, *, arming: Arming, outputs: Outputs, feed: Feed
    ) -> GameLoop:
        """The game of the journal, paused; from an empty state folder a new one, once it is on the disk."""
        reading = self._notices.reading
        restored, damaged = find(self._store, self._clock, second_copy=self._second_copy, progress=reading)
        if damaged is not None:
            self._shortfalls.append(Shortfall("game", damaged.told()))
        if restored is not None:
            self._exports.go_on(restored.recovered)
            writer.continue_game(restored.recovered, restored.game.dice.seed)
            game, time = restored.game, self._time_after(restored)
        else:
            game, time = arming.make(ending=None if damaged is None else ENDING)
        loop = self._loop = GameLoop(
            game=game,
            time=time,
            session=secrets.token_hex(8),
            log=writer,
            timers=self._timers,
            outputs=outputs,
            audience={"the tables": self._show_tables, "the pages": feed.publish},
            answers=restored.answers if restored is not None else None,
            obstacles=self._obstacles,
        )
        self._beats.loop = loop
        self._closing.callback(loop.stop)
        arming.serve(loop)
        tell(loop.health, self._shortfalls)
        self._open_tables(loop, restored)
        if restored is not None:
            for part, level, sentence in restored.news:
                loop.health.report(part, level, sentence)
            loop.begin(restored.events, [("note", restored.note)])
        else:
            arming.open(game, time, tag=loop.reserve_seq())
            await self._on_disk(loop)
            loop.begin(lines=None if damaged is None else [damaged.line()])
        return loop

    def _show_tables(self, _picture: dict[str, Any]) -> None:
        """Tables hear of a freeze before those who only look on."""
        if self._parts is not None:
            self._parts.tables.show()

    def _open_tables(self, loop: GameLoop, restored: Restored | None) -> None:
        parts = self._parts = make_tables(
            self._options,
            self._settings,
            loop=loop,
            open_bus=self._open_bus,
            timers=self._timers,
            hand_over=self._hand_over,
            restored=restored,
        )
        self._closing.callback(parts.close)
        loop.metrics.family(parts.tables.figures)

    def _make_testing(self, loop: GameLoop, panel: Panel) -> Testing:
        if self._parts is None:
            raise RuntimeError("Tests of the hardware come after the tables.")
        testing = make_testing(
            make_machine(self._options, self._settings, simulation=panel.simulation, facts=self._facts),
            panel=panel,
            loop=loop,
            parts=self._parts,
            timers=self._timers,
            hand_over=self._hand_over,
            clock=self._clock,
        )
        self._closing.callback(testing.stop)
        return testing

    async def _start_server(
        self, loop: GameLoop, panel: Panel, *, arming: Arming, feed: Feed, testing: Testing
    ) -> ControlServer:
        asks = Asks(
            loop=loop,
            feed=feed,
            arming=arming,
            archive=make_archive(self._options.state_dir, self._second_copy, self._beats),
            timers=self._timers,
            hand_over=self._hand_over,
            tables=self.tables,
            testing=testing,
            show_pin=panel.outputs.show_pin,
            simulation=panel.simulation,
        )
        server = ControlServer(socket_path(self._options.state_dir), asks.answer)
        await server.start()
        self._closing.push_async_callback(server.stop)
        loop.metrics.gauge("control_clients", server.clients)
        return server

    def _open_display(self, panel: Panel) -> None:
        """On a thread of its own."""
        if panel.display is None:
            return
        try:
            display = panel.display.open()
        except HardwareError as error:
            refusal = error
            self._hand_over(lambda: self._without_display(refusal))
        else:
            self._hand_over(lambda: panel.outputs.replace_display(display))

    def _without_display(self, error: HardwareError) -> None:
        """The settings name one that is not there: an unattended start goes on without it, no other does."""
        if self._options.unattended:
            sentence = Shortfall("panel", f"Without display: {error}").told()
            self._on_loop(lambda loop: loop.report("no display", "fault", sentence))
        else:
            self.refusal = error
            self.stopped.set()

    def _time_after(self, restored: Restored) -> GameTime:
        now_ns = self._clock.boot_ns()
        return GameTime(anchor_boot_ns=now_ns, anchor_game_ns=restored.at_ns, rate=self._options.speed)

    async def _on_disk(self, loop: GameLoop) -> None:
        saved: asyncio.Future[str | None] = self._events.create_future()
        loop.ledger.when_saved(lambda trouble: None if saved.done() else saved.set_result(trouble))
        if (trouble := await saved) is not None:
            raise DiskDoesNotAnswer(f"No game can be armed in {self._options.state_dir}: {trouble}")

    def _open_writer(self) -> JournalWriter:
        self._closing.callback(self._exports.close, CLOSE_EXPORTS_S)
        writer = JournalWriter(
            self._store,
            boot_id=self._clock.boot_id,
            wall=self._clock.wall,
            now_ns=self._clock.boot_ns,
            on_saved=self._news.saved,
            on_trouble=self._news.trouble,
            on_mended=self._news.mended,
            on_lines=self._exports.put,
            second_copy=self._second_copy,
            copy_beat=self._beats,
            copy_beside=(self._options.state_dir / ROSTER_NAME,),
            pairing=key_for_copy(self._options.state_dir, self._second_copy, self._news.trouble),
        )
        self._closing.callback(writer.close, CLOSE_JOURNAL_S)
        self._beats.writer = writer
        return writer

    def _start_heartbeat(self) -> HeartbeatWriter:
        heartbeat = HeartbeatWriter(
            self._store.heartbeat_path,
            now=self._beats,
            boot_id=self._clock.boot_id,
            now_ns=self._clock.boot_ns,
            on_trouble=self._news.trouble,
            on_mended=self._news.mended,
        )
        heartbeat.start()
        self._closing.callback(heartbeat.stop, 0.2)
        return heartbeat

    def _watch(
        self,
        loop: GameLoop,
        panel: Panel,
        *,
        writer: JournalWriter,
        heartbeat: HeartbeatWriter,
        button: ButtonWatch,
        server: ControlServer,
    ) -> None:
        watched = Watched(
            loop=loop,
            outputs=panel.outputs,
            writer=writer,
            exports=self._exports,
            heartbeat=heartbeat,
            button=button,
            server=server,
            parts=self._parts,
            restart_display=(lambda: self._restart_display(panel)) if panel.display is not None else None,
        )
        rounds, watchdog = watch(
            watched,
            lost_part_ns=round(self._settings.core.lost_part_seconds * 1e9),
            timers=self._timers,
            notices=self._notices,
            give_up=self.give_up,
        )
        self._closing.callback(watchdog.stop)
        self._closing.callback(rounds.stop)

    def _look_after_the_computer(self, loop: GameLoop, panel: Panel, testing: Testing) -> None:
        carers = computer_carers(
            self._settings,
            panel,
            facts=self._facts,
            loop=loop,
            obstacles=self._obstacles,
            timers=self._timers,
            hand_over=self._hand_over,
            outputs_free=lambda: testing.lease.holding is None,
        )
        for carer in carers:
            self._closing.callback(carer.stop)
            carer.begin()

    def _restart_display(self, panel: Panel) -> None:
        if panel.outputs.display is not None:
            beside(panel.outputs.display.close, "closes the display")
        beside(lambda: self._open_display(panel), "opens the display")

    def _defect(self, events: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Something on the loop raised what nobody expected: what was asked is lost, the game goes on."""
        events.default_exception_handler(context)
        if self._loop is not None:
            self._loop.defect(str(context.get("exception") or context.get("message")))

    def _callback_failed(self, error: Exception) -> None:
        sentence = (
            f"The pause button's listener failed once ({error}); presses still count; tell the technician."
        )
        self._on_loop(lambda loop: loop.report("callback", "warning", sentence))

    def _on_loop(self, act: Callable[[GameLoop], None]) -> None:
        self._hand_over(lambda: act(self._loop) if self._loop is not None else None)
