"""A language that nobody has proofread is offered, and marked, only where the hall's settings name it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiohttp.test_utils import make_mocked_request

import pi_controller.web
from pi_controller.cli.questions import SetupMachine, SiteCertificate, questions
from pi_controller.language.languages import of_environment
from pi_controller.language.words import words
from pi_controller.settings.load import from_table
from pi_controller.settings.overlay import LayeredSettings, views
from pi_controller.web.http.routes import LANGUAGE, RequestLanguages
from pi_controller.web.http.static_files import Pages

HALL = ("en", "fr")


@pytest.mark.parametrize(
    ("hall", "language", "menu"),
    [(("en",), "en", "en de es pt pt-BR pl"), (HALL, "fr", "en de es pt pt-BR pl fr?")],
)
@pytest.mark.parametrize("page", ["login.html", "phone.html"])
def test_a_page_speaks_it_in_such_a_hall_alone(
    hall: tuple[str, ...], language: str, menu: str, page: str
) -> None:
    languages = RequestLanguages(hall)
    request = make_mocked_request("GET", "/", headers={"Accept-Language": "fr-CA, en;q=0.5"})
    request[LANGUAGE] = languages.of(request)
    answer = Pages(Path(pi_controller.web.__file__).parent / "pages", languages).page(request, page)
    assert isinstance(answer.body, bytes)
    assert f'<html lang="{language}"' in answer.body.decode()
    assert f'<meta name="languages" content="{menu}">' in answer.body.decode()


@pytest.mark.parametrize(("hall", "offered"), [(("en",), False), (HALL, True)])
def test_settings_on_a_page_offer_it_in_such_a_hall_alone(hall: tuple[str, ...], *, offered: bool) -> None:
    settings = from_table({"hall": {"languages": list(hall)}}, file="x")
    layers = LayeredSettings(settings, settings)
    (form,) = (view.form for view in views(layers, settings, "en") if view.key == "hall.languages")
    assert ("fr" in form.choices) is offered


@pytest.mark.parametrize(("hall", "offered"), [(("en",), None), (HALL, "Français (not proofread)")])
def test_setup_offers_it_in_such_a_hall_alone(
    hall: tuple[str, ...], offered: str | None, tmp_path: Path
) -> None:
    site = SiteCertificate(tmp_path, datetime.now(UTC))
    language, *_ = questions(SetupMachine(tmp_path), site, hall, paired=False, core_answers=False)
    shown = language.options.get("fr")
    assert (shown and words(shown)) == offered


def test_the_command_line_does_not_speak_it() -> None:
    assert of_environment({"LANG": "fr_FR.UTF-8"}) == "en"
