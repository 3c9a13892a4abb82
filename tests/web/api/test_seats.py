"""The sockets of phones with a seat code: one device a seat, its clock, its claims, and limits before core."""

import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from pi_controller.roster.seat_codes import SeatAt, SeatCodes
from pi_controller.web.api import seats
from tests.web.hall import Hall, served, until

DEVICE = "device-0001"
CLAIM = {"claim": "claim-0001", "pressed_us": 5_000_000, "error_us": 8_000}


@pytest.fixture
def codes(tmp_path: Path) -> SeatCodes:
    codes = SeatCodes(tmp_path)
    codes.prepare()
    return codes


async def entered(
    hall: Hall, codes: SeatCodes, *, device: str = DEVICE, side: str = "sun"
) -> aiohttp.ClientWebSocketResponse:
    line = await hall.http.ws_connect(hall.url + "/api/seat")
    at = SeatAt("A5", "sun" if side == "sun" else "moon")
    await line.send_json({"code": codes.code(at), "device": device})
    assert await line.receive_json() == {"seat": {"board": "A5", "side": side}}
    return line


def asked(hall: Hall, what: str) -> list[dict[str, Any]]:
    return [request for request in hall.core.requests if request["ask"] == what]


def accept(request: dict[str, Any]) -> list[bytes]:
    answer = {"seat_claim": {"accepted": True, "seq": 9, "reasons": []}, "seat_taken": {"done": True}}
    return [json.dumps({"id": request["id"]} | answer[request["ask"]]).encode() + b"\n"]


async def test_a_claim_goes_to_core_with_its_code_and_moment(tmp_path: Path, codes: SeatCodes) -> None:
    async with served(tmp_path, seat_codes=codes) as hall:
        line = await entered(hall, codes)
        hall.core.reply = accept
        await line.send_json(CLAIM)
        assert await line.receive_json() == {
            "claim": "claim-0001",
            "accepted": True,
            "reasons": [],
            "reason_keys": [],
        }
        (request,) = asked(hall, "seat_claim")
        assert request["code"] == codes.code(SeatAt("A5", "sun"))
        assert (request["key"], request["pressed_us"], request["error_us"]) == (
            "claim-0001",
            5_000_000,
            8_000,
        )
        assert hall.limiter.count == 0, "who holds a seat takes no place of others"
        await line.close()


async def test_a_ping_is_answered_with_our_clock(tmp_path: Path, codes: SeatCodes) -> None:
    async with served(tmp_path, seat_codes=codes) as hall:
        line = await entered(hall, codes)
        hall.clock.pass_s(0.25)
        await line.send_json({"ping": 77})
        assert await line.receive_json() == {"pong": 77, "at_us": 1_000_250_000}
        await line.close()


@pytest.mark.parametrize(
    "first", ["{}", "no JSON", '{"code": "A5-sun-1-AAAAAAAAAAAAAAAA", "device": "device-0001"}']
)
async def test_without_a_valid_code_the_line_closes(tmp_path: Path, codes: SeatCodes, first: str) -> None:
    async with served(tmp_path, seat_codes=codes) as hall:
        line = await hall.http.ws_connect(hall.url + "/api/seat")
        await line.send_str(first)
        await line.receive()
        assert line.close_code == seats.NO_SUCH_CODE
        assert asked(hall, "seat_claim") == []


async def test_a_revoked_code_is_worth_nothing_at_once(tmp_path: Path, codes: SeatCodes) -> None:
    async with served(tmp_path, seat_codes=codes) as hall:
        old = codes.code(SeatAt("A5", "sun"))
        other = SeatCodes(tmp_path)
        other.prepare()
        other.revoke("A5")
        other.save()
        line = await hall.http.ws_connect(hall.url + "/api/seat")
        await line.send_json({"code": old, "device": DEVICE})
        await line.receive()
        assert line.close_code == seats.NO_SUCH_CODE


async def test_one_device_has_a_seat_and_the_desk_hears_when_it_is_another(
    tmp_path: Path, codes: SeatCodes
) -> None:
    async with served(tmp_path, seat_codes=codes) as hall:
        hall.core.reply = accept
        first = await entered(hall, codes)
        again = await entered(hall, codes)
        await first.receive()
        assert (first.close_code, asked(hall, "seat_taken")) == (1000, [])
        other = await entered(hall, codes, device="device-0002")
        await again.receive()
        assert again.close_code == seats.TAKEN
        await until(lambda: len(asked(hall, "seat_taken")) == 1)
        await (await entered(hall, codes, side="moon")).close()
        await other.close()


async def test_who_claims_too_fast_is_told_before_core_sees_it(tmp_path: Path, codes: SeatCodes) -> None:
    async with served(tmp_path, seat_codes=codes) as hall:
        hall.core.reply = accept
        line = await entered(hall, codes)
        answers = []
        for number in range(seats.CLAIMS + 2):
            await line.send_json(CLAIM | {"claim": f"claim-{number:04}"})
            answers.append((await line.receive_json())["accepted"])
        assert answers == [True] * seats.CLAIMS + [False] * 2
        assert len(asked(hall, "seat_claim")) == seats.CLAIMS
        await line.close()


@pytest.mark.parametrize(
    "message", ["{}", "x", '{"claim": "short", "pressed_us": 1, "error_us": 1}', "y" * 600]
)
async def test_nonsense_ends_the_line(tmp_path: Path, codes: SeatCodes, message: str) -> None:
    async with served(tmp_path, seat_codes=codes) as hall:
        line = await entered(hall, codes)
        await line.send_str(message)
        await line.receive()
        assert line.close_code in {1008, 1009}


async def test_where_the_settings_allow_none_there_is_no_such_line(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        assert (await hall.get("/api/seat")).status == 404


@pytest.mark.parametrize("number", [-(2**63), 2**63, 10**30, 2**53])
async def test_a_moment_beyond_all_numbers_is_refused_with_a_sentence(
    tmp_path: Path, codes: SeatCodes, number: int
) -> None:
    async with served(tmp_path, seat_codes=codes) as hall:
        line = await entered(hall, codes)
        hall.core.reply = accept
        await line.send_json(CLAIM | {"pressed_us": number})
        refused = await line.receive_json()
        assert (refused["claim"], refused["accepted"]) == ("claim-0001", False)
        assert refused["reason_keys"][0]["key"] in ("request.too_large", "request.too_many_digits")
        assert asked(hall, "seat_claim") == []
        await line.send_json(CLAIM)
        assert (await line.receive_json())["accepted"]
        await line.close()


async def test_a_claim_that_breaks_off_on_its_way_is_answered(
    tmp_path: Path, codes: SeatCodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_given: object, **_named: object) -> None:
        raise LookupError("a defect")

    async with served(tmp_path, seat_codes=codes) as hall:
        line = await entered(hall, codes)
        with monkeypatch.context() as patch:
            patch.setattr(hall.side.link.client, "ask", broken)
            await line.send_json(CLAIM)
            refused = await line.receive_json()
        assert (refused["accepted"], refused["reason_keys"][0]["key"]) == (False, "defect.broken_off_unnamed")
        assert b"pi_controller_web_defects 1\n" in (await hall.get("/metrics")).body
        hall.core.reply = accept
        await line.send_json(CLAIM)
        assert (await line.receive_json())["accepted"]
        await line.close()
