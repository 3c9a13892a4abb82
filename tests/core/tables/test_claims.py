"""Claims from tables: each counts once, in the order of first contact, and its node hears what became of it."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_controller.bus.values import ClaimHeard, NodeClaim, WithdrawalHeard
from pi_controller.core.tables.claims import BEFORE_GAME, UNKNOWN_TIME, StoodStill
from tests.core.hall import accepted
from tests.core.hand import MS, S
from tests.core.hand_bus import TableHall, roster_of, uid


@pytest.fixture
def hall(tmp_path: Path) -> TableHall:
    """Ten seconds into round 1, Sun's; nodes 1 to 3 stand at A1 to A3."""
    hall = TableHall(tmp_path, roster=roster_of(1, 2, 3)).play()
    hall.hall.move(10 * S)
    return hall


def test_a_claim_names_board_side_and_millisecond(hall: TableHall) -> None:
    claim = hall.claim(2, ago_ms=705)
    (found,) = hall.hall.picture.claims
    assert (found.board, found.side, found.round) == ("A2", "sun", 1)
    assert (found.pressed_ms_before_end, found.status) == (25_705, "open")
    assert [(one.claim, one.status) for one in hall.bus.outcomes_told[-1]] == [(claim, "open")]
    assert not hall.hall.picture.paused


def test_a_node_that_stands_nowhere_claims_by_its_id(hall: TableHall) -> None:
    hall.claim(0xABCD)
    assert hall.claims[0][1] == "node abcd"


def test_the_passive_side_is_told_to_wait_and_may_claim_again(hall: TableHall) -> None:
    claim = hall.claim(1, "moon")
    assert (hall.claims, hall.status(claim)) == ([], "wait")
    hall.hall.move(26 * S)
    again = hall.claim(1, "moon", count=2)
    assert hall.status(again) == "open"


def test_a_contact_from_before_the_start_is_never_taken(tmp_path: Path) -> None:
    hall = TableHall(tmp_path).play()
    hall.hall.move(1 * S)
    assert hall.status(hall.claim(1, ago_ms=5000)) == "withdrawn"
    assert hall.claims == []
    kept = hall.hall.commands.answers.get(f"table/{uid(1)}/1/sun/1")
    assert kept is not None
    assert kept.reasons == (BEFORE_GAME,)


def test_a_contact_in_the_future_is_no_time(hall: TableHall) -> None:
    claim = hall.claim(1, ago_ms=-2000)
    assert hall.status(claim) == "withdrawn"
    kept = hall.hall.commands.answers.get(f"table/{uid(1)}/1/sun/1")
    assert kept is not None
    assert kept.reasons == (UNKNOWN_TIME,)


def test_with_pause_the_clock_stops_at_the_first_contact(hall: TableHall) -> None:
    assert accepted(hall.hall.ask("set_claims", {"mode": "pause"}))
    assert hall.bus.shown[-1].claims_pause
    claim = hall.claim(1, ago_ms=650)
    picture = hall.hall.picture
    assert (picture.pause_reasons, picture.remaining_ms) == (["claim"], 25_650)
    assert hall.status(claim) == "judge_comes"
    shown = hall.bus.shown[-1]
    assert (shown.paused, shown.pause_reasons, shown.left_us) == (True, ("claim",), 25_650_000)


def test_the_judge_comes_when_the_director_pauses_for_it(hall: TableHall) -> None:
    claim = hall.claim(1)
    hall.hall.ask("pause")
    hall.hall.move(0)
    assert hall.status(claim) == "judge_comes"
    hall.hall.ask("resume", {"override": True})
    hall.hall.move(0)
    assert hall.status(claim) == "withdrawn", "play goes on over it"


@pytest.mark.parametrize("confirmed", [True, False])
def test_the_verdict_reaches_the_node(hall: TableHall, confirmed: bool) -> None:
    claim = hall.claim(1)
    hall.hall.ask("verdict", {"claim": hall.claims[0][0], "confirmed": confirmed})
    hall.hall.move(0)
    assert hall.status(claim) == ("confirmed" if confirmed else "rejected")
    hall.hall.ask("undo")
    hall.hall.move(0)
    assert hall.status(claim) == ("judge_comes" if hall.hall.picture.paused else "open")


def test_a_judged_claim_cannot_be_taken_back(hall: TableHall) -> None:
    claim = hall.claim(1)
    hall.hall.ask("verdict", {"claim": hall.claims[0][0], "confirmed": False})
    hall.take_back(claim)
    assert hall.claims[0][3] == "rejected"
    assert hall.status(claim) == "rejected"


