"""One self-test from beginning to end, as the command line and the web side start it."""

import asyncio
import platform
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from itertools import zip_longest

from msgspec import to_builtins
from msgspec.structs import replace

from pi_controller import __version__
from pi_controller.language.words import all_words, speak, words
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.probes import FittedProbe, Level, ReportProbe, ReportsProbe
from pi_controller.protocol.sentences import told, view, views
from pi_controller.protocol.tables import TableAction
from pi_controller.selftest.catalogue import CHECKS, Check, codes_of
from pi_controller.selftest.core import CannotRun, CoreUnderTest, DoesNotAnswer
from pi_controller.selftest.hall import Again, HallUnderTest, Skipped, exchange
from pi_controller.selftest.operator import Operator, Progress, Stopped
from pi_controller.selftest.report import BadReport, NodeBaseline, SelfTestReport, convert, encode, trend
from pi_controller.selftest.verdicts import (
    CheckOutcome,
    CheckRecord,
    CheckResult,
    Code,
    Finding,
    Fix,
    Verdict,
    named,
    not_fitted,
    said_of,
    skipped,
    verdict_of,
)
from pi_controller.sentence import Sentence, listed, sentence_of


def utc_now() -> str:
    """ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


async def run_selftest(
    core: CoreUnderTest,
    *,
    level: Level,
    only: Sequence[Code] = (),
    who: str,
    operator: Operator,
    uid: str | None = None,
    language: str | None = None,
    now: Callable[[], str] = utc_now,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> SelfTestReport:
    """The report, which core has kept, also when the operator stopped it (`ended` is False then); it is held
    against the newest earlier one of the same level. CannotRun when it could not begin, with a sentence; the
    lease is given back in each case.

    `who` is the operator's name; `only` empty: all checks of the level, otherwise these, whether they belong
    to the level or not. `uid` names the node for the bench level (None: the only one that answers, otherwise
    it is asked for). Questions and report are in `language`, the operator's; by default in what this task
    speaks already. `now` gives ISO 8601 in UTC, `clock` a monotonic time in seconds, `pause` waits so many
    seconds."""
    if language is not None:
        speak(language)
    try:
        previous, note = await newest(core, level)
        chosen = tuple(code for code in CHECKS if code in only)
        began, when = clock(), now()
        await core.begin(who)
        hall = HallUnderTest(
            level=level,
            core=core,
            operator=operator,
            fitted=await core.probe(FittedProbe()),
            previous=previous,
            clock=clock,
            pause=pause,
            now=now,
            uid=uid,
            codes=chosen or codes_of(level),
        )
        await hall.learn()
        results: list[CheckResult] = []
        ended = await _run_all(hall, operator, results)
        took_s = clock() - began
        notes = (*(() if note is None else (note,)), *_notes(hall, results, ended=ended))
        nodes = _baselines(hall) if hall.fitted.segments else {}
        report = SelfTestReport(
            when=when,
            level=level,
            only=chosen,
            operator=who,
            host=platform.node(),
            software=__version__,
            simulated=hall.fitted.simulated,
            ended=ended,
            verdict=overall(results, ended=ended),
            seconds=round(took_s - hall.operator_s, 3),
            operator_seconds=round(hall.operator_s, 3),
            notes=tuple(all_words(notes)),
            note_keys=tuple(views(notes)),
            results=tuple(results),
            nodes=nodes,
            compared_with=None if previous is None else previous.when,
            changes=() if previous is None else tuple(trend(nodes, previous.nodes)),
        )
        return await _kept(core, report)
    except (NoCore, CoreTrouble, Malformed) as error:
        raise CannotRun(sentence_of(error)) from error
    finally:
        await core.end()


async def _run_all(hall: HallUnderTest, operator: Operator, results: list[CheckResult]) -> bool:
    """The table's checks in their order, into `results`. False when the operator has stopped it."""
    try:
        if hall.level == "bench" and any(CHECKS[code].of_a_node is not None for code in hall.codes):
            await choose_node(hall)
        for done, code in enumerate(hall.codes):
            hall.code = code
            operator.progress(_progress(hall, done))
            result = await _run_one(hall, CHECKS[code])
            results.append(result)
            operator.result(result)
    except Stopped:
        return False
    return True


