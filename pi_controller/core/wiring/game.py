"""The game of the state folder with its journal and everything that acts on it."""

import hashlib
import logging
import platform
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pi_controller.core.following import Follower, Leader
from pi_controller.core.game_loop.commands import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop, JournalNews
from pi_controller.core.game_loop.opening import SEED_BYTES, Arming, CannotArm, DiskDoesNotAnswer, rules_from
from pi_controller.core.game_loop.pending import KeptAnswers, PendingCommand
from pi_controller.core.game_loop.picture import KNOWN_GAME, GameTime
from pi_controller.core.game_loop.recovery import (
    ENDING,
    Damaged,
    Restored,
    Shortfall,
    find,
    passed_over,
    sight_of,
    tell,
)
from pi_controller.core.hardware_test.news import Watchers
from pi_controller.core.server.requests import Archive, Feed, HallRequests
from pi_controller.core.tables.claims import PressTimes, SeatClaims
from pi_controller.core.tables.tables import Tables
from pi_controller.core.wiring.devices import (
    CoreStart,
    OpenBus,
    PanelDevices,
    TableParts,
    make_tables,
    stood_still,
)
from pi_controller.game.game import Game
from pi_controller.hal.roles import Clock
from pi_controller.journal.copies import Owner, SecondCopy, controller_id
from pi_controller.journal.errors import JournalError, Trouble
from pi_controller.journal.exports import Exports, export_lines
from pi_controller.journal.files import DiskFiles
from pi_controller.journal.heartbeat import HeartbeatValue, HeartbeatWriter
from pi_controller.journal.pairing import PairingFault, PairingKey, read_key
from pi_controller.journal.record import Record
from pi_controller.journal.seals import Evening, read_armed
from pi_controller.journal.store import private_folder
from pi_controller.journal.witnesses import forget, games, keep_beat, missed
from pi_controller.journal.writer import JournalWriter
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.protocol.commands import Arm
from pi_controller.protocol.messages import AskKeepTerm, LinkAnswer
from pi_controller.protocol.picture import EventView
from pi_controller.roster.seat_codes import SeatCodes
from pi_controller.roster.store import ROSTER_FILE as ROSTER_NAME
from pi_controller.sentence import Sentence, sentence_of
from pi_controller.settings.event import LogoFault, read_logo
from pi_controller.settings.sections import EventSettings
from pi_controller.settings.standing import COPY_NAME, believed, keep_standing, signed

# Halls: what this core is among several.


log = logging.getLogger(__name__)

SERIAL = Path("/sys/firmware/devicetree/base/serial-number")
"""The serial number of a Raspberry Pi."""


def make_hall_requests(start: CoreStart, end: Leader | Follower | None) -> HallRequests:
    """Make the requests of the links process. This controller's identity is its state folder on this
    computer, since a card may be copied. Raises OSError."""
    folder, key = start.options.state_dir, _lease_key(start.options.state_dir)
    drawn = controller_id(folder)
    serial = SERIAL.read_bytes() if SERIAL.exists() else b""
    lease = believed(start.standing, controller=drawn, lease_key=key)

    def keep(asked: AskKeepTerm) -> None:
        kept = replace(start.standing, term=asked.term, over=tuple(asked.over))
        keep_standing(folder, kept if key is None else signed(kept, controller=drawn, lease_key=key))

    own = LinkAnswer(
        id=0,
        controller=hashlib.sha256(drawn.encode() + serial).hexdigest()[:16],
        term=lease.term,
        over=lease.over,
        lease_key=key,
    )
    runtime = start.runtime
    return HallRequests(end, tasks=runtime.tasks, threads=runtime.threads, own=own, keep=keep)


def _lease_key(state_dir: Path) -> str | None:
    """The key with which this controller proves its term. An unusable key is reported with the second
    copy."""
    try:
        key = read_key(state_dir)
    except (PairingFault, OSError) as error:
        log.warning("there is no pairing key for the halls: %s", error)
        return None
    return None if key is None else key.lease_key()


