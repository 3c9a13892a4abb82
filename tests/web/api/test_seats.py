"""Phones with a seat code, and claim sheets that are being filled in."""

import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from pi_controller.roster.seat_codes import SeatAt, SeatCodes
from pi_controller.web.api import seats
from pi_controller.web.api.seats import CHANGES
from pi_controller.web.http import guard, limits
from pi_controller.web.live import broadcaster
from tests.protocol.pictures import claim
from tests.web.hall import LOOPBACK, Hall, from_elsewhere, served, until

DEVICE = "device-0001"
CLAIM = {"claim": "claim-0001", "pressed_us": 5_000_000, "error_us": 8_000}


async def entered(
    hall: Hall, codes: SeatCodes, *, device: str = DEVICE, side: str = "sun"
) -> aiohttp.ClientWebSocketResponse:
    line = await hall.socket("/api/seat")
    at = SeatAt("A5", "sun" if side == "sun" else "moon")
    await line.send_json({"code": codes.code(at), "device": device})
    assert await line.receive_json() == {"seat": {"board": "A5", "side": side}}
    return line


def accept(request: dict[str, Any]) -> list[bytes]:
    answer = {"seat_claim": {"accepted": True, "seq": 9, "reasons": []}, "seat_taken": {"done": True}}
    return [json.dumps({"id": request["id"]} | answer[request["ask"]]).encode() + b"\n"]


async def test_a_claim_goes_to_core_with_its_code_and_moment(hall: Hall, codes: SeatCodes) -> None:
    line = await entered(hall, codes)
    hall.core.reply = accept
    await line.send_json(CLAIM)
    told = {"claim": "claim-0001", "accepted": True, "reasons": [], "reason_keys": []}
    assert await line.receive_json() == told
    (request,) = hall.core.asked("seat_claim")
    assert request["code"] == codes.code(SeatAt("A5", "sun"))
    assert (request["key"], request["pressed_us"], request["error_us"]) == ("claim-0001", 5_000_000, 8_000)
    assert hall.limiter.count == 0, "who holds a seat takes no place of others"
    await line.close()


async def test_a_ping_is_answered_with_our_clock(hall: Hall, codes: SeatCodes) -> None:
    line = await entered(hall, codes)
    hall.clock.pass_s(0.25)
    await line.send_json({"ping": 77})
    assert await line.receive_json() == {"pong": 77, "at_us": 1_000_250_000}
    await line.close()


@pytest.mark.parametrize(
    ("first", "why"),
    [
        ("{}", "no_code"),
        ("no JSON", "no_code"),
        ('{"code": "A5-sun-1", "device": "device-0001"}', "no_code"),
        ('{"code": "A5-sun-1-AAAAAAAAAAAAAAAA", "device": "device-0001"}', "not_ours"),
    ],
)
async def test_without_a_valid_code_the_line_closes_and_says_why(
    hall: Hall, codes: SeatCodes, first: str, why: str
) -> None:
    line = await hall.socket("/api/seat")
    await line.send_str(first)
    closed = await line.receive()
    assert (line.close_code, closed.extra) == (seats.NO_SUCH_CODE, why)
    assert hall.core.asked("seat_claim") == []


async def test_a_revoked_code_is_worth_nothing_at_once(hall: Hall, codes: SeatCodes) -> None:
    old = codes.code(SeatAt("A5", "sun"))
    other = SeatCodes(hall.folder)
    other.prepare()
    other.revoke("A5")
    other.save()
    line = await hall.socket("/api/seat")
    await line.send_json({"code": old, "device": DEVICE})
    closed = await line.receive()
    assert (line.close_code, closed.extra) == (seats.NO_SUCH_CODE, "revoked")
    assert (await hall.get("/api/join")).json["seat_codes"] is True


async def test_one_device_has_a_seat_and_the_desk_hears_when_it_is_another(
    hall: Hall, codes: SeatCodes
) -> None:
    hall.core.reply = accept
    first = await entered(hall, codes)
    again = await entered(hall, codes)
    await first.receive()
    assert (first.close_code, hall.core.asked("seat_taken")) == (1000, [])
    other = await entered(hall, codes, device="device-0002")
    await again.receive()
    assert again.close_code == seats.TAKEN
    await until(lambda: len(hall.core.asked("seat_taken")) == 1)
    await (await entered(hall, codes, side="moon")).close()
    await other.close()


