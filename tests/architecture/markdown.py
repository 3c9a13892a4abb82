"""What a Markdown file says: its headings, its links, and the commands in its code."""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec

from pi_controller.cli.usage import COMMANDS, load, parser_of
from tests.architecture.sources import ROOT, texts

FENCE = re.compile(r"^ *```.*?$(.*?)^ *```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(`+)(.+?)\1", re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)(?: \"[^\"]*\")?\)")
TARGET = re.compile(r"^([a-z][a-z0-9-]*):", re.MULTILINE)
SEPARATORS = re.compile(r"&&|\|\||[;|]|<\(|\$\(")
LABELS = {"pi-controller dice", "pi-controller commitment"}
"""Texts that are hashed into dice, not commands."""


def documents() -> dict[str, str]:
    return {name: text for name, text in texts().items() if name.endswith(".md")}


def slugs(text: str) -> set[str]:
    """What `#…` of a link may name, as GitHub makes it of the headings."""
    found: Counter[str] = Counter()
    named = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    for heading in re.findall(r"^#{1,6} +(.+?) *$", FENCE.sub("", text), re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        named.add(f"{slug}-{found[slug]}" if found[slug] else slug)
        found[slug] += 1
    return named


def links(text: str) -> list[str]:
    """Those to files and headings of the repository."""
    return [link for link in LINK.findall(SPAN.sub("", FENCE.sub("", text))) if ":" not in link]


def snippets(text: str) -> Iterator[str]:
    """Each line of a block of code, and each span of code."""
    for block in FENCE.findall(text):
        yield from block.replace("\\\n", " ").splitlines()
    for _, span in SPAN.findall(FENCE.sub("", text)):
        yield " ".join(span.split())


def faults_of(snippet: str) -> list[str]:
    """What is wrong with the commands in it."""
    found = []
    for part in SEPARATORS.split(re.split(r"(?:^|\s)#(?:\s|$)", snippet)[0]):
        words = part.replace("\\|", "|").split()
        while words and (words[0] in ("$", "sudo") or re.match(r"[A-Z_]+=", words[0])):
            words = words[1:]
        if words:
            fault = _fault(words[0].rpartition("/")[2], words[1:])
            found += [f"{' '.join(words)}: {fault}"] if fault else []
    return found


def _fault(program: str, words: list[str]) -> str | None:
    if program == "make":
        return _fault_of_make(words)
    if re.fullmatch(r"python[0-9.]*", program) and words[:1] == ["-m"] and words[1:]:
        return None if _is_module(words[1]) else "no such module"
    if program == "pi-controller" and words and f"{program} {words[0]}" not in LABELS:
        return fault_of_command(words)
    is_ours = program in COMMANDS and words and (words[0].startswith("--") or words[0] in _tasks(program))
    return fault_of_command([program, *words]) if is_ours else None


def _fault_of_make(words: list[str]) -> str | None:
    known = set(TARGET.findall(texts()["Makefile"]))
    for place, word in enumerate(words):
        if word.startswith("ARGS="):
            options = " ".join(words[place:]).removeprefix("ARGS=").strip('"').split()
            return fault_of_command(["run", *options]) if words[0] == "run" else None
        if re.fullmatch(r"[a-z][a-z0-9-]*", word) and word not in known:
            return f"no target {word}"
    return None


def _is_module(name: str) -> bool:
    path = ROOT / name.replace(".", "/")
    if path.with_suffix(".py").is_file() or (path / "__main__.py").is_file():
        return True
    return "." not in name and find_spec(name) is not None


@cache
def _parser(name: str) -> argparse.ArgumentParser:
    load(name)
    return parser_of(name)


def _below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _tasks(name: str) -> dict[str, argparse.ArgumentParser]:
    return _below(_parser(name))


def fault_of_command(words: list[str]) -> str | None:
    """What the parser does not know of this command: its name, its task, an option or a choice."""
    name, *rest = words
    if name in ("--version", "--help") or not re.fullmatch(r"[a-z][a-z-]*", name):
        return None
    if name not in COMMANDS:
        return f"no command {name}"
    parser = _parser(name)
    below = _below(parser)
    if below and rest and re.fullmatch(r"[a-z][a-z-]*", rest[0]):
        if rest[0] not in below:
            return f"no task {rest[0]}"
        parser, rest = below[rest[0]], rest[1:]
    return _fault_of_options(parser, rest)


def _fault_of_options(parser: argparse.ArgumentParser, words: list[str]) -> str | None:
    known = parser._option_string_actions
    choices: Iterable[object] | None = None
    for word in words:
        option, _, value = word.strip("[](),.").partition("=")
        if re.fullmatch(r"--?[a-z][a-z-]*", option):
            if option not in known:
                return f"no option {option}"
            choices = known[option].choices
        else:
            value = option
        if choices and re.fullmatch(r"[a-z][a-z-]*", value) and value not in map(str, choices):
            return f"no choice {value}"
        choices = None if value else choices
    return None
