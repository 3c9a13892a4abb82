"""Sheets of a hall: its cables and parts, its supply, and what to ask of the venue's network."""

from collections import Counter

from pi_controller.language.words import all_words, shown, words
from pi_controller.paper.document import Paper, Tone
from pi_controller.paper.hall import SPARES, Cable, CableKind, PaperHall, boards
from pi_controller.paper.picture import bars
from pi_controller.supply import report
from pi_controller.supply.zone import LEAST_V

KINDS: dict[CableKind, str] = {
    "head": "head cable, +24 V open",
    "table": "table cable",
    "zone": "zone cable, +24 V open",
    "lead": "supply lead, two wires",
}


def cable_list(paper: Paper, hall: PaperHall) -> None:
    """The list to tick off while the cables are laid."""
    paper.heading("Cables")
    paper.paragraph(
        "Laid from top to bottom. Cables with +24 V open (pins 1 and 2 not connected) keep the zones of the"
        " supply apart and 24 V away from the adapter: never put a table cable in their place."
    )
    for chain in hall.chains:
        own = [cable for cable in hall.cables if cable.name.startswith(f"{chain.name}-")]
        paper.heading(f"Chain {chain.name}: {boards(len(chain.boards))}", level=2)
        paper.table(
            ("", "Cable", "From", "To", "Length", "Kind"),
            [
                ("□", cable.name, cable.start, cable.end, _metres(cable.length_m), KINDS[cable.kind])
                for cable in own
            ],
            right=[4],
            widths=[1, 2.2, 5, 5, 2, 5],
        )
        paper.paragraph(f"The terminator plug goes into {chain.boards[-1]} OUT.")


def parts_list(paper: Paper, hall: PaperHall) -> None:
    """What this hall needs beside the controller and its panel."""
    chains = hall.chains
    rows = [
        ("table node", len(hall.roster.boards)),
        ("adapter USB to RS-485, isolated", len(chains)),
        ("terminator plug", len(chains)),
    ]
    rows += [
        (f"{KINDS[kind]}, {_metres(length)}", count)
        for (kind, length), count in sorted(_kinds(hall.cables).items())
    ]
    rows += [(words(part), count) for part, count in report.to_buy(hall.plan)]
    paper.heading("Parts for this hall")
    paper.table(
        ("Part", "Needed", "Spare", "Pack"),
        [
            (part, f"{count}", f"{-(-count // SPARES)}", f"{count + -(-count // SPARES)}")
            for part, count in rows
        ],
        right=[1, 2, 3],
        widths=[8, 2, 2, 2],
    )
    paper.paragraph(f"Spare: one in {SPARES}, rounded up. Measure supply leads before cutting.")


def _kinds(cables: tuple[Cable, ...]) -> Counter[tuple[CableKind, float]]:
    return Counter((cable.kind, cable.length_m) for cable in cables)


def _metres(length_m: float) -> str:
    """Nothing is known of a lead of length 0."""
    return f"{length_m:g} m" if length_m else "as needed"


def supply_sheet(paper: Paper, hall: PaperHall) -> None:
    plan, chains = hall.plan, hall.chains
    names = [chain.name for chain in chains]
    paper.heading("Supply")
    paper.paragraph(
        f"{words(report.assumptions(plan))}. Computed, not measured: check the first row with a meter."
    )
    rows = [tuple(map(shown, row)) for row in report.rows(plan, names)]
    tones: list[Tone] = ["bad" if zone.faults else "" for zones in plan.rows for zone in zones]
    paper.table(("Chain", *map(shown, report.HEAD[1:])), rows, right=range(3, 8), tones=tones)
    for trouble in all_words(report.troubles(plan, names)):
        paper.paragraph(f"Do not build this: {trouble}", tone="bad")
    for remark in all_words(report.remarks(plan, names)):
        paper.paragraph(remark, tone="warn")
    worst = min(chains, key=lambda chain: min((v for zone in chain.zones for v in zone.volts), default=0.0))
    volts = [v for zone in worst.zones for v in zone.volts]
    if volts:
        paper.heading(f"Volts at the boards of chain {worst.name}, the lowest", level=2, room_mm=60)
        labels = worst.boards[: len(volts)]
        paper.picture(bars(volts, labels=labels, unit="V", floor=LEAST_V, width_mm=paper.width_mm))


ASKED = (
    (
        "One place on the wired network",
        "100 Mbit/s is enough; an address by DHCP, always the same one if possible.",
    ),
    (
        "Devices may reach each other",
        "No client isolation between the controller and the screens, phones and tablets.",
    ),
    (
        "A connection may stay open for hours",
        "WebSocket on the same port; proxies and filters must not cut it.",
    ),
    ("A Wi-Fi for guests, only if phones shall follow", "One of the venue; the controller brings none."),
)
TRAFFIC = (
    (
        "in",
        "TCP 8080, or the port in the address above",
        "HTTP and WebSocket: pages, picture of the game, commands",
    ),
    (
        "in",
        "TCP 22, only if the venue wants remote help",
        "SSH with keys; off unless somebody switched it on",
    ),
    ("out", "none is needed", "nothing is asked of the Internet, nor of a name service"),
    ("out", "UDP 123 (optional)", "time of day, if the venue has a time server; play does not depend on it"),
)
NEVER = (
    "No access point of its own, no DHCP or name server, no bridge or router between networks.",
    "No multicast or broadcast: no service announcements, no media streams.",
    "No Internet: it works with the uplink pulled out, and installs and updates from a stick.",
    "No data about guests: phones only read the game; nothing is stored about them, no cookies are set.",
)
FIGURES = (
    ("Opening a page", "at most 300 kB once; afterwards the browser keeps it"),
    ("Following the game", "below 1 kB a second and screen; 500 phones: below 4 Mbit/s"),
    ("Delay", "below 100 ms is welcome; a screen that loses the line counts on and catches up by itself"),
    ("If the network fails", "the game, the lamps and the tables go on: they do not use it"),
)


def network_sheet(paper: Paper, address: str) -> None:
    """`address` of the pages, empty when it is not known yet."""
    paper.heading("For the owner of the venue's network")
    paper.paragraph(
        "A small computer shows one shared clock to the hall. Screens, and phones if wanted, open its pages"
        " in their browser. Game and tables run on wires of their own."
    )
    line = "________________________________"
    paper.key_values(
        [
            ("Address of the pages", address or line),
            ("Network socket in the hall", line),
            ("Person to call", line),
        ]
    )
    paper.heading("What is asked for", level=2)
    paper.table(("Please", "Why and how"), ASKED, widths=[2, 4])
    paper.heading("Connections, as seen by the controller", level=2)
    paper.table(("", "Port", "For"), TRAFFIC, widths=[0.5, 3, 4])
    paper.heading("What never happens", level=2)
    paper.bullets(NEVER)
    paper.heading("How much", level=2)
    paper.table(("", "Figure"), FIGURES, widths=[2, 4])
    paper.paragraph(
        "Pages are plain HTTP inside the hall. The director's page asks for a log-in; who sits on the same"
        " network could listen, so a network of the event's own, without guests, is best for the director."
    )
