"""Whose language an answer is in."""

import pytest
from aiohttp.test_utils import make_mocked_request

from pi_controller.web.http.routes import RequestLanguages

HALL = RequestLanguages(("pt-BR", "en"))


@pytest.mark.parametrize(
    ("address", "cookie", "browser", "language"),
    [
        ("/?lang=pl", "de", "es", "pl"),
        ("/?lang=xx", "de", "es", "de"),
        ("/?lang=", "", "es-MX, en", "es"),
        ("/", "en-XA", "es", "en-XA"),
        ("/", "../de", "fr, pl;q=0.1", "pl"),
        ("/", "", "pt", "pt-BR"),
        ("/", "", "pt-PT", "pt"),
        ("/", "", "fr", "pt-BR"),
        ("/", "", "", "pt-BR"),
    ],
)
def test_the_address_then_the_choice_then_the_browser_then_the_hall(
    address: str, cookie: str, browser: str, language: str
) -> None:
    headers = {"Cookie": f"language={cookie}", "Accept-Language": browser}
    assert HALL.of(make_mocked_request("GET", address, headers=headers)) == language


def test_several_headers_are_read_as_one() -> None:
    request = make_mocked_request("GET", "/", headers=[("Accept-Language", "fr"), ("Accept-Language", "pl")])
    assert HALL.of(request) == "pl"