def make_end(
    start: CoreStart, *, loop: GameLoop, commands: CommandQueue, times: PressTimes
) -> Leader | Follower | None:
    """Make the leader's or follower's part and connect the loop with it. None for a hall that plays alone."""
    links, timers = start.settings.links, start.runtime.timers
    role = start.standing.role(links)
    if role == "none":
        return None
    if role == "follower":
        follower = Follower(hall=links.hall, loop=loop, timers=timers)
        loop.follow(follower)
        loop.metrics.family(follower.figures)
        start.closing.callback(follower.stop)
        return follower
    leader = Leader(hall=links.hall, loop=loop, commands=commands, times=times, timers=timers)
    loop.lead(leader.view, named=links.hall if start.standing.promoted else None)
    start.closing.callback(leader.stop)
    return leader


# Phones: claims with a seat code.


def prepared_codes(start: CoreStart, loop: GameLoop) -> SeatCodes | None:
    """The seat codes, also where phones may not claim yet. None if their key cannot be used, which the health
    tells."""
    codes = SeatCodes(start.options.state_dir)
    try:
        codes.prepare()
    except (OSError, ValueError) as error:
        loop.report("seat codes", "warning", Sentence("claim.seat_codes_unreadable", why=str(error)))
        return None
    return codes


def make_seats(
    start: CoreStart, codes: SeatCodes | None, *, loop: GameLoop, commands: CommandQueue, tables: Tables
) -> SeatClaims:
    """Phone claims are off if the settings say so."""
    return SeatClaims(
        loop=loop,
        commands=commands,
        timers=start.runtime.timers,
        threads=start.runtime.threads,
        keeper=tables.keeper,
        codes=codes if start.settings.tables.seat_codes else None,
    )


# Contents of the heartbeat, collected when it is written.


class Beats:
    """Called on the heartbeat's threads. Gives None until there is a loop with its game, and a writer."""

    def __init__(self, clock: Clock) -> None:
        self._of: tuple[GameLoop, JournalWriter] | None = None
        self._clock = clock

    def tell_of(self, loop: GameLoop, writer: JournalWriter) -> None:
        """Use this loop and writer from now on."""
        self._of = loop, writer

    def __call__(self) -> HeartbeatValue | None:
        if self._of is None:
            return None
        loop, writer = self._of
        # Read the journal's position first, then the game, then the time: a change in between is then newer
        # than the journal, never older.
        game_id, lines, saved = writer.progress()
        lines += loop.saves.held()  # at least one line each, and the hall sees them
        game, time = loop.game, loop.time
        boot_ns = self._clock.boot_ns()
        if game_id != game.game_id:
            lines = saved = 0  # the next game is being armed: the old one's lines are complete
        game_ns = time.game_ns(boot_ns)
        sight = sight_of(game, game_ns, lines=lines, saved=saved)
        return HeartbeatValue(game.game_id, loop.seq, game_ns, boot_ns, sight)


# Second copy: the key that seals the game's seed in it.


def key_for_copy(
    state_dir: Path, second_copy: Path | None, on_trouble: Callable[[Trouble], None]
) -> PairingKey | None:
    """The pairing key; None if there is nothing to seal. An unusable key is reported and does not prevent a
    start: the game itself needs none."""
    if second_copy is None:
        return None
    try:
        key = read_key(state_dir)
    except PairingFault as fault:
        sentence = Sentence("journal.copy_without_seed", why=sentence_of(fault))
        on_trouble(Trouble(sentence, fatal=False, part="pairing"))
        return None
    except OSError as error:
        sentence = Sentence("journal.pairing_key_unreadable", why=why(error))
        on_trouble(Trouble(sentence, fatal=False, part="pairing"))
        return None
    if key is None:
        log.warning("the second copy holds no seed for a spare: `pi-controller pair new` makes a key")
    return key


