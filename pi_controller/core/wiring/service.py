"""One core from start to clean end."""

import asyncio
import contextlib
import gc
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from pi_controller import software
from pi_controller.bus.values import SegmentPort
from pi_controller.core.button import ButtonChooser, ButtonWatch, keep_choice
from pi_controller.core.game_loop.commands import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop, JournalNews
from pi_controller.core.game_loop.recovery import Chosen, Shortfall, choose
from pi_controller.core.hardware_test.firmware import FirmwareUpdate
from pi_controller.core.hardware_test.news import ButtonTap, Watchers
from pi_controller.core.hardware_test.parts import ComputerUnderTest, Parts, Work
from pi_controller.core.hardware_test.storage import ReportStore, check_disk, check_line
from pi_controller.core.hardware_test.testing import Testing
from pi_controller.core.monitoring import (
    Computer,
    Facts,
    HealthMonitor,
    PowerOff,
    request_power_off,
    runtime_folder,
)
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.panel.simulation import Simulation
from pi_controller.core.runtime import EXIT_STATUS, SupervisedPart, Supervisor, Watchdog
from pi_controller.core.server.requests import Feed, RequestHandler
from pi_controller.core.server.settings import SettingsRequests
from pi_controller.core.server.stick import CopyDecision, StickJob
from pi_controller.core.sound.speaker import Speaker
from pi_controller.core.tables.claims import SeatClaims
from pi_controller.core.tables.tables import Tables
from pi_controller.core.wiring.devices import (
    CoreStart,
    DisplayOpener,
    OpenBus,
    PanelDevices,
    all_simulated,
    build_firmware,
    bus_opener,
    firmware_version,
    make_facts,
    manner,
    open_panel,
    open_speaker,
    render_order,
    running,
    segments,
    wired_contacts,
)
from pi_controller.core.wiring.game import (
    GameOpener,
    JournalWriters,
    OpenGame,
    event_view,
    make_archive,
    make_hall_requests,
    make_seats,
    open_journal,
    prepared_codes,
)
from pi_controller.defects import named
from pi_controller.hal.ina226 import Ina226
from pi_controller.hal.roles import Clock, CurrentSensor, HardwareError, Sound
from pi_controller.hal.serial.port import PortFacts, survey
from pi_controller.hal.sim.machine import LONG_MS, SHORT_MS, SimAdapters, SimDisk, SimIna226, SimSound
from pi_controller.hal.system import logs
from pi_controller.hal.system.facts import process_figures
from pi_controller.hal.system.kernel import Notices
from pi_controller.journal.copies import CannotRestore
from pi_controller.journal.files import DiskFiles
from pi_controller.journal.heartbeat import HeartbeatWriter
from pi_controller.journal.store import Store
from pi_controller.journal.writer import JournalWriter
from pi_controller.language.words import load_all, own_words, words
from pi_controller.protocol.messages import OF_LINKS, Request, decode_request
from pi_controller.protocol.options import CoreOptions
from pi_controller.protocol.paths import links_socket, socket_path
from pi_controller.protocol.probes import Fitted, PortView
from pi_controller.protocol.sentences import view
from pi_controller.protocol.server import LineServer
from pi_controller.protocol.simulated import SimAction
from pi_controller.roster.seat_codes import SeatCodes
from pi_controller.sentence import Sentence, sentence_of
from pi_controller.settings.overlay import LayeredSettings
from pi_controller.settings.sections import Settings
from pi_controller.settings.standing import HallRole

# Settings and devices to the tests of the hardware.


def _faults(
    sound: SimSound, *, disk: SimDisk, journal_disk: SimDisk, adapters: SimAdapters
) -> dict[SimAction, Callable[[], object]]:
    def disks(*, slow: bool = False, damaged: bool = False, journal: bool = False) -> None:
        disk.spoil(slow=slow, damaged=damaged)
        journal_disk.spoil(damaged=journal)

    return {
        "disk_slow": lambda: disks(slow=True),
        "disk_damaged": lambda: disks(damaged=True),
        "journal_damaged": lambda: disks(journal=True),
        "disk_mend": disks,
        "sound_dead": lambda: sound.pull(dead=True),
        "sound_mend": lambda: sound.pull(dead=False),
        "latency_long": lambda: adapters.set_latency(LONG_MS),
        "latency_mend": lambda: adapters.set_latency(SHORT_MS),
        "port_held": lambda: adapters.hold(held=True),
        "port_free": lambda: adapters.hold(held=False),
    }


