"""PSB and BNC: the big pause button at rest and under a hand, and how long its contacts bounce."""

from pi_controller.language.words import words
from pi_controller.protocol.probes import (
    ButtonPress,
    Edge,
    EdgesProbe,
    Inputs,
    InputsProbe,
    PanelCurrent,
    PanelCurrentProbe,
)
from pi_controller.protocol.sentences import view
from pi_controller.selftest.checks.panel import LEAST_V, is_usual, judge_lamp, light_only
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.operator import LiveView
from pi_controller.selftest.verdicts import Bar, CheckOutcome, CheckRecord, Plot, at_most, below, skipped
from pi_controller.sentence import Sentence


class PressCount:
    """The view of so many presses that are waited for, counted from its making; a `Live`."""

    def __init__(self, hall: HallUnderTest, wanted: int) -> None:
        self._hall = hall
        self._wanted = wanted
        self._since = hall.probe(EdgesProbe(since=0)).next
        self._from_ns = hall.probe(InputsProbe()).now_ns
        self.edges: list[Edge] = []
        self.presses: list[ButtonPress] = []

    def wait(self, seconds: float) -> LiveView:
        self._hall.pause(seconds)
        return self.look()

    def look(self) -> LiveView:
        """What has come up to now."""
        found = self._hall.probe(EdgesProbe(since=self._since))
        self._since = found.next
        self.edges += found.edges
        self.presses = [press for press in found.presses if press.at_ns >= self._from_ns]
        inputs = self._hall.probe(InputsProbe())
        done = min(len(self.presses), self._wanted)
        text = Sentence("selftest.presses_of_all", done=done, count=self._wanted)
        return LiveView(
            finished=done == self._wanted and not inputs.no_closed,
            text=words(text),
            text_key=view(text),
            done=done,
            of=self._wanted,
            closed=(inputs.no_closed, inputs.nc_closed),
        )


PRESSES = 10
LONGEST_ILLEGAL_MS = 100
SLOWEST_LAMP_MS = 100.0
SIMULATED_TIMES = 10.0
BUTTON = Sentence("selftest.the_pause_button")


def psb(hall: HallUnderTest) -> CheckOutcome:
    """The contacts rest as they should and the lamp takes its current; ten presses are ten, without illegal
    states, and the lamp answers."""
    record = CheckRecord()
    rest = hall.probe(InputsProbe())
    lamp = _lamp_current(hall) if hall.fitted.panel_current and hall.level != "boot" else None
    dead = lamp is not None and not is_usual(lamp[1], lamp[0]) and lamp[0].volts >= LEAST_V
    hall.measured.button_rests = _rests(record, rest, unpowered=dead)
    if lamp is not None:
        dark, lit = lamp
        holds, told = _fuse_holds(rest), "LMP" in hall.codes
        judge_lamp(record, hall, "pause", rest=dark, found=lit, fuse_holds=holds, sag_is_told=told)
    if hall.measured.button_rests and hall.level != "boot":
        count = _pressed(hall, PRESSES)
        hall.measured.edges, hall.measured.presses = count.edges, count.presses
        _judge(record, rest, count, slowest_ms=SLOWEST_LAMP_MS * hall.times(SIMULATED_TIMES))
    return record.outcome(Sentence("selftest.button_rests_and_presses"))


def _lamp_current(hall: HallUnderTest) -> tuple[PanelCurrent, PanelCurrent]:
    """Of the panel with all lamps dark, and with the pause lamp alone."""
    light_only(hall, None)
    rest = hall.probe(PanelCurrentProbe())
    light_only(hall, "pause")
    try:
        return rest, hall.probe(PanelCurrentProbe())
    finally:
        light_only(hall, None)


def _fuse_holds(rest: Inputs) -> bool | None:
    """The contacts get their 24 V through the fuse of the pause lamp. With one contact nobody knows."""
    return None if rest.nc_closed is None else rest.nc_closed or rest.no_closed


def _pressed(hall: HallUnderTest, presses: int) -> PressCount:
    """The operator presses so often."""
    count = PressCount(hall, presses)
    hall.ask(
        Sentence("selftest.press_the_pause_button_times_firmly", presses=presses),
        picture="pause_button",
        answers=("done",),
        live=count,
        kind="edges",
    )
    count.look()
    return count


def _rests(record: CheckRecord, rest: Inputs, *, unpowered: bool) -> bool:
    """`unpowered`: the lamp behind the same fuse takes no current either, which is told of both."""
    at_rest = not rest.no_closed and rest.nc_closed is not False
    levels = Sentence("selftest.contacts", no=_level(rest.no_closed), nc=_level(rest.nc_closed))
    limit = Sentence("selftest.no_open_nc_closed")
    record.value(Sentence("selftest.contacts_at_rest"), levels, limit=limit, ok=at_rest)
    if rest.no_closed and rest.nc_closed:
        record.fault(BUTTON, Sentence("selftest.both_contacts_are_closed_a_wire"))
    elif rest.no_closed:
        record.fault(BUTTON, Sentence("selftest.button_is_pressed_and_nobody_presses"))
    elif not (at_rest or unpowered):
        record.fault(
            Sentence("selftest.wire_of_the_nc_contact"),
            Sentence("selftest.neither_contact_is_closed_the_nc"),
        )
    return at_rest


def _level(closed: bool | None) -> Sentence:  # noqa: FBT001 - a word for it
    if closed is None:
        return Sentence("selftest.not_wired")
    return Sentence("selftest.closed") if closed else Sentence("selftest.open")


