from pi_controller.bus.conversation import (
    FOREIGN_US,
    QUIET_US,
    REMEMBERED,
    TURN_US,
    BusLine,
    Conversation,
    Echo,
)
from pi_controller.bus.frame import EVERYBODY, MASTER, Frame, decode, encode
from pi_controller.bus.messages import HealthMessage, IdentifyMessage, Poll, to_frame
from pi_controller.bus.requests import Asked

HEALTH = HealthMessage(epoch=1, state_seq=1)
POLL = Poll(epoch=1)


def asking(now_us: int = 1_000_000) -> tuple[Conversation, Asked]:
    talk = Conversation(name="A", baud=250_000)
    asked = Asked(what="poll")
    talk.ask(talk.request(POLL, 5), asked, now_us)
    return talk, asked


def answer(asked: Asked, *, src: int = 5, dst: int = MASTER, seq: int | None = None) -> bytes:
    return encode(to_frame(HEALTH, dst=dst, src=src, seq=asked.seq if seq is None else seq))


def test_a_request_is_on_the_wire_before_its_answer_is_waited_for() -> None:
    _, asked = asking()
    assert asked.sent_us == 1_000_000 + 17 * 40 + 1
    assert asked.until_us == asked.sent_us + 12_000


def test_its_answer_belongs_to_it_and_ends_it() -> None:
    talk, asked = asking()
    ((of, frame, message),) = talk.hear(answer(asked), 1_005_000)
    assert (of, frame.src, message) == (asked, 5, HEALTH)
    assert talk.asked is None
    assert list(talk.tally.trips_us) == [1_005_000 - asked.sent_us]


def test_nothing_else_belongs_to_it() -> None:
    talk, asked = asking()
    assert talk.hear(answer(asked, seq=asked.seq - 1), 1_004_000) == []
    assert talk.hear(answer(asked, dst=7), 1_005_000) == []
    assert talk.asked is asked
    assert talk.tally.unasked == 2
    unknown = encode(Frame(1, 31, MASTER, 5, asked.seq, b""))
    assert talk.hear(unknown, 1_006_000) == []
    assert talk.tally.strange == 1


def test_after_it_is_given_up_its_answer_counts_for_nothing() -> None:
    talk, asked = asking()
    assert talk.broken_off() is asked
    assert talk.hear(answer(asked), 1_003_000) == []


def test_half_an_answer_is_a_damaged_one() -> None:
    talk, asked = asking()
    assert talk.hear(answer(asked)[:20], 1_003_000) == []
    assert talk.overdue(asked.until_us - 1) is None
    assert talk.overdue(asked.until_us) is asked
    assert asked.garbled
    assert (talk.tally.cut, talk.tally.missed) == (1, 1)
    assert not talk.receiver.midway


def test_a_discovery_has_many_answers_and_no_miss() -> None:
    talk = Conversation(name="A", baud=250_000)
    asked = Asked(what="discover", wait_us=50_000)
    talk.ask(talk.request(POLL, 0xF0), asked, 1_000_000)
    assert len(talk.hear(answer(asked) + answer(asked, src=6), 1_010_000)) == 2
    assert talk.asked is asked
    assert talk.overdue(asked.until_us) is asked
    assert talk.tally.missed == 0


def test_what_nobody_answers_is_only_said() -> None:
    talk = Conversation(name="A", baud=250_000)
    said = talk.say(IdentifyMessage(what="off"), EVERYBODY, 1_000_000)
    assert not said.expects_answer
    assert talk.asked is None


def test_a_repeated_request_has_a_new_number() -> None:
    talk = Conversation(name="A", baud=250_000)
    first = talk.request(POLL, 5)
    again = talk.repeat(first)
    assert (again.payload, again.dst) == (first.payload, first.dst)
    assert again.seq == first.seq + 1
    assert decode(encode(again)[1:-1]) == again


def frame(seq: int) -> Frame:
    return Frame(1, 2, 5, 0, seq, b"123456")


def test_own_frames_come_back_once_each() -> None:
    echo = Echo()
    echo.sent(frame(1))
    echo.sent(frame(2))
    assert not echo.foreign(frame(1), 1_000)
    assert not echo.foreign(frame(2), 2_000)
    assert echo.echoes == 2
    assert not echo.other_master(2_000)


def test_what_was_never_sent_is_another_masters() -> None:
    echo = Echo()
    echo.sent(frame(1))
    assert echo.foreign(frame(7), 1_000)
    assert echo.other_master(1_000)
    assert not echo.other_master(1_000 + FOREIGN_US)


def test_what_was_sent_long_ago_is_no_echo() -> None:
    echo = Echo()
    for seq in range(REMEMBERED + 1):
        echo.sent(frame(seq))
    assert echo.foreign(frame(0), 1_000)


def test_damage_counts_as_collision_only_where_own_bytes_come_back() -> None:
    echo = Echo()
    echo.damaged(1)
    assert echo.collisions == 0
    echo.sent(frame(1))
    echo.foreign(frame(1), 1_000)
    echo.damaged(2)
    assert echo.collisions == 2


def test_own_bytes_take_their_time_on_the_wire() -> None:
    line = BusLine(baud=250_000)
    line.sent(39, 1_000)
    assert line.free_at(1_000) == 1_000 + 39 * 40 + 1
    assert line.free_at(3_000) <= 3_000


def test_a_half_frame_holds_the_line_until_it_is_given_up() -> None:
    line = BusLine(baud=250_000)
    line.heard(10_000, whole=False)
    assert line.free_at(10_000) == 10_000 + QUIET_US
    line.heard(10_500, whole=False)
    assert line.free_at(11_000) == 10_500 + QUIET_US
    assert line.free_at(10_500 + QUIET_US) <= 10_500 + QUIET_US


def test_a_node_gets_the_time_to_let_go_of_the_line() -> None:
    line = BusLine(baud=250_000)
    line.heard(10_000, whole=False)
    line.heard(11_000, whole=True)
    assert line.free_at(11_000) == 11_000 + TURN_US


def test_who_never_stops_delays_by_no_more_than_a_longest_frame() -> None:
    line = BusLine(baud=250_000)
    now = 0
    while line.free_at(now) > now:
        line.heard(now, whole=False)
        now += 200
        assert now < 5_000


def test_behind_what_is_said_to_everybody_nobody_is_asked_for_3_ms() -> None:
    line = BusLine(baud=250_000)
    line.sent(39, 0)
    line.said_to_everybody()
    over = line.sending_until_us
    assert line.free_at(over) <= over
    assert (line.gap_until(over), line.gap_until(over + 2_999)) == (over + 3_000, over + 3_000)
    assert line.gap_until(over + 3_000) is None


def test_a_reopened_port_is_free() -> None:
    line = BusLine(baud=115_200)
    line.sent(39, 0)
    line.heard(100, whole=False)
    line.forget()
    assert line.free_at(200) <= 200