def test_a_claim_taken_back_before_the_disk_has_it_is_withdrawn_then(tmp_path: Path) -> None:
    hall = TableHall(tmp_path, roster=roster_of(1)).play()
    hall.hall.move(5 * S)
    hall.hall.log.prompt = False
    claim = hall.claim(1)
    hall.take_back(claim)
    assert hall.status(claim) is None
    hall.hall.save()
    hall.hall.save()
    hall.hall.move(0)
    assert (hall.claims[0][3], hall.status(claim)) == ("withdrawn", "withdrawn")


def test_what_nobody_claimed_cannot_be_taken_back(hall: TableHall) -> None:
    hall.take_back(NodeClaim(uid=uid(1), boots=1, side="sun", number=1))
    assert not any(hall.bus.outcomes_told)


def test_a_checked_sheet_is_a_victory_only_once_the_ranking_is_ended(hall: TableHall) -> None:
    first, second = hall.claim(1), hall.claim(2)
    hall.hall.ask("last_rounds", {"count": 0})
    hall.hall.ask("skip")
    for claim, cities in zip(hall.claims, (2, 3), strict=True):
        hall.hall.ask("verdict", {"claim": claim[0], "sheet": {"settlements": 3, "cities": cities}})
    hall.hall.move(0)
    assert (hall.status(first), hall.status(second)) == ("open", "open")
    hall.hall.move(S)
    assert hall.status(hall.claim(3)) == "withdrawn"
    hall.hall.ask("end", {"confirm": True})
    hall.hall.move(0)
    assert (hall.status(first), hall.status(second)) == ("withdrawn", "confirmed")


