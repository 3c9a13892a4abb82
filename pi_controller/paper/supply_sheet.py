"""The supply of a hall on paper: zones, voltages, and what must not be built."""

from pi_controller.paper.document import Paper, Tone
from pi_controller.paper.hall import Hall
from pi_controller.paper.plots import bars
from pi_controller.supply import words
from pi_controller.supply.zone import LEAST_V


def add(paper: Paper, hall: Hall) -> None:
    plan, chains = hall.plan, hall.chains
    names = [chain.name for chain in chains]
    paper.heading("Supply")
    paper.paragraph(f"{words.assumptions(plan)}. Computed, not measured: check the first row with a meter.")
    rows = list(words.rows(plan, names))
    tones: list[Tone] = ["bad" if zone.faults else "" for zones in plan.rows for zone in zones]
    paper.table(("Chain", *words.HEAD[1:]), rows, right=range(3, 8), tones=tones)
    for trouble in words.troubles(plan, names):
        paper.paragraph(f"Do not build this: {trouble}", tone="bad")
    for remark in words.remarks(plan, names):
        paper.paragraph(remark, tone="warn")
    worst = min(chains, key=lambda chain: min((v for zone in chain.zones for v in zone.volts), default=0.0))
    volts = [v for zone in worst.zones for v in zone.volts]
    if volts:
        paper.heading(f"Volts at the boards of chain {worst.name}, the lowest", level=2, room_mm=60)
        labels = worst.boards[: len(volts)]
        paper.picture(bars(volts, labels=labels, unit="V", floor=LEAST_V, width_mm=paper.width_mm))
