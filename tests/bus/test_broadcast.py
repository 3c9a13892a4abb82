import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pi_controller.bus.broadcast import REFRESH_US, Broadcast, left_us
from pi_controller.bus.messages import Languages, PauseMessage, SayMessage, from_frame, to_frame
from pi_controller.bus.values import TableSeat, TableState

NOW = 7_000_000_000
STATE = TableState(
    as_of_us=NOW,
    phase="round",
    running=True,
    seat=1,
    next_seat=0,
    left_us=30_000_000,
    duration_ms=35_000,
    round=70_000,
    dice=(2, 6),
    last_sum=5,
)


def shown(state: TableState) -> Broadcast:
    broadcast = Broadcast(epoch=9, chance=lambda: 12_345)
    broadcast.show(state)
    return broadcast


def test_nothing_goes_out_before_there_is_something() -> None:
    broadcast = Broadcast(epoch=9, chance=lambda: 12_345)
    assert broadcast.due_us() is None
    with pytest.raises(ValueError, match=r"there is no state to send yet; call show\(\) first"):
        broadcast.message(NOW)


def test_a_change_goes_out_at_once_and_twice_more_then_every_200_ms() -> None:
    broadcast = shown(STATE)
    now = NOW
    sent = []
    for _ in range(5):
        due = broadcast.due_us()
        assert due is not None
        now = max(now, due)
        sent.append(now - NOW)
        broadcast.sent(now)
    assert sent == [0, 15_000, 40_000, 40_000 + REFRESH_US, 40_000 + 2 * REFRESH_US]
    assert broadcast.message(now).state_seq == 1


def test_beside_another_master_it_comes_earlier_by_chance() -> None:
    broadcast = shown(STATE)
    broadcast.sent(NOW)
    broadcast.sent(NOW + 40_000, disturbed=True)
    assert broadcast.due_us() == NOW + 40_000 + 200_000 - 12_345


PAUSED = replace(STATE, running=False, paused=True, left_us=29_500_000, pause_reasons=("button",))


def said_of(
    broadcast: Broadcast, *, times: int = 3, short: bool = True, broke_in: bool = False, takes_us: int = 1_000
) -> list[tuple[str, int]]:
    """Names of the frames that go out, and when each begins."""
    said: list[tuple[str, int]] = []
    now_us = NOW
    for at in range(times):
        now_us = max(now_us, broadcast.due_us() or 0)
        frame = broadcast.say(now_us, short=short, broke_in=broke_in and at == 0, disturbed=False)
        said.append((frame.layout.name, now_us - NOW))
        now_us += takes_us
    return said


def heard(state: TableState) -> Broadcast:
    """Nodes know this one."""
    broadcast = shown(state)
    broadcast.sent(NOW)
    return broadcast


def pausing() -> Broadcast:
    broadcast = heard(STATE)
    broadcast.show(PAUSED)
    return broadcast


def test_a_pause_is_first_said_in_short_where_all_nodes_know_that() -> None:
    broadcast = pausing()
    short = broadcast.say(NOW, short=True, broke_in=False, disturbed=False)
    assert short == PauseMessage(epoch=9, state_seq=2, left_us=29_500_000, reasons=frozenset({"button"}))
    assert (broadcast.urgent, broadcast.repeating) == (False, True)
    state = broadcast.message(NOW + 15_000)
    assert (state.state_seq, state.left_us, state.reasons) == (2, 29_500_000, short.reasons)
    assert said_of(pausing(), times=4) == [
        ("PAUSE", 0),
        ("STATE", 15_000),
        ("STATE", 40_000),
        ("STATE", 240_000),
    ]
    assert said_of(pausing(), short=False) == [("STATE", 0), ("STATE", 15_000), ("STATE", 40_000)]


def test_what_may_have_garbled_it_makes_it_follow_right_behind() -> None:
    said = [("PAUSE", 0), ("PAUSE", 1_000), ("PAUSE", 2_000), ("STATE", 15_000), ("STATE", 40_000)]
    assert said_of(pausing(), times=5, broke_in=True) == said
    late = [("PAUSE", 0), ("PAUSE", 4_000), ("STATE", 15_000)]
    assert said_of(pausing(), broke_in=True, takes_us=4_000) == late


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (STATE, replace(PAUSED, round=4)),
        (STATE, replace(PAUSED, paused=False)),
        (PAUSED, replace(PAUSED, pause_reasons=("button", "claim"))),
        (PAUSED, replace(PAUSED, resume_in_ms=3_000)),
        (replace(STATE, brightness=1), PAUSED),
    ],
    ids=["another round", "over", "another reason", "counting in", "brightness"],
)
def test_every_other_change_is_said_by_the_state_alone(before: TableState, after: TableState) -> None:
    broadcast = heard(before)
    broadcast.show(after)
    assert said_of(broadcast, times=1) == [("STATE", 0)]


