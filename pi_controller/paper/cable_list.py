"""Which cable goes from where to where, and how many of each are to be packed."""

from collections import Counter

from pi_controller.paper.document import Paper
from pi_controller.paper.hall import SPARES, Cable, CableKind, Hall, boards
from pi_controller.supply import words

KINDS: dict[CableKind, str] = {
    "head": "head cable, +24 V open",
    "table": "table cable",
    "zone": "zone cable, +24 V open",
    "lead": "supply lead, two wires",
}


def add(paper: Paper, hall: Hall) -> None:
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


def add_parts(paper: Paper, hall: Hall) -> None:
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
    rows += words.to_buy(hall.plan)
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
