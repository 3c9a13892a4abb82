"""A hall small enough to be reckoned through. Stands in for `CoreUnderTest` and its client on one side and the
`World` of `somebody` on the other; between them lies what is really there. Time passes only when somebody
waits."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from random import Random
from typing import Any

from msgspec import convert, structs

from pi_controller.bus.values import (
    PATTERNS,
    BusJob,
    IdentifyWhat,
    JobResult,
    Loopback,
    LoopbackAsked,
    MarginAsked,
    MeasureAsked,
    OrderName,
    PingAsked,
    SilenceAsked,
)
from pi_controller.hal.roles import SystemFacts
from pi_controller.protocol.messages import ChangeAnswer
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.probes import (
    BusResult,
    Buzzed,
    DiskChecked,
    Drawn,
    Edges,
    Fitted,
    Inputs,
    JournalChecked,
    Level,
    PanelCurrent,
    Ports,
    ReportEntry,
    Reports,
    SegmentResult,
    Sounded,
    TablePress,
    TypedProbe,
)
from pi_controller.protocol.probes import ReportPiece as ReportFound
from pi_controller.protocol.sentences import views
from pi_controller.protocol.tables import TableAction, TablesSnapshot
from pi_controller.roster import model
from pi_controller.roster.model import Board, Roster, Row
from pi_controller.selftest.core import CannotRun, DoesNotAnswer, Secrets
from pi_controller.sentence import Sentence, as_told
from pi_controller.vocabulary import Side
from tests.protocol.pictures import typed
from tests.selftest.small_bus import felt, ping, segment_view
from tests.selftest.small_panel import SmallPanel
from tests.selftest.small_power import SmallPower, drawn
from tests.selftest.small_tables import Table, rows_of, tables_of

ROWS = {"A": 4, "B": 3}
LEASE_LOST = "The test is over: it has been silent for 30 s."
WATCHDOG_S = 2.5


class SmallHall:
    """With a `seed` every part has the tolerances that are drawn from it; otherwise none has any."""

    def __init__(self, rows: dict[str, int] | None = None, *, seed: int | None = None) -> None:
        self.now_s = 1000.0
        self.panel = SmallPanel()
        named = rows_of(ROWS if rows is None else rows)
        self.row_labels = named
        self.tables_there = tables_of([label for labels in named.values() for label in labels])
        self.random = Random(seed)
        self.power = SmallPower()
        if seed is not None:
            drawn(self.power, self.panel, self.tables_there, self.random)
        self.kept_roster = Roster(
            rows=tuple(
                Row(
                    name=row,
                    boards=tuple(Board(name=name, node=self.tables_there[name].uid) for name in names),
                )
                for row, names in named.items()
            )
        )
        self.links: dict[str, tuple[str, str | None]] = {"A": ("open", None)}
        self.secret = Secrets(pin_guessable=False, files={"web/token": 0o600})
        self.loopback: Loopback | None = None
        self.job_sentence: Sentence | None = as_told(
            "Tables hang on the line: only terminators may be there."
        )
        self.margin_loss = 0.0
        self.terminator = True
        self.spare_broken: set[str] = set()
        """Of the cables in front of these tables the spare wire is broken."""
        self.needs_terminator = False
        self.core_session = "1"
        self.ups_alarm = True
        self.ups_holds = True
        self.silent: dict[str, str] = {}
        self.refusal: str | None = None
        self.lost = False
        self.held_by: str | None = None
        self.calls: list[str] = []
        self.actions: list[TableAction] = []
        self.texts_kept: list[tuple[str, str]] = []
        self.gap_before: str | None = None
        self.comes_back = True
        self.shows_no_link = True
        self._touched: list[TablePress] = []
        self.client = self

    # what somebody sees and does

    @property
    def seats(self) -> list[str]:
        return list(self.tables_there)

    def clock(self) -> float:
        return self.now_s

    def pause(self, seconds: float) -> None:
        self.now_s += seconds

    async def wait(self, seconds: float) -> None:
        self.pause(seconds)

    def now(self) -> str:
        return "2026-11-21T18:00:00+00:00"

    def panel_lamps(self) -> set[str]:
        return self.panel.lit()

    def chirps(self) -> int:
        heard, self.panel.chirps = self.panel.chirps, 0
        return heard

    def tone(self) -> bool:
        return self.panel.tone_heard

    def panel_shows(self, pattern: str) -> bool:
        return self.panel.pattern == pattern and not self.panel.torn_display

    def table_lamps(self, label: str) -> tuple[bool, ...]:
        return self.tables_there[label].lamps()

    def table_shows(self, label: str, place: Side, pattern: str) -> bool:
        return self._named(label).shows(place, PATTERNS.index(pattern))

    def press_button(self) -> None:
        self.now_s = self.panel.press(int(self.now_s * 1e9)) / 1e9 + 0.5

    def touch(self, label: str, place: Side) -> None:
        self.now_s += 0.7
        table = self.tables_there[label]
        if place in table.dead_buttons | table.stuck or not table.answers:
            return
        board = self.kept_roster.board_of(table.uid)
        at_ms = self.now_s * 1000
        times = [(at_ms + 90, None)]
        if table.acknowledged_ms is not None and table.tests:
            times.append((at_ms, at_ms + table.acknowledged_ms))
        self._touched += [
            TablePress(
                uid=table.uid,
                board=None if board is None else board.name,
                side=table.side(place),
                at_ms=at,
                acknowledged_ms=acknowledged,
            )
            for at, acknowledged in times
        ]

    def pull_cable(self, label: str) -> None:
        self.gap_before = label

    def plug_cable(self) -> None:
        self.gap_before = None

    def no_link_shown(self) -> bool:
        return self.shows_no_link

    def take_terminator(self) -> None:
        self.terminator = False

    def put_terminator(self) -> None:
        self.terminator = True

    def pull_mains(self) -> None:
        if not self.ups_holds:
            self.core_session = "2"
            self.panel.change_supply(under_voltage_since_boot=True)

    def alarm(self) -> bool:
        return self.ups_alarm

    # what the checks ask

    async def probe(self, probe: TypedProbe[Any]) -> Any:
        """By the method that is called as the probe is."""
        return getattr(self, str(probe.__struct_config__.tag))(**structs.asdict(probe))

    async def begin(self, who: str) -> None:
        if self.refusal is not None:
            raise CannotRun(as_told(self.refusal))
        self.held_by = who

    async def end(self) -> None:
        self.held_by = None
        self.panel.forced.clear()

    def _asked(self, what: str) -> None:
        self.calls.append(what)
        if self.lost:
            raise CannotRun(as_told(LEASE_LOST))
        if what in self.silent:
            raise DoesNotAnswer(as_told(self.silent[what]))

    def lamp(self, lamp: str, *, lit: bool) -> None:
        self._asked("lamp")
        self.panel.forced[lamp] = lit

    def buzzer(self, ms: int) -> Buzzed:
        self._asked("buzzer")
        self.pause(ms / 1000)
        self.panel.chirps += not self.panel.buzzer_dead
        return Buzzed(ms=ms, amps=self.panel.felt_amps())

    def panel_current(self) -> PanelCurrent:
        self._asked("current")
        return self.panel.current()

    def display(self, pattern: str) -> Drawn:
        self._asked("display")
        if self.panel.display_trouble is not None:
            return Drawn(shown_ms=None, sentence=self.panel.display_trouble)
        self.panel.pattern = pattern
        return Drawn(shown_ms=24.0)

    def inputs(self) -> Inputs:
        self._asked("inputs")
        return self.panel.contacts(int(self.now_s * 1e9))

    def edges(self, since: int) -> Edges:
        self._asked("edges")
        made = self.panel.edges
        return Edges(next=len(made), edges=made[since:], dropped=0, presses=self.panel.presses[-100:])

    def journal(self) -> JournalChecked:
        self._asked("journal")
        return self.panel.journal

    def disk(self, *, writes: int, size: int) -> DiskChecked:
        self._asked("disk")
        return self.panel.disk.pop(0) if len(self.panel.disk) > 1 else self.panel.disk[0]

    def facts(self) -> SystemFacts:
        self._asked("facts")
        return self.panel.facts_now()

    def sound(self, ms: int) -> Sounded:
        self._asked("sound")
        self.panel.tone_heard = self.panel.sounded.played and self.panel.loudspeakers
        return self.panel.sounded

    def ports(self) -> Ports:
        self._asked("ports")
        return Ports(ports=self.panel.ports)

    def settings(self) -> Fitted:
        return self.panel.fitted

    @asynccontextmanager
    async def busy_processors(self) -> AsyncIterator[None]:
        self.panel.busy = True
        yield
        self.panel.busy = False

    async def secrets(self) -> Secrets:
        return self.secret

    async def picture(self) -> Picture:
        return typed(session=self.core_session)

    def bus(self, job: BusJob) -> BusResult:
        self._asked("bus")
        return BusResult(
            results=[SegmentResult.of(self._measured(segment, job)) for segment in self.panel.fitted.segments]
        )

    def identify(self, uid: str | None, *, what: IdentifyWhat, seconds: int, number: int) -> None:
        self._asked("identify")
        for table in self.tables_there.values():
            if uid in (None, table.uid):
                table.told(what if seconds else "off", number)

    def order(self, uid: str, what: OrderName, argument: int) -> None:
        self._asked("order")
        table = self._table(uid)
        if what == "hang" and table.tests:
            table.hung_until = self.now_s + WATCHDOG_S if table.watchdog else float("inf")

    async def presses(self, seconds: float) -> Sequence[TablePress]:
        if not self._touched:
            self.pause(seconds)
        found, self._touched = self._touched, []
        return found

    async def tables(self) -> TablesSnapshot:
        return self.seen()

    def seen(self) -> TablesSnapshot:
        """The tables as core knows them now."""
        self._asked("tables")
        boards = {board.node: board for board in self.kept_roster.boards}
        nodes, volts = [], self.volts()
        for table in self.tables_there.values():
            self._wake(table)
            board = boards.get(table.uid)
            table.swap = board is not None and board.swapped
            name = None if board is None else board.name
            told_v = table.tolerances.tell_supply(volts.get(table.label, self.power.source_v), self.random)
            nodes.append(table.view(name, lost=self._is_lost(table), supply_v=told_v))
        segments = [segment_view(name, *link) for name, link in self.links.items()]
        return TablesSnapshot(segments=segments, nodes=nodes, doctor=[], enrolment=None, claims_mode="ask")

    async def roster(self) -> Roster:
        return self.kept_roster

    async def set_roster(self, roster: Any) -> ChangeAnswer:
        if "roster" not in self.silent:
            self.kept_roster = convert(roster, Roster)
        return self._changed()

    async def table(self, action: TableAction) -> ChangeAnswer:
        if "roster" in self.silent:
            return self._changed()
        self.actions.append(action)
        if action.do == "swap":
            self.kept_roster = model.swap(self.kept_roster, action.board or "")
        else:
            self.kept_roster = model.place(self.kept_roster, action.board or "", action.uid or "")
        self.seen()
        return self._changed()

    def _changed(self) -> ChangeAnswer:
        against = [as_told(self.silent["roster"])] if "roster" in self.silent else []
        return ChangeAnswer(id=1, accepted=not against, reason_keys=views(against))

    async def keep_report(self, level: Level, text: str) -> str:
        self.texts_kept.insert(0, (f"20261121-{180000 + len(self.texts_kept)}-{level}.json", text))
        return self.texts_kept[0][0]

    def reports(self) -> Reports:
        return Reports(
            reports=[ReportEntry(name=name, level="field", bytes=len(text)) for name, text in self.texts_kept]
        )

    def report(self, name: str) -> ReportFound:
        return ReportFound(name=name, report=json.loads(dict(self.texts_kept)[name]))

    # how the bus sees the tables

    def volts(self) -> dict[str, float]:
        """At each table, now."""
        there = self.tables_there
        rows = {row: [there[at] for at in labels if at in there] for row, labels in self.row_labels.items()}
        return dict.fromkeys(there, self.power.source_v) | self.power.volts(rows)

    def exchange(self, one: str, other: str) -> None:
        """Somebody has put each of these tables in the other's place."""
        roster = self.kept_roster
        boards = {board.name: board for board in roster.boards}
        first, second = boards[one].node or "", boards[other].node or ""
        self.kept_roster = model.place(model.place(model.clear(roster, other), one, second), other, first)

    def _named(self, name: str) -> Table:
        """By what a question calls it: the board where it stands, or the node's id."""
        return self.tables_there.get(name) or self._table(name)

    def _table(self, uid: str) -> Table:
        return next(table for table in self.tables_there.values() if table.uid == uid)

    def _wake(self, table: Table) -> None:
        if table.hung_until is not None and self.now_s >= table.hung_until:
            table.hung_until, table.boots, table.reset = None, table.boots + 1, "watchdog"

    def _is_lost(self, table: Table) -> bool:
        order = list(self.tables_there)
        behind = self.gap_before is not None and order.index(table.label) >= order.index(self.gap_before)
        return not table.answers or behind or table.hung_until is not None

    def _measured(self, segment: str, job: BusJob) -> JobResult:
        if isinstance(job, LoopbackAsked):
            return JobResult(
                segment=segment,
                seconds=1.0,
                sentence=self.job_sentence if self.loopback is None else None,
                loopback=self.loopback,
            )
        tables = [
            one for one in self.tables_there.values() if one.segment == segment and not self._is_lost(one)
        ]
        if isinstance(job, MeasureAsked):
            return self._felt(segment, [one for one in tables if job.uids is None or one.uid in job.uids])
        if isinstance(job, PingAsked) and job.uids is not None:
            tables = [one for one in tables if one.uid in job.uids]
        frames = 5 if isinstance(job, SilenceAsked) else job.frames
        self.pause(job.seconds if isinstance(job, SilenceAsked) else 0.004 * frames * len(tables))
        worse = self.margin_loss if isinstance(job, MarginAsked) else 0.0
        worse = max(worse, 0.1 if self.needs_terminator and not self.terminator else 0.0)
        return JobResult(
            segment=segment, seconds=1.0, nodes=tuple(ping(one, frames, worse, job) for one in tables)
        )

    def _looped(self, table: Table) -> bool:
        """The terminator is behind the last table."""
        order = list(self.tables_there)
        beyond = order[order.index(table.label) + 1 :]
        return self.terminator and not self.spare_broken.intersection(beyond) and not table.deaf_to_loop

    def _felt(self, segment: str, tables: Sequence[Table]) -> JobResult:
        took_s = 0.005 * len(tables)
        self.pause(took_s)
        volts = self.volts()
        measured = [felt(one, volts[one.label], self.random, looped=self._looped(one)) for one in tables]
        return JobResult(segment=segment, seconds=took_s, measured=tuple(measured))
