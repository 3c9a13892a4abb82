import json
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.protocol import messages
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.lines import decode_request
from pi_controller.protocol.messages import (
    REQUESTS,
    AskCopy,
    AskExportLines,
    AskFollow,
    AskHallCommand,
    AskKeepTerm,
    AskLink,
    AskPinGuesses,
    AskProbe,
    AskSeatClaim,
    AskSeatCodes,
    AskSeatTaken,
    AskSetRoster,
    AskSettle,
    AskShowPin,
    AskSim,
    AskSound,
    AskStaffPages,
    AskStick,
    AskTable,
    AskTestBegin,
    AskTestEnd,
    AskTestKeep,
    AskUplinkDone,
    AskWatchTest,
    CopyDeed,
)
from pi_controller.protocol.picture import Beat, ClaimUplink, Hall, Unread
from pi_controller.protocol.probes import LampProbe, ReportsProbe
from pi_controller.protocol.question import LONGEST_REQUEST, AskCommand, decode_answer, encode, encode_request
from pi_controller.protocol.sentences import SentenceView
from pi_controller.protocol.simulated import ButtonPicture, GlassPicture, PanelPicture
from pi_controller.protocol.tables import TableAction
from pi_controller.software import Software
from tests.protocol.pictures import typed

NEED_MORE = (
    *("command", "sim", "export_lines", "set_roster", "table"),
    *("test_begin", "test_keep", "test_end", "probe", "watch_test", "show_pin", "pin_guesses", "sound"),
    *("staff_pages", "copy"),
    *("seat_claim", "seat_taken"),
    *("link", "follow", "uplink_done", "hall_command", "settle", "keep_term"),
)


CLAIM = ClaimUplink(key="k1", at_us=7, error_us=3, source="table", to="r", board="A1", side="sun")


@pytest.mark.parametrize(
    "request_",
    [
        *(kind() for name, kind in REQUESTS.items() if name not in NEED_MORE),
        AskCommand(id="a", name="say", body={"text": "hello"}, source="web", key="k1"),
        AskSim(do="press"),
        AskShowPin(pin="123456"),
        AskStaffPages(address="https://192.0.2.4:8443", fingerprint=":".join(["0A"] * 32)),
        AskPinGuesses(wrong=12),
        AskSound(do="mute", minutes=5),
        AskSound(do="test", loudspeaker="left"),
        AskStick(save="/media/STICK", seen=1),
        AskCopy(deed=CopyDeed("take_over", "g1")),
        AskExportLines(game="g1", first=5),
        AskSetRoster(roster={"version": 1, "rows": []}),
        AskTable(deed=TableAction(do="enrol", row="A", board="A5")),
        AskSim(do="lamp_dead", lamp="sun"),
        AskTestBegin(who="Ada", purpose="selftest"),
        AskTestKeep(lease="ab"),
        AskTestEnd(lease="ab"),
        AskWatchTest(lease="ab"),
        AskProbe(probe=LampProbe(lamp="sun", lit=True), lease="ab"),
        AskProbe(probe=ReportsProbe()),
        AskSeatClaim(code="A5-sun-1-AB", key="claim-0001", pressed_us=5, error_us=1),
        AskSeatTaken(code="A5-sun-1-AB"),
        AskSeatCodes(revoke="A5"),
        AskLink(
            state="leading",
            leader="main",
            term=2,
            halls=[Hall(hall="east", online=True, software=Software(version="1", source="a"), boards=["A1"])],
            unread=[Unread(topic="controller/east/ask", count=3)],
            settled="s1",
        ),
        AskFollow(leader="main", term=1, offset_us=-5, error_us=900, heard_us=7, picture=typed()),
        AskSettle(lead=True, hall="main"),
        AskKeepTerm(term=2, over=["c0.1"]),
        AskUplinkDone(key="k1", accepted=False, reasons=[SentenceView(key="link.refused")]),
        AskHallCommand(hall="east", uplink=CLAIM),
    ],
)
def test_a_request_survives_the_wire(request_: messages.Request) -> None:
    line = encode_request(request_)
    assert line.count(b"\n") == 1
    assert decode_request(line) == request_


def test_the_wire_carries_the_published_names() -> None:
    line = encode_request(AskExportLines(id=3, game="g1", first=5))
    assert msgspec.json.decode(line) == {
        "ask": "export_lines",
        "version": 1,
        "id": 3,
        "game": "g1",
        "from": 5,
    }


