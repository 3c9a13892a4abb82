from pathlib import Path

import pytest

from pi_controller.cli.main import main

GOLDEN = Path(__file__).parents[1] / "vectors" / "export-v1.jsonl"


def test_a_true_export_is_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(GOLDEN)]) == 0
    assert capsys.readouterr().out


def test_a_changed_export_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed = tmp_path / "changed.jsonl"
    changed.write_bytes(GOLDEN.read_bytes().replace(b'"round":1', b'"round":2', 1))
    assert main(["verify", str(changed)]) == 1
    assert "REFUSED" in capsys.readouterr().out


def test_another_commitment_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(GOLDEN), "--commitment", "0" * 64]) == 1
    assert "REFUSED" in capsys.readouterr().out


def test_what_cannot_be_checked_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "/no/such/file"]) == 1
    assert capsys.readouterr().err == "/no/such/file: No such file or directory\n"
    assert main(["verify", str(GOLDEN), "--head", "xyz"]) == 2
    assert "--head must be 8 to 64" in capsys.readouterr().err
