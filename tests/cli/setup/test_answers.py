"""Answers and settings are each other's other side."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from pi_controller.cli.questions import SetupAnswers, from_file, from_settings, into_settings
from pi_controller.language.words import all_words
from pi_controller.settings import Settings, SettingsFault, load
from pi_controller.settings.sections import HardwareSettings, WebSettings

EVERYTHING = SetupAnswers(
    language="pt-BR",
    second_language="en",
    hall="Town hall",
    panel="real",
    button="no",
    buzzer=False,
    display="spi",
    controller="sh1106",
    address=0x3D,
    shutdown_button=True,
    sound="default",
    segments={"A": "/dev/tablebus/row-A", "C": "/dev/tablebus/row-C"},
    second_copy="/media/stick/pi-controller",
    reach="network",
    transport="tls",
    port=80,
)


@pytest.mark.parametrize("answers", [EVERYTHING, SetupAnswers(), replace(EVERYTHING, panel="simulated")])
def test_settings_made_of_answers_give_the_same_answers(answers: SetupAnswers) -> None:
    assert from_settings(into_settings(answers, Settings())) == answers


ENCRYPTED = Settings(web=WebSettings(host="0.0.0.0", staff_port=443, staff_tls=True))
AT_ONE_ADDRESS = Settings(web=WebSettings(host="192.168.1.5"))


@pytest.mark.parametrize(
    "settings", [Settings(), load(None, "sim"), load(None, "none"), AT_ONE_ADDRESS, ENCRYPTED]
)
def test_answers_of_settings_change_nothing(settings: Settings) -> None:
    assert into_settings(from_settings(settings), settings) == settings


def test_a_usb_key_as_the_button_stays_beside_the_same_panel_and_comes_without_one() -> None:
    by_hand = Settings(hardware=HardwareSettings(pause_button="usb"))
    same = from_settings(by_hand)
    panels = [same, replace(same, panel="simulated"), replace(same, panel="none")]
    found = [into_settings(answers, by_hand).hardware.pause_button for answers in panels]
    assert found == ["usb", "sim", "usb"]


def test_plain_pages_have_one_address_again() -> None:
    plain = into_settings(replace(from_settings(ENCRYPTED), transport="plain"), ENCRYPTED)
    assert (plain.web.staff_tls, plain.web.staff_port) == (False, 0)


def test_the_controllers_own_certificate_goes_back_in_the_place_of_the_sites() -> None:
    site = replace(
        EVERYTHING, transport="site", certificate="/c", certificate_key="/k", opened_as="a.example.org"
    )
    with_site = into_settings(site, ENCRYPTED)
    assert from_settings(with_site).opened_as == "a.example.org"
    own = into_settings(replace(from_settings(with_site), transport="tls"), with_site).web
    assert (own.staff_tls, own.staff_port, own.staff_certificate, own.staff_key) == (True, 443, "", "")
    plain = into_settings(replace(from_settings(with_site), transport="plain"), with_site).web
    assert (plain.staff_tls, plain.staff_port, plain.staff_certificate, plain.staff_key) == (False, 0, "", "")


def test_a_language_twice_is_one() -> None:
    answers = SetupAnswers(language="pl", second_language="pl")
    assert into_settings(answers, Settings()).hall.languages == ("pl",)


def test_a_display_that_goes_keeps_its_settings() -> None:
    before = into_settings(EVERYTHING, Settings())
    without = into_settings(replace(EVERYTHING, display="none"), before)
    assert without.hardware.display == "none"
    assert without.display == before.display


def test_every_mistake_of_a_file_at_once(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text('buttn = "no"\ndisplay = "hdmi"\nport = 70000\nsegments = ["/dev/x"]\nreach = "this"\n')
    with pytest.raises(SettingsFault) as fault:
        from_file(file, SetupAnswers())
    assert tuple(all_words(fault.value.problems)) == (
        'buttn = "no" answers no question; did you mean button?',
        'display = "hdmi" is not a valid answer: write "i2c" or "none" or "spi".',
        "port = 70000 is not a valid answer: write a whole number from 0 to 65535.",
        'segments = ["/dev/x"] is not a valid answer: write ports by letter, such as { A = "/dev/tablebus/row-A" }.',
    )
