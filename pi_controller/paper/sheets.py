"""Sheets of a hall: its cables and parts, its supply, and what to ask of the venue's network."""

from collections import Counter
from collections.abc import Sequence

from pi_controller.language.words import all_words, shown, words
from pi_controller.paper.document import Paper, Tone
from pi_controller.paper.hall import SPARES, Cable, CableKind, PaperHall
from pi_controller.paper.picture import bars
from pi_controller.sentence import Sentence
from pi_controller.supply import report
from pi_controller.supply.zone import LEAST_V

KINDS: dict[CableKind, Sentence] = {
    "head": Sentence("paper.head_cable"),
    "table": Sentence("paper.table_cable"),
    "zone": Sentence("paper.zone_cable"),
    "lead": Sentence("paper.supply_lead"),
}
CABLES_HEAD = (
    Sentence("paper.cable"),
    Sentence("paper.from"),
    Sentence("paper.to"),
    Sentence("paper.length"),
    Sentence("paper.kind"),
)
PARTS_HEAD = (
    Sentence("paper.part"),
    Sentence("paper.needed"),
    Sentence("paper.spare"),
    Sentence("paper.pack"),
)


def cable_list(paper: Paper, hall: PaperHall) -> None:
    """The list to tick off while the cables are laid."""
    paper.heading(words(Sentence("paper.cables")))
    paper.paragraph(words(Sentence("paper.how_cables_are_laid")))
    for chain in hall.chains:
        own = [cable for cable in hall.cables if cable.name.startswith(f"{chain.name}-")]
        title = Sentence("paper.chain_of_boards", chain=chain.name, count=len(chain.boards))
        paper.heading(words(title), level=2)
        paper.table(
            ("", *all_words(CABLES_HEAD)),
            [
                (
                    "□",
                    cable.name,
                    *all_words((cable.start, cable.end, _metres(cable.length_m), KINDS[cable.kind])),
                )
                for cable in own
            ],
            right=[4],
            widths=[1, 2.2, 5, 5, 2, 5],
        )
        paper.paragraph(words(Sentence("paper.where_the_terminator_goes", board=chain.boards[-1])))


def parts_list(paper: Paper, hall: PaperHall) -> None:
    """What this hall needs beside the controller and its panel."""
    chains = hall.chains
    rows = [
        (Sentence("paper.table_node"), len(hall.roster.boards)),
        (Sentence("paper.usb_adapter"), len(chains)),
        (Sentence("paper.terminator_plug"), len(chains)),
    ]
    rows += [
        (Sentence("paper.cable_of_length", kind=KINDS[kind], length=_metres(length)), count)
        for (kind, length), count in sorted(_kinds(hall.cables).items())
    ]
    rows += report.to_buy(hall.plan)
    paper.heading(words(Sentence("paper.parts_for_this_hall")))
    paper.table(
        all_words(PARTS_HEAD),
        [
            (words(part), f"{count}", f"{-(-count // SPARES)}", f"{count + -(-count // SPARES)}")
            for part, count in rows
        ],
        right=[1, 2, 3],
        widths=[8, 2, 2, 2],
    )
    paper.paragraph(words(Sentence("paper.how_many_spares", one_in=SPARES)))


def _kinds(cables: tuple[Cable, ...]) -> Counter[tuple[CableKind, float]]:
    return Counter((cable.kind, cable.length_m) for cable in cables)


def _metres(length_m: float) -> Sentence:
    """Nothing is known of a lead of length 0."""
    if not length_m:
        return Sentence("paper.as_needed")
    return Sentence("paper.metres", length_m=length_m)


