"""However often, late and jumbled claims are heard: each counts once, in the order of first contact."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_controller.bus.values import ClaimHeard, NodeClaim, WithdrawalHeard
from tests.core.hand import MS, S
from tests.core.hand_bus import TableHall, roster_of, uid

NODES = 6
contacts = st.lists(st.integers(0, 4000), min_size=1, max_size=NODES, unique=True)
steps = st.lists(
    st.tuples(st.integers(0, NODES - 1), st.sampled_from(["heard", "heard", "heard", "back", "wait"])),
    min_size=1,
    max_size=60,
)


@settings(max_examples=60, deadline=None)
@given(contacts_ms=contacts, jumble=steps)
def test_each_claim_counts_once_in_order(contacts_ms: list[int], jumble: list[tuple[int, str]]) -> None:
    with TemporaryDirectory() as folder:
        hall = TableHall(Path(folder), roster=roster_of(*range(1, NODES + 1))).play()
        hall.hall.move(10 * S)
        begin_us = (hall.hall.timers.boot_ns() - 5 * S) // 1000
        made = {
            number: NodeClaim(uid=uid(number + 1), boots=1, side="sun", number=1)
            for number in range(len(contacts_ms))
        }
        heard: dict[int, None] = {}
        taken_back = set()
        for number, what in jumble:
            if what == "wait":
                hall.hall.move(30 * MS)
            elif number in made and what == "heard":
                at_us = begin_us + contacts_ms[number] * 1000
                hall.tables.heard(ClaimHeard(claim=made[number], board=None, at_us=at_us))
                heard[number] = None
            elif number in made:
                hall.tables.heard(WithdrawalHeard(claim=made[number], board=None))
                taken_back |= {number} & heard.keys()
            hall.hall.move(0)
        ordered = sorted(heard, key=lambda number: contacts_ms[number])
        assert [board for _, board, _, _ in hall.claims] == [f"A{number + 1}" for number in ordered]
        for number in ordered:
            status = "withdrawn" if number in taken_back else "open"
            assert hall.status(made[number]) == status
