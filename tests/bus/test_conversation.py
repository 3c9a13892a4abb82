from pi_controller.bus.asked import Asked
from pi_controller.bus.conversation import Conversation
from pi_controller.bus.frame import EVERYBODY, MASTER, Frame, decode, encode
from pi_controller.bus.messages import Health, Identify, Poll, to_frame

HEALTH = Health(epoch=1, state_seq=1)
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
    said = talk.say(Identify(what="off"), EVERYBODY, 1_000_000)
    assert not said.expects_answer
    assert talk.asked is None


def test_a_repeated_request_has_a_new_number() -> None:
    talk = Conversation(name="A", baud=250_000)
    first = talk.request(POLL, 5)
    again = talk.repeat(first)
    assert (again.payload, again.dst) == (first.payload, first.dst)
    assert again.seq == first.seq + 1
    assert decode(encode(again)[1:-1]) == again