def _progress(hall: HallUnderTest, done: int) -> Progress:
    boards = len(hall.chosen()) if hall.fitted.segments else 0
    title = CHECKS[hall.code].title
    return Progress(
        code=hall.code,
        title=words(title),
        title_key=view(title),
        done=done,
        of=len(hall.codes),
        text=f"{hall.code} {words(title)}",
        left_s=sum(CHECKS[one].expected_s(hall.level, boards) for one in hall.codes[done:]),
    )


async def _run_one(hall: HallUnderTest, check: Check) -> CheckResult:
    began = hall.clock() - hall.operator_s
    outcome = None
    while outcome is None:
        outcome = await _tried(hall, check)
    record = CheckRecord(outcome.values)
    if outcome.verdict != "not_fitted" and (names := hall.left_out()):
        record.value(Sentence("selftest.not_tested_here"), named(names))
    findings = tuple([await _offered(hall, found) for found in outcome.findings])
    return CheckResult(
        code=hall.code,
        title=words(check.title),
        title_key=view(check.title),
        verdict=verdict_of(findings) if findings else outcome.verdict,
        sentence=words(outcome.sentence),
        sentence_key=view(outcome.sentence),
        values=tuple(record.values),
        findings=findings,
        plots=outcome.plots,
        seconds=round((hall.clock() - hall.operator_s) - began, 3),
    )


async def choose_node(hall: HallUnderTest) -> None:
    """The node for the bench: the one that was named, the only one, or the one that the operator names."""
    nodes = {node.uid: node for node in (await hall.look()).nodes if node.state in ("good", "suspect")}
    if hall.uid is not None or len(nodes) <= 1:
        if hall.uid is not None and hall.uid not in nodes:
            answering = listed(nodes) if nodes else Sentence("selftest.none")
            raise CannotRun(
                Sentence("selftest.node_does_not_answer_those", uid=hall.uid, answering=answering)
            )
        hall.uid = hall.uid or next(iter(nodes), None)
        return
    names = {hall.where(uid): uid for uid in nodes}
    text = Sentence("selftest.several_nodes_answer_which_one", value=listed(names))
    try:
        while hall.uid is None:
            reply = await hall.ask(text, picture="tables", answers=(), names=tuple(names))
            answer = reply.answer.strip()
            hall.uid = answer if answer in nodes else names.get(answer)
    except (Again, Skipped) as unwanted:
        raise CannotRun(Sentence("selftest.nobody_named_the_node_to_be")) from unwanted


async def _tried(hall: HallUnderTest, check: Check) -> CheckOutcome | None:
    """None: the operator wants it to begin anew."""
    try:
        hall.needs = check.of_a_node or ()
        if check.of_a_node is not None and hall.fitted.segments:
            await hall.get_to_know()
        missing = None if check.needs is None else check.needs(hall)
        return not_fitted(missing) if missing is not None else await check.run(hall)
    except Again:
        return None
    except Skipped as left_out:
        return skipped(Sentence("selftest.left_out_by_the_operator", reason=left_out.reason))
    except DoesNotAnswer as silent:
        record = CheckRecord()
        record.fault(check.title, silent.sentence)
        return record.outcome(silent.sentence)


# What fixes a finding, by the same actions that people have.


SETTLE_S = 1.0
"""Until the node has heard of it."""


async def _offered(hall: HallUnderTest, found: Finding) -> Finding:
    """The finding, mended when the operator wants that and nothing speaks against it; a skipped offer leaves
    things as they are. What comes goes by the places in which boards truly stand, whatever core knows."""
    fix = found.fix
    if fix is None:
        return found
    said = said_of(found)
    text = Sentence("selftest.mend_it_now", finding=said, label=fix.label)
    try:
        wanted = (await hall.ask(text, picture="tables", answers=("mend", "leave"))).answer == "mend"
    except (Again, Skipped):
        wanted = False
    if wanted:
        reasons = await apply(hall.core.client, replace(fix, board=hall.known_as(fix.board)))
        if reasons:
            text = Sentence("selftest.could_not_be_mended", finding=said, reasons=reasons)
        else:
            text = Sentence("selftest.has_been_mended", finding=said)
            await hall.pause(SETTLE_S)
        found = replace(found, sentence=words(text), sentence_key=view(text), mended=not reasons)
    if not found.mended:
        hall.left.append(fix)
    await hall.learn()
    return found


