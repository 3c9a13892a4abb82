"""Requests and answers as lines: what is right survives the wire, and every mistake is one sentence."""

import json
import re
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.bus.values import PingAsked
from pi_controller.protocol import messages
from pi_controller.protocol.commands import parse_command
from pi_controller.protocol.errors import Malformed
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
    AskSetSettings,
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
    decode_request,
)
from pi_controller.protocol.picture import Beat, ClaimUplink, Hall, Unread
from pi_controller.protocol.probes import (
    FREE,
    LONGEST_PIECE,
    PROBES,
    RESULTS,
    BusProbe,
    KeepReportProbe,
    LampProbe,
    ProbeDone,
    ReportsProbe,
    read_probe,
)
from pi_controller.protocol.question import LONGEST_REQUEST, AskCommand, decode_answer, encode, encode_request
from pi_controller.protocol.sentences import SentenceView, sentence, view, views
from pi_controller.protocol.settings import SettingChange
from pi_controller.protocol.simulated import check_sim
from pi_controller.protocol.tables import TableAction
from pi_controller.sentence import Sentence, listed
from pi_controller.software import Software
from tests.protocol.pictures import typed
from tests.protocol.wrong import Json, wrong_requests

NEED_MORE = (
    *("command", "sim", "export_lines", "set_roster", "table"),
    *("test_begin", "test_keep", "test_end", "probe", "watch_test", "show_pin", "pin_guesses", "sound"),
    *("staff_pages", "copy", "set_settings"),
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
        AskSetSettings(changes=[SettingChange("hall.languages", ["de"]), SettingChange("event.name", None)]),
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
        AskProbe(probe=BusProbe(job=PingAsked(frames=100, uids=("00000000000000ab",))), lease="ab"),
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
        (b'{"ask":"picture","version":2,"id":4}', "Version 2 is not supported here; this controller uses", 4),
        (b'{"ask":"picture","id":4}', "Version null is not supported here", 4),
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


def test_answers_carry_the_published_names() -> None:
    assert encode(messages.DoneAnswer(id="q")) == b'{"id":"q","done":true}\n'
    beat = Beat(beat=3, session="s", as_of_ms=5)
    line = encode({"beat": beat})
    assert line == b'{"beat":{"version":1,"beat":3,"session":"s","as_of_ms":5}}\n'
    assert decode_answer(line, messages.News) == messages.News(beat=beat)


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


def test_every_probe_has_a_name_and_a_result() -> None:
    assert set(RESULTS) == set(PROBES.values())
    assert RESULTS[LampProbe] is ProbeDone
    assert set(FREE) < set(RESULTS)


def test_the_longest_piece_of_a_report_fits_into_a_request() -> None:
    for letter in ('"', "\n", "ł", "🎲"):
        piece = KeepReportProbe(level="field", text=letter * LONGEST_PIECE, more=True)
        assert encode_request(AskProbe(probe=piece, lease="0" * 32))


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("lamp", 'probe: `probe` must be an object, not "lamp"'),
        ({}, "probe: null cannot be probed; what can be is lamp, buzzer, display,"),
        ({"do": "tea"}, 'probe: "tea" cannot be probed; what can be is lamp,'),
        ({"do": "lamp", "lit": True}, 'Probe lamp: `lamp` is missing; it must be "moon", "pause" or "sun"'),
        ({"do": "lamp", "lamp": "sun", "lit": 1}, "Probe lamp: `lit` must be true or false, not 1"),
        ({"do": "buzzer", "ms": 9000}, "Probe buzzer: `ms` must be a whole number from 1 to 5000, not 9000"),
        ({"do": "inputs", "now": 1}, "Probe inputs: `now` is not known; nothing is expected here"),
        ({"do": "edges", "since": -1}, "Probe edges: `since` must be a whole number from 0 on, not -1"),
        ({"do": "order", "uid": "A7", "what": "hang"}, "Probe order: `uid` must be a text of the form ^[0-9a-f]{16}$"),
        ({"do": "bus", "job": {"kind": "pong"}}, 'Probe bus: `job.kind` must be "loopback", "margin", "measure", "ping" or "silence"'),
        ({"do": "bus", "job": {}}, "Probe bus: `job.kind` is missing"),
        ({"do": "bus", "job": {"kind": "margin"}}, "Probe bus: `job.frames` is missing; it must be a whole number from 1"),
        ({"do": "bus", "job": {"kind": "silence", "seconds": 200}}, "Probe bus: `job.seconds` must be a number"),
        ({"do": "keep_report", "level": "moon", "text": ""}, 'Probe keep_report: `level` must be "bench", "boot" or "field"'),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence(value: object, sentence: str) -> None:
    with pytest.raises(Malformed) as found:
        read_probe(value)
    assert str(found.value).startswith(sentence)


@pytest.mark.parametrize("who", ["", "x" * 61, "Ada\nBob"])
def test_who_tests_has_a_printable_name(who: str) -> None:
    line = {"version": 1, "id": 1, "ask": "test_begin", "who": who, "purpose": "selftest"}
    with pytest.raises(Malformed, match="test_begin: "):
        decode_request(json.dumps(line).encode())


def test_fields_of_simulated_faults() -> None:
    check_sim("lamp_dead", contact=None, lamp="sun")
    for wrong, said in (
        ({"do": "press", "contact": "nc"}, "`contact` goes with break_wire only, not with press"),
        ({"do": "press", "lamp": "sun"}, "`lamp` goes with lamp_dead and lamp_mend only, not with press"),
        ({"do": "lamp_mend"}, "lamp_mend needs `lamp`"),
        ({"do": "fact"}, "fact needs a `name` and a `value`"),
        ({"do": "tap", "name": "kernel"}, "fact needs a `name` and a `value`"),
    ):
        line = {"version": 1, "id": 1, "ask": "sim", **wrong}
        with pytest.raises(Malformed, match=said):
            decode_request(json.dumps(line).encode())


OF_THE_PROGRAM = re.compile(r"<class|Traceback|msgspec|object at 0x|\n|KeyError")


def complaint(request: Json) -> str | None:
    try:
        read = decode_request(json.dumps(request).encode())
        if isinstance(read, AskCommand):
            parse_command(read.name, read.body)
    except Malformed as problem:
        return str(problem)
    return None


@pytest.mark.parametrize("ask", REQUESTS)
def test_every_field_of_every_request_may_be_wrong(ask: str) -> None:
    requests = [request for request in wrong_requests() if request["ask"] == ask]
    for request in requests:
        sentence = complaint(request)
        assert sentence is None or (0 < len(sentence) < 700 and not OF_THE_PROGRAM.search(sentence)), request
    assert any(complaint(request) for request in requests), "something was wrong in some of them"


def test_the_field_that_is_missing_is_named() -> None:
    sentences = {ask: complaint({"version": 1, "id": 7, "ask": ask}) for ask in REQUESTS}
    assert sentences["probe"] == "probe: `probe` is missing; it must be a JSON value."
    assert sentences["set_roster"] == "set_roster: `roster` is missing; it must be an object."
    needing = {ask: sentence for ask, sentence in sentences.items() if sentence is not None}
    assert needing.keys() == {
        "command", "sim", "export_lines", "set_roster", "table", "test_begin", "test_keep", "test_end",
        "probe", "watch_test", "show_pin", "pin_guesses", "sound", "staff_pages", "copy", "set_settings",
            "seat_claim", "seat_taken", "link", "follow", "uplink_done", "hall_command", "settle",
            "keep_term",
    }  # fmt: skip
    assert all("is missing" in sentence or "must come with" in sentence for sentence in needing.values())


SAID = Sentence(
    "claim.open",
    claims=listed([Sentence("claim.of_board", board="A1"), Sentence("claim.of_big_button")]),
    seconds=2.5,
    count=3,
    faults=(Sentence("sheet.foreign_bonus"), Sentence("sheet.cities", most=5, counted=6)),
)


def test_a_sentence_is_key_and_parameters() -> None:
    assert msgspec.to_builtins(
        views((Sentence("game.not_begun"), Sentence("claim.unknown", claim="c9")))
    ) == [{"key": "game.not_begun", "params": {}}, {"key": "claim.unknown", "params": {"claim": "c9"}}]


def test_it_comes_back_as_it_was_with_what_stands_inside_it() -> None:
    written = msgspec.json.encode(view(SAID))
    assert sentence(msgspec.json.decode(written, type=SentenceView)) == SAID