def test_a_pause_while_counting_in_is_said_in_short_too() -> None:
    broadcast = heard(replace(PAUSED, resume_in_ms=3_000))
    broadcast.show(PAUSED)
    assert said_of(broadcast, times=2) == [("PAUSE", 0), ("STATE", 15_000)]


def test_it_is_not_said_where_nodes_have_not_heard_what_it_freezes() -> None:
    nothing_heard = shown(PAUSED)
    assert said_of(nothing_heard, times=1) == [("STATE", 0)]
    one_missed = heard(STATE)
    one_missed.show(replace(STATE, round=4))
    one_missed.show(PAUSED)
    assert said_of(one_missed, times=1) == [("STATE", 0)]
    over_before_it_was_said = heard(STATE)
    over_before_it_was_said.show(PAUSED)
    over_before_it_was_said.show(STATE)
    assert said_of(over_before_it_was_said, times=1) == [("STATE", 0)]


def test_what_may_have_been_garbled_follows_at_once() -> None:
    broadcast = shown(STATE)
    broadcast.say(NOW, short=False, broke_in=True, disturbed=False)
    assert broadcast.due_us() == NOW + 1
    assert broadcast.repeating


def test_time_that_runs_as_expected_is_no_change() -> None:
    broadcast = shown(STATE)
    broadcast.sent(NOW)
    broadcast.show(replace(STATE, as_of_us=NOW + 3_000_000, left_us=27_001_000))
    assert not broadcast.urgent
    assert broadcast.message(NOW + 3_000_000).left_us == 27_001_000


@pytest.mark.parametrize(
    "change",
    [
        {"running": False, "paused": True},
        {"left_us": 29_000_000},
        {"round": 4},
        {"brightness": 10},
        {"resume_in_ms": 3_000},
        {"pause_reasons": ("claim",)},
    ],
)
def test_everything_else_is_a_change(change: dict[str, object]) -> None:
    broadcast = shown(STATE)
    broadcast.sent(NOW)
    broadcast.show(replace(STATE, **change))  # type: ignore[arg-type]
    assert broadcast.urgent
    assert broadcast.message(NOW).state_seq == 2


def test_a_counting_in_that_goes_on_is_no_change_one_that_jumps_is() -> None:
    counting = replace(STATE, running=False, resume_in_ms=3_000)
    broadcast = shown(counting)
    broadcast.sent(NOW)
    broadcast.show(replace(counting, as_of_us=NOW + 1_000_000, resume_in_ms=2_000))
    assert not broadcast.urgent
    assert broadcast.message(NOW + 1_500_000).resume_in == 1_500
    broadcast.show(replace(counting, as_of_us=NOW + 1_000_000, resume_in_ms=3_000))
    assert broadcast.urgent


def test_the_time_left_follows_the_rate_and_stops_at_zero() -> None:
    fast = replace(STATE, rate=20.0)
    assert left_us(fast, NOW + 1_000_000) == 10_000_000
    assert left_us(fast, NOW + 2_000_000) == 1
    assert left_us(replace(fast, running=False), NOW + 2_000_000) == 30_000_000
    assert shown(fast).message(NOW).rate == 20 * 256


def test_every_word_of_the_state_is_in_the_frame() -> None:
    message = shown(
        replace(
            STATE,
            pause_reasons=("button", "recovery"),
            target="desert",
            robber_possible=True,
            claims_pause=True,
            maintenance=True,
            last_round=True,
        )
    ).message(NOW + 1_000_000)
    assert (message.epoch, message.phase, message.left_us, message.duration) == (9, "round", 29_000_000, 350)
    assert (message.running, message.paused, message.counting_in) == (True, False, False)
    assert (message.sun_active, message.moon_active, message.next_sun, message.next_moon) == (
        False,
        True,
        True,
        False,
    )
    assert (message.robber_possible, message.claims_pause, message.maintenance, message.last_round) == (
        True,
    ) * 4
    assert (message.round, message.dice, message.target, message.last) == (
        70_000 % 65_536,
        (2, 6),
        "desert",
        5,
    )
    assert message.reasons == {"button", "recovery"}
    assert message.master_us == (NOW + 1_000_000) % 2**32


THREE = replace(
    STATE,
    seats=(
        TableSeat(name="Sun", sign="sun"),
        TableSeat(name="Moon", sign="moon"),
        TableSeat(name="Star", sign=None),
    ),
    seat=2,
    next_seat=0,
)


