"""What translators get: English as the source, a note for each parameter; what they bring back is checked."""

import shutil
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from pi_controller.language.languages import ENGLISH, EVERY
from tools.catalogues import LOCALES, read_catalogue
from tools.translations import (
    FOLDER,
    ROOT,
    area_of,
    catalogue_path,
    notes,
    parameters_of,
    progress,
    take_back,
    texts_of,
    write_all,
)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository's part with the catalogues, exported."""
    root = tmp_path_factory.mktemp("root")
    shutil.copytree(ROOT / LOCALES, root / LOCALES)
    (root / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "notes.toml", root / "tools")
    write_all(root)
    return root


@pytest.fixture
def root(written: Path, tmp_path: Path) -> Path:
    shutil.copytree(written, tmp_path / "root")
    return tmp_path / "root"


def entry(root: Path, tag: str, key: str) -> str:
    """As it is in the exported file."""
    text = (root / FOLDER / f"{tag}.po").read_text(encoding="utf-8")
    return next(one for one in text.split("\n\n") if f'msgctxt "{key}"' in one)


def change(root: Path, tag: str, key: str, before: str, after: str) -> Path:
    path = root / FOLDER / f"{tag}.po"
    old = entry(root, tag, key)
    assert before in old
    path.write_text(
        path.read_text(encoding="utf-8").replace(old, old.replace(before, after)), encoding="utf-8"
    )
    return path


def text(root: Path, tag: str, key: str) -> tuple[str, ...]:
    return texts_of(read_catalogue(catalogue_path(root, tag)))[key]


def test_each_area_and_each_parameter_has_a_note_and_no_note_is_needless() -> None:
    texts = texts_of(read_catalogue(catalogue_path(ROOT, ENGLISH)))
    areas = {area_of(key, ROOT) for key in texts}
    assert set(notes(ROOT)["areas"].values()) - areas == set()
    names = {name for forms in texts.values() for name in parameters_of(forms)}
    assert names == notes(ROOT)["parameters"].keys()


def test_translators_see_the_english_text_and_what_its_parameters_are(written: Path) -> None:
    assert entry(written, "pl", "action.board_confirmed_points") == "\n".join([
        "#. In the list of what was done in a game: on pages, in the report, for undo.",
        "#. {board}: name of a board: A5.",
        "#. {count}: a number; it chooses the form of the text: 3.",
        "#, python-brace-format",
        'msgctxt "action.board_confirmed_points"',
        'msgid "Board {board} confirmed, {count} point"',
        'msgid_plural "Board {board} confirmed, {count} points"',
        *(f'msgstr[{at}] "{form}"' for at, form in enumerate(text(ROOT, "pl", "action.board_confirmed_points"))),
    ])  # fmt: skip
    assert "#. At most about" in entry(written, "de", "node.heading_your_turn")
    assert "To players." in entry(written, "de", "page.speak_stop")


@pytest.mark.parametrize("tag", [tag for tag in EVERY if tag != ENGLISH])
def test_what_comes_back_unchanged_changes_nothing(written: Path, tag: str) -> None:
    path = catalogue_path(written, tag)
    before = path.read_bytes()
    (told,) = take_back(written, written / FOLDER / f"{tag}.po")
    assert path.read_bytes() == before == catalogue_path(ROOT, tag).read_bytes()
    assert told.startswith(f"{tag}.po: ")
    assert told == f"{tag}.po: {progress(read_catalogue(path))}"


def test_a_changed_text_is_taken(root: Path) -> None:
    told = take_back(root, change(root, "pl", "page.round", 'msgstr "', 'msgstr "# '))
    assert len(told) == 1
    assert text(root, "pl", "page.round")[0].startswith("# ")
    assert text(root, "pl", "page.paused") == text(ROOT, "pl", "page.paused")


@pytest.mark.parametrize(
    ("key", "before", "after", "why"),
    [
        ("page.round", "page.round", "page.rounds", "page.rounds: No text has this key."),
        ("page.round", 'msgstr "', 'msgstr "{runda} ', "page.round: In braces it has {round}, {runda}; it must have {round}."),
        ("action.board_confirmed_points", "msgstr[2]", "#msgstr[2]", "action.board_confirmed_points: Forms with words: 2; 3 needed."),
        ("action.board_confirmed_points", "{board}:", "{board", "action.board_confirmed_points: In braces it has –; it must have {board}, {count}."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_left_out_and_said(root: Path, key: str, before: str, after: str, why: str) -> None:
    told = take_back(root, change(root, "pl", key, before, after))
    assert told[:-1] == [f"pl.po: {why}"]
    assert text(root, "pl", key) == text(ROOT, "pl", key)


def test_a_text_whose_english_has_changed_since_is_taken_as_fuzzy(root: Path) -> None:
    told = take_back(root, change(root, "pl", "page.round", 'msgid "Round', 'msgid "The round'))
    assert told[0] == (
        "pl.po: page.round: fuzzy, its English has changed: it was “The round {round}”, it is “Round {round}”"
    )
    assert len(told) == 2
    assert (
        "fuzzy"
        in next(one for one in read_catalogue(catalogue_path(root, "pl")) if one.id == "page.round").flags
    )


def test_another_file_is_refused(root: Path) -> None:
    (root / "xx.po").write_text("", encoding="utf-8")
    assert take_back(root, root / "xx.po")[0].startswith("xx.po: the file must be named after a language")
    (root / "pl.po").write_text("msgid nothing\n", encoding="utf-8")
    assert take_back(root, root / "pl.po")[0].startswith("pl.po: this is no .po file")


def test_a_format_for_numbers_is_kept(root: Path) -> None:
    with (root / FOLDER / "pl.po").open("rb") as file:
        found = read_po(file, locale="pl")
    key = next(one.context for one in found if one.context and ":.1f}" in str(one.string))
    assert key is not None
    told = take_back(root, change(root, "pl", key, ":.1f}", ":.2f}"))
    assert "In braces it has" in told[0]
