"""`pi-controller voice`: requests to core, and the list of phrases by the real voice."""

from pathlib import Path

import pytest

from pi_controller.cli.main import main
from tests.cli.conftest import Run
from tests.protocol.fake_core import FakeCore


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        (["mute", "5"], {"do": "mute", "minutes": 5, "loudspeaker": "both"}),
        (["mute"], {"do": "mute", "minutes": None, "loudspeaker": "both"}),
        (["release"], {"do": "release", "minutes": None, "loudspeaker": "both"}),
        (["duck"], {"do": "duck", "minutes": None, "loudspeaker": "both"}),
        (["test", "left"], {"do": "test", "minutes": None, "loudspeaker": "left"}),
    ],
)
def test_what_core_is_asked(core: FakeCore, given: list[str], asked: dict[str, object]) -> None:
    assert main(["voice", *given]) == 0
    (request,) = core.requests
    assert {key: request.get(key, default) for key, default in asked.items()} == asked
    assert request["ask"] == "sound"


def test_every_phrase_fits_its_slot(state: Path, tmp_path: Path, run: Run) -> None:
    """Everything that can be said in one language, spoken by the real voice; in all of them: `make test-voice`."""
    settings = tmp_path / "settings.toml"
    settings.write_text('[hall]\nlanguages = ["pt"]\n')
    before = run("voice", "list", "--settings", settings).out.splitlines()
    assert before[0].split() == ["phrase", "language", "ms", "at", "most", "from", "text", "own", "recording"]
    said = run("voice", "list", "--render", "--settings", settings)
    assert said.err == ""
    rows = [row.split() for row in said.out.splitlines()[1:] if row.split()[1] == "pt"]
    assert len(rows) == len(before) - 1 > 75
    assert all(int(row[2]) <= int(row[3]) for row in rows if row[3] != "-")
    assert rows[0][-1] == str(state / "sounds" / "pt" / "round_sun_2.wav")
