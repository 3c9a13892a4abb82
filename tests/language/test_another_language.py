"""A further language is a folder of texts and a line in languages.py; the rest is generated or derived."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.catalogues import read_catalogue, source
from tools.translations import ROOT, catalogue_path

TEXTS = {
    "cli.menu_usage": "gebruik: pi-controller {command} …",
    "node.heading_your_turn": "JOUW BEURT",
    "page.login_title": "Inloggen",
}

GENERATE = """
from pathlib import Path
from tools import catalogues, node_words
root = Path()
made = catalogues.catalogues(root) | {name: text.encode() for name, text in node_words.sources(root).items()}
for name, content in made.items():
    (root / name).write_bytes(content)
"""
ON_A_PAGE = """
from pathlib import Path
from aiohttp.test_utils import make_mocked_request
from pi_controller.web.http.routes import LANGUAGE, RequestLanguages
from pi_controller.web.http.static_files import Pages
languages = RequestLanguages(("en",))
request = make_mocked_request("GET", "/login", headers={"Accept-Language": "nl-BE, en;q=0.5"})
request[LANGUAGE] = languages.of(request)
print(Pages(Path("pi_controller/web/pages"), languages).page(request, "login.html").body.decode())
"""
ON_A_TABLE = """
from types import SimpleNamespace
from table_node import messages
from table_node.languages import Languages
payload = (7).to_bytes(2, "little") + b"nl".ljust(6, b"\\0") + b"en".ljust(6, b"\\0")
spoken = Languages()
spoken.hear(SimpleNamespace(version=3, size=len(payload), payload=payload), 7)
while spoken.unread:
    spoken.load()
print(spoken.words(0).YOUR_TURN, spoken.words(1).YOUR_TURN, spoken.wordless)
"""
OFFERED = """
from pi_controller.cli.questions import LANGUAGES
from pi_controller.hal.sound.library import VOICES
from pi_controller.settings.load import from_table
print(LANGUAGES[-1], VOICES["nl"], from_table({"hall": {"languages": ["nl-NL"]}}, file="x").hall.languages)
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The part of a checkout that speaks, with a language more."""
    root = tmp_path_factory.mktemp("checkout")
    for folder in ("pi_controller", "firmware/table_node", "tools"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__", "*.map"))
    path = catalogue_path(root, "nl")
    path.parent.mkdir(parents=True)
    german = catalogue_path(root, "de").read_text(encoding="utf-8")
    path.write_text(german.replace("Language: de", "Language: nl"), encoding="utf-8")
    texts = read_catalogue(path)
    for key, text in TEXTS.items():
        message = texts.get(key)
        assert message is not None
        message.string = text
    path.write_bytes(source(texts))
    (path.parent.parent / "terms.toml").touch()
    languages = root / "pi_controller" / "language" / "languages.py"
    pl = '    "pl": _Language("Polski"),\n'
    text = languages.read_text(encoding="utf-8")
    assert pl in text
    languages.write_text(text.replace(pl, pl + '    "nl": _Language("Nederlands"),\n'), encoding="utf-8")
    run(root, "-c", GENERATE)
    return root


def run(root: Path, *words: str) -> str:
    environ = {**os.environ, "PYTHONPATH": f"{root}:{root / 'firmware'}", "LC_ALL": "nl_NL.UTF-8"}
    ended = subprocess.run(
        [sys.executable, *words], cwd=root, env=environ, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_it_is_chosen_on_a_page_whose_menu_offers_it(copy: Path) -> None:
    page = run(copy, "-c", ON_A_PAGE)
    assert '<html lang="nl"' in page
    assert "<title>Inloggen" in page
    assert 'content="en de es pt pt-BR pl nl"' in page
    assert "/static/words/login/nl.json" in page


def test_the_command_line_speaks_it(copy: Path) -> None:
    assert run(copy, "-m", "pi_controller", "--help").startswith("gebruik: pi-controller ")


def test_a_table_speaks_it(copy: Path) -> None:
    assert run(copy, "-c", ON_A_TABLE) == "JOUW BEURT YOUR TURN False\n"


def test_setup_voice_and_settings_know_it(copy: Path) -> None:
    assert run(copy, "-c", OFFERED) == "nl nl ('nl',)\n"
