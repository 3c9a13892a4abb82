"""Twenty-four faults of whole halls, eight kinds three times each: what must be told of them, and nothing else."""

from typing import NamedTuple

from pi_controller.selftest.verdicts import Code, Verdict


class Told(NamedTuple):
    """One finding: of which check, where, and the keys of its part and its sentence."""

    code: Code
    where: str
    part: str
    sentence: str
    verdict: Verdict = "failed"


class HallFault(NamedTuple):
    name: str
    told: tuple[Told, ...]


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
    HallFault("A3 stands the other way round, A2 and A4 in each other's place", (turned("A3"), exchanged("A2"))),
    HallFault("A2 and B2 in each other's place, A2's node the other way round", (turned("A2"), exchanged("A2"))),
    HallFault("A1 and A2, B1 and B3 in each other's place, B2 the other way round", (turned("B2"), exchanged("A1"), exchanged("B1"))),
    HallFault("A3 has firmware 1.0", (old_firmware("A3"),)),
    HallFault("A2, A4 and B3 have firmware of protocol 5", (old_firmware("A2"), old_firmware("A4"), old_firmware("B3"))),
    HallFault(
        "A3 has firmware 1.0, B1 one of another protocol",
        (old_firmware("A3"), Told("CEN", "B1", "selftest.firmware_of_board", "selftest.board_speaks_another_protocol_firmware_install")),
    ),
    HallFault(
        "a bad crimp between A4 and A5, and a dead Sun lamp at A2",
        (
            Told("VBS", "A5", "selftest.cable_between", "selftest.hop_has_times_the_resistance"),
            Told("LED", "A2", "selftest.lamps_of", "selftest.lamp_takes_no_current"),
        ),
    ),
    HallFault(
        "B2 is silent, and the terminator is missing",
        (
            Told("CEN", "B2", "selftest.node_of_board", "selftest.board_does_not_answer_look"),
            Told("SPR", "A", "selftest.terminator_of_segment", "selftest.no_board_has_a_loop"),
        ),
    ),
    HallFault(
        "A2 and A4 in each other's place, and a bad crimp between A2 and A3",
        (exchanged("A2"), Told("VBS", "A3", "selftest.cable_between", "selftest.hop_has_times_the_resistance")),
    ),
    HallFault("3 degrees in a hall of forty boards", (COLD,)),
    HallFault("8 degrees of frost in a hall of forty boards", (COLD,)),
    HallFault(
        "3 degrees, and the node of A7 has 40",
        (COLD, Told("NTP", "A7", "selftest.node_of_board", "selftest.node_unlike_its_row")),
    ),
    HallFault("supplies of 18 V", (low(""),)),
    HallFault("supplies of 16.5 V", (low(""),)),
    HallFault("the supply of A11 to A20 gives 18 V", (low("A11"),)),
    HallFault("a table cable between A10 and A11, where two zones meet", (joined("A11"),)),
    HallFault("a table cable between A20 and B1, where two zones meet", (joined("B1"),)),
    HallFault("a table cable between B10 and B11, and a dead lamp in Moon's button of A4", (joined("B11"), Told("LED", "A4", "selftest.lamps_of", "selftest.lamp_takes_no_current"))),
    HallFault("the supply of A11 to A20 is out, at the end of the cable", (dark("A11"),)),
    HallFault("the supply of A11 to A20 is out, in the middle of the cable", (dark("A11"),)),
    HallFault("the supply of B1 to B10 is out", (dark("B1"),)),
    HallFault("the plug of Moon's claim button of A2 is out", (unplugged("A2", "selftest.moon_claim_button"),)),
    HallFault("the plugs of both claim buttons of B2 are out", (unplugged("B2", "selftest.both_claim_buttons"),)),
    HallFault(
        "the plugs of Sun's claim button of A1 and of Moon's of A4 are out",
        (unplugged("A1", "selftest.sun_claim_button"), unplugged("A4", "selftest.moon_claim_button")),
    ),
)  # fmt: skip
"""Chosen before the checks were changed for them."""