@pytest.mark.parametrize(
    "message", ["{}", "x", '{"claim": "short", "pressed_us": 1, "error_us": 1}', "y" * 600]
)
async def test_nonsense_ends_the_line(hall: Hall, codes: SeatCodes, message: str) -> None:
    line = await entered(hall, codes)
    await line.send_str(message)
    await line.receive()
    assert line.close_code in {1008, 1009}


SPELLINGS = ("A5", "a5", "A05", "A 5", "a0000000005", " A5 ")


async def test_however_its_board_is_spelled_a_code_is_one_seat(hall: Hall, codes: SeatCodes) -> None:
    """A thief with another spelling takes the seat from who has it, and both and the desk hear of it."""
    code = codes.code(SeatAt("A5", "sun"))
    hall.core.reply = accept
    line = await entered(hall, codes)
    for number, spelling in enumerate(SPELLINGS[1:]):
        thief = await hall.socket("/api/seat")
        await thief.send_json({"code": spelling + code[2:], "device": f"thief-000{number}"})
        assert "seat" in await thief.receive_json()
        await line.receive()
        assert line.close_code == seats.TAKEN
        line = thief
    await until(lambda: len(hall.core.asked("seat_taken")) == len(SPELLINGS) - 1)
    await line.close()


async def test_two_devices_that_fight_for_a_seat_do_not_flood_the_desk(
    tmp_path: Path, codes: SeatCodes
) -> None:
    async with served(tmp_path, seat_codes=True) as hall:
        hall.core.reply = accept
        for number in range(40):
            line = await entered(hall, codes, device=f"device-000{number % 2}")
        await line.send_json(CLAIM)
        assert (await line.receive_json())["accepted"]
        await until(lambda: len(hall.core.asked("seat_taken")) == seats.CLAIMS)
        await line.close()
    assert len(hall.core.asked("seat_taken")) == seats.CLAIMS


async def test_many_claims_at_once_pass_the_limit_of_one_seat_together(hall: Hall, codes: SeatCodes) -> None:
    """However its board is spelled, and on how many lines; core does not see the others."""
    code = codes.code(SeatAt("A5", "sun"))
    hall.core.reply = accept
    answers = []
    for number in range(seats.CLAIMS + 5):
        spelling = "A" + "0" * number + "5"
        line = await hall.socket("/api/seat")
        await line.send_json({"code": spelling + code[2:], "device": DEVICE})
        assert "seat" in await line.receive_json()
        await line.send_json(CLAIM | {"claim": f"claim-{number:04}"})
        answers.append((await line.receive_json())["accepted"])
        await line.close()
    assert answers == [True] * seats.CLAIMS + [False] * 5
    assert len(hall.core.asked("seat_claim")) == seats.CLAIMS


async def test_the_round_trip_that_was_seen_goes_to_core_with_a_claim(hall: Hall, codes: SeatCodes) -> None:
    """The device answers late each time but once: the shortest counts, and no answer to a ping that was not sent."""
    hall.core.reply = accept
    line = await hall.socket("/api/seat", autoping=False)
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
    assert [request["round_trip_us"] for request in hall.core.asked("seat_claim")] == [250_000]
    await line.close()


async def test_a_device_that_answers_no_ping_says_nothing_of_its_line(hall: Hall, codes: SeatCodes) -> None:
    hall.core.reply = accept
    line = await entered(hall, codes)
    await line.send_json(CLAIM)
    await line.receive_json()
    assert [request.get("round_trip_us") for request in hall.core.asked("seat_claim")] == [None]
    await line.close()