def _judge(record: CheckRecord, rest: Inputs, count: PressCount, *, slowest_ms: float) -> None:
    presses = count.presses
    enough = len(presses) >= PRESSES
    record.value(Sentence("selftest.presses"), len(presses), limit=f"{PRESSES}", ok=enough)
    open_ms, closed_ms = contradictions_ms(rest, count.edges)
    if rest.nc_closed is not None:
        both_open = Sentence("selftest.both_contacts_open_longest")
        both_closed = Sentence("selftest.both_contacts_closed_longest")
        record.figure(both_open, open_ms, "ms", at_most(LONGEST_ILLEGAL_MS))
        record.figure(both_closed, closed_ms, "ms", at_most(LONGEST_ILLEGAL_MS))
    answers = [
        (press.acknowledged_ns - press.at_ns) / 1e6 for press in presses if press.acknowledged_ns is not None
    ]
    quick = len(answers) == len(presses) and all(ms < slowest_ms for ms in answers)
    slowest, limit = max(answers, default=None), below(slowest_ms).text
    record.value(Sentence("selftest.press_to_lamp_slowest"), slowest, "ms", limit=limit, ok=quick)
    if open_ms > LONGEST_ILLEGAL_MS and open_ms >= closed_ms:
        told = Sentence("selftest.while_pressed_neither_contact_was_closed", open_ms=open_ms)
        record.fault(Sentence("selftest.wire_of_the_no_contact"), told)
    elif closed_ms > LONGEST_ILLEGAL_MS:
        record.fault(
            BUTTON, Sentence("selftest.while_pressed_both_contacts_were_closed", closed_ms=closed_ms)
        )
    elif not enough:
        told = Sentence("selftest.only_of_presses_were_felt_look", number=len(presses), presses=PRESSES)
        record.fault(BUTTON, told)
    elif not quick:
        record.fault(Sentence("selftest.controller"), Sentence("selftest.pause_lamp_answers_a_press_too"))


def contradictions_ms(rest: Inputs, edges: list[Edge]) -> tuple[float, float]:
    """For how long at most both contacts were open, and both closed; 0 where only one is wired."""
    longest = {True: 0, False: 0}
    if rest.nc_closed is None:
        return 0.0, 0.0
    levels, since = {"no": rest.no_closed, "nc": rest.nc_closed}, None
    for edge in sorted(edges, key=lambda one: one.at_ns):
        if since is not None:
            longest[levels["no"]] = max(longest[levels["no"]], edge.at_ns - since)
        levels[edge.contact] = edge.closed
        since = edge.at_ns if levels["no"] == levels["nc"] else None
    return longest[False] / 1e6, longest[True] / 1e6


BOUNCE_PRESSES = 20
P95_MS, LONGEST_MS = 5, 15
APART_NS = 40_000_000
"""Edges of one contact that are further apart belong to two movements of the hand."""
STEPS_MS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0)


def bnc(hall: HallUnderTest) -> CheckOutcome:
    """From the first to the last edge of each closing and opening: of the presses before, or of twenty new
    ones."""
    edges = hall.measured.edges
    if not hall.measured.button_rests:
        return skipped(Sentence("selftest.pause_button_does_not_rest"))
    if not edges:
        edges = _pressed(hall, BOUNCE_PRESSES).edges
    trusted = [edge for edge in edges if edge.trusted]
    bounces = sorted(durations_ms(trusted))
    if not bounces:
        return skipped(Sentence("selftest.no_edge_with_a_usable_time"))
    record, untrusted = CheckRecord(), len(edges) - len(trusted)
    p95 = bounces[min(len(bounces) - 1, int(len(bounces) * 0.95))]
    record.value(Sentence("selftest.movements"), len(bounces))
    few_long = record.figure(Sentence("selftest.bounce_95_of_100"), p95, "ms", below(P95_MS))
    none_long = record.figure(Sentence("selftest.bounce_longest"), bounces[-1], "ms", below(LONGEST_MS))
    if untrusted:
        left_out = Sentence("selftest.not_counted")
        record.value(Sentence("selftest.edges_without_a_usable_time"), untrusted, limit=left_out)
    record.plots.append(histogram(bounces))
    if not (few_long and none_long):
        told = Sentence("selftest.contacts_bounce_for_up_to_ms", bounces=bounces[-1])
        record.fault(Sentence("selftest.contacts_of_the_pause_button"), told)
    return record.outcome(Sentence("selftest.contacts_settle_quickly"))


def durations_ms(edges: list[Edge]) -> list[float]:
    """Of each movement of each contact, from its first to its last edge."""
    found: list[float] = []
    for contact in ("no", "nc"):
        began, last = None, 0
        for at in sorted(edge.at_ns for edge in edges if edge.contact == contact):
            if began is None or at - last > APART_NS:
                found += [] if began is None else [(last - began) / 1e6]
                began = at
            last = at
        found += [] if began is None else [(last - began) / 1e6]
    return found


def histogram(bounces: list[float]) -> Plot:
    """How many movements bounced for how long; each bar up to its label, the last one beyond."""
    counts = [0] * (len(STEPS_MS) + 1)
    for ms in bounces:
        counts[sum(ms > step for step in STEPS_MS)] += 1
    labels = [Sentence("selftest.to_so_many", limit=step) for step in STEPS_MS]
    labels.append(Sentence("selftest.over_so_many", limit=STEPS_MS[-1]))
    bars = tuple(
        Bar(label=words(label), label_key=view(label), count=count)
        for label, count in zip(labels, counts, strict=True)
    )
    title = Sentence("selftest.bounce_of_the_pause_button")
    return Plot(title=words(title), title_key=view(title), unit="ms", bars=bars)
