"""One self-test from beginning to end, as the command line and the web side start it: plain blocking code."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pi_controller.language.words import speak, words
from pi_controller.protocol.probes import Level
from pi_controller.protocol.sentences import view
from pi_controller.selftest import fixes
from pi_controller.selftest.catalogue import CHECKS, codes_of
from pi_controller.selftest.checks.button import bnc, psb
from pi_controller.selftest.checks.census import cen
from pi_controller.selftest.checks.clocks import bat, clk, rtc
from pi_controller.selftest.checks.computer import hwd, jrn, pwr, roo, sdc, sec, tmp
from pi_controller.selftest.checks.line import ber, ftd, lpb, mrg, prt
from pi_controller.selftest.checks.looks import led, old
from pi_controller.selftest.checks.panel import hrn, lmp, snd
from pi_controller.selftest.checks.provoked import pul, ups, wdg
from pi_controller.selftest.checks.rows import ntp, vbs
from pi_controller.selftest.checks.spare import spr
from pi_controller.selftest.checks.timing import drf, lat
from pi_controller.selftest.checks.walk import clm
from pi_controller.selftest.control_probes import ControlProbes
from pi_controller.selftest.hall import Again, HallUnderTest, Seconds, Skipped
from pi_controller.selftest.operator import Operator, Progress, Stopped
from pi_controller.selftest.probes import CannotRun, DoesNotAnswer, Probes
from pi_controller.selftest.report import BadReport, Report, convert
from pi_controller.selftest.secret_files import PinCheck
from pi_controller.selftest.verdicts import Code, Outcome, Result, finding, skipped, verdict_of
from pi_controller.selftest.writing import write
from pi_controller.sentence import Sentence

RUN: dict[Code, Callable[[HallUnderTest], Outcome]] = {
    "PWR": pwr, "TMP": tmp, "RTC": rtc, "BAT": bat, "SDC": sdc, "ROO": roo, "CLK": clk, "JRN": jrn,
    "HWD": hwd, "SEC": sec, "PRT": prt, "FTD": ftd, "LMP": lmp, "HRN": hrn, "SND": snd, "PSB": psb,
    "BNC": bnc, "CEN": cen, "BER": ber, "LAT": lat, "VBS": vbs, "NTP": ntp, "LED": led, "OLD": old,
    "CLM": clm, "LPB": lpb, "MRG": mrg, "DRF": drf, "WDG": wdg, "PUL": pul, "UPS": ups,
    "SPR": spr,
}  # fmt: skip


def utc_now() -> str:
    """ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Session:
    """`who` is the operator's name; `only` empty: all checks of the level, otherwise these, whether they
    belong to the level or not. `uid` names the node for the bench level (None: the only one that answers,
    otherwise it is asked for). `previous`: the report to compare with; `notes`: sentences for the report.
    `now` gives ISO 8601 in UTC, `seconds` a monotonic time, `pause` waits so many seconds."""

    def __init__(
        self,
        *,
        level: Level,
        only: Sequence[Code] = (),
        who: str,
        probes: Probes,
        operator: Operator,
        previous: Report | None = None,
        uid: str | None = None,
        notes: tuple[Sentence, ...] = (),
        now: Callable[[], str] = utc_now,
        seconds: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._level = level
        self._only = tuple(code for code in CHECKS if code in only)
        self._codes = self._only or codes_of(level)
        self._who = who
        self._probes = probes
        self._operator = operator
        self._previous = previous
        self._uid = uid
        self._notes = notes
        self._now = now
        self._seconds = Seconds(seconds)
        self._pause = pause
        self._results: list[Result] = []

    def run(self) -> Report:
        """The report, also when the operator stopped it (`ended` is False then). CannotRun with a sentence
        when it could not begin or core went away; the lease is given back in each case."""
        began, when = self._seconds.clock(), self._now()
        try:
            self._probes.begin(self._who)
            hall = self._hall()
            ended = self._run_all(hall)
            report = write(
                hall,
                results=self._results,
                when=when,
                who=self._who,
                only=self._only,
                ended=ended,
                notes=self._notes,
                took_s=self._seconds.clock() - began,
            )
        finally:
            self._probes.end()
        return report

    def _hall(self) -> HallUnderTest:
        return HallUnderTest(
            level=self._level,
            probes=self._probes,
            operator=self._operator,
            previous=self._previous,
            seconds=self._seconds,
            pause=self._pause,
            now=self._now,
            uid=self._uid,
            codes=self._codes,
        )

    def _run_all(self, hall: HallUnderTest) -> bool:
        """False when the operator has stopped it."""
        try:
            if self._level == "bench" and any(CHECKS[code].of_a_node for code in self._codes):
                choose_node(hall)
            for done, code in enumerate(self._codes):
                hall.code = code
                self._operator.progress(self._progress(hall, code, done))
                result = self._run_one(hall, code)
                self._results.append(result)
                self._operator.result(result)
        except Stopped:
            return False
        return True

    def _progress(self, hall: HallUnderTest, code: Code, done: int) -> Progress:
        boards = len(hall.nodes()) if hall.fitted.segments else 0
        left = sum(CHECKS[one].expected_s(self._level, boards) for one in self._codes[done:])
        title = CHECKS[code].title
        return Progress(
            code=code,
            title=words(title),
            title_key=view(title),
            done=done,
            of=len(self._codes),
            text=f"{code} {words(title)}",
            left_s=left,
        )

    def _run_one(self, hall: HallUnderTest, code: Code) -> Result:
        began = self._seconds.clock() - self._seconds.operator
        outcome = None
        while outcome is None:
            outcome = _tried(hall, code)
        if any(found.fix for found in outcome.findings):
            outcome = _mended(hall, outcome)
        return Result(
            code=code,
            title=words(CHECKS[code].title),
            title_key=view(CHECKS[code].title),
            verdict=outcome.verdict,
            sentence=words(outcome.sentence),
            sentence_key=view(outcome.sentence),
            values=outcome.values,
            findings=outcome.findings,
            plots=outcome.plots,
            seconds=round(self._seconds.clock() - self._seconds.operator - began, 3),
        )


def choose_node(hall: HallUnderTest) -> None:
    """The node for the bench: the one that was named, the only one, or the one that the operator names."""
    nodes = {node.uid: node for node in hall.look().nodes if node.state in ("good", "suspect")}
    if hall.uid is not None or len(nodes) <= 1:
        if hall.uid is not None and hall.uid not in nodes:
            answering = ", ".join(nodes) if nodes else Sentence("selftest.none")
            raise CannotRun(
                Sentence("selftest.node_does_not_answer_those", uid=hall.uid, answering=answering)
            )
        hall.uid = hall.uid or next(iter(nodes), None)
        return
    names = {hall.where(uid): uid for uid in nodes}
    text = Sentence("selftest.several_nodes_answer_which_one", value=", ".join(names))
    try:
        while hall.uid is None:
            answer = hall.ask(text, picture="tables", answers=(), names=tuple(names)).answer.strip()
            hall.uid = answer if answer in nodes else names.get(answer)
    except (Again, Skipped) as unwanted:
        raise CannotRun(Sentence("selftest.nobody_named_the_node_to_be")) from unwanted


def _tried(hall: HallUnderTest, code: Code) -> Outcome | None:
    """None: the operator wants it to begin anew."""
    try:
        return RUN[code](hall)
    except Again:
        return None
    except Skipped as left_out:
        return skipped(Sentence("selftest.left_out_by_the_operator", reason=left_out.reason))
    except DoesNotAnswer as silent:
        said = silent.sentence
        return Outcome("failed", said, findings=(finding(CHECKS[code].title, said),))


def _mended(hall: HallUnderTest, outcome: Outcome) -> Outcome:
    """With what fixes them offered; a skipped offer leaves things as they are."""
    findings = []
    for found in outcome.findings:
        try:
            findings.append(fixes.offer(hall, found))
        except (Again, Skipped):
            findings.append(found)
    told = tuple(findings)
    return Outcome(verdict_of(told), outcome.sentence, outcome.values, told, outcome.plots)


def run_selftest(
    state_dir: Path,
    *,
    level: Level,
    only: Sequence[Code] = (),
    who: str,
    operator: Operator,
    uid: str | None = None,
    language: str | None = None,
    pin_matches: PinCheck | None = None,
) -> Report:
    """The report, which core has kept; it is held against the newest earlier one of the same level. Blocks;
    CannotRun with a sentence. Questions and report are in `language`, the operator's; by default in what this
    thread speaks already. `pin_matches` as for ControlProbes."""
    if language is not None:
        speak(language)
    probes = ControlProbes(state_dir, pin_matches=pin_matches)
    try:
        previous, note = newest(probes, level)
        session = Session(
            level=level,
            only=only,
            who=who,
            probes=probes,
            operator=operator,
            previous=previous,
            uid=uid,
            notes=() if note is None else (note,),
        )
        return session.run()
    finally:
        probes.end()


def newest(probes: Probes, level: Level) -> tuple[Report | None, Sentence | None]:
    """The newest report of this level, or a sentence why the one that is there cannot be used."""
    try:
        name = next((name for name in probes.reports() if name.endswith(f"-{level}.json")), None)
        if name is None:
            return None, None
        return convert(probes.report(name)), None
    except BadReport as bad:
        return None, Sentence("selftest.earlier_report_unusable", name=str(name), why=bad.sentence)
    except DoesNotAnswer as silent:
        return None, Sentence("selftest.no_earlier_report", why=silent.sentence)
