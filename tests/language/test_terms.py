"""Glossary and form of address: nothing is found in the catalogues, and what is planted is."""

import msgspec
import pytest

from pi_controller.language.languages import LANGUAGES
from tools.terms import LOCALES, Terms, findings, needless, offences, reads, terms_of

FOLDERS = sorted(path.parent.name for path in LOCALES.glob("*/terms.toml"))

PLANTED = [
    ("de", "page.resources_total", "Ressourcen"),
    ("de", "page.phone_your_turn", "Sie sind am Zug"),
    ("de", "link.lost", "Keine Verbindung zur Halle."),
    ("de", "action.turned", "Zugknopf gedrückt"),
    ("de", "game.ended", "Du musst neu beginnen."),
    ("de", "page.desk_timer_title", "Freier Timer"),
    ("en", "page.claim_open", "Call the game master."),
    ("en", "page.verdict_why", "The referee decides."),
    ("en", "page.robber_help_hex", "Move the own robber."),
    ("en", "claim.open", "Resume in spite of it."),
    ("es", "page.resources_total", "Total de recursos"),
    ("es", "claim.no_such_seat", "No hay ningún asiento {seat} en esta partida."),
    ("es", "selftest.panel", "el panel"),
    ("es", "page.phone_choose_seat", "Elija su asiento"),
    ("es", "node.heading_your_turn", "SU TURNO"),
    ("es", "link.lost", "Sin conexión: tienes que mirar el cable."),
    ("pl", "game.turn_in_pause", "Gra jest wstrzymana, kolejka czeka."),
    ("pl", "page.robber_help_hex", "Przestaw złodzieja w swoim obszarze startowym."),
    ("pl", "page.resources_total", "Wszystkie zasoby"),
    ("pl", "page.verify_seen", "Co widać na hali"),
    ("pl", "link.may_be_cut_in_two", "Jeśli widziałeś, że jest wyłączony, potwierdź."),
    ("pl", "node.claim_wait_for_your_side", "Nie Twoja kolej"),
    ("pt", "page.resources_total", "Total de recursos"),
    ("pt", "page.round", "Rodada {round}"),
    ("pt", "page.speak_claim_checked", "Uma reclamação está a ser verificada."),
    ("pt", "selftest.panel", "o painel"),
    ("pt", "page.phone_choose_seat", "Escolhe o teu assento"),
    ("pt_BR", "page.round", "Ronda {round}"),
    ("pt_BR", "page.settings_title", "Definições"),
    ("pt_BR", "journal.file_gone", "O ficheiro {file} sumiu."),
    ("pt_BR", "hall.title", "O salão"),
    ("pt_BR", "node.heading_your_turn", "TUA VEZ: é a tua"),
]


def test_every_language_has_its_terms() -> None:
    assert sorted(path.parent.parent.name for path in LOCALES.glob("*/LC_MESSAGES/controller.po")) == FOLDERS


@pytest.mark.parametrize("folder", FOLDERS)
def test_nothing_is_said_that_is_never_said(folder: str) -> None:
    assert findings(folder) == []


@pytest.mark.parametrize(("folder", "key", "text"), PLANTED)
def test_what_is_planted_is_found(folder: str, key: str, text: str) -> None:
    found = {key for key, _, _ in offences(terms_of(folder), {key: (text,)})}
    assert found == {key}


def test_thirty_offences_are_planted() -> None:
    assert len(PLANTED) >= 30
    assert {folder for folder, _, _ in PLANTED} == {tag.replace("-", "_") for tag in LANGUAGES}


def test_names_commands_and_words_within_others_are_no_offence() -> None:
    terms = msgspec.convert({"term": [{"english": "turn", "say": ["tura"], "never": ["kolejk*"]}]}, Terms)
    texts = {"page.a": ("Użyj `kolejka {kolejka}`, podkolejka nie.",), "page.b": ("Kolejką",)}
    assert [key for key, _, _ in offences(terms, texts)] == ["page.b"]


def test_an_exception_that_nothing_needs_is_found_and_a_rule_against_itself() -> None:
    rules = {
        "term": [{"english": "turn", "say": ["tura"], "never": ["tur*"], "except": ["page.a", "page.b"]}]
    }
    texts = {"page.a": ("Tura",), "page.b": ("Runda",)}
    assert list(needless(msgspec.convert(rules, Terms), texts)) == ["page.b", "tura"]


def test_players_are_told_what_their_pages_load_alone() -> None:
    assert reads("node.heading_your_turn") == reads("page.speak_stop") == {"players"}
    assert reads("page.round") == {"players", "staff"}
    assert reads("selftest.panel") == reads("settings.no_full_path") == {"staff"}
