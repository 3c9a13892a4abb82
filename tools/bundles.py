"""The pages as browsers load them: one script and one style sheet each, put together by esbuild."""

import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
ESBUILD = ROOT / ".cache" / "browser" / "node_modules" / "@esbuild"
"""As `tools/browser/package-lock.json` names it; npm keeps the program for this processor."""
FOLDER = "bundles"
"""Below that of the pages."""
SCRIPTS = (
    "director",
    "hall",
    "hardware",
    "judge",
    "login",
    "moderator",
    "phone",
    "refused",
    "report",
    "selftest",
    "sim",
    "technician",
)
"""Each is the main script in the folder of its name, and but for `refused` has a page of its name."""
STYLES = ("director", "hall", "phone", "report", "sim", "technician")
"""Some are of several pages that look alike."""
OPTIONS = (
    "--bundle",
    "--format=esm",
    "--minify",
    "--charset=utf8",
    "--legal-comments=eof",
    "--sourcemap",
    "--sources-content=false",  # the sources are served beside the bundles
    "--external:/static/*",
    "--supported:nesting=false",  # of CSS: rules within rules, which older browsers do not read
    "--log-level=warning",
)


class BundleError(Exception):
    """A sentence: why there are no bundles."""


def bundles(pages: Path) -> dict[str, bytes]:
    """Name and content of every bundle and source map, by the sources in this folder."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "pages"
        shutil.copytree(pages, copy, ignore=shutil.ignore_patterns(FOLDER, "fonts"))
        bundle(copy)
        return {path.name: path.read_bytes() for path in sorted((copy / FOLDER).iterdir())}


def bundle(pages: Path) -> None:
    """Puts the bundles of the pages in this folder into the folder below it. BundleError where the sources do
    not fit together: a file or a name that another one imports is missing."""
    programs = list(ESBUILD.glob("linux-*/bin/esbuild"))
    if not programs:
        raise BundleError("esbuild is not there; `make packages` fetches it.")
    scripts = [f"{name}={pages / name / name}.js" for name in SCRIPTS]
    styles = [f"{name}={pages / name / name}.css" for name in STYLES]
    command = [programs[0], *OPTIONS, f"--outdir={pages / FOLDER}", *scripts, *styles]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=pages)
    if done.returncode != 0 or done.stderr:
        raise BundleError(f"The pages cannot be put together.\n{done.stderr}")
