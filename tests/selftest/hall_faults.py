"""Twenty-four faults of whole halls, eight kinds three times each: what must be told of them, and nothing else."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from pi_controller.selftest.verdicts import Code, Verdict, verdict_of
from tests.selftest.faults import Seed, table
from tests.selftest.small_hall import SmallHall
from tests.selftest.somebody import run


class Told(NamedTuple):
    """One finding: of which check, where, and the keys of its part and its sentence."""

    code: Code
    where: str
    part: str
    sentence: str
    verdict: Verdict = "failed"


FORTY = {"A": 20, "B": 20}
"""In two zones a row."""
TWENTY = {"A": 20}


@dataclass(frozen=True)
class HallFault:
    """In a hall of so many `boards`; None: in the small one."""

    name: str
    told: tuple[Told, ...]
    seed: Seed
    boards: dict[str, int] | None = None


def all_of(*seeds: Seed) -> Seed:
    def seed(hall: SmallHall) -> None:
        for one in seeds:
            one(hall)

    return seed


def swapped(one: str, other: str) -> Seed:
    return lambda hall: hall.exchange(one, other)


def every(**changes: object) -> Seed:
    """At every table."""

    def seed(hall: SmallHall) -> None:
        for label in hall.tables_there:
            table(label, **changes)(hall)

    return seed


def colder(degrees: int) -> Seed:
    """Than 25 degrees, with the differences between places and sensors."""

    def seed(hall: SmallHall) -> None:
        for there in hall.tables_there.values():
            there.temperature_c = degrees + there.temperature_c % 5 - 2

    return seed


def dark_boards(*labels: str) -> Seed:
    return all_of(*(table(label, answers=False) for label in labels))


def boards(row: str, first: int, last: int) -> list[str]:
    return [f"{row}{number}" for number in range(first, last + 1)]


def power(change: Callable[[Any], object]) -> Seed:
    return lambda hall: change(hall.power)


def plug_out(label: str, *sides: str) -> Seed:
    """Of claim buttons, with the lamps in them."""
    return table(
        label, dead_buttons=set(sides), dead_lamps={2 + ("sun", "moon").index(side) for side in sides}
    )


CRIMP_AT_A5 = power(lambda there: there.extra_ohm.update(A5=2.0))
CRIMP_AT_A3 = power(lambda there: there.extra_ohm.update(A3=2.0))
FIRMWARE_1_0 = {"firmware": "1.0", "protocol": 1, "tests": False}


def turned(board: str) -> Told:
    return Told("CLM", board, "selftest.node_of_board", "selftest.has_been_mended", "warning")


def exchanged(board: str) -> Told:
    return Told("CLM", board, "selftest.nodes_of_boards", "selftest.has_been_mended", "warning")


def old_firmware(board: str) -> Told:
    return Told(
        "CEN",
        board,
        "selftest.firmware_of_board",
        "selftest.board_runs_firmware_most_run_install",
        "warning",
    )


def joined(board: str) -> Told:
    return Told("VBS", board, "selftest.cable_between", "selftest.table_cable_joins_two_supplies")


def dark(board: str) -> Told:
    return Told("CEN", board, "selftest.supply_of_boards", "selftest.boards_are_without_supply")


def low(board: str) -> Told:
    return Told("VBS", board, "selftest.supply_of_boards", "selftest.supply_gives_too_little")


def unplugged(board: str, part: str) -> Told:
    return Told("CLM", board, part, "selftest.nothing_was_heard_of_press_again")


COLD = Told("NTP", "", "selftest.the_hall", "selftest.hall_is_cold", "warning")
HALL_FAULTS = (
    HallFault("A3 stands the other way round, A2 and A4 in each other's place", (turned("A3"), exchanged("A2")), all_of(table("A3", crossed=True), swapped("A2", "A4"))),
    HallFault("A2 and B2 in each other's place, A2's node the other way round", (turned("A2"), exchanged("A2")), all_of(table("A2", crossed=True), swapped("A2", "B2"))),
    HallFault("A1 and A2, B1 and B2 in each other's place, B3 the other way round", (turned("B3"), exchanged("A1"), exchanged("B1")), all_of(swapped("A1", "A2"), swapped("B1", "B2"), table("B3", crossed=True))),
    HallFault("A3 has firmware 1.0", (old_firmware("A3"),), table("A3", **FIRMWARE_1_0)),
    HallFault("A2, A4 and B3 have firmware of protocol 5", (old_firmware("A2"), old_firmware("A4"), old_firmware("B3")), all_of(*(table(label, firmware="1.2", protocol=5, measures=False) for label in ("A2", "A4", "B3")))),
    HallFault("A3 has firmware 1.0, B1 one of another protocol", (old_firmware("A3"), Told("CEN", "B1", "selftest.firmware_of_board", "selftest.board_speaks_another_protocol_firmware_install")), all_of(table("A3", **FIRMWARE_1_0), table("B1", outdated=True, firmware="9.0"))),
    HallFault("a bad crimp between A4 and A5, and a dead Sun lamp at A2", (Told("VBS", "A5", "selftest.cable_between", "selftest.hop_has_times_the_resistance"), Told("LED", "A2", "selftest.lamps_of", "selftest.lamp_takes_no_current"),), all_of(CRIMP_AT_A5, table("A2", dead_lamps={0})), {"A": 10}),
    HallFault("B2 is silent, and the terminator is missing", (Told("CEN", "B2", "selftest.node_of_board", "selftest.board_does_not_answer_look"), Told("SPR", "A", "selftest.terminator_of_segment", "selftest.no_board_has_a_loop"),), all_of(table("B2", answers=False), lambda hall: setattr(hall, "terminator", False))),
    HallFault("A2 and A4 in each other's place, and a bad crimp between A2 and A3", (exchanged("A2"), Told("VBS", "A3", "selftest.cable_between", "selftest.hop_has_times_the_resistance")), all_of(swapped("A2", "A4"), CRIMP_AT_A3)),
    HallFault("3 degrees in a hall of forty boards", (COLD,), colder(3), FORTY),
    HallFault("8 degrees of frost in a hall of forty boards", (COLD,), colder(-8), FORTY),
    HallFault("3 degrees, and the node of A7 has 40", (COLD, Told("NTP", "A7", "selftest.node_of_board", "selftest.node_unlike_its_row")), all_of(colder(3), table("A7", temperature_c=40)), FORTY),
    HallFault("supplies of 18 V", (low(""),), power(lambda there: setattr(there, "source_v", 18.0)), FORTY),
    HallFault("supplies of 16.5 V", (low(""),), power(lambda there: setattr(there, "source_v", 16.5)), FORTY),
    HallFault("the supply of A11 to A20 gives 18 V", (low("A11"),), power(lambda there: there.sources.update(A11=18.0)), FORTY),
    HallFault("a table cable between A10 and A11, where two zones meet", (joined("A11"),), power(lambda there: there.joined.add("A11")), FORTY),
    HallFault("a table cable between A20 and B1, where two zones meet", (joined("B1"),), power(lambda there: there.joined.add("B1")), FORTY),
    HallFault("a table cable between B10 and B11, and a dead lamp in Moon's button of A4", (joined("B11"), Told("LED", "A4", "selftest.lamps_of", "selftest.lamp_takes_no_current")), all_of(power(lambda there: there.joined.add("B11")), table("A4", dead_lamps={3})), FORTY),
    HallFault("the supply of A11 to A20 is out, at the end of the cable", (dark("A11"),), dark_boards(*boards("A", 11, 20)), TWENTY),
    HallFault("the supply of A11 to A20 is out, in the middle of the cable", (dark("A11"),), dark_boards(*boards("A", 11, 20)), FORTY),
    HallFault("the supply of B1 to B10 is out", (dark("B1"),), dark_boards(*boards("B", 1, 10)), FORTY),
    HallFault("the plug of Moon's claim button of A2 is out", (unplugged("A2", "selftest.moon_claim_button"),), plug_out("A2", "moon")),
    HallFault("the plugs of both claim buttons of B2 are out", (unplugged("B2", "selftest.both_claim_buttons"),), plug_out("B2", "sun", "moon")),
    HallFault("the plugs of Sun's claim button of A1 and of Moon's of A4 are out", (unplugged("A1", "selftest.sun_claim_button"), unplugged("A4", "selftest.moon_claim_button")), all_of(plug_out("A1", "sun"), plug_out("A4", "moon"))),
)  # fmt: skip
"""Chosen before the checks were changed for them, three of a kind."""


def not_as_told(fault: HallFault, parts_seed: int | None = None) -> tuple[list[Told], list[Told]]:
    """What a whole test told besides, and what it did not tell."""
    hall = SmallHall(fault.boards, seed=parts_seed)
    fault.seed(hall)
    found = [
        Told(result.code, one.where, one.part_key.key, one.sentence_key.key, verdict_of([one]))
        for result in run(hall).results
        for one in result.findings
        if one.part_key is not None and one.sentence_key is not None
    ]
    others = [one for one in found if one not in fault.told or found.count(one) > 1]
    return others, [one for one in fault.told if one not in found]
