"""Whose request it is, with and without a proxy between."""

from pathlib import Path

import pytest

from pi_controller.web.http.addresses import is_loopback
from pi_controller.web.http.limits import WRONG_PER_ADDRESS
from tests.web.hall import LOOPBACK, Hall, from_elsewhere, served

WRONG = {"Authorization": "Bearer guess"}


@pytest.mark.parametrize(
    ("address", "local"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("::ffff:127.0.0.1", True), ("10.0.0.1", False),
     ("::ffff:10.0.0.1", False), ("fe80::1%eth0", False), ("", False), ("somebody", False)],
)  # fmt: skip
def test_which_addresses_are_this_machine(address: str, local: bool) -> None:
    assert is_loopback(address) is local


async def guessed(hall: Hall, headers: dict[str, str], times: int = WRONG_PER_ADDRESS + 1) -> int:
    """The status of the last of so many wrong tokens."""
    return [(await hall.post("/api/logout", headers=WRONG | headers)).status for _ in range(times)][-1]


async def test_guesses_through_a_proxy_are_limited_by_the_address_it_names(tmp_path: Path) -> None:
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        assert await guessed(hall, from_elsewhere("192.0.2.7")) == 429
        assert await guessed(hall, from_elsewhere("::ffff:192.0.2.7"), 1) == 429
        assert await guessed(hall, from_elsewhere("192.0.2.8"), 1) == 401
        assert await guessed(hall, {}) == 401, "the machine itself is never locked out"


@pytest.mark.parametrize(
    "named", ["127.0.0.1, 192.0.2.7", "10.0.0.1, 192.0.2.7", "192.0.2.7, 127.0.0.1", "x,192.0.2.7"]
)
async def test_only_the_last_address_that_is_no_proxy_is_believed(tmp_path: Path, named: str) -> None:
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        assert await guessed(hall, from_elsewhere("192.0.2.7")) == 429
        assert await guessed(hall, from_elsewhere(named), 1) == 429


@pytest.mark.parametrize("sign", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
async def test_a_proxy_that_nobody_named_is_not_this_machine(tmp_path: Path, sign: str) -> None:
    """Without the setting, whoever comes through a proxy on this machine is a stranger like any other."""
    async with served(tmp_path) as hall:
        assert await guessed(hall, {sign: "127.0.0.1"}) == 429
        assert (await hall.post("/api/sim/tap", headers={sign: "127.0.0.1"})).status == 401


async def test_a_proxy_that_names_nonsense_gets_no_rights(tmp_path: Path) -> None:
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        assert await guessed(hall, from_elsewhere("unknown")) == 429
        assert (await hall.post("/api/sim/tap", headers=from_elsewhere("unknown"))).status == 401