def test_the_acting_seat_is_named_only_where_nodes_do_not_know_the_seats() -> None:
    assert (shown(STATE).message(NOW).acting, shown(STATE).version, shown(STATE).beside_due_us()) == (
        None,
        1,
        None,
    )
    third = shown(THREE).message(NOW)
    assert (third.acting, shown(THREE).version) == ((2, 0), 2)
    assert (third.sun_active, third.moon_active, third.next_sun) == (False, False, True)


def test_the_halls_languages_are_said_before_the_seats_unless_they_are_english_alone() -> None:
    assert shown(replace(STATE, languages=("en",))).beside_due_us() is None
    broadcast = shown(replace(THREE, languages=("pt-BR", "en")))
    said = [broadcast.beside(NOW) for _ in range(5)]
    assert said[0] == said[4] == Languages(epoch=9, first="pt-BR", second="en")
    assert said[1:4] == [shown(THREE).beside(NOW), *said[2:4]]
    assert broadcast.version == 2
    spoken = shown(replace(STATE, languages=("pl",), second_language=True))
    assert spoken.beside(NOW) == Languages(epoch=9, first="pl")
    assert (spoken.version, spoken.message(NOW).second_language) == (1, True)


def test_new_seats_are_said_twice_at_once_then_one_after_the_other() -> None:
    broadcast = shown(THREE)
    said, times = [], []
    for _ in range(9):
        due_us = broadcast.beside_due_us()
        assert due_us is not None
        now = max(due_us, NOW)
        times.append(now - NOW)
        said.append(broadcast.beside(now))
    assert [seat.index for seat in said] == [0, 1, 2] * 3
    assert [(seat.epoch, seat.sign, seat.name) for seat in said[:3]] == [
        (9, 1, "Sun"),
        (9, 2, "Moon"),
        (9, 0, "Star"),
    ]
    assert times == [0, 20_000, 40_000, 60_000, 80_000, 100_000, 600_000, 1_100_000, 1_600_000]
    broadcast.show(replace(THREE, round=3))
    assert broadcast.beside_due_us() == NOW + 2_100_000
    broadcast.show(replace(THREE, seats=THREE.seats[::-1]))
    assert broadcast.beside_due_us() == 0
    broadcast.show(STATE)
    assert broadcast.beside_due_us() is None


SAID = "Please take your seats, the game goes on."


def said_in(broadcast: Broadcast, times: int) -> list[tuple[int, int, int, str]]:
    frames = [broadcast.beside(NOW) for _ in range(times)]
    return [(one.number, one.part, one.parts, one.text) for one in frames if isinstance(one, SayMessage)]


def test_a_message_is_said_in_parts_beside_the_state_and_its_end_as_long_as_the_master_lives() -> None:
    broadcast = shown(STATE)
    broadcast.heard_by(4)
    broadcast.sent(NOW)
    assert broadcast.beside_due_us() is None
    broadcast.show(replace(STATE, message=SAID))
    assert not broadcast.urgent
    assert said_in(broadcast, 4) == [
        (1, 0, 3, "Please take your sea"),
        (1, 1, 3, "ts, the game goes on"),
        (1, 2, 3, "."),
        (1, 0, 3, "Please take your sea"),
    ]
    broadcast.show(replace(STATE, message="Short break"))
    assert broadcast.beside_due_us() == 0
    assert said_in(broadcast, 2) == [(2, 0, 1, "Short break")] * 2
    broadcast.show(STATE)
    assert said_in(broadcast, 9) == [(3, 0, 0, "")] * 9
    assert broadcast.version == 1


def test_a_message_is_not_said_on_a_line_where_nobody_knows_messages() -> None:
    broadcast = shown(replace(STATE, message=SAID))
    broadcast.heard_by(3)
    assert broadcast.beside_due_us() is None
    broadcast.heard_by(4)
    assert broadcast.beside_due_us() == 0


@given(
    left=st.integers(0, 2**40),
    duration=st.integers(0, 2**33),
    resume=st.none() | st.integers(0, 10**9),
    rate=st.floats(0.1, 1000),
    later=st.integers(0, 10**9),
    brightness=st.integers(-5, 999),
)
def test_whatever_is_shown_fits_the_frame(**values: object) -> None:
    """Values beyond the wire's ranges are cut to the nearest that it can carry."""
    state = replace(
        STATE,
        left_us=values["left"],
        duration_ms=values["duration"],
        resume_in_ms=values["resume"],
        rate=values["rate"],
        brightness=values["brightness"],
    )
    broadcast = shown(state)
    frame = to_frame(broadcast.message(NOW + values["later"]), dst=255, src=0, seq=1)  # type: ignore[operator]
    assert from_frame(frame) is not None