def make_machine(
    options: CoreOptions,
    settings: Settings,
    *,
    simulation: Simulation | None,
    facts: Facts,
    sound: Sound | None = None,
) -> ComputerUnderTest:
    """What is tested besides panel and tables. `sound` is the speaker's card, if it is a real one. Where all
    is simulated, disk and ports are, too; their faults are added to `simulation`, for its watchers to set."""
    if settings.hardware.sound == "sim":
        sound = SimSound()
    disk: DiskFiles = DiskFiles()
    journal_disk: DiskFiles = DiskFiles()
    look_at_port: Callable[[Path], PortFacts] = survey
    if simulation is not None and all_simulated(settings):
        disk, journal_disk, adapters = SimDisk(), SimDisk(), SimAdapters()
        look_at_port = adapters.facts
        spoilt = sound if isinstance(sound, SimSound) else SimSound()
        simulation.add(_faults(spoilt, disk=disk, journal_disk=journal_disk, adapters=adapters))
    store, ports = Store(options.state_dir), segments(options, settings)
    reports = ReportStore(options.state_dir, files=DiskFiles())
    return ComputerUnderTest(
        check_line=lambda game_id, token: check_line(store.folder(game_id), token, files=journal_disk),
        check_disk=lambda writes, size: check_disk(options.state_dir, writes=writes, size=size, files=disk),
        facts=facts.read,
        ports=lambda: [port_view(segment, look_at_port(Path(segment.port))) for segment in ports],
        fitted=_fitted(settings, ports),
        sound=sound,
        reports=reports,
        current=_current(settings, simulation),
    )


def _current(settings: Settings, simulation: Simulation | None) -> CurrentSensor | None:
    at = settings.panel_current
    if settings.hardware.panel_current == "ina226":
        return Ina226(port=at.i2c_port, address=at.i2c_address)
    if settings.hardware.panel_current == "none" or simulation is None:
        return None
    chip = SimIna226(simulation.power, address=at.i2c_address)
    return Ina226(port=at.i2c_port, address=at.i2c_address, open_bus=lambda _port: chip)


def _fitted(settings: Settings, ports: tuple[SegmentPort, ...]) -> Fitted:
    simulated = settings.hardware.sound == "sim"
    device = settings.sound.device
    return Fitted(
        simulated=all_simulated(settings),
        contacts=wired_contacts(settings),
        buzzer=settings.buzzer.enabled,
        longest_tone_ms=settings.buzzer.longest_tone_ms,
        display=None if settings.hardware.display == "none" else settings.display.controller,
        sound="simulated" if simulated else None if device == "none" else device,
        segments=[segment.name for segment in ports],
        baud=settings.tables.baud,
        second_copy=bool(settings.journal.second_copy),
        panel_current=settings.hardware.panel_current != "none",
    )


def port_view(segment: SegmentPort, facts: PortFacts) -> PortView:
    """A port with the sentence that says what is wrong with it; None: nothing is."""
    sentence = None
    if not facts.present:
        sentence = Sentence("test.port_gone", port=segment.port, segment=segment.name)
    elif facts.holder is not None:
        pid, name = facts.holder.pid, facts.holder.name
        sentence = (
            Sentence("test.port_held_by", pid=pid, name=name, segment=segment.name)
            if name
            else Sentence("test.port_held", pid=pid, segment=segment.name)
        )
    return PortView(
        segment=segment.name,
        port=segment.port,
        present=facts.present,
        driver=facts.driver,
        latency_timer_ms=facts.latency_timer_ms,
        holder=facts.holder,
        sentence=None if sentence is None else words(sentence),
        sentence_key=None if sentence is None else view(sentence),
    )


LAST_LINES_S = 0.25
"""Time for the last journal lines, of the 0.3 s that the watchdog allows."""