@pytest.mark.parametrize(
    ("line", "sentence", "request_id"),
    [
        (b"[]", "A request must be an object, not a list", None),
        (b'{"ask":"picture","version":1}', "A request needs an `id`, a text or a whole number", None),
        (b'{"ask":"picture","version":1,"id":true}', "A request needs an `id`", None),
        (b'{"ask":"picture","version":2,"id":4}', "Version 2 is not spoken here; this controller speaks", 4),
        (b'{"ask":"picture","id":4}', "Version null is not spoken here", 4),
        (
            b'{"ask":"weather","version":1,"id":4}',
            '"weather" cannot be asked; what can be asked is picture,',
            4,
        ),
        (
            b'{"ask":"sim","version":1,"id":4,"do":"tap","contact":"no"}',
            "sim: `contact` goes with break_wire only, not with tap",
            4,
        ),
        (b'{"ask":"sim","version":1,"id":4,"do":"kick"}', 'sim: `do` must be "bounce", "break_wire",', 4),
        (b'{"ask":"games","version":1,"id":4,"x":0}', "games: `x` is not known; known here:", 4),
        (b'{"ask":"command","version":1,"id":4}', "command: `name` is missing; it must be a text", 4),
        (
            b'{"ask":"table","version":1,"id":4,"deed":{"do":"kick"}}',
            'table: `deed.do` must be "clear", "enrol", "identify",',
            4,
        ),
        (
            b'{"ask":"table","version":1,"id":4,"deed":{"do":"replace","board":"A1"}}',
            "table: replace needs `uid`",
            4,
        ),
        (
            b'{"ask":"table","version":1,"id":4,"deed":{"do":"swap","board":"A1","row":"A"}}',
            "table: `row` does not belong to swap",
            4,
        ),
        (
            b'{"ask":"table","version":1,"id":4,"deed":{"do":"identify","board":"A1","uid":"0"}}',
            "table: identify takes either `board` or `uid`",
            4,
        ),
        (
            b'{"ask":"show_pin","version":1,"id":4,"pin":"12345x"}',
            "show_pin: it must come with `pin`, six",
            4,
        ),
        (b"x" * (LONGEST_REQUEST + 1), "A request has at most 262144 bytes, this one has 262145", None),
    ],
)
def test_a_wrong_request_is_told_with_its_id(line: bytes, sentence: str, request_id: object) -> None:
    with pytest.raises(Malformed) as caught:
        decode_request(line)
    assert str(caught.value).startswith(sentence)
    assert caught.value.request_id == request_id


def test_a_request_that_is_too_long_is_not_sent() -> None:
    with pytest.raises(Malformed, match="A request has at most 262144 bytes"):
        encode_request(AskCommand(name="say", body={"text": "x" * LONGEST_REQUEST}))


@given(st.dictionaries(st.sampled_from(["ask", "version", "id", "name", "do"]), st.integers() | st.text()))
def test_any_object_is_read_or_refused(value: dict[str, object]) -> None:
    with suppress(Malformed):
        decode_request(msgspec.json.encode(value))


def test_answers_and_news_carry_the_published_names() -> None:
    beat = Beat(beat=3, session="s", as_of_ms=5)
    assert encode(messages.DoneAnswer(id="q")) == b'{"id":"q","done":true}\n'
    assert encode(messages.BeatNews(beat=beat)) == (
        b'{"beat":{"version":1,"beat":3,"session":"s","as_of_ms":5}}\n'
    )
    panel = PanelPicture(
        sun=True,
        moon=False,
        pause_lamp=False,
        buzzer=False,
        display=GlassPicture(width=8, height=1, bits=b"\xff", on=True),
        button=ButtonPicture(pressed=False, wire="ok"),
    )
    shown = encode(messages.PanelNews(panel=panel))
    assert shown == (
        b'{"panel":{"sun":true,"moon":false,"pause_lamp":false,"buzzer":false,'
        b'"display":{"width":8,"height":1,"bits":"/w==","on":true},"button":{"pressed":false,"wire":"ok"}}}\n'
    )
    assert decode_answer(shown, messages.News) == messages.News(panel=panel)


@pytest.mark.parametrize("pin", ["493027", "49302", 493027, ["493027"]])
def test_no_sentence_and_no_trace_quotes_a_pin(pin: object) -> None:
    line = json.dumps({"ask": "show_pin", "version": 1, "id": 4, "pin": pin, "x": pin}).encode()
    with pytest.raises(Malformed) as caught:
        decode_request(line)
    assert "4930" not in str(caught.value)
    assert "4930" not in repr(AskShowPin(pin="493027"))


def test_the_links_process_may_ask_only_what_it_needs() -> None:
    """It hands on what strangers have published."""
    for kind in messages.REQUESTS:
        line = b'{"version":1,"id":1,"ask":"%s"}' % kind.encode()
        with suppress(Malformed):
            decode_request(line)
            assert kind in messages.OF_LINKS or refusal(line) == "request.not_for_this_process"
    assert refusal(b'{"version":1,"id":1,"ask":"set_roster","roster":{}}') == "request.not_for_this_process"


def refusal(line: bytes) -> str:
    with pytest.raises(Malformed) as refused:
        decode_request(line, messages.OF_LINKS)
    return refused.value.sentence.key