async def apply(core: AsyncClient, fix: Fix) -> tuple[Sentence, ...]:
    """By what core offers for tables and the roster anyway: the reasons why it was not done; empty: done."""
    if fix.do == "exchange_boards":
        roster = await core.roster()
        if roster.board(fix.board) is None or roster.board(fix.other) is None:
            return (Sentence("selftest.boards_not_in_the_roster", one=fix.board, other=fix.other),)
        answer = await core.set_roster(to_builtins(exchange(roster, fix.board, fix.other)))
    elif fix.do == "swap_sides":
        answer = await core.table(TableAction(do="swap", board=fix.board))
    else:
        answer = await core.table(TableAction(do="replace", board=fix.board, uid=fix.uid))
    reasons = zip_longest(answer.reasons, answer.reason_keys)
    return () if answer.accepted else tuple(told(text, key) for text, key in reasons)


# The report.


SIMULATED = Sentence("selftest.hardware_is_simulated_this_says_nothing")


async def _kept(core: CoreUnderTest, report: SelfTestReport) -> SelfTestReport:
    """The report; when core's disk cannot keep it, one of its notes says so."""
    try:
        await core.keep_report(report.level, encode(report).decode())
    except DoesNotAnswer as trouble:
        not_kept = Sentence("selftest.report_not_kept", why=trouble.sentence)
        return replace(
            report,
            notes=(words(not_kept), *report.notes),
            note_keys=(view(not_kept), *report.note_keys),
        )
    return report


def overall(results: Sequence[CheckResult], *, ended: bool) -> Verdict:
    """failed: something has failed. skipped: nothing was tested, or it was stopped, so that nothing is
    proved."""
    verdicts = {result.verdict for result in results}
    if "failed" in verdicts:
        return "failed"
    if not ended or not verdicts & {"passed", "warning"}:
        return "skipped"
    return "warning" if verdicts & {"warning", "skipped"} else "passed"


def _notes(hall: HallUnderTest, results: Sequence[CheckResult], *, ended: bool) -> list[Sentence]:
    notes = [SIMULATED] if hall.fitted.simulated else []
    if not ended:
        notes.append(Sentence("selftest.stopped_by_hand"))
    skipped = [result.code for result in results if result.verdict == "skipped"]
    if skipped:
        notes.append(Sentence("selftest.left_out", codes=listed(skipped)))
    not_fitted = [result.code for result in results if result.verdict == "not_fitted"]
    if not_fitted:
        notes.append(Sentence("selftest.not_fitted_so_not_tested", codes=listed(not_fitted)))
    return notes


def _baselines(hall: HallUnderTest) -> dict[str, NodeBaseline]:
    found = {}
    measured = hall.measured
    for node in hall.chosen():
        ping = measured.pings.get(node.uid)
        board = hall.roster.board_of(node.uid)
        found[node.uid] = NodeBaseline(
            board=None if board is None else board.name,
            segment=node.segment,
            firmware=node.firmware,
            supply_v=node.supply_v,
            temperature_c=node.temperature_c,
            frames=None if ping is None else ping.sent,
            bad_frames=None if ping is None else ping.sent - ping.answered,
            turnaround_p50_ms=None if ping is None else ping.p50_ms,
            turnaround_p99_ms=None if ping is None else ping.p99_ms,
            drift_ppm=measured.drift_ppm.get(node.uid),
            acknowledged_ms=measured.acknowledged_ms.get(node.uid),
            lamps_ma=measured.lamps_ma.get(node.uid),
            sun_display_ma=measured.displays_ma.get(node.uid, {}).get("sun"),
            moon_display_ma=measured.displays_ma.get(node.uid, {}).get("moon"),
        )
    return found


async def newest(core: CoreUnderTest, level: Level) -> tuple[SelfTestReport | None, Sentence | None]:
    """The newest report of this level, or a sentence why the one that is there cannot be used."""
    try:
        names = [kept.name for kept in (await core.probe(ReportsProbe())).reports]
        name = next((name for name in names if name.endswith(f"-{level}.json")), None)
        if name is None:
            return None, None
        return convert((await core.probe(ReportProbe(name=name))).report), None
    except BadReport as bad:
        return None, Sentence("selftest.earlier_report_unusable", name=str(name), why=bad.sentence)
    except DoesNotAnswer as silent:
        return None, Sentence("selftest.no_earlier_report", why=silent.sentence)
