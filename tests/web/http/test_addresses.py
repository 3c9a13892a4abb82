"""The address for another device."""

import pytest
from aiohttp.test_utils import make_mocked_request

from pi_controller.web.http import addresses
from pi_controller.web.http.addresses import PageAddress


@pytest.mark.parametrize(
    ("bound", "asked", "shown"),
    [
        ("127.0.0.1", "localhost:8080", "http://127.0.0.1:8443"),
        ("0.0.0.0", "localhost", "http://192.0.2.50:8443"),
        ("0.0.0.0", "127.0.0.1:80", "http://192.0.2.50:8443"),
        ("0.0.0.0", "hall.local:80", "http://hall.local:8443"),
        ("::", "[2001:db8::7]:80", "http://[2001:db8::7]:8443"),
    ],
)
def test_it_is_one_that_another_device_can_open(
    bound: str, asked: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "outward_address", lambda: "192.0.2.50")
    request = make_mocked_request("GET", "/", headers={"Host": asked})
    assert PageAddress(bound, 8443).for_asker(request) == shown


def test_without_a_network_it_is_this_machine_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "outward_address", lambda: None)
    assert PageAddress("0.0.0.0", 8080, secure=True).printed() == "https://127.0.0.1:8080"
