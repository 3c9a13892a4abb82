"""The pages with one script each and with fewer style sheets, as staged halls serve them: a browser then takes half of the
processor for opening a page. The scripts are the same, put together by esbuild, which finds a wrong import too."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.browser.stage_files import PAGES

ESBUILD = ROOT / ".cache" / "browser" / "node_modules" / "@esbuild"
"""npm keeps the program for this processor."""
SCRIPTS = re.compile(r'(?: *<script type="module" src="/static/[^"]+"></script>\n)+')
STYLES = re.compile(r'(?: *<link rel="stylesheet" href="/static/[^"]+">\n)+')
"""In a row; one with `media` stands alone, as the script may change that."""
NAME = re.compile(r'"/static/([^"]+)"')


def bundle(folder: Path) -> None:
    """All files of the pages into this new folder, with one script and style sheet in place of those in a row."""
    shutil.copytree(PAGES, folder)
    scripts = [made for path in PAGES.glob("*.html") for made in _bundle_page(path, folder)]
    programs = list(ESBUILD.glob("linux-*/bin/esbuild"))
    if not programs:
        pytest.skip("esbuild is not there; `make packages` fetches it")
    settings = ["--bundle", "--format=esm", "--charset=utf8", "--log-level=warning", "--allow-overwrite"]
    command = [programs[0], *settings, f"--outdir={folder}", *scripts]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def _bundle_page(path: Path, folder: Path) -> list[Path]:
    """Its new scripts, which only import the old ones."""
    scripts: list[Path] = []

    def one_script(found: re.Match[str]) -> str:
        made = folder / f"bundle_{path.stem}.js"
        made.write_text("".join(f'import "./{name}";\n' for name in NAME.findall(found[0])), encoding="utf-8")
        scripts.append(made)
        return f'<script type="module" src="/static/{made.name}"></script>\n'

    def one_style(found: re.Match[str]) -> str:
        made = folder / f"bundle_{path.stem}_{found.start()}.css"
        texts = [(PAGES / name).read_text(encoding="utf-8") for name in NAME.findall(found[0])]
        made.write_text("".join(texts), encoding="utf-8")
        return f'<link rel="stylesheet" href="/static/{made.name}">\n'

    page = STYLES.sub(one_style, path.read_text(encoding="utf-8"))
    (folder / path.name).write_text(SCRIPTS.sub(one_script, page), encoding="utf-8")
    return scripts
