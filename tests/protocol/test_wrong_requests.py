"""Whatever is left out or of a wrong type: one clear sentence, no other exception."""

import json
import re

import pytest

from pi_controller.protocol.commands import parse_command
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.lines import decode_request
from pi_controller.protocol.messages import REQUESTS
from pi_controller.protocol.question import AskCommand
from tests.protocol.wrong import Json, wrong_requests

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
        "probe", "watch_test", "show_pin", "pin_guesses", "sound", "staff_pages", "copy",
            "seat_claim", "seat_taken", "link", "follow", "uplink_done", "hall_command", "settle",
            "keep_term",
    }  # fmt: skip
    assert all("is missing" in sentence or "must come with" in sentence for sentence in needing.values())