# Journal of the state folder, with its writers and readers.


CLOSE_JOURNAL_S = 1.0
CLOSE_EXPORTS_S = 0.3
CLOSE_HEARTBEAT_S = 0.2
"""Part of the 2 s that a clean end may take, also with a stalled disk."""


@dataclass(frozen=True, slots=True)
class JournalWriters:
    """The writers; closed by `start.closing`."""

    start: CoreStart
    writer: JournalWriter
    exports: Exports
    beats: Beats
    news: JournalNews
    evening: Evening
    owner: Owner

    def start_heartbeat(self, look_beside: Callable[[], None]) -> HeartbeatWriter:
        """Start the heartbeat."""
        clock = self.start.runtime.clock
        heartbeat = HeartbeatWriter(
            self.start.store.heartbeat_path,
            now=self.beats,
            boot_id=clock.boot_id,
            now_ns=clock.boot_ns,
            on_trouble=self.news.trouble,
            on_mended=self.news.mended,
            look_beside=look_beside,
        )
        heartbeat.start()
        self.start.closing.callback(heartbeat.stop, CLOSE_HEARTBEAT_S)
        return heartbeat

    def own_copy(self) -> Path | None:
        """The second copy, if it is present and this controller's own. Others are reported by the journal's
        writer."""
        folder = self.start.second_copy
        try:
            there = folder is not None and folder.is_dir()
            return folder if folder is not None and there and self.owner.stranger(folder) is None else None
        except (OSError, JournalError) as error:
            log.warning("the second copy in %s is of no use: %s", folder, error)
            return None

    def new_game_id(self, ending: str | None = None) -> str:
        """Raises CannotArm if no game can be added to the state folder."""
        try:
            return self.start.store.new_game_id(self.start.runtime.clock.wall(), ending)
        except (JournalError, OSError) as error:
            raise CannotArm(Sentence("arm.not_now", why=sentence_of(error))) from error

    def open_game(
        self, game: Game, opening: dict[str, object], *, game_ns: int, boot_ns: int, tag: int
    ) -> Record:
        """Begin this game's journal; `tag` comes back when its first line is saved."""
        seed = game.dice.seed
        return self.writer.open_game(game.game_id, seed, opening, game_ns=game_ns, boot_ns=boot_ns, tag=tag)


def open_journal(start: CoreStart, news: JournalNews) -> JournalWriters:
    """Open the journal and start its threads, which report to `news`."""
    clock, store = start.runtime.clock, start.store
    state_dir = start.options.state_dir
    if start.second_copy == state_dir / COPY_NAME:  # no stick: nobody else makes this folder
        private_folder(start.second_copy)
    evening = Evening(clock, read_armed(store))
    owner = Owner(controller_id(state_dir), start.settings.hall.name or platform.node(), store)
    beats = Beats(clock)
    exports = Exports(store, boot_id=clock.boot_id, on_trouble=news.trouble, on_mended=news.mended)
    start.closing.callback(exports.close, CLOSE_EXPORTS_S)
    copy = None
    if start.second_copy is not None:
        copy = SecondCopy(
            folder=start.second_copy,
            files=DiskFiles(),
            on_trouble=news.trouble,
            on_mended=news.mended,
            now_ns=clock.boot_ns,
            boot_id=clock.boot_id,
            beat=beats,
            beside=(state_dir / ROSTER_NAME,),
            owner=owner,
        )
    writer = JournalWriter(
        store,
        boot_id=clock.boot_id,
        wall=clock.wall,
        now_ns=clock.boot_ns,
        on_saved=news.saved,
        on_trouble=news.trouble,
        on_mended=news.mended,
        on_lines=exports.put,
        copy=copy,
        pairing=key_for_copy(state_dir, start.second_copy, news.trouble),
    )
    start.closing.callback(writer.close, CLOSE_JOURNAL_S)
    return JournalWriters(start, writer, exports, beats, news, evening, owner)


