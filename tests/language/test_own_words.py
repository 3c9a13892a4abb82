"""A site's own texts lie over the catalogues; what is wrong is left out and said."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pi_controller import web
from pi_controller.core.sound.voice import wanted
from pi_controller.language.own_words import LARGEST_FILE, MOST_PROBLEMS
from pi_controller.language.words import all_texts, own_words, use_own_words, words
from pi_controller.sentence import Sentence
from pi_controller.web.http.routes import RequestLanguages
from pi_controller.web.http.static_files import Pages, static_file, texts_of_page
from tests.cli.conftest import Run, run  # noqa: F401 - a fixture

Write = Callable[..., None]
OUR_PAGES = Path(web.__file__).parent / "pages"


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Write]:
    """Writes entries into the file of a language, which from then on lies over its catalogue."""
    folder = tmp_path / "words"

    def put(*entries: str, file: str = "pl.po") -> None:
        folder.mkdir(exist_ok=True)
        (folder / file).write_text("\n\n".join(entries), encoding="utf-8")
        use_own_words(None)
        use_own_words(folder)

    yield put
    use_own_words(None)


def entry(key: str, text: str) -> str:
    return f'msgid "{key}"\nmsgstr "{text}"'


def said(key: str, **params: int | str) -> str:
    return words(Sentence.of(key, params), "pl")


def left_out() -> list[str]:
    """Without the name of the file and the line."""
    return [words(one).partition(": ")[2] for own in own_words() for one in own.left_out()]


HEAD = 'msgid ""\nmsgstr ""\n"Language: pl\\n"'


def test_a_text_by_its_key_and_one_as_translators_have_it_are_in_force(write: Write) -> None:
    before = said("page.paused")
    write(
        HEAD,
        entry("page.paused", "Stoi"),
        '# by hand\n#, python-brace-format\nmsgctxt "page.round"\nmsgid "Round {round}"\n'
        'msgstr ""\n"Kolejna "\n"runda: {round}"',
        'msgctxt "page.light"\nmsgid "Light"\nmsgstr ""',
    )
    assert said("page.paused") == all_texts("pl")["page.paused"] == "Stoi" != before
    assert said("page.round", round=7) == "Kolejna runda: 7"
    assert words(Sentence("page.paused"), "de") == all_texts("de")["page.paused"] != "Stoi"
    (own,) = own_words()
    assert (own.file, sorted(own.texts), own.problems) == ("pl.po", ["page.paused", "page.round"], [])


def test_entries_need_no_empty_lines_between_them(write: Write) -> None:
    write(entry("page.paused", "Stoi") + "\n" + entry("page.round", "{round}. runda") + "\n# end")
    assert said("page.paused") == "Stoi"
    assert said("page.round", round=7) == "7. runda"


def test_plural_forms_are_those_of_the_language(write: Write) -> None:
    key = "settings.words_in_force"
    forms = "\n".join(f'msgstr[{at}] "{form} {{file}} {{count}}"' for at, form in enumerate("abc"))
    write(f'msgid "{key}"\nmsgid_plural "{key}"\n{forms}')
    assert [said(key, file="x", count=count) for count in (1, 2, 5)] == ["a x 1", "b x 2", "c x 5"]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (entry("page.nobody_says_this", "x"), "page.nobody_says_this is left out. No text has this key."),
        (entry("node.heading_pause", "x"), "node.heading_pause is left out. The words of the tables are in their firmware."),
        (entry("page.round", "Runda"), "page.round is left out. In braces it has –; it must have {round}."),
        (entry("page.round", "{round.x}"), "page.round is left out. In braces it has {round.x}; it must have {round}."),
        (entry("page.round", "{round!r}"), "page.round is left out. In braces it has {round!r}; it must have {round}."),
        (entry("page.round", "{round:x}"), "page.round is left out. In braces it has {round:x}; it must have {round}."),
        (entry("page.round", "{round} {"), "page.round is left out. In braces it has –; it must have {round}."),
        (entry("settings.words_in_force", "x"), "settings.words_in_force is left out. Forms with words: 1; 3 needed."),
        ("#, fuzzy\n" + entry("page.paused", "x"), "page.paused is left out. It is marked as fuzzy."),
        (
            'msgctxt "page.round"\nmsgid "Turn {round}"\nmsgstr "Tura {round}"',
            "page.round is left out. The English text is now: Round {round}",
        ),
        ('msgid "page.paused"\nmsgstr "x', "– is left out. This is no entry of a .po file."),
        ('msgid "page.paused"\nmsgstr "\\x"', "– is left out. This is no entry of a .po file."),
        ("nothing of the kind", "– is left out. This is no entry of a .po file."),
        ("msgid page.paused", "– is left out. This is no entry of a .po file."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_left_out_and_said(write: Write, wrong: str, why: str) -> None:
    before = all_texts("pl")
    write(HEAD, wrong, entry("page.theme", "Jasno"))
    assert left_out() == [why]
    assert all_texts("pl") == before | {"page.theme": "Jasno"}


def test_of_two_entries_the_first_counts(write: Write) -> None:
    write(entry("page.paused", "Stoi"), entry("page.paused", "Czeka"))
    assert said("page.paused") == "Stoi"
    assert left_out() == ["page.paused is left out. The file has it twice; the first one counts."]


def test_a_file_of_no_language_and_one_that_cannot_be_read_are_said(write: Write, tmp_path: Path) -> None:
    write(entry("page.paused", "x"), file="pt_BR.po")
    write("x" * (LARGEST_FILE + 1), file="de.po")
    (tmp_path / "words" / "es.po").write_bytes(b'msgid "\xff"')
    (tmp_path / "words" / "pl.po").mkdir()
    assert [words(one) for own in own_words() for one in own.left_out()] == [
        "de.po is left out. It must be text in UTF-8, at most 256 KiB.",
        "es.po is left out. It must be text in UTF-8, at most 256 KiB.",
        "pl.po is left out. Is a directory",
        "pt_BR.po is left out. The name of the file must be that of a language: pl.po, pt-BR.po.",
    ]


def test_a_file_that_is_cut_anywhere_is_read(write: Write) -> None:
    whole = "\n\n".join([HEAD, entry("page.round", '{round}. \\"runda\\"'), entry("page.paused", "Stoi")])
    for length in range(0, len(whole), 5):
        write(whole[:length])
        assert len(own_words()) == 1


def test_of_many_mistakes_the_first_are_said(write: Write) -> None:
    write(*(entry(f"page.nobody_{number}", "x") for number in range(MOST_PROBLEMS + 3)))
    (own,) = own_words()
    assert len(own.left_out()) == MOST_PROBLEMS + 1


def test_pages_get_the_changed_texts_under_another_mark(write: Write) -> None:
    def texts() -> str:
        pages = Pages(OUR_PAGES, RequestLanguages(("pl",)))
        script, page = pages.file("bundles/hall.js"), pages.file("hall.html")
        assert script is not None
        assert page is not None
        return str(texts_of_page("hall", script.body.decode(), page.body.decode(), "pl"))

    before = texts()
    write(entry("page.paused", "Stoi"))
    assert static_file(texts().encode(), ".json").etag != static_file(before.encode(), ".json").etag


def test_the_voice_says_the_changed_text(write: Write) -> None:
    """Sounds lie under names that tell their texts, so that a changed one is rendered anew."""
    before = wanted(("pl",), "connect", ())
    write(entry("voice.pause", "Wszyscy czekają."))
    changed = {one.name: one.text for one in wanted(("pl",), "connect", ()) if one not in before}
    assert set(changed.values()) == {"Wszyscy czekają."}


def test_settings_check_and_show_say_what_is_in_force(write: Write, tmp_path: Path, run: Run) -> None:  # noqa: F811
    settings = tmp_path / "settings.toml"
    settings.write_text('[hall]\nlanguages = ["pl", "fr"]\n')
    write(entry("page.paused", "Stoi"), entry("node.heading_pause", "STOP"))
    told = [
        "pl.po: 1 text of your own is used.",
        "pl.po, line 4: node.heading_pause is left out. The words of the tables are in their firmware.",
    ]
    assert run("settings", "show", "--settings", settings).err.splitlines() == told
    unproofed = "[hall] languages: nobody has proofread Français; what it lacks comes in English."
    assert run("settings", "check", settings).err.splitlines() == [*told, unproofed]


def test_without_own_words_nothing_is_read_and_babel_never() -> None:
    program = (
        "import sys; from pi_controller.language.words import own_words, use_own_words;"
        "from pathlib import Path; use_own_words(Path('/nowhere')); assert own_words() == [];"
        "assert 'babel' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
