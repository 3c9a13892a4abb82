"""What is secret in the state folder, and what is said of the PIN."""

from pathlib import Path

import pytest

from pi_controller.selftest.core import look_at_secrets


def test_the_modes_of_secret_files_are_told(tmp_path: Path) -> None:
    for name in ("web/token", "games/g1/seed", "games/g1/journal.jsonl", "roster.json"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
        file.chmod(0o640)
    found = look_at_secrets(tmp_path, None)
    assert {file.name: file.mode for file in found.files} == {"games/g1/seed": 0o640, "web/token": 0o640}
    assert (found.pin_guessable, found.pin_trouble) == (None, None)


@pytest.mark.parametrize(("pin", "guessable"), [("123456", True), ("904177", False), (None, None)])
def test_a_pin_that_everybody_tries_first_is_told(
    tmp_path: Path, pin: str | None, guessable: bool | None
) -> None:
    found = look_at_secrets(tmp_path, lambda text: None if pin is None else text == pin)
    assert found.pin_guessable is guessable


def test_a_pin_file_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    def damaged(_text: str) -> bool:
        raise ValueError("The PIN's file is damaged.")

    assert look_at_secrets(tmp_path, damaged).pin_trouble == "The PIN's file is damaged."