def make_archive(state_dir: Path, second_copy: Path | None, writer: JournalWriter) -> Archive:
    """Readers of earlier games, and of the present one as far as it is known to be on the disk: a seed that
    the picture withholds is not given out."""

    def lines(game_id: str) -> list[str]:
        newest, _, saved = writer.progress()
        exported = export_lines(state_dir, game_id, second_copy=second_copy)
        found = [line.decode().rstrip("\n") for line in exported]
        return found[:saved] if game_id == newest else found

    return Archive(
        games=lambda: games(state_dir),
        lines=lines,
        errors=(JournalError, OSError),
    )


MOST_LOST_TOLD = 5
"""Most lost games that are named; the others are in the list of games."""


class OpenGame(Struct, frozen=True):
    """The present game with everything that acts on it."""

    loop: GameLoop
    commands: CommandQueue
    tables: TableParts
    end: Leader | Follower | None
    """This core's part among several halls."""
    arming: Arming


class GameOpener:
    """Opens the game of the journal, paused, or a new one from an empty state folder. `open` is called
    once."""

    def __init__(
        self, start: CoreStart, journal: JournalWriters, *, shortfalls: list[Shortfall], open_bus: OpenBus
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

    async def open(self, panel: PanelDevices, *, feed: Feed, watchers: Watchers) -> OpenGame:
        """Returns when the game is shown and, if new, on the disk.

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
        # Registered before the screens: tables are told of a freeze first.
        loop.showing.show_to(Sentence("part.tables"), tables.show, expect=tables.expect)
        loop.showing.show_to(Sentence("part.pages"), feed.publish, expect=feed.expect, saved=feed.saved)
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
        """Keep the heartbeat of another game from being overwritten by this one's."""
        try:
            keep_beat(self._start.store, game_id)
        except OSError as error:
            log.warning("the last heartbeat of the game before could not be kept: %s", error)

    def _look_for_lost_games(self, loop: GameLoop, damaged: Damaged | None, own_copy: Path | None) -> None:
        """Look for lost games, except the present one and the one that it stands in for; on a thread, since
        there may be many."""
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
        """If the command line asks for another game than the one found, arm it, unless the found one is under
        way."""
        options, timers = self._start.options, self._start.runtime.timers
        asked, found = rules_from(self._start.settings), opened.loop.game.rules
        named = options.rule_set is not None or options.players is not None
        if named and (asked.name, asked.seats) != (found.name, found.seats):
            arm = PendingCommand("arm", None, Arm(), "system", at_ns=timers.boot_ns())
            answer = await opened.commands.carry_out(arm)
            if not answer.accepted:
                log.warning("The game that was found goes on: %s", " ".join(map(words, answer.reasons)))

    def _forget(self, loop: GameLoop) -> None:
        """Remove games that are too old, with a note in the present game's journal."""
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
        commands = CommandQueue(
            loop=loop,
            answers=KeptAnswers() if restored is None else restored.answers,
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
        return OpenGame(loop, commands, tables, end, self._arming)

    def _time_after(self, restored: Restored) -> GameTime:
        now_ns = self._start.runtime.clock.boot_ns()
        return GameTime(anchor_boot_ns=now_ns, anchor_game_ns=restored.at_ns, rate=self._start.options.speed)


def _event(settings: EventSettings) -> tuple[EventView, Sentence | None]:
    """The event as shown in pictures, and a sentence if its logo cannot be used."""
    try:
        logo, fault = read_logo(settings.logo) is not None, None
    except LogoFault as problem:
        logo, fault = False, problem.sentence
    return replace(event_view(settings), logo=logo), fault


def event_view(settings: EventSettings) -> EventView:
    """The event as shown in pictures, whose logo nobody has read."""
    return EventView(name=settings.name, colours=list(settings.colours) or None, lines=list(settings.lines))
