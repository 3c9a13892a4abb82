"""Claims of phones: the moment that core believes, each claim once, and who may make one."""

import heapq
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import pytest

from pi_controller.core.game_loop.pending import Answer
from pi_controller.core.tables.claims import moment_of
from pi_controller.protocol.messages import AskSeatClaim
from pi_controller.roster.seat_codes import SeatAt, SeatCodes
from tests.core.hall import accepted
from tests.core.hand import MS, S, settle
from tests.core.hand_bus import TableHall, roster_of

PHONES = 40
CLOCK_ERROR_NS = 500 * MS
JITTER_NS = 100 * MS
LOST = 0.05
DRIFT = 100e-6
AGAIN_NS = (500 * MS, 1000 * MS, 2000 * MS)
"""As `phone/seat.js` sends once more."""


class SeatHall(TableHall):
    """A hall without table nodes: boards A1 to A40, claims by seat codes."""

    def __init__(self, folder: Path, boards: int = 3, *, allowed: bool = True) -> None:
        super().__init__(folder, roster=roster_of(*range(1, boards + 1)))
        self.codes = SeatCodes(folder)
        self.codes.prepare()
        self.phones = self.seats(self.codes if allowed else None)
        self.answers: list[Answer] = []

    def code(self, board: str, side: str = "sun") -> str:
        return self.codes.code(SeatAt(board, "sun" if side == "sun" else "moon"))

    def claim_by(
        self, code: str, *, key: str = "key-00000001", ago_ms: int = 700, error_ms: int = 20
    ) -> Answer:
        self.ask(code, key, self.hall.timers.boot_ns() - ago_ms * MS, error_ms * MS)
        return self.answers[-1]

    def ask(self, code: str, key: str, pressed_ns: int, error_ns: int) -> None:
        asked = AskSeatClaim(code=code, key=key, pressed_us=pressed_ns // 1000, error_us=error_ns // 1000)

        async def answer() -> None:
            self.answers.append(await self.phones.claim(asked))

        self.hall.tasks.start(answer())
        self.hall.move(0)


@pytest.fixture
def hall(tmp_path: Path) -> SeatHall:
    """Ten seconds into round 1, Sun's."""
    hall = SeatHall(tmp_path)
    hall.play()
    hall.hall.move(10 * S)
    return hall


@pytest.mark.parametrize(
    ("ago_ms", "error_ms", "trip_ms", "counts_ago_ms", "shown_ms"),
    [
        (700, 20, 40, 700, 20),
        (900, 20, 0, 900, 20),
        (901, 20, 0, 0, 921),
        (940, 20, 40, 940, 20),
        (941, 20, 40, 0, 961),
        (2000, 20, 1900, 2000, 950),
        (2001, 20, 1900, 0, 2951),
        (700, 0, 400, 700, 200),
        (-15, 20, 0, 0, 20),
        (-30, 20, 0, 0, 20),
        (700, 1001, 0, 0, 1701),
        (90_000, 20, 0, 0, 60_000),
    ],
)
def test_a_press_is_believed_as_far_back_as_the_line_is_slow(
    ago_ms: int, error_ms: int, trip_ms: int, counts_ago_ms: int, shown_ms: int
) -> None:
    now_ns = 500 * S
    moment = moment_of(now_ns - ago_ms * MS, error_ms * MS, now_ns, trip_ms * MS)
    assert moment.at_ns == now_ns - counts_ago_ms * MS
    assert moment.error_ms == shown_ms


def test_a_back_dated_press_is_no_way_back_into_the_round(hall: SeatHall) -> None:
    """1.13 s after Sun's round a device says that it was pressed in it, and that it knows that exactly."""
    hall.hall.move(25 * S + 1130 * MS)
    assert hall.hall.picture.side == "moon"
    assert not hall.claim_by(hall.code("A2"), ago_ms=1140, error_ms=0).accepted
    assert hall.hall.picture.claims == []


def test_a_press_of_the_last_moment_counts_though_its_message_was_sent_twice(hall: SeatHall) -> None:
    hall.hall.move(25 * S + 850 * MS)
    assert hall.claim_by(hall.code("A2"), ago_ms=860, error_ms=20).accepted
    assert [claim.pressed_ms_before_end for claim in hall.hall.picture.claims] == [10]


def test_a_claim_says_its_source_and_its_error(hall: SeatHall) -> None:
    assert hall.claim_by(hall.code("A2")).accepted
    (found,) = hall.hall.picture.claims
    assert (found.board, found.side, found.source, found.press_error_ms) == ("A2", "sun", "seat", 20)
    assert found.pressed_ms_before_end == 25_700


def test_it_counts_once_and_beside_a_node_in_press_order(hall: SeatHall) -> None:
    for _ in range(3):
        assert hall.claim_by(hall.code("A2"), ago_ms=650).accepted
    hall.claim(1, ago_ms=700)
    claims = hall.hall.picture.claims
    assert [(claim.board, claim.source, claim.count) for claim in claims] == [
        ("A1", "table", 1),
        ("A2", "seat", 1),
    ]


def test_the_director_does_not_undo_it(hall: SeatHall) -> None:
    hall.claim_by(hall.code("A2"))
    assert not accepted(hall.hall.ask("undo"))
    assert len(hall.hall.picture.claims) == 1


def test_without_a_valid_code_nobody_claims(hall: SeatHall, tmp_path: Path) -> None:
    code = hall.code("A2")
    for wrong in (
        "A3" + code[2:],
        code[:-1] + ("A" if code[-1] != "A" else "B"),
        "A2",
        code.replace("sun", "moon"),
    ):
        answer = hall.claim_by(wrong)
        assert [reason.key for reason in answer.reasons] == ["claim.no_seat_code"]
    hall.phones.printed(revoke="A2")
    assert not hall.claim_by(code).accepted
    assert hall.claim_by(hall.code("A2")).accepted
    assert not hall.claim_by(hall.code("B9")).accepted, "a board that the roster has no more"


def test_where_the_settings_allow_none_there_are_no_codes(tmp_path: Path) -> None:
    hall = SeatHall(tmp_path, allowed=False)
    hall.play()
    hall.hall.move(10 * S)
    assert [reason.key for reason in hall.claim_by(hall.code("A1")).reasons] == ["claim.no_seat_codes"]
    assert not isinstance(hall.phones.printed(None), list)


def test_the_desk_is_told_for_a_while_that_another_device_has_a_seat(hall: SeatHall) -> None:
    hall.phones.taken(hall.code("A1"))
    assert [item.key for item in hall.hall.picture.health.items] == ["claim.seat_taken"]
    hall.hall.move(121 * S)
    assert hall.hall.picture.health.items == []


@dataclass
class Phone:
    """A clock that is wrong and drifts, and what it has measured, as `lib/clock.js` does."""

    board: str
    offset_ns: int
    drift: float
    samples: list[tuple[int, int, int]] = field(default_factory=list)

    def clock(self, true_ns: int) -> int:
        return round(true_ns * (1 + self.drift)) + self.offset_ns

    def heard(self, sent: int, core_ns: int, came: int) -> None:
        half = (came - sent) // 2
        self.samples.append((came, core_ns - (sent + half), half))

    def at(self, moment: int) -> tuple[int, int]:
        guesses = [(half + abs(moment - at) // 5000, moment + offset) for at, offset, half in self.samples]
        error, core_ns = min(guesses)
        return core_ns, error


def way(draw: random.Random) -> int | None:
    """Nanoseconds that a message is under way; None: it is lost."""
    return None if draw.random() < LOST else draw.randrange(1 * MS, JITTER_NS)


def measured(draw: random.Random, phone: Phone, begin_ns: int) -> None:
    for number in range(8):
        sent_ns = begin_ns + number * 150 * MS
        there, back = way(draw), way(draw)
        if there is not None and back is not None:
            core_ns = sent_ns + there
            phone.heard(phone.clock(sent_ns), core_ns, phone.clock(core_ns + back))


def sendings(draw: random.Random, pressed_ns: int) -> Iterator[int]:
    """When the controller hears a claim, until an answer has come back."""
    sent_ns, tries = pressed_ns + 600 * MS, 0
    while True:
        there, back = way(draw), way(draw)
        if there is not None:
            yield sent_ns + there
        wait_ns = AGAIN_NS[min(tries, len(AGAIN_NS) - 1)]
        if there is not None and back is not None and there + back < wait_ns:
            return
        sent_ns, tries = sent_ns + wait_ns, tries + 1


@pytest.mark.parametrize("seed", range(3))
def test_40_phones_with_wrong_clocks_and_lost_messages(tmp_path: Path, seed: int) -> None:
    """Order and time are right within the error that is shown, and each claim counts once."""
    draw = random.Random(seed)
    hall = SeatHall(tmp_path, boards=PHONES)
    hall.play()
    hall.hall.move(10 * S)
    now_ns = hall.hall.timers.boot_ns()
    pressed: dict[str, int] = {}
    arrivals: list[tuple[int, str, int, int]] = []
    for number in range(1, PHONES + 1):
        phone = Phone(
            f"A{number}", draw.randrange(-CLOCK_ERROR_NS, CLOCK_ERROR_NS), draw.uniform(-DRIFT, DRIFT)
        )
        measured(draw, phone, now_ns)
        pressed[phone.board] = moment_ns = now_ns + draw.randrange(3 * S, 5 * S)
        core_ns, error_ns = phone.at(phone.clock(moment_ns))
        for came_ns in sendings(draw, moment_ns):
            heapq.heappush(arrivals, (came_ns, phone.board, core_ns, error_ns))
    while arrivals:
        came_ns, board, core_ns, error_ns = heapq.heappop(arrivals)
        hall.hall.move(max(0, came_ns - hall.hall.timers.boot_ns()))
        hall.ask(hall.code(board), f"claim-of-{board}", core_ns, error_ns)
    settle()
    records = {str(record.board): record for record in hall.hall.loop.game.state.claims}
    assert len(hall.hall.picture.claims) == len(records) == PHONES
    assert {claim.count for claim in hall.hall.picture.claims} == {1}
    errors = {board: (record.press_error_ms or 0) * MS for board, record in records.items()}
    for board, record in records.items():
        assert abs(record.at_ns - hall.hall.loop.time.game_ns(pressed[board])) <= errors[board]
    place = {claim.board: number for number, claim in enumerate(hall.hall.picture.claims)}
    for one, other in combinations(records, 2):
        if pressed[one] + errors[one] + errors[other] < pressed[other]:
            assert place[one] < place[other]
