"""Core is told where the staff's pages are, for the local display."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pi_controller.web.http import addresses
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.http.tls import SOON, Validity
from pi_controller.web.live import core_link
from pi_controller.web.live.core_link import StaffPages
from tests.web.hall import FINGERPRINT, Hall, served, until


def pages_of(hall: Hall, validity: Validity | None = None, *, bound: str = "0.0.0.0") -> StaffPages:
    address = PageAddress(bound, 8443, secure=True)
    wall_s = hall.clock.clocks().wall_s
    return StaffPages(hall.side.link, address, FINGERPRINT, validity=validity, wall_s=wall_s)


async def test_a_certificate_that_expires_is_told_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(tmp_path) as hall:
        monkeypatch.setattr(addresses, "outward_address", lambda: "192.0.2.50")
        now = datetime.fromtimestamp(hall.clock.wall, UTC)
        pages = pages_of(hall, Validity("c.pem", now - timedelta(days=9), now + SOON + timedelta(days=1)))

        async def told() -> list[str | None]:
            await pages.look()
            return [(each["doubt"] or {}).get("key") for each in hall.core.asked("staff_pages")]

        assert await told() == [None]
        hall.clock.pass_s(2 * 86_400)
        assert await told() == [None, "certificate.expires_soon"]
        assert await told() == [None, "certificate.expires_soon"], "once is enough"
        hall.clock.pass_s(40 * 86_400)
        assert await told() == [None, "certificate.expires_soon", "certificate.expired"]
        hall.clock.pass_s(-60 * 86_400)
        assert (await told())[3:] == ["certificate.not_yet"]


async def test_at_each_start_of_core_and_when_the_address_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(tmp_path) as hall:
        now = ["192.0.2.50"]
        monkeypatch.setattr(addresses, "outward_address", lambda: now[0])
        pages = pages_of(hall)

        async def told() -> list[str]:
            await pages.look()
            assert all(each["fingerprint"] == FINGERPRINT for each in hall.core.asked("staff_pages"))
            return [each["address"] for each in hall.core.asked("staff_pages")]

        first, second = "https://192.0.2.50:8443", "https://192.0.2.51:8443"
        assert await told() == [first]
        assert await told() == [first], "once is enough"
        now[0] = "192.0.2.51"
        assert await told() == [first, second]
        now[0] = None  # type: ignore[call-overload]
        assert await told() == [first, second], "the cable is out: what stands is the best that is known"
        now[0] = "192.0.2.51"
        hall.core.say_again(session="s2")
        await until(lambda: hall.side.link.session == "s2")
        assert await told() == [first, second, second]


async def test_the_web_side_does_so_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "outward_address", lambda: "192.0.2.50")
    monkeypatch.setattr(core_link, "LOOK_S", 0.01)
    async with served(tmp_path, bound="0.0.0.0") as hall:
        await until(lambda: hall.core.asked("staff_pages"))
        told = hall.core.asked("staff_pages")[0]
        assert (told["address"], told["fingerprint"]) == (f"http://192.0.2.50:{hall.port}", FINGERPRINT)


@pytest.mark.parametrize("bound", ["127.0.0.1", "localhost", "::1"])
async def test_an_address_that_only_this_machine_knows_is_not_told(tmp_path: Path, bound: str) -> None:
    async with served(tmp_path) as hall:
        await pages_of(hall, bound=bound).look()
        assert hall.core.asked("staff_pages") == []
