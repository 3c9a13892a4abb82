"""The command line in the language of its shell."""

import argparse
import ast
import inspect
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from babel.messages.pofile import read_po

from pi_controller.cli.main import _run, main
from pi_controller.cli.usage import COMMANDS, STATUSES, Parser, speak_as_the_shell
from pi_controller.language.languages import LANGUAGES
from pi_controller.language.words import LOCALES
from tests.architecture.sources import python

FOLDERS = [language.replace("-", "_") for language in LANGUAGES]
TOOL_OF_DEVELOPERS = "bench"
"""Its output are figures, and it speaks English but for its line of the menu."""
NO_WORDS = re.compile(r"[A-Z]|F\.zip|HEX|UID|RxB")
"""In usage: a letter for any value, names of forms and units."""


class TakenOutError(Exception):
    def __init__(self, parser: argparse.ArgumentParser) -> None:
        super().__init__()
        self.parser = parser


@pytest.fixture
def taken_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command ends with its parser where it would read its arguments."""

    def take_out(parser: Parser, *_: object) -> None:
        raise TakenOutError(parser)

    monkeypatch.setattr(Parser, "parse_args", take_out)


def parsers(name: str) -> Iterator[argparse.ArgumentParser]:
    """The command's, and those of its tasks."""
    with pytest.raises(TakenOutError) as out:
        _run([name])
    return with_tasks(out.value.parser)


def with_tasks(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for task in action.choices.values():
                yield from with_tasks(task)


@pytest.mark.usefixtures("taken_out")
@pytest.mark.parametrize("folder", [*FOLDERS, "en_XA"])
def test_every_help_can_be_shown_in_every_language(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", f"{folder}.UTF-8")
    speak_as_the_shell()
    for name in COMMANDS:
        for parser in parsers(name):
            assert parser.prog in parser.format_help()


@pytest.mark.usefixtures("taken_out")
@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {TOOL_OF_DEVELOPERS}))
def test_no_help_has_plain_english(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "")
    monkeypatch.setenv("LC_MESSAGES", "en_XA")
    speak_as_the_shell()
    for parser in parsers(name):
        assert parser.description is None or parser.description.startswith("[")
        for action in parser._actions:
            if not isinstance(action, argparse._HelpAction) and action.help is not argparse.SUPPRESS:
                assert [text for text in texts_of(action) if not text.startswith("[")] == []


def texts_of(action: argparse.Action) -> Iterator[str]:
    """What the help shows of an argument, but names and values."""
    yield from [action.help] if action.help else []
    metavars = action.metavar if isinstance(action.metavar, tuple) else (action.metavar,)
    yield from (metavar for metavar in metavars if metavar and not NO_WORDS.fullmatch(metavar))
    if metavars == (None,) and action.nargs != 0 and action.choices is None:
        yield action.dest
    if isinstance(action, argparse._SubParsersAction):
        yield from (str(task.help) for task in action._choices_actions)


def test_every_error_with_an_exit_status_is_one_class_of_the_package() -> None:
    classes = Counter(
        node.name
        for _, module in python("pi_controller")
        for node in ast.walk(module)
        if isinstance(node, ast.ClassDef)
    )
    assert {name: classes[name] for name in STATUSES} == dict.fromkeys(STATUSES, 1)


@pytest.mark.parametrize("language", ["de_DE:en", ""])
def test_argparse_speaks_polish_where_no_such_locale_is_installed(
    language: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "pl_PL.UTF-8")
    monkeypatch.setenv("LANGUAGE", language)
    with pytest.raises(SystemExit):
        main(["pin", "--help"])
    shown = capsys.readouterr().out
    assert shown.startswith("użycie: pi-controller pin")
    assert {"argumenty pozycyjne:", "opcje:"} <= set(shown.splitlines())
    assert main(["pin"]) == 2
    assert "brakuje argumentów: " in capsys.readouterr().err
    assert main(["run", "--hardware", "wood"]) == 2
    assert "argument --hardware: nieprawidłowy wybór: 'wood'" in capsys.readouterr().err


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_catalogues_of_argparse_have_its_texts(folder: str) -> None:
    with (LOCALES / folder / "LC_MESSAGES" / "argparse.po").open("rb") as file:
        catalogue = read_po(file, locale=folder)
    source = inspect.getsource(argparse)
    for message in catalogue:
        ids = (message.id,) if isinstance(message.id, str) else message.id
        assert all(text in source for text in ids)
        strings = (message.string,) if isinstance(message.string, str) else message.string
        for text in strings if message.id else ():
            assert text
            assert placeholders(text) == placeholders(ids[0])


def placeholders(text: str) -> list[str]:
    return sorted(re.findall(r"%(?:\(\w+\))?[a-z]", text))
