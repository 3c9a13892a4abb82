"""What may be probed: every probe has a result, and every mistake is one sentence."""

import json

import msgspec
import pytest

from pi_controller.bus.values import PingAsked
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.lines import decode_request
from pi_controller.protocol.messages import AskProbe
from pi_controller.protocol.probes import (
    FREE,
    LONGEST_PIECE,
    PROBES,
    RESULTS,
    BusProbe,
    KeepReportProbe,
    LampProbe,
    ProbeDone,
    read_probe,
)
from pi_controller.protocol.question import encode_request
from pi_controller.protocol.simulated import check_sim


def test_every_probe_has_a_name_and_a_result() -> None:
    assert set(RESULTS) == set(PROBES.values())
    assert RESULTS[LampProbe] is ProbeDone
    assert set(FREE) < set(RESULTS)


def test_a_probe_survives_the_wire() -> None:
    probe = BusProbe(job=PingAsked(frames=100, uids=("00000000000000ab",)))
    asked = decode_request(encode_request(AskProbe(probe=probe, lease="l")))
    assert isinstance(asked, AskProbe)
    assert asked.probe == probe
    assert msgspec.json.decode(msgspec.json.encode(probe)) == {
        "do": "bus",
        "job": {"kind": "ping", "frames": 100, "uids": ["00000000000000ab"], "seconds": None},
    }


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
    for wrong, sentence in (
        ({"do": "press", "contact": "nc"}, "`contact` goes with break_wire only, not with press"),
        ({"do": "press", "lamp": "sun"}, "`lamp` goes with lamp_dead and lamp_mend only, not with press"),
        ({"do": "lamp_mend"}, "lamp_mend needs `lamp`"),
        ({"do": "fact"}, "fact needs a `name` and a `value`"),
        ({"do": "tap", "name": "kernel"}, "fact needs a `name` and a `value`"),
    ):
        line = {"version": 1, "id": 1, "ask": "sim", **wrong}
        with pytest.raises(Malformed, match=sentence):
            decode_request(json.dumps(line).encode())
