"""The key for the second copy: missing or damaged it is told, and the clock starts all the same."""

import logging
from pathlib import Path

import pytest

from pi_controller.core.wiring.game import key_for_copy
from pi_controller.journal.errors import Trouble
from pi_controller.journal.pairing import keep_key, new_key
from pi_controller.language.words import words


def test_the_key_is_for_a_second_copy_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    troubles: list[Trouble] = []
    caplog.set_level(logging.WARNING)
    assert key_for_copy(tmp_path, tmp_path / "copy", troubles.append) is None
    assert "`pi-controller pair new` makes a key" in caplog.text
    key = new_key()
    keep_key(tmp_path, key)
    found = key_for_copy(tmp_path, tmp_path / "copy", troubles.append)
    assert found is not None
    assert found.mark == key.mark
    assert key_for_copy(tmp_path, None, troubles.append) is None
    assert troubles == []


def test_a_key_that_cannot_be_used_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    troubles: list[Trouble] = []
    (tmp_path / "pairing.key").write_text("rubbish")
    (tmp_path / "pairing.key").chmod(0o600)
    assert key_for_copy(tmp_path, tmp_path, troubles.append) is None
    (tmp_path / "pairing.key").unlink()
    (tmp_path / "pairing.key").mkdir(mode=0o700)
    assert key_for_copy(tmp_path, tmp_path, troubles.append) is None
    damaged, unreadable = troubles
    assert "is damaged: remove it and pair again. Until then the second copy holds no seed." in words(
        damaged.sentence
    )
    assert "The pairing key cannot be read" in words(unreadable.sentence)
    assert not any(trouble.fatal for trouble in troubles)