def supply_sheet(paper: Paper, hall: PaperHall) -> None:
    plan, chains = hall.plan, hall.chains
    names = [chain.name for chain in chains]
    paper.heading(words(Sentence("paper.supply")))
    paper.paragraph(words(Sentence("paper.computed", assumptions=report.assumptions(plan))))
    rows = [tuple(map(shown, row)) for row in report.rows(plan, names)]
    tones: list[Tone] = ["bad" if zone.faults else "" for zones in plan.rows for zone in zones]
    head = (words(Sentence("paper.chain")), *map(shown, report.HEAD[1:]))
    paper.table(head, rows, right=range(3, 8), tones=tones)
    for trouble in report.troubles(plan, names):
        paper.paragraph(words(Sentence("paper.do_not_build", trouble=trouble)), tone="bad")
    for remark in all_words(report.remarks(plan, names)):
        paper.paragraph(remark, tone="warn")
    worst = min(chains, key=lambda chain: min((v for zone in chain.zones for v in zone.volts), default=0.0))
    volts = [v for zone in worst.zones for v in zone.volts]
    if volts:
        paper.heading(words(Sentence("paper.volts_at_boards", chain=worst.name)), level=2, room_mm=60)
        labels = worst.boards[: len(volts)]
        paper.picture(bars(volts, labels=labels, unit="V", floor=LEAST_V, width_mm=paper.width_mm))


ASKED = (
    (Sentence("network.a_place"), Sentence("network.why_a_place")),
    (Sentence("network.no_isolation"), Sentence("network.why_no_isolation")),
    (Sentence("network.long_connections"), Sentence("network.why_long_connections")),
    (Sentence("network.wifi_for_guests"), Sentence("network.why_wifi_for_guests")),
)
TRAFFIC = (
    (Sentence("network.in"), Sentence("network.port_of_the_pages"), Sentence("network.for_the_pages")),
    (Sentence("network.in"), Sentence("network.port_of_the_staff"), Sentence("network.for_the_staff")),
    (Sentence("network.in"), Sentence("network.port_of_the_broker"), Sentence("network.for_the_broker")),
    (Sentence("network.in"), Sentence("network.port_of_ssh"), Sentence("network.for_ssh")),
    (Sentence("network.out"), Sentence("network.none_needed"), Sentence("network.for_nothing")),
    (Sentence("network.out"), Sentence("network.port_of_ntp"), Sentence("network.for_ntp")),
)
NEVER = (
    Sentence("network.no_own_network"),
    Sentence("network.no_multicast"),
    Sentence("network.no_internet"),
    Sentence("network.no_data_about_guests"),
)
FIGURES = (
    (Sentence("network.opening_a_page"), Sentence("network.bytes_of_a_page")),
    (Sentence("network.following"), Sentence("network.bytes_of_following")),
    (Sentence("network.delay"), Sentence("network.how_much_delay")),
    (Sentence("network.failure"), Sentence("network.what_a_failure_does")),
)


def network_sheet(paper: Paper, address: str, fingerprint: str = "") -> None:
    """`address` of the pages, empty when it is not known yet; `fingerprint` of the staff's certificate, empty
    without one."""
    paper.heading(words(Sentence("network.for_the_owner")))
    paper.paragraph(words(Sentence("network.what_it_is")))
    line = "________________________________"
    paper.key_values(
        [
            (words(Sentence("network.address")), address or line),
            (words(Sentence("network.socket")), line),
            (words(Sentence("network.person")), line),
        ]
    )
    if fingerprint:
        paper.key_values([(words(Sentence("network.fingerprint")), fingerprint)])
    paper.heading(words(Sentence("network.asked")), level=2)
    head = (words(Sentence("network.please")), words(Sentence("network.why_and_how")))
    paper.table(head, _rows(ASKED), widths=[2, 4])
    paper.heading(words(Sentence("network.connections")), level=2)
    head = (words(Sentence("network.port")), words(Sentence("network.for")))
    paper.table(("", *head), _rows(TRAFFIC), widths=[0.6, 3, 4])
    paper.heading(words(Sentence("network.never")), level=2)
    paper.bullets(all_words(NEVER))
    paper.heading(words(Sentence("network.how_much")), level=2)
    paper.table(("", words(Sentence("network.figure"))), _rows(FIGURES), widths=[2, 4])
    paper.paragraph(words(Sentence("network.encrypted") if fingerprint else Sentence("network.plain_http")))


def _rows(rows: Sequence[Sequence[Sentence]]) -> list[list[str]]:
    return [all_words(row) for row in rows]