async def test_who_shows_no_code_holds_no_place_that_a_seat_needs(
    tmp_path: Path, codes: SeatCodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Strangers who open sockets for seats and say nothing have all places: those with a code get in, also from
    the very address of the strangers, and so does a new phone that shows its code only inside."""
    for module in (guard, limits):
        monkeypatch.setattr(module, "is_loopback", lambda _address: False)
    monkeypatch.setattr(limits, "MOST_STRANGERS", 8)
    monkeypatch.setattr(limits, "MOST_PER_ADDRESS", 8)
    async with served(tmp_path, seat_codes=codes) as hall:
        hall.side.seats.sweep()
        await until(lambda: codes.seat(codes.code(SeatAt("A5", "sun"))) is not None)
        strangers = []
        for _ in range(20):
            strangers.append(await hall.socket("/api/seat"))
            hall.clock.pass_s(1)
        assert hall.limiter.count == 8
        honest = []
        for number in range(20):
            code = codes.code(SeatAt(f"A{number}", "sun"))
            path = "/api/seat" if number % 2 else f"/api/seat?seat={code}"
            line = await hall.socket(path)
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
            lines.append(await hall.socket(f"/api/phone{shown}", headers=headers))
            assert "phase" in await lines[-1].receive_json()
        for shown in ("", f"?seat={code.replace('sun', 'moon')}"):
            with pytest.raises(aiohttp.WSServerHandshakeError, match="503"):
                await hall.socket(f"/api/phone{shown}", headers=there)
        first = await lines[0].receive()
        assert first.type is not aiohttp.WSMsgType.TEXT, "the first of who has most has given way"


@pytest.mark.parametrize("number", [-(2**63), 2**63, 10**30, 2**53])
async def test_a_moment_beyond_all_numbers_is_refused_with_a_sentence(
    hall: Hall, codes: SeatCodes, number: int
) -> None:
    line = await entered(hall, codes)
    hall.core.reply = accept
    await line.send_json(CLAIM | {"pressed_us": number})
    refused = await line.receive_json()
    assert (refused["claim"], refused["accepted"]) == ("claim-0001", False)
    assert refused["reason_keys"][0]["key"] in ("request.too_large", "request.too_many_digits")
    assert hall.core.asked("seat_claim") == []
    await line.send_json(CLAIM)
    assert (await line.receive_json())["accepted"]
    await line.close()


async def test_a_claim_that_breaks_off_on_its_way_is_answered(
    hall: Hall, codes: SeatCodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_given: object, **_named: object) -> None:
        raise LookupError("a defect")

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


SHEET: dict[str, Any] = {
    "settlements": 2,
    "cities": 1,
    "foreign_left": False,
    "foreign_right": False,
    "victory_cards": 0,
    "largest_army": False,
    "longest_route": False,
    "resources": {"grain": 0, "ore": 0, "brick": 0, "lumber": 0, "wool": 0},
}


GAME = "20261120-200000-abcd"


def judging(hall: Hall) -> None:
    """Its game has the open claims c1, c2 and c3."""
    has_claims(hall, "c1", "c2", "c3")


def has_claims(hall: Hall, *ids: str, game: str = GAME, status: str = "open") -> None:
    claims = [claim(id=each, status=status) for each in ids]
    hall.core.change(claims=claims, game_id=game)
    hall.clock.pass_s(1)  # what was asked for before is old


async def write(hall: Hall, who: dict[str, str], number: int, cities: int, claim: str = "c1") -> int:
    body = {"game": GAME, "claim": claim, "number": number, "sheet": SHEET | {"cities": cities}}
    answer = await hall.post("/api/sheets", body, headers=who)
    told = {"web.sheet_has_changed", "web.sheet_of_no_claim"}
    assert answer.status == 200 or answer.json["reason_keys"][0]["key"] in told
    return answer.status


async def test_the_desk_sees_a_sheet_being_filled(hall: Hall) -> None:
    judging(hall)
    judge = hall.as_role("judge", "Anna")
    async with hall.socket("/api/sheets/feed", headers=hall.director) as desk:
        assert await desk.receive_json() == {"sheets": []}
        assert await write(hall, judge, 0, 3) == 200
        (draft,) = (await desk.receive_json())["sheets"]
        assert draft.items() >= {"claim": "c1", "number": 1, "role": "judge", "name": "Anna"}.items()
        assert draft["sheet"]["cities"] == 3
    async with hall.socket("/api/sheets/feed", headers=hall.director) as late:
        assert (await late.receive_json())["sheets"] == [draft]


async def test_nobody_writes_over_what_he_has_not_seen(hall: Hall) -> None:
    judging(hall)
    anna, ben = hall.as_role("judge", "Anna"), hall.as_role("judge", "Ben")
    assert await write(hall, anna, 0, 1) == 200
    assert await write(hall, ben, 0, 5) == 409
    assert await write(hall, ben, 1, 2) == 200
    assert await write(hall, anna, 1, 3) == 409
    assert await write(hall, anna, 2, 3) == 200
    assert await write(hall, ben, 0, 1, claim="c2") == 200
    async with hall.socket("/api/sheets/feed", headers=anna) as feed:
        drafts = (await feed.receive_json())["sheets"]
    found = [(each["claim"], each["name"], each["sheet"]["cities"]) for each in drafts]
    assert found == [("c1", "Anna", 3), ("c2", "Ben", 1)]


async def test_a_page_goes_on_with_its_sheet_after_a_restart_of_the_web_side(hall: Hall) -> None:
    judging(hall)
    assert await write(hall, hall.as_role("judge", "Anna"), 7, 3) == 200
    assert await write(hall, hall.as_role("judge", "Ben"), 8, 4) == 200


async def test_drafts_are_bounded(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "MOST_SHEETS", 2)
    judging(hall)
    judge = hall.as_role("judge", "Anna")
    for place, number in (("c1", 0), ("c2", 0), ("c1", 1), ("c3", 0)):
        assert await write(hall, judge, number, 1, claim=place) == 200
    assert await drafts(hall, judge) == ["c1", "c3"]


async def drafts(hall: Hall, who: dict[str, str]) -> list[str]:
    async with hall.socket("/api/sheets/feed", headers=who) as feed:
        return [each["claim"] for each in (await feed.receive_json())["sheets"]]


async def test_a_sheet_of_no_claim_that_is_there_pushes_nobodys_out(hall: Hall) -> None:
    judging(hall)
    anna, thief = hall.as_role("judge", "Anna"), hall.as_role("judge", "Eve")
    assert await write(hall, anna, 0, 3) == 200
    for number in range(seats.MOST_SHEETS + 1):
        for wrong in ({"game": f"g{number}"}, {"claim": f"c{number + 4}"}):
            body = {"game": GAME, "claim": "c2", "number": 0, "sheet": SHEET} | wrong
            answer = await hall.post("/api/sheets", body, headers=thief)
            assert answer.status in {409, 429}
            assert answer.key in {"web.sheet_of_no_claim", "web.too_many_changes"}
    assert await drafts(hall, anna) == ["c1"]
    assert await write(hall, anna, 1, 3) == 200, "another one's haste costs her nothing"


async def test_of_too_many_sheets_that_of_a_judged_claim_gives_way(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seats, "MOST_SHEETS", 2)
    judging(hall)
    judge = hall.as_role("judge", "Anna")
    for place in ("c1", "c2"):
        assert await write(hall, judge, 0, 1, claim=place) == 200
    judged = claim(id="c2", status="rejected")
    hall.core.change(claims=[claim(id="c1"), judged, claim(id="c3")])
    hall.clock.pass_s(1)
    assert await write(hall, judge, 0, 1, claim="c3") == 200
    assert await drafts(hall, judge) == ["c1", "c3"]


async def test_the_next_game_has_none_of_the_sheets_and_a_core_that_is_away_costs_none(
    hall: Hall,
) -> None:
    judging(hall)
    judge = hall.as_role("judge", "Anna")
    assert await write(hall, judge, 0, 1) == 200
    await hall.core.stop()
    hall.clock.pass_s(1)
    assert await write(hall, judge, 1, 2) == 200
    assert await drafts(hall, judge) == ["c1"]
    await hall.core.start()
    has_claims(hall, "c1", game="the next one")
    assert await write(hall, judge, 2, 1) == 409
    body = {"game": "the next one", "claim": "c1", "number": 0, "sheet": SHEET}
    await until_accepted(hall, body, judge)
    assert await drafts(hall, judge) == ["c1"]


async def until_accepted(hall: Hall, body: dict[str, Any], who: dict[str, str]) -> None:
    """The link to core that came back may not be there at once."""
    while (await hall.post("/api/sheets", body, headers=who)).status != 200:
        hall.clock.pass_s(1)


async def test_what_is_no_sheet_is_refused_and_too_many_are_too(hall: Hall) -> None:
    judging(hall)
    judge = hall.as_role("judge", "Anna")
    good = {"game": GAME, "claim": "c1", "number": 0, "sheet": SHEET}
    for wrong in (
        {"sheet": SHEET | {"cities": -1}},
        {"sheet": {"cities": 1}},
        {"claim": "c" * 41},
        {"number": -1},
        {"more": 1},
    ):
        assert (await hall.post("/api/sheets", good | wrong, headers=judge)).status == 422
    for number in range(int(CHANGES)):
        assert await write(hall, judge, number, 1) == 200
    assert (await hall.post("/api/sheets", good, headers=judge)).status == 429
    hall.clock.pass_s(1)
    assert await write(hall, judge, int(CHANGES), 1) == 200
