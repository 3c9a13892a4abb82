"""The sockets of phones with a seat code: one device a seat, its clock, its claims, and limits before core."""

import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from pi_controller.roster.seat_codes import SeatAt, SeatCodes
from pi_controller.web.api import seats
from pi_controller.web.http import guard, limits
from pi_controller.web.live import broadcaster
from tests.web.hall import LOOPBACK, Hall, from_elsewhere, served, until

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


SPELLINGS = ("A5", "a5", "A05", "A 5", "a0000000005", " A5 ")


async def test_however_its_board_is_spelled_a_code_is_one_seat(tmp_path: Path, codes: SeatCodes) -> None:
    """A thief with another spelling takes the seat from who has it, and both and the desk hear of it."""
    code = codes.code(SeatAt("A5", "sun"))
    async with served(tmp_path, seat_codes=codes) as hall:
        hall.core.reply = accept
        line = await entered(hall, codes)
        for number, spelling in enumerate(SPELLINGS[1:]):
            thief = await hall.http.ws_connect(hall.url + "/api/seat")
            await thief.send_json({"code": spelling + code[2:], "device": f"thief-000{number}"})
            assert "seat" in await thief.receive_json()
            await line.receive()
            assert line.close_code == seats.TAKEN
            line = thief
        await until(lambda: len(asked(hall, "seat_taken")) == len(SPELLINGS) - 1)
        await line.close()


async def test_two_devices_that_fight_for_a_seat_do_not_flood_the_desk(
    tmp_path: Path, codes: SeatCodes
) -> None:
    async with served(tmp_path, seat_codes=codes) as hall:
        hall.core.reply = accept
        for number in range(40):
            line = await entered(hall, codes, device=f"device-000{number % 2}")
        await line.send_json(CLAIM)
        assert (await line.receive_json())["accepted"]
        await until(lambda: len(asked(hall, "seat_taken")) == seats.CLAIMS)
        await line.close()
    assert len(asked(hall, "seat_taken")) == seats.CLAIMS


async def test_sixty_claims_at_once_pass_the_limit_of_one_seat_together(
    tmp_path: Path, codes: SeatCodes
) -> None:
    code = codes.code(SeatAt("A5", "sun"))
    async with served(tmp_path, seat_codes=codes) as hall:
        hall.core.reply = accept
        answers = []
        for number in range(60):
            spelling = "A" + "0" * (number % 30) + "5"
            line = await hall.http.ws_connect(hall.url + "/api/seat")
            await line.send_json({"code": spelling + code[2:], "device": DEVICE})
            assert "seat" in await line.receive_json()
            await line.send_json(CLAIM | {"claim": f"claim-{number:04}"})
            answers.append((await line.receive_json())["accepted"])
            await line.close()
        assert answers == [True] * seats.CLAIMS + [False] * (60 - seats.CLAIMS)


async def test_the_round_trip_that_was_seen_goes_to_core_with_a_claim(
    tmp_path: Path, codes: SeatCodes
) -> None:
    """The device answers late each time but once: the shortest counts, and no answer to a ping that was not sent."""
    async with served(tmp_path, seat_codes=codes) as hall:
        hall.core.reply = accept
        line = await hall.http.ws_connect(hall.url + "/api/seat", autoping=False)
        await line.send_json({"code": codes.code(SeatAt("A5", "sun")), "device": DEVICE})
        await line.receive_json()
        for late_s in (0.5, 0.25, 0.75):
            await line.send_json({"ping": 1})
            await line.receive_json()
            ping = await line.receive()
            assert ping.type is aiohttp.WSMsgType.PING
            await line.pong(b"guessed!")
            hall.clock.pass_s(late_s)
            await line.pong(ping.data)
        await line.send_json(CLAIM)
        await line.receive_json()
        assert [request["round_trip_us"] for request in asked(hall, "seat_claim")] == [250_000]
        await line.close()


