"""Any message of the table bus, and any frame, for property tests."""

from typing import Any

from hypothesis import strategies as st

from pi_controller.bus import messages
from pi_controller.bus.frame import Frame
from pi_controller.bus.messages import (
    FURTHER,
    PHASES,
    REASONS,
    Acting,
    Assign,
    BadMessage,
    BlockMessage,
    ClaimAnswer,
    ClaimReport,
    Discover,
    HealthMessage,
    IdentifyMessage,
    Info,
    Languages,
    Measure,
    Measurements,
    Message,
    OfferMessage,
    Order,
    PauseMessage,
    Ping,
    Poll,
    Pong,
    ProgressMessage,
    SayMessage,
    SeatMessage,
    StateMessage,
    StepMessage,
    from_frame,
)

BYTE, WORD, LONG = st.integers(0, 255), st.integers(0, 0xFFFF), st.integers(0, 2**32 - 1)
UID = st.binary(min_size=8, max_size=8).map(bytes.hex)
DATA = st.binary(min_size=24, max_size=24)
DIE = st.integers(1, 6)
ANSWER = st.builds(ClaimAnswer, BYTE, st.sampled_from(messages.STATUSES))
REPORT = st.builds(ClaimReport, BYTE, LONG)
FLAG = st.booleans()
SEAT_NUMBER = st.none() | st.integers(0, 7)


def flags(kind: Any) -> dict[str, st.SearchStrategy[bool]]:
    return dict.fromkeys(kind.flags, FLAG)


STATES = st.builds(
    StateMessage, epoch=WORD, state_seq=WORD, master_us=LONG, phase=st.sampled_from(PHASES), **flags(StateMessage),
    left_us=LONG, duration=WORD, resume_in=st.none() | st.integers(0, 65534), rate=WORD, round=WORD,
    dice=st.none() | st.tuples(DIE, DIE), target=st.none() | st.sampled_from([2, 3, 4, 5, 6, "desert", 8, 9, 10, 11, 12]),
    last=st.none() | st.integers(2, 12), reasons=st.frozensets(st.sampled_from(REASONS)), brightness=BYTE,
    acting=st.none() | st.builds(Acting, SEAT_NUMBER, SEAT_NUMBER),
)  # fmt: skip
HEALTHS = st.builds(
    HealthMessage, epoch=WORD, state_seq=WORD, sun=REPORT, moon=REPORT, **flags(HealthMessage), vbus=BYTE,
    temperature=st.integers(-128, 127), reset=st.sampled_from(messages.RESETS), crc_errors=BYTE, missed=BYTE, uptime=WORD,
)  # fmt: skip
BOARDS = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=6)
NAMES = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=10)
SAID = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E) | st.sampled_from(FURTHER), max_size=20)
NUMBER = st.none() | st.integers(0, 65534)
OFFER = st.integers(1, messages.MOST_OFFERS)
BLOCK = st.integers(0, messages.BLOCKS_A_PART - 1)
MESSAGES = st.one_of(
    STATES,
    HEALTHS,
    st.builds(Poll, epoch=WORD, sun=ANSWER, moon=ANSWER),
    st.builds(Discover, salt=WORD, slots=st.integers(1, 255), slot_ms=BYTE),
    st.builds(
        Info, uid=UID, hardware=BYTE, firmware=st.tuples(BYTE, BYTE), proto_min=st.just(1),
        proto_max=st.integers(1, 255), boots=BYTE,
    ),
    st.builds(Assign, uid=UID, address=st.integers(1, 32), swap=FLAG, board=BOARDS, brightness=BYTE),
    st.builds(IdentifyMessage, what=st.sampled_from(messages.IDENTIFIES), seconds=BYTE, number=WORD),
    st.builds(Order, what=st.sampled_from(messages.ORDERS), argument=BYTE),
    st.builds(Ping, data=DATA),
    st.builds(Pong, data=DATA, master_us=LONG),
    st.builds(SeatMessage, epoch=WORD, index=st.integers(0, 7), sign=BYTE, name=NAMES),
    st.builds(Languages, epoch=WORD, first=BOARDS, second=BOARDS),
    st.builds(PauseMessage, epoch=WORD, state_seq=WORD, left_us=LONG, reasons=st.frozensets(st.sampled_from(REASONS))),
    st.just(Measure()),
    st.builds(Measurements, supply_mv=NUMBER, spread_mv=NUMBER, lamps=NUMBER, displays=NUMBER, loop=st.none() | st.booleans()),
    st.builds(
        OfferMessage, offer=OFFER, size=st.integers(1, messages.LARGEST_IMAGE), firmware=st.tuples(BYTE, BYTE),
        key=st.binary(min_size=4, max_size=4),
    ),
    st.builds(BlockMessage, offer=OFFER, part=BYTE, block=BLOCK, data=DATA),
    st.builds(StepMessage, offer=OFFER, what=st.sampled_from(messages.STEPS)),
    st.builds(
        ProgressMessage, offer=WORD, state=st.sampled_from(messages.UPDATE_STATES), why=st.sampled_from(messages.TROUBLES), part=BYTE,
        missing=st.frozensets(BLOCK),
    ),
    st.builds(SayMessage, epoch=WORD, number=BYTE, part=st.just(0), parts=st.integers(0, 15), text=SAID),
    st.builds(SayMessage, epoch=WORD, number=BYTE, part=st.integers(0, 14), parts=st.just(15), text=SAID),
)  # fmt: skip


@st.composite
def any_frames(draw: st.DrawFn) -> Frame:
    """Any version and type; the length is mostly the right one, the bytes are any."""
    number = draw(st.integers(0, 31) | st.sampled_from(sorted(messages.MESSAGES)))
    kind = messages.MESSAGES.get(number)
    right, version = (kind.layout.size, kind.layout.version) if kind is not None else (4, 1)
    size = draw(st.sampled_from((right, right, right + 1, right - 1)))
    payload = st.lists(BYTE | st.integers(0, 13), min_size=size, max_size=size).map(bytes)
    return Frame(
        draw(st.sampled_from((version, version, 1, 0, 2, 7))), number, 5, 0, draw(BYTE), draw(payload)
    )


def understood(frame: Frame) -> Message | None:
    """None where the master's side refuses it."""
    try:
        return from_frame(frame)
    except BadMessage:
        return None