def test_the_next_game_never_takes_a_claim_of_the_one_before(hall: TableHall) -> None:
    claim = hall.claim(1)
    claimed_ns = hall.hall.timers.boot_ns()
    hall.hall.ask("end", {"confirm": True})
    assert accepted(hall.hall.ask("arm"))
    hall.hall.move(0)
    assert hall.status(claim) == "withdrawn"
    kept = [
        data
        for _, kind, data in hall.hall.log.lines
        if kind == "answered" and data["key"] == f"table/{uid(1)}/1/sun/1"
    ]
    assert [line["accepted"] for line in kept] == [True, False], "the new game's journal knows it"
    hall.hall.ask("start")
    hall.hall.move(10 * S)
    hall.claim(1, ago_ms=700 + (hall.hall.timers.boot_ns() - claimed_ns) // MS)
    assert hall.claims == []


def test_a_late_disk_does_not_lose_the_claim(tmp_path: Path) -> None:
    hall = TableHall(tmp_path, roster=roster_of(1)).play()
    hall.hall.move(5 * S)
    hall.hall.log.prompt = False
    claim = hall.claim(1)
    hall.hall.move(4 * S)
    assert hall.claims[0][1:] == ("A1", "sun", "open")
    assert hall.hall.picture.pause_reasons == ["fault"]
    assert hall.status(claim) == "open"


def test_the_time_that_core_was_away_does_not_count(tmp_path: Path) -> None:
    """The clock of the game stood still from the fall on: a contact meanwhile is one of that moment."""
    hall = TableHall(tmp_path, roster=roster_of(1, 2), stood_still=StoodStill("g1", 20 * S)).play()
    hall.hall.move(10 * S)
    loop = hall.hall.loop
    now_ns = hall.hall.timers.boot_ns()
    fallen_ns = loop.time.game_ns(now_ns)
    hall.hall.timers.now_ns += 20 * S
    loop.time = replace(loop.time, anchor_boot_ns=now_ns + 20 * S, anchor_game_ns=fallen_ns)
    hall.hall.move(1 * S)
    hall.claim(1, ago_ms=11_000)
    hall.claim(2, ago_ms=23_000)
    found = {claim.board: claim.pressed_ms_before_end for claim in hall.hall.picture.claims}
    assert found == {"A1": 25_000, "A2": 27_000}


def test_after_a_power_cut_earlier_times_are_those_of_the_fall(tmp_path: Path) -> None:
    hall = TableHall(tmp_path, roster=roster_of(1), stood_still=StoodStill("g1", None)).play()
    hall.hall.move(10 * S)
    loop = hall.hall.loop
    now_ns = hall.hall.timers.boot_ns()
    loop.time = replace(loop.time, anchor_boot_ns=now_ns, anchor_game_ns=loop.time.game_ns(now_ns))
    hall.claim(1, ago_ms=600_000)
    assert hall.hall.picture.claims[0].pressed_ms_before_end == 25_000


def test_a_claim_taken_back_and_made_again_has_one_line_with_a_count(hall: TableHall) -> None:
    for number in (1, 2, 3):
        hall.take_back(hall.claim(1, count=number))
        hall.hall.move(2 * S)
    hall.claim(2)
    claim = hall.claim(1, count=4)
    found = [(one.board, one.status, one.count) for one in hall.hall.picture.claims]
    assert found == [("A2", "open", 1), ("A1", "open", 4)]
    hall.hall.ask("verdict", {"claim": hall.claims[1][0], "confirmed": False})
    hall.hall.move(2 * S)
    assert hall.status(claim) == "rejected"
    again = hall.claim(1, count=5)
    assert hall.status(again) == "open", "the first after a verdict counts"
    assert [one.count for one in hall.hall.picture.claims] == [1, 4, 1]


def test_a_press_of_a_button_whose_claim_is_open_joins_it(hall: TableHall) -> None:
    """Its node has started again meanwhile: it does not know of its claim any more."""
    first = hall.claim(1)
    hall.hall.move(3 * S)
    again = NodeClaim(uid=uid(1), boots=2, side="sun", number=17)
    at_us = (hall.hall.timers.boot_ns() - 700 * MS) // 1000
    hall.tables.heard(ClaimHeard(claim=again, board=None, at_us=at_us))
    hall.hall.move(0)
    (found,) = hall.hall.picture.claims
    assert (found.pressed_ms_before_end, found.count) == (25_700, 2), "the moment is that of the first press"
    assert (hall.status(first), hall.status(again)) == (None, "open")
    hall.hall.ask("claim", {"board": "A1", "side": "sun"})
    assert hall.hall.picture.claims[0].count == 2, "what the director enters is no press"


def noise(hall: TableHall, claims: int, *, first: int = 1, taking_back: bool = True) -> NodeClaim:
    """Node 1 claims twelve times a second, and takes each back if it may."""
    for number in range(first, first + claims):
        hall.hall.move(83 * MS)
        claim = hall.claim(1, ago_ms=0, count=(number - 1) % 255 + 1)
        if taking_back:
            hall.take_back(claim)
    return claim


@pytest.mark.parametrize("taking_back", [True, False])
def test_a_button_that_claims_without_end_is_named_and_fills_nothing(
    hall: TableHall, taking_back: bool
) -> None:
    sentence = (
        "Table A1: its Sun button claims faster than a hand can press: unplug or replace the node. Its claims"
        " are listed but do not pause the game."
    )
    hall.tables.begin()
    other = hall.claim(2)
    noise(hall, 200, taking_back=taking_back)
    lines, kept = len(hall.hall.log.lines), len(hall.hall.commands.answers.keys(""))
    claim = noise(hall, 30, first=201, taking_back=taking_back)
    assert sentence in hall.hall.picture.health.messages
    assert [one[1:] for one in hall.claims] == [("A2", "sun", "open"), ("A1", "sun", "open")]
    assert (len(hall.hall.log.lines), len(hall.hall.commands.answers.keys(""))) == (lines, kept)
    assert hall.status(other) == hall.status(claim) == "open"
    hall.hall.move(61 * S)
    assert sentence not in hall.hall.picture.health.messages


def test_a_faulty_button_never_pauses_and_its_next_claim_after_a_verdict_counts(hall: TableHall) -> None:
    noise(hall, 20)
    hall.hall.ask("set_claims", {"mode": "pause"})
    hall.hall.ask("verdict", {"claim": hall.claims[0][0], "confirmed": False})
    claim = noise(hall, 1, first=21)
    assert [one[3] for one in hall.claims] == ["rejected", "open"]
    assert hall.status(claim) == "open"
    assert not hall.hall.picture.paused
    hall.claim(2, ago_ms=0)
    assert hall.hall.picture.pause_reasons == ["claim"], "a well button pauses"


def test_as_fast_as_hands_are_nobody_is_called_faulty(hall: TableHall) -> None:
    """Held, held again to take it back: 0.6 s each and an opening of 30 ms, for 15 s."""
    for number in range(1, 13):
        hall.hall.move(630 * MS)
        claim = hall.claim(1, ago_ms=0, count=number)
        hall.hall.move(630 * MS)
        hall.take_back(claim)
        assert hall.status(claim) == "withdrawn"
    assert not any("faster than a hand" in said for said in hall.hall.picture.health.messages)


# However often, late and jumbled claims are heard: each counts once, in the order of first contact.


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
