"""PSB and BNC: the big pause button at rest and under a hand, and how long its contacts bounce."""

from pi_controller.protocol.probe_results import ButtonPress, Edge, Inputs
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.operator import LiveView
from pi_controller.selftest.verdicts import Bar, Outcome, Plot, Record, skipped


class PressCount:
    """The view of so many presses that are waited for, counted from its making; a `Live`."""

    def __init__(self, hall: HallUnderTest, wanted: int) -> None:
        self._hall = hall
        self._wanted = wanted
        self._since = hall.probes.edges(0).next
        self._from_ns = hall.probes.inputs().now_ns
        self.edges: list[Edge] = []
        self.presses: list[ButtonPress] = []

    def wait(self, seconds: float) -> LiveView:
        self._hall.pause(seconds)
        return self.look()

    def look(self) -> LiveView:
        """What has come up to now."""
        found = self._hall.probes.edges(self._since)
        self._since = found.next
        self.edges += found.edges
        self.presses = [press for press in found.presses if press.at_ns >= self._from_ns]
        inputs = self._hall.probes.inputs()
        nc = inputs.nc_closed
        done = min(len(self.presses), self._wanted)
        return LiveView(
            finished=done == self._wanted and not inputs.no_closed,
            text=f"{done} of {self._wanted} presses",
            done=done,
            of=self._wanted,
            closed=(inputs.no_closed, nc),
        )


PRESSES = 10
LONGEST_ILLEGAL_MS = 100.0
SLOWEST_LAMP_MS = 100.0
SIMULATED_TIMES = 10.0
BUTTON = "the pause button"


def psb(hall: HallUnderTest) -> Outcome:
    """The contacts rest as they should; ten presses are ten, without illegal states, and the lamp answers."""
    record = Record()
    rest = hall.probes.inputs()
    hall.measured.button_rests = _rests(record, rest)
    if hall.measured.button_rests and hall.level != "boot":
        count = _pressed(hall, PRESSES)
        hall.measured.edges, hall.measured.presses = count.edges, count.presses
        _judge(record, rest, count, slowest_ms=SLOWEST_LAMP_MS * hall.times(SIMULATED_TIMES))
    return record.outcome("The button rests and presses as it should.")


def _pressed(hall: HallUnderTest, presses: int) -> PressCount:
    """The operator presses so often."""
    count = PressCount(hall, presses)
    hall.ask(
        f"Press the pause button {presses} times, firmly, about once a second.",
        picture="pause_button",
        answers=("done",),
        live=count,
        kind="edges",
    )
    count.look()
    return count


def _rests(record: Record, rest: Inputs) -> bool:
    at_rest = not rest.no_closed and rest.nc_closed is not False
    nc = {None: "not wired", True: "closed", False: "open"}[rest.nc_closed]
    levels = f"NO {'closed' if rest.no_closed else 'open'}, NC {nc}"
    record.value("contacts at rest", levels, limit="NO open, NC closed", ok=at_rest)
    if rest.no_closed and rest.nc_closed:
        record.fault(
            BUTTON, "Both contacts are closed: a wire touches another, or the NO contact is welded. Swap it."
        )
    elif rest.no_closed:
        record.fault(BUTTON, "The button is pressed and nobody presses it: free it, or swap it.")
    elif not at_rest:
        record.fault(
            "the wire of the NC contact",
            "Neither contact is closed: the NC wire is broken or off; look at its plug.",
        )
    return at_rest


def _judge(record: Record, rest: Inputs, count: PressCount, *, slowest_ms: float) -> None:
    presses = count.presses
    enough = len(presses) >= PRESSES
    record.value("presses", len(presses), limit=f"{PRESSES}", ok=enough)
    open_ms, closed_ms = contradictions_ms(rest, count.edges)
    if rest.nc_closed is not None:
        for what, ms in (("open", open_ms), ("closed", closed_ms)):
            ok = ms <= LONGEST_ILLEGAL_MS
            record.value(f"both contacts {what}, longest", ms, "ms", limit="100 at most", ok=ok)
    answers = [
        (press.acknowledged_ns - press.at_ns) / 1e6 for press in presses if press.acknowledged_ns is not None
    ]
    quick = len(answers) == len(presses) and all(ms < slowest_ms for ms in answers)
    record.value(
        "press to lamp, slowest", max(answers, default=None), "ms", limit=f"below {slowest_ms:g}", ok=quick
    )
    if max(open_ms, closed_ms) > LONGEST_ILLEGAL_MS:
        _contradicting(record, open_ms=open_ms, closed_ms=closed_ms)
    elif not enough:
        record.fault(
            BUTTON, f"Only {len(presses)} of {PRESSES} presses were felt: look at its plug, or swap it."
        )
    elif not quick:
        record.fault(
            "the controller", "The pause lamp answers a press too late: end other programs on the controller."
        )


def _contradicting(record: Record, *, open_ms: float, closed_ms: float) -> None:
    if open_ms >= closed_ms:
        record.fault(
            "the wire of the NO contact",
            f"While pressed, neither contact was closed for {open_ms:.0f} ms: the NO wire is broken or off.",
        )
    else:
        record.fault(
            BUTTON,
            f"While pressed, both contacts were closed for {closed_ms:.0f} ms: one is welded. Swap it.",
        )


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
P95_MS, LONGEST_MS = 5.0, 15.0
APART_NS = 40_000_000
"""Edges of one contact that are further apart belong to two movements of the hand."""
STEPS_MS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0)


def bnc(hall: HallUnderTest) -> Outcome:
    """From the first to the last edge of each closing and opening: of the presses before, or of twenty new
    ones."""
    edges = hall.measured.edges
    if not hall.measured.button_rests:
        return skipped("The pause button does not rest as it should: mend what PSB says first.")
    if not edges:
        edges = _pressed(hall, BOUNCE_PRESSES).edges
    trusted = [edge for edge in edges if edge.trusted]
    bounces = sorted(durations_ms(trusted))
    if not bounces:
        return skipped("No edge with a usable time was seen: press the button in PSB first.")
    return _judge_bounces(bounces, len(edges) - len(trusted))


def _judge_bounces(bounces: list[float], untrusted: int) -> Outcome:
    record = Record()
    p95 = bounces[min(len(bounces) - 1, int(len(bounces) * 0.95))]
    record.value("movements", len(bounces))
    record.value("bounce, 95 of 100", p95, "ms", limit="below 5", ok=p95 < P95_MS)
    record.value("bounce, longest", bounces[-1], "ms", limit="below 15", ok=bounces[-1] < LONGEST_MS)
    if untrusted:
        record.value("edges without a usable time", untrusted, limit="not counted")
    record.plots.append(histogram(bounces))
    if p95 >= P95_MS or bounces[-1] >= LONGEST_MS:
        record.fault(
            "the contacts of the pause button",
            f"The contacts bounce for up to {bounces[-1]:.1f} ms: they are worn, swap the contact blocks.",
        )
    return record.outcome("The contacts settle quickly.")


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
    labels = [f"to {step:g}" for step in STEPS_MS] + [f"over {STEPS_MS[-1]:g}"]
    bars = tuple(Bar(label=label, count=count) for label, count in zip(labels, counts, strict=True))
    return Plot(title="bounce of the pause button", unit="ms", bars=bars)