async def test_a_device_that_answers_no_ping_says_nothing_of_its_line(
    tmp_path: Path, codes: SeatCodes
) -> None:
    async with served(tmp_path, seat_codes=codes) as hall:
        hall.core.reply = accept
        line = await entered(hall, codes)
        await line.send_json(CLAIM)
        await line.receive_json()
        assert [request.get("round_trip_us") for request in asked(hall, "seat_claim")] == [None]
        await line.close()


async def test_who_shows_no_code_holds_no_place_that_a_seat_needs(
    tmp_path: Path, codes: SeatCodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Strangers who open sockets for seats and say nothing have all places: those with a code get in, also from
    the very address of the strangers, and so does a new phone that shows its code only inside."""
    for module in (guard, limits, limits):
        monkeypatch.setattr(module, "is_loopback", lambda _address: False)
    monkeypatch.setattr(limits, "MOST_STRANGERS", 8)
    monkeypatch.setattr(limits, "MOST_PER_ADDRESS", 8)
    async with served(tmp_path, seat_codes=codes) as hall:
        hall.side.seats.sweep()
        await until(lambda: codes.seat(codes.code(SeatAt("A5", "sun"))) is not None)
        strangers = []
        for _ in range(20):
            strangers.append(await hall.http.ws_connect(hall.url + "/api/seat"))
            hall.clock.pass_s(1)
        assert hall.limiter.count == 8
        honest = []
        for number in range(20):
            code = codes.code(SeatAt(f"A{number}", "sun"))
            path = "/api/seat" if number % 2 else f"/api/seat?seat={code}"
            line = await hall.http.ws_connect(hall.url + path)
            await line.send_json({"code": code, "device": DEVICE})
            assert await line.receive_json() == {"seat": {"board": f"A{number}", "side": "sun"}}
            honest.append(line)
        for line in honest:
            await line.send_json({"ping": 1})
            assert (await line.receive_json())["pong"] == 1, "they stay"
        assert len(strangers) == 20


async def test_a_phone_that_shows_a_code_has_a_place_when_strangers_have_all(
    tmp_path: Path, codes: SeatCodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcaster, "MOST_PHONES", 2)
    async with served(tmp_path, trusted_proxies=LOOPBACK, seat_codes=codes) as hall:
        hall.side.seats.sweep()
        there = from_elsewhere()
        code = codes.code(SeatAt("A5", "sun"))
        there, other = from_elsewhere(), from_elsewhere("192.0.2.8")
        lines = []
        for headers, shown in ((there, ""), (there, ""), (there, f"?seat={code}"), (other, "")):
            lines.append(await hall.http.ws_connect(f"{hall.url}/api/phone{shown}", headers=headers))
            assert "phase" in await lines[-1].receive_json()
        for shown in ("", f"?seat={code.replace('sun', 'moon')}"):
            with pytest.raises(aiohttp.WSServerHandshakeError, match="503"):
                await hall.http.ws_connect(f"{hall.url}/api/phone{shown}", headers=there)
        first = await lines[0].receive()
        assert first.type is not aiohttp.WSMsgType.TEXT, "the first of who has most has given way"


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


async def test_what_core_says_of_its_inside_is_no_business_of_guests(
    tmp_path: Path, codes: SeatCodes
) -> None:
    def broken(request: dict[str, Any]) -> list[bytes]:
        key = {"key": "defect.broken_off", "params": {"what": "KeyError: secret"}}
        told = {"accepted": False, "seq": 1, "reasons": ["KeyError: secret"], "reason_keys": [key]}
        return [json.dumps({"id": request["id"]} | told).encode() + b"\n"]

    async with served(tmp_path, seat_codes=codes) as hall:
        line = await entered(hall, codes)
        hall.core.reply = broken
        await line.send_json(CLAIM)
        refused = await line.receive_json()
        await line.close()
    assert (refused["accepted"], refused["reason_keys"][0]["key"]) == (False, "defect.broken_off_unnamed")
    assert "secret" not in str(refused)
