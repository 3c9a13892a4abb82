"""The other languages' catalogues follow the English one."""

from gettext import GNUTranslations, NullTranslations
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from tools.catalogues import LOCALES, catalogues


class English(NullTranslations):
    """Says everything."""

    def gettext(self, message: str) -> str:
        return "in English"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return "in English"


def write(root: Path, language: str, texts: dict[str, str | tuple[str, str]]) -> None:
    catalogue = Catalog(locale=language)
    for key, text in texts.items():
        catalogue.add((key, key) if isinstance(text, tuple) else key, string=text)
    keep(root, language, catalogue)


def keep(root: Path, language: str, catalogue: Catalog) -> None:
    path = root / LOCALES / language / "LC_MESSAGES" / "controller.po"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalogue)


def generate(root: Path) -> Catalog:
    """What `make generate` does; the German catalogue after it."""
    for name, content in catalogues(root).items():
        (root / name).write_bytes(content)
    return german(root)


def german(root: Path) -> Catalog:
    with (root / LOCALES / "de" / "LC_MESSAGES" / "controller.po").open("rb") as file:
        return read_po(file, locale="de")


def message(catalogue: Catalog, key: str) -> Message:
    found = catalogue.get(key)
    assert found is not None
    return found


LONG = (
    "Name the serial port of each segment in the settings under [tables], then restart the controller. Without"
    ' tables, try virtual ones: make run ARGS="--nodes 40".'
)


def test_a_text_has_the_english_one_above_it_and_generating_again_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path, "en", {"disk.full": LONG, "disk.lost": ("{count} line", "{count} lines\nare lost")})
    write(tmp_path, "de", {"disk.full": "Voll.", "disk.lost": ("{count} Zeile", "{count} Zeilen")})
    made = generate(tmp_path)
    assert "".join(message(made, "disk.full").auto_comments).replace(" ", "") == LONG.replace(" ", "")
    assert message(made, "disk.lost").auto_comments == ["{count} line / {count} lines\\nare lost"]
    again = generate(tmp_path)
    assert [one.fuzzy for one in again if one.id] == [False, False]
    assert message(again, "disk.lost").string == ("{count} Zeile", "{count} Zeilen")


def test_what_is_new_has_no_words_and_what_is_gone_goes(tmp_path: Path) -> None:
    write(tmp_path, "en", {"disk.full": "Full.", "disk.new": "New.", "disk.lost": ("one", "more")})
    write(tmp_path, "de", {"disk.full": "Voll.", "disk.old": "Alt.", "disk.lost": "ohne Mehrzahl"})
    made = generate(tmp_path)
    assert {one.id if isinstance(one.id, str) else one.id[0]: one.string for one in made if one.id} == {
        "disk.full": "Voll.",
        "disk.new": "",
        "disk.lost": ("", ""),
    }
    with (tmp_path / LOCALES / "de" / "LC_MESSAGES" / "controller.mo").open("rb") as file:
        compiled = GNUTranslations(file)
    compiled.add_fallback(English())
    assert compiled.gettext("disk.full") == "Voll."
    assert [compiled.gettext("disk.new"), compiled.ngettext("disk.lost", "disk.lost", 2)] == [
        "in English"
    ] * 2


def test_a_text_whose_english_has_changed_is_fuzzy_until_somebody_takes_the_mark_away(tmp_path: Path) -> None:
    write(tmp_path, "en", {"disk.full": "Full."})
    write(tmp_path, "de", {"disk.full": "Voll."})
    generate(tmp_path)
    write(tmp_path, "en", {"disk.full": "The disk is full."})
    assert message(generate(tmp_path), "disk.full").fuzzy
    assert message(generate(tmp_path), "disk.full").fuzzy
    seen = german(tmp_path)
    message(seen, "disk.full").flags.discard("fuzzy")
    keep(tmp_path, "de", seen)
    assert not message(generate(tmp_path), "disk.full").fuzzy
