"""PSB: the big pause button, at rest and under the operator's hand."""

from pi_controller.protocol.probe_results import Edge, Inputs
from pi_controller.selftest.hall import Hall
from pi_controller.selftest.outcome import Outcome, Record
from pi_controller.selftest.pressing import PressCount

PRESSES = 10
LONGEST_ILLEGAL_MS = 100.0
SLOWEST_LAMP_MS = 100.0
SIMULATED_TIMES = 10.0
BUTTON = "the pause button"


def psb(hall: Hall) -> Outcome:
    """The contacts rest as they should; ten presses are ten, without illegal states, and the lamp answers."""
    record = Record()
    rest = hall.probes.inputs()
    hall.measured.button_rests = _rests(record, rest)
    if hall.measured.button_rests and hall.level != "boot":
        count = PressCount(hall, PRESSES)
        hall.ask(
            f"Press the pause button {PRESSES} times, firmly, about once a second.",
            picture="pause_button",
            answers=("done",),
            live=count,
            kind="edges",
        )
        count.look()
        hall.measured.edges, hall.measured.presses = count.edges, count.presses
        _judge(record, rest, count, slowest_ms=SLOWEST_LAMP_MS * hall.times(SIMULATED_TIMES))
    return record.outcome("The button rests and presses as it should.")


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