def make_safe(loop: GameLoop, outputs: Outputs, writer: JournalWriter) -> None:
    """Called when the loop hangs and the process ends: outputs off, and decided changes on the disk."""
    outputs.darken()
    loop.saves.hand_over_at_last()
    writer.close(LAST_LINES_S)


log = logging.getLogger(__name__)

NEVER_PROMOTED = HallRole()


class Service:
    """Use: `start`, wait for `stopped`, `stop`, then take over what was `chosen`. `status` is the exit
    status; `refusal` prevents any start."""

    def __init__(
        self,
        options: CoreOptions,
        settings: LayeredSettings,
        *,
        store: Store,
        clock: Clock,
        notices: Notices,
        open_bus: OpenBus | None = None,
        shortfalls: tuple[Shortfall, ...] = (),
        standing: HallRole = NEVER_PROMOTED,
    ) -> None:
        self.status = 0
        self.refusal: HardwareError | None = None
        self.chosen: Chosen | None = None
        """The game of a copy that is to be put in place after everything is closed."""
        self.stopped = asyncio.Event()
        self.panel: PanelDevices | None = None
        """Open from `start` on."""
        self._shortfalls = list(shortfalls)
        self._opening_display = False
        self._runtime = running(clock)
        self._runtime.events.set_exception_handler(self._defect)
        self._start = CoreStart(
            options, settings, store, notices, self._runtime, contextlib.AsyncExitStack(), standing
        )
        self._facts = make_facts(options, settings.settings)
        self._open_bus = open_bus or bus_opener(options, settings.settings, clock)
        self._game: OpenGame | None = None
        self._servers: tuple[LineServer[Request], ...] = ()

    @property
    def game(self) -> OpenGame:
        """The game. Raises RuntimeError before `start` has finished."""
        if self._game is None:
            raise RuntimeError("The game is there when start() has returned.")
        return self._game

    @property
    def loop(self) -> GameLoop:
        return self.game.loop

    @property
    def commands(self) -> CommandQueue:
        return self.game.commands

    @property
    def tables(self) -> Tables:
        return self.game.tables.tables

    async def start(self) -> None:
        """Start all parts. Raises what they raise; call `stop` then too."""
        start, timers = self._start, self._runtime.timers
        panel = self.panel = open_panel(
            start.settings,
            clock=self._runtime.clock,
            timers=timers,
            threads=self._runtime.threads,
            state_dir=start.options.state_dir,
            on_callback_error=self._callback_failed,
            facts=self._facts,
            make_do=start.options.unattended,
        )
        self._shortfalls += panel.shortfalls
        start.closing.callback(panel.close)
        feed, tap = Feed(timers=timers), ButtonTap(outputs=panel.outputs, timers=timers)
        watchers = Watchers(tap=tap, button=panel.button, shutdown=panel.shutdown_button, timers=timers)
        journal = open_journal(start, JournalNews(self._runtime.threads))
        opener = GameOpener(start, journal, shortfalls=self._shortfalls, open_bus=self._open_bus)
        game = self._game = await opener.open(panel, feed=feed, watchers=watchers)
        heartbeat = journal.start_heartbeat(self._look_at_sockets)
        speaker = open_speaker(start, game.loop)
        testing = self._make_testing(panel, tap, watchers, speaker)
        button = self._watch_the_button(panel, tap)
        firmware = self._make_firmware(testing)
        await self._start_servers(
            panel, journal, feed=feed, testing=testing, firmware=firmware, speaker=speaker
        )
        game.loop.metrics.gauge("watchers", feed.watchers)
        game.loop.metrics.gauge("journal_pending_lines", journal.writer.pending)
        game.loop.metrics.family(partial(logs.figures, "core"))
        open_display = None if panel.display is None else partial(self._open_display, panel, panel.display)
        if open_display is not None:
            open_display()
        # Objects made for the start live to the end: the garbage collector need not visit them.
        gc.collect()
        gc.freeze()
        start.notices.ready(f"game {game.loop.game.game_id}")
        journal.exports.start()
        self._runtime.threads.run_in_thread(_read_ahead, "catalogues")
        game.tables.tables.begin()
        self._look_after_the_computer(panel, journal, testing)
        self._watch(journal, panel.outputs, heartbeat, button, open_display)

    async def stop(self) -> None:
        """Clean end: lamps off at once, journal closed, devices released."""
        self._start.notices.stopping()
        if self.panel is not None:
            self.panel.outputs.darken()
        await self._start.closing.aclose()
        self._start.notices.close()

    def _choose_from_copy(self, game_id: str) -> Chosen:
        """Choose a game of the copy; on a thread. Raises JournalError, OSError."""
        copy = self._start.second_copy
        if copy is None:
            raise CannotRestore(Sentence("restore.no_folder_named"))
        return choose(self._start.options.state_dir, copy, game_id)

    def _leave_for(self, chosen: Chosen) -> None:
        """End core, so that this game is put in place before the next start."""
        log.warning("the controller ends, and goes on with game %s of the copy", chosen.copied.game_id)
        self.chosen, self.status = chosen, EXIT_STATUS
        self.stopped.set()

    def _start_again(self) -> None:
        """End core, so that its next start uses all settings."""
        log.info("the controller ends, and starts again with the settings as they are now")
        self.status = EXIT_STATUS
        self.stopped.set()

    def _use(
        self,
        panel: PanelDevices,
        speaker: Speaker | None,
        seats: SeatClaims,
        codes: SeatCodes | None,
        settings: Settings,
    ) -> None:
        """Put in force what is not read at a start alone (`settings.overlay.ON_PAGES`)."""
        languages, sound = settings.hall.languages, settings.sound
        self.game.arming.use(settings)
        seats.use(codes if settings.tables.seat_codes else None)
        panel.outputs.speak(languages[0])
        self.tables.use(brightness=settings.tables.brightness, languages=languages)
        self.loop.use(
            languages,
            event_view(settings.event),
            close_after_minutes=settings.game.close_after_minutes,
        )
        if speaker is not None:
            order = render_order(str(self._start.options.state_dir), settings)
            speaker.use(
                manner(settings),
                order,
                volume_percent=sound.volume_percent,
                ducking_db=sound.ducking_db,
            )
        self.loop.changed()

    def give_up(self, sentence: str) -> None:
        """End core because an indispensable part is gone, so that a fresh start can continue."""
        if self.status == 0:
            log.critical("%s; the controller ends so that it can be started afresh", sentence)
        self.status = EXIT_STATUS
        self.stopped.set()

    def _make_testing(
        self, panel: PanelDevices, tap: ButtonTap, watchers: Watchers, speaker: Speaker | None
    ) -> Testing:
        start, runtime, game = self._start, self._runtime, self.game
        parts = Parts(
            outputs=panel.outputs,
            tap=tap,
            watchers=watchers,
            bus=game.tables.bus,
            machine=make_machine(
                start.options, start.settings, simulation=panel.simulation, facts=self._facts, sound=speaker
            ),
            loop=game.loop,
            work=Work(loop=game.loop, timers=runtime.timers, threads=runtime.threads),
            timers=runtime.timers,
            threads=runtime.threads,
            clock=runtime.clock,
            state_dir=start.options.state_dir,
        )
        testing = Testing(
            loop=game.loop,
            timers=runtime.timers,
            tasks=runtime.tasks,
            table_tap=game.tables.tap,
            parts=parts,
        )
        self.loop.showing.show_to(Sentence("part.test"), testing.shown)
        start.closing.callback(testing.stop)
        return testing

    def _make_firmware(self, testing: Testing) -> FirmwareUpdate:
        tables, runtime = self.game.tables, self._runtime
        firmware = FirmwareUpdate(
            loop=self.loop,
            timers=runtime.timers,
            threads=runtime.threads,
            testing=testing,
            bus=tables.bus,
            keeper=tables.tables.keeper,
            version=firmware_version,
            build=partial(build_firmware, self._start.options.state_dir),
        )
        tables.tap.tell(firmware.pressed)
        return firmware

    def _watch_the_button(self, panel: PanelDevices, tap: ButtonTap) -> ButtonWatch:
        button = ButtonWatch(
            button=panel.button,
            qualifier=panel.qualifier,
            loop=self.loop,
            commands=self.commands,
            timers=self._runtime.timers,
            threads=self._runtime.threads,
            tap=tap,
        )
        button.start()
        self._start.closing.callback(button.stop)
        return button

    async def _start_servers(
        self,
        panel: PanelDevices,
        journal: JournalWriters,
        *,
        feed: Feed,
        testing: Testing,
        firmware: FirmwareUpdate,
        speaker: Speaker | None,
    ) -> None:
        """Start the control socket and, with several halls, the socket of the links process."""
        start = self._start
        stick = StickJob(start.options.state_dir, timers=self._runtime.timers, threads=self._runtime.threads)
        start.closing.callback(stick.stop)
        copy = CopyDecision(
            loop=self.loop,
            threads=self._runtime.threads,
            choose=self._choose_from_copy,
            leave=self._leave_for,
            use=journal.writer.write_copy_all_the_same,
        )
        codes = prepared_codes(start, self.loop)
        seats = make_seats(start, codes, loop=self.loop, commands=self.commands, tables=self.tables)
        requests = RequestHandler(
            loop=self.loop,
            commands=self.commands,
            feed=feed,
            archive=make_archive(start.options.state_dir, start.second_copy, journal.writer),
            timers=self._runtime.timers,
            tasks=self._runtime.tasks,
            threads=self._runtime.threads,
            tables=self.tables,
            testing=testing,
            firmware=firmware,
            outputs=panel.outputs,
            seats=seats,
            stick=stick,
            copy=copy,
            settings=SettingsRequests(
                start.layers,
                folder=start.options.state_dir,
                loop=self.loop,
                threads=self._runtime.threads,
                take=partial(self._use, panel, speaker, seats, codes),
                start_again=self._start_again,
            ),
            chooser=ButtonChooser(
                panel.usb,
                keep=partial(keep_choice, start.options.state_dir),
                threads=self._runtime.threads,
            ),
            halls=make_hall_requests(start, self.game.end),
            simulation=panel.simulation,
            speaker=speaker,
        )
        folder = start.options.state_dir
        server = LineServer(socket_path(folder), decode=decode_request, answer=requests.answer)
        of_links = partial(decode_request, only=OF_LINKS)
        links = LineServer(links_socket(folder), decode=of_links, answer=requests.answer)
        self._servers = (server,) if self.game.end is None else (server, links)
        for each in self._servers:
            await each.start()
            start.closing.push_async_callback(each.stop)
        self.loop.metrics.gauge("control_clients", server.clients)

    def _look_after_the_computer(
        self, panel: PanelDevices, journal: JournalWriters, testing: Testing
    ) -> None:
        """Start watching the computer, and its power button if fitted."""
        start, game, timers = self._start, self.game, self._runtime.timers
        computer = Computer(
            self._facts,
            loop=game.loop,
            obstacles=game.loop.obstacles,
            timers=timers,
            threads=self._runtime.threads,
            web=start.options.state_dir / "web",
            clock=self._runtime.clock,
            newest_wall=lambda: journal.writer.newest_wall,
        )
        start.closing.callback(computer.stop)
        computer.begin()
        game.loop.metrics.family(computer.figures)
        game.loop.metrics.family(partial(process_figures, "core"))
        if panel.shutdown_button is None:
            return
        simulated = start.settings.hardware.shutdown_button == "sim"
        power_off = PowerOff(
            panel.shutdown_button,
            outputs=panel.outputs,
            loop=game.loop,
            timers=timers,
            hold_ns=round(start.settings.shutdown_button.hold_seconds * 1e9),
            request=lambda: request_power_off(runtime_folder(), simulated=simulated),
            free=lambda: testing.holding is None,
        )
        start.closing.callback(power_off.stop)
        power_off.begin()

    def _look_at_sockets(self) -> None:
        """Called on the heartbeat's thread."""
        for server in self._servers:
            server.look()

    def _watch(
        self,
        journal: JournalWriters,
        outputs: Outputs,
        heartbeat: HeartbeatWriter,
        button: ButtonWatch,
        open_display: Callable[[], None] | None,
    ) -> None:
        """Supervision: which parts are watched, and what is done if one falls silent."""
        loop, bus, timers, writer = self.loop, self.game.tables.bus, self._runtime.timers, journal.writer
        lost_part_ns = round(self._start.settings.core.lost_part_seconds * 1e9)
        supervisor = Supervisor(lost_part_ns=lost_part_ns, give_up=self.give_up)
        watchdog = Watchdog(
            timers=timers, limit_ns=lost_part_ns, make_safe=partial(make_safe, loop, outputs, writer)
        )

        def beats(
            name: str, beat_ns: Callable[[], int | None], restart: Callable[[], None] | None = None
        ) -> None:
            supervisor.add(SupervisedPart(name, beat_ns, restart=restart))

        def lives(name: str, alive: Callable[[], bool], restart: Callable[[], None] | None = None) -> None:
            """A part that can only say whether it is alive."""
            beats(name, lambda: timers.boot_ns() if alive() else None, restart)

        lives("the journal writer", writer.alive)
        lives("the heartbeat writer", heartbeat.alive)
        lives("the control server", lambda: all(server.serving() for server in self._servers))
        beats("the game clock", lambda: timers.boot_ns() - loop.overdue_ns())
        lives("the room picture", lambda: loop.showing.pictured)
        beats("the button watch", button.beat_ns, button.poll)
        lives("the exports", journal.exports.alive, journal.exports.start)
        if open_display is not None:
            beats(
                "the local display",
                lambda: outputs.display.beat_ns() if outputs.display else timers.boot_ns(),
                open_display,
            )
        beats("the table nodes' segments", bus.beat_ns, bus.revive)
        lives("the loop's watchdog", watchdog.alive)
        watchdog.start()
        self._start.closing.callback(watchdog.stop)
        monitor = HealthMonitor(
            loop=loop,
            outputs=outputs,
            supervisor=supervisor,
            watchdog=watchdog,
            notices=self._start.notices,
            timers=timers,
        )
        self._start.closing.callback(monitor.stop)
        monitor.go()
        loop.metrics.gauge("restarts", supervisor.restarts)

    def _open_display(self, panel: PanelDevices, device: DisplayOpener) -> None:
        """Open the display, in place of an open one. On a thread, and one at a time, so that a hanging driver
        keeps one thread only."""
        before = panel.outputs.display

        def work() -> None:
            try:
                if before is not None:
                    before.close()
                self._open_on_thread(panel, device)
            finally:
                self._runtime.threads.call_on_loop(self._display_opened)

        if not self._opening_display:
            self._opening_display = True
            self._runtime.threads.run_in_thread(work, "opens the display")

    def _open_on_thread(self, panel: PanelDevices, device: DisplayOpener) -> None:
        try:
            display = device.open()
        except HardwareError as error:
            refusal = error
            self._runtime.threads.call_on_loop(lambda: self._without_display(refusal))
        else:
            self._runtime.threads.call_on_loop(lambda: panel.outputs.replace_display(display))

    def _display_opened(self) -> None:
        """Opening has ended, successfully or not; it may be tried again."""
        self._opening_display = False

    def _without_display(self, error: HardwareError) -> None:
        """The display in the settings is missing: an unattended start continues without it, others do not."""
        if self._start.options.unattended:
            without = Sentence("start.without", parts=Sentence("panel.display"), why=sentence_of(error))
            self.loop.report("no display", "fault", Shortfall("panel", without).told())
        else:
            self.refusal = error
            self.stopped.set()

    def _defect(self, events: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Exception handler of the loop: reports a defect; the game goes on."""
        events.default_exception_handler(context)
        error = context.get("exception")
        what = str(context.get("message")) if error is None else named(error)
        self._on_loop(lambda loop: loop.defect(what))

    def _callback_failed(self, error: Exception) -> None:
        sentence = Sentence("button.listener_failed", why=str(error))
        self._runtime.threads.call_on_loop(
            lambda: self._on_loop(lambda loop: loop.report("callback", "warning", sentence))
        )

    def _on_loop(self, act: Callable[[GameLoop], None]) -> None:
        """Call `act` on the loop with the game loop; does nothing before there is a game."""
        if self._game is not None:
            act(self._game.loop)


def _read_ahead() -> None:
    """Load modules that the first requests need, on one thread, while the start finishes."""
    load_all()
    for own in own_words():
        for problem in own.left_out():
            log.warning("%s", words(problem))
    software.reckon()
