"""The virtual hall draws no sooner than the chip (docs/figures.md, "The table node's chip")."""

from tests.bus.behaviour import MS, NODE, OWN, frame, state
from tests.bus.hall import percentile
from tests.firmware.behaviour_check import BYTE_US
from tests.firmware.test_behaviour import VirtualNode

CHIP_FIRST_US, CHIP_WHOLE_US = 10_900, 53_400
POLL_US = 13_100
REFRESH_US = 200 * MS
LOOK_US = 100
PAUSES = 25


def changes(node: VirtualNode, from_us: int, to_us: int) -> list[int]:
    """When something came onto the glass."""
    found = []
    shown = node.pictures()
    for now_us in range(from_us, to_us, LOOK_US):
        node.run(now_us)
        if node.pictures() != shown:
            shown = node.pictures()
            found.append(now_us)
    return found


def test_a_pause_is_drawn_as_late_as_by_the_chip() -> None:
    node = VirtualNode(NODE, "")
    node.hear(bytes.fromhex(frame("ASSIGN")), 10 * MS)
    number, begins_us = 7, 100 * MS
    first_us, whole_us = [], []
    for turn in range(4 * PAUSES):
        paused = turn % 4 == 3
        number += turn % 4 in (0, 3)
        how = {"flags": 10, "reasons": 2} if paused else {}
        said = bytes.fromhex(state(begins_us, number=number, **how)["line"])
        over_us = begins_us + BYTE_US * len(said)
        node.hear(said, begins_us)
        for asked_us in range(over_us + 3 * MS, begins_us + REFRESH_US - POLL_US, POLL_US):
            node.hear(bytes.fromhex(frame("POLL", epoch=OWN)), asked_us)
        changed_us = changes(node, over_us, begins_us + REFRESH_US)
        if paused:
            first_us.append(changed_us[0] - over_us)
            whole_us.append(changed_us[-1] - over_us)
        begins_us += REFRESH_US
    assert percentile(first_us, 0.5) >= CHIP_FIRST_US
    assert CHIP_WHOLE_US <= percentile(whole_us, 0.5) < 1.5 * CHIP_WHOLE_US
