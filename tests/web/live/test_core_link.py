"""Streams of core are watched only while somebody looks; core is told where the staff's pages are."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pi_controller.web.http import addresses
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.http.tls import SOON, Validity
from pi_controller.web.live import core_link
from pi_controller.web.live.core_link import StaffPages
from tests.web.hall import FINGERPRINT, Hall, served, until


async def test_core_is_not_asked_for_tables_that_nobody_looks_at(hall: Hall) -> None:
    tables = hall.side.broadcasters["tables"]
    assert len(hall.core.asked("watch_tables")) == 0
    async with hall.socket("/api/tables/feed", headers=hall.director) as feed:
        assert await feed.receive_json() == hall.core.tables
        for _ in range(3):
            hall.side.sweep()
        hall.core.show_tables(doctor=["Look at the cable."])
        assert (await feed.receive_json())["doctor"], "it goes on while somebody looks"
    await until(lambda: not len(tables))
    hall.side.sweep()
    assert tables.has_picture, "a page that is loaded anew finds it"
    hall.side.sweep()
    assert not tables.has_picture
    hall.core.show_tables(doctor=[])
    async with hall.socket("/api/tables/feed", headers=hall.director) as feed:
        assert await feed.receive_json() == hall.core.tables, "as it is now, not as it was"
    assert len(hall.core.asked("watch_tables")) == 2


async def test_core_is_asked_once_whether_there_is_a_simulated_panel(hall: Hall) -> None:
    await until(lambda: hall.side.link.simulated and hall.panels.has_picture)
    for _ in range(2):
        hall.side.sweep()
    await until(lambda: not hall.panels.has_picture)
    assert hall.side.link.simulated
    async with hall.socket("/api/sim") as page:
        assert "panel" in await page.receive_json()
    assert len(hall.core.asked("panel")) == 2


def pages_of(hall: Hall, validity: Validity | None = None, *, bound: str = "0.0.0.0") -> StaffPages:
    address = PageAddress(bound, 8443, secure=True)
    wall_s = hall.clock.clocks().wall_s
    return StaffPages(
        link=hall.side.link, address=address, fingerprint=FINGERPRINT, validity=validity, wall_s=wall_s
    )


async def test_a_certificate_that_expires_is_told_in_time(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
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
async def test_an_address_that_only_this_machine_knows_is_not_told(hall: Hall, bound: str) -> None:
    await pages_of(hall, bound=bound).look()
    assert hall.core.asked("staff_pages") == []
