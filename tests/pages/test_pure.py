"""What is pure in the pages' JavaScript: node runs the *.test.js beside this file, one pytest test each."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pi_controller.language.languages import NAMES
from pi_controller.language.words import all_texts
from tests.needs import program
from tests.patience import DEADLINE_S

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
VECTORS = ROOT / "tests" / "vectors" / "words.json"
PAGES = ROOT / "pi_controller" / "web" / "pages"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages and tests beside a package.json that says what they are to an old node: modules."""
    place = tmp_path_factory.mktemp("checkout")
    (place / "package.json").write_text(json.dumps({"type": "module"}))
    for folder in (PAGES, HERE):
        shutil.copytree(
            folder, place / folder.relative_to(ROOT), ignore=shutil.ignore_patterns("fonts", "*.py")
        )
    vectors = place / VECTORS.relative_to(ROOT)
    vectors.parent.mkdir(parents=True)
    shutil.copy(VECTORS, vectors)
    texts = place / HERE.relative_to(ROOT) / "words"
    texts.mkdir()
    for language in NAMES:
        (texts / f"{language}.json").write_text(json.dumps(all_texts(language)))
    return place


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.test.js")))
def test_in_node(name: str, checkout: Path) -> None:
    told = subprocess.run(
        [program("node"), "--test", "--test-reporter=tap", checkout / "tests" / "pages" / name],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    passed = re.search(r"^# pass (\d+)$", told.stdout, re.MULTILINE)
    assert passed is not None
    assert int(passed[1]) >= 3
