"""Name and logo of the event on printed sheets."""

import io
from pathlib import Path

import pytest
from PIL import Image
from pypdf import PdfReader

from pi_controller.cli.main import main
from pi_controller.settings.load import FILE_NAME
from tests.core.disk import GAME_ID
from tests.paper.reading import pages
from tests.report.played import recorded


@pytest.fixture
def event(state: Path) -> Path:
    logo = state / "logo.png"
    Image.new("RGB", (40, 20), "#7fdcae").save(logo)
    (state / FILE_NAME).write_text(f'[event]\nname = "Spring Cup"\nlogo = "{logo}"\n', encoding="utf-8")
    return logo


def test_every_printed_sheet_names_the_event(event: Path, state: Path, tmp_path: Path) -> None:
    recorded(state)
    target = tmp_path / "out.pdf"
    for asked in (
        ["fallback", "--rolls", "1", "--sheets", "1"],
        ["paper", "network"],
        ["paper", "map", "--rows", "1", "--boards", "3"],
        ["report", GAME_ID],
    ):
        assert main([*asked, "-o", str(target)]) == 0
        assert all("Spring Cup" in page for page in pages(target.read_bytes())), asked
        assert len(PdfReader(io.BytesIO(target.read_bytes())).pages[0].images) == 1, asked


def test_a_logo_that_cannot_be_printed_is_left_out(event: Path, state: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.pdf"
    for content in (b"no picture", event.read_bytes()[:50]):
        event.write_bytes(content)
        assert main(["paper", "network", "-o", str(target)]) == 0
        assert "Spring Cup" in pages(target.read_bytes())[0]
    (state / FILE_NAME).write_text("[event", encoding="utf-8")
    assert main(["paper", "network", "-o", str(target)]) == 0
