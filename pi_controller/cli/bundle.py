"""`pi-controller bundle [-o F.zip]`: gathers, cleans, says what is inside, and writes one file whole."""

import base64
import io
import json
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from pi_controller import __version__
from pi_controller.cli.broker import PASSWORD as ACCESS
from pi_controller.cli.usage import REFUSED, SETTINGS, UNIT_SETTINGS, Stop, argument, command, flag, state_dir
from pi_controller.flashing.image import KEY_FILE
from pi_controller.hal.roles import HardwareError
from pi_controller.hal.system.facts import FactsReader
from pi_controller.journal.errors import JournalError
from pi_controller.journal.exports import export_lines
from pi_controller.journal.files import read_regular
from pi_controller.journal.pairing import FILE_NAME as PAIRING_NAME
from pi_controller.journal.pairing import PairingFault, PairingKey, read_key
from pi_controller.journal.store import SEED_BYTES, Store, read_plain, write_private
from pi_controller.journal.witnesses import GameSummary, games
from pi_controller.language.system_errors import why
from pi_controller.language.words import all_words, words
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore, SocketPathTooLong
from pi_controller.protocol.paths import socket_path
from pi_controller.sentence import Sentence, as_told
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import file_text, load
from pi_controller.software import own

# What goes into a bundle, part by part, without what is secret. A part that is not there says why in its
# place.


REMOVED = b"[removed]"
SHORTEST = 16
"""Bytes; a shorter word of a key file is a label such as `scrypt`, found in many innocent places."""
TELLTALES = (
    re.compile(rb"(?<=token=)[\w-]{8,}"),  # the one-time log-in links, which are kept nowhere
    re.compile(rb"(?<=pi_controller_session_[0-9a-f]{8}=)[\w.-]{8,}"),
    re.compile(rb"(?i)(?<=bearer )[\w.~+/-]{8,}"),
)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text without secrets; `removed` says how many were in it."""

    content: bytes
    removed: int


def known_secrets(state_dir: Path) -> tuple[bytes, ...]:
    """Every secret of this state folder as it could stand in a text: as it is, in hex and in base 64.

    Raises OSError: what cannot be read cannot be looked for.
    """
    return tuple(sorted({form for secret in _secrets(state_dir) for form in _forms(secret)}))


def clean(content: bytes, secrets: tuple[bytes, ...]) -> Cleaned:
    """The same without these secrets and without what looks like a way in."""
    removed = 0
    for secret in secrets:
        removed += content.count(secret)
        content = content.replace(secret, REMOVED)
    for pattern in TELLTALES:
        content, count = pattern.subn(REMOVED, content)
        removed += count
    return Cleaned(content, removed)


def _secrets(state_dir: Path) -> Iterator[bytes]:
    files = (*sorted((state_dir / "web").glob("*")), state_dir / PAIRING_NAME, state_dir / ACCESS)
    for path in files:
        if path.is_file() and not path.is_symlink():
            content = read_regular(path).strip()
            yield content
            yield content.replace(b" ", b"")
            yield from (word for word in content.split() if len(word) >= SHORTEST)
    if (of_nodes := state_dir / KEY_FILE).is_file():
        yield read_regular(of_nodes).hex().encode()
    key = _key(state_dir)
    if key is not None:
        yield from key.searched_for()
    public = {game.game_id for game in games(state_dir) if game.ended and game.closed}
    store = Store(state_dir)
    for game_id in store.game_ids():
        path = store.folder(game_id) / "seed"
        if game_id not in public and path.is_file():
            yield read_regular(path).strip()


def _key(state_dir: Path) -> PairingKey | None:
    try:
        return read_key(state_dir)
    except PairingFault:
        return None  # damaged or open to others: the file's own text is searched for


def _forms(secret: bytes) -> Iterator[bytes]:
    if len(secret) < SHORTEST:
        return
    yield secret
    raw = _from_hex(secret)
    if raw is not None:
        yield from (
            raw,
            secret.upper(),
            base64.b64encode(raw).rstrip(b"="),
            base64.urlsafe_b64encode(raw).rstrip(b"="),
        )


def _from_hex(secret: bytes) -> bytes | None:
    if len(secret) < SEED_BYTES:
        return None
    try:
        return bytes.fromhex(secret.decode("ascii"))
    except ValueError:
        return None


NEWEST_GAMES = 20
NEWEST_REPORTS = 50
LARGEST = 64 * 1024 * 1024
"""Bytes of a file that goes into a bundle."""
LOG_LINES = 20_000
COMMAND_PATIENCE_S = 60.0
UNITS = "pi-controller-*"
JOURNALCTL = ("journalctl", "--no-pager", "-o", "short-iso-precise", "-n", str(LOG_LINES))
PROGRAMS = {
    "logs/services.txt": (*JOURNALCTL, "-u", UNITS),
    "logs/kernel.txt": (*JOURNALCTL, "-k"),
    "logs/units.txt": ("systemctl", "--no-pager", "--lines=0", "status", UNITS),
}
"""Bundle file, and the command whose output it holds."""
CORE_ERRORS = (NoCore, CoreTrouble, Malformed, SocketPathTooLong)


NO_NOTE = as_told("")


@dataclass(frozen=True, slots=True)
class BundlePart:
    """A file of the bundle. Without content it is left out; `note` says why, or what is special about it."""

    name: str
    about: Sentence
    content: bytes | None
    note: Sentence = NO_NOTE


def gather(state_dir: Path, settings: Path | None) -> Iterator[BundlePart]:
    """Every part, also those that are missing. Raises OSError when the state folder cannot be read."""
    yield BundlePart("versions.txt", Sentence("bundle.versions"), _versions().encode())
    yield _settings(settings)
    yield _facts(state_dir)
    yield from _from_core(state_dir)
    for name, program in PROGRAMS.items():
        yield _output(name, program)
    yield _kept(state_dir / "roster.json", "roster.json", Sentence("bundle.roster"))
    yield from _games(state_dir)
    yield from _reports(state_dir / "selftest")


def _versions() -> str:
    libraries = sorted(f"{found.name} {found.version}" for found in metadata.distributions())
    return "\n".join(
        [
            f"pi-controller {own().version} {own().source}",
            f"python {sys.version.split()[0]} on {platform.platform()}, {platform.machine()}",
            *_first_lines(Path("/etc/os-release")),
            *_first_lines(Path("/proc/device-tree/model")),
            "",
            *libraries,
            "",
        ]
    )


def _first_lines(path: Path) -> list[str]:
    return path.read_text(errors="replace").strip("\0\n").splitlines()[:3] if path.is_file() else []


def _settings(path: Path | None) -> BundlePart:
    name, about = "settings.toml", Sentence("bundle.settings")
    try:
        return BundlePart(name, about, file_text(load(path)).encode())
    except SettingsFault as fault:
        return BundlePart(
            "settings.problems.txt", Sentence("bundle.settings_problems"), f"{fault}\n".encode()
        )


def _facts(state_dir: Path) -> BundlePart:
    name, about = "facts.json", Sentence("bundle.facts")
    try:
        facts = FactsReader(state_dir).read()
    except HardwareError as error:
        return BundlePart(name, about, None, error.sentence)
    return BundlePart(name, about, _json(facts))


def _from_core(state_dir: Path) -> Iterator[BundlePart]:
    asked: dict[str, tuple[Sentence, Callable[[Client], Any]]] = {
        "status.json": (Sentence("bundle.picture"), Client.picture),
        "metrics.json": (Sentence("bundle.metrics"), Client.metrics),
        "tables.json": (Sentence("bundle.tables"), Client.tables),
    }
    for name, (about, ask) in asked.items():
        try:
            yield BundlePart(name, about, _json(ask(Client(socket_path(state_dir)))))
        except CORE_ERRORS as error:
            yield BundlePart(name, about, None, error.sentence)


def _output(name: str, program: tuple[str, ...]) -> BundlePart:
    about = Sentence("bundle.output_of", command=" ".join(program))
    if shutil.which(program[0]) is None:
        return BundlePart(name, about, None, Sentence("bundle.no_program", name=program[0]))
    try:
        done = subprocess.run(
            program, check=False, stdin=subprocess.DEVNULL, capture_output=True, timeout=COMMAND_PATIENCE_S
        )
    except subprocess.TimeoutExpired:
        return BundlePart(name, about, None, Sentence("bundle.no_answer_within", seconds=COMMAND_PATIENCE_S))
    return BundlePart(name, about, done.stdout + done.stderr)


def _kept(path: Path, name: str, about: Sentence) -> BundlePart:
    try:
        return BundlePart(name, about, read_plain(path, most=LARGEST))
    except FileNotFoundError:
        return BundlePart(name, about, None, Sentence("bundle.there_is_none"))
    except PermissionError:
        raise
    except OSError as error:
        return BundlePart(name, about, None, why(error))


def _games(state_dir: Path) -> Iterator[BundlePart]:
    found = games(state_dir)
    about = Sentence("bundle.games")
    yield BundlePart("games.json", about, _json(found))
    for game in found[:NEWEST_GAMES]:
        yield _game(state_dir, game)
    if len(found) > NEWEST_GAMES:
        yield BundlePart(
            "games/…",
            Sentence("bundle.older_games", newest=NEWEST_GAMES),
            None,
            Sentence("bundle.more", count=len(found) - NEWEST_GAMES),
        )


def _game(state_dir: Path, game: GameSummary) -> BundlePart:
    name, about = f"games/{game.game_id}.jsonl", Sentence("bundle.game")
    try:
        lines = list(export_lines(state_dir, game.game_id))
    except JournalError as error:
        return BundlePart(name, about, None, error.sentence)
    if not game.ended and any(b'"kind":"seed"' in line for line in lines):
        return BundlePart(name, about, None, Sentence("bundle.seed_stands_in_it"))
    return BundlePart(name, about, b"".join(lines))


def _reports(folder: Path) -> Iterator[BundlePart]:
    found = sorted(folder.glob("*.json"), reverse=True)[:NEWEST_REPORTS] if folder.is_dir() else []
    if not found:
        yield BundlePart("selftest/…", Sentence("bundle.reports"), None, Sentence("bundle.there_are_none"))
    for path in found:
        yield _kept(path, f"selftest/{path.name}", Sentence("bundle.report"))


def _json(value: object) -> bytes:
    return json.dumps(msgspec.to_builtins(value), indent=1, ensure_ascii=False).encode() + b"\n"


@command(
    "bundle",
    argument("-o", "--output", type=Path, shown="F.zip", meaning=Sentence("help.bundle_output")),
    flag("--force", Sentence("help.bundle_force")),
    SETTINGS,
    failed=lambda path, why: Sentence("bundle.not_made", path=path, why=why),
)
def make(arguments: Namespace) -> None:
    """Gather, clean, and write one file whole."""
    now, folder = datetime.now(UTC), state_dir(arguments)
    output: Path = arguments.output or Path(f"pi-controller-bundle-{now:%Y%m%d-%H%M%S}.zip")
    settings = arguments.settings or (UNIT_SETTINGS if UNIT_SETTINGS.exists() else None)
    if output.exists() and not arguments.force:
        raise Stop(REFUSED, Sentence("bundle.file_exists", path=str(output)))
    try:
        parts = list(gather(folder, settings))
        content = bundle(parts, known_secrets(folder), f"{now:%Y-%m-%d %H:%M} UTC")
        write_private(output, content)
    except PermissionError as error:
        raise Stop(REFUSED, Sentence("bundle.not_allowed", path=str(error.filename))) from error
    left_out = sum(part.content is None for part in parts)
    kib, files = len(content) // 1024 + 1, len(parts) - left_out
    told = Sentence("bundle.is_made", path=str(output), count=files, kib=kib, left_out=left_out)
    print(words(told))


def bundle(parts: Iterable[BundlePart], secrets: tuple[bytes, ...], when: str) -> bytes:
    """The ZIP file; the text that says what is in it comes first."""
    found = list(parts)
    cleaned = {part.name: clean(part.content, secrets) for part in found if part.content is not None}
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("README.txt", clean(_readme(found, cleaned, when).encode(), secrets).content)
        for name, text in cleaned.items():
            file.writestr(name, text.content)
    return whole.getvalue()


def _readme(parts: list[BundlePart], cleaned: dict[str, Cleaned], when: str) -> str:
    """What is in it, what was left out and why, and what was taken out of it."""
    removed = [
        Sentence("bundle.secrets_replaced", name=name, count=text.removed)
        for name, text in cleaned.items()
        if text.removed
    ]
    inside, outside = [], []
    for part in parts:
        if part.name in cleaned:
            length = len(cleaned[part.name].content)
            inside.append(Sentence("bundle.part_inside", name=part.name, count=length, about=part.about))
        else:
            told = Sentence("bundle.part_left_out", name=part.name, about=part.about, note=part.note)
            outside.append(told)
    lines = [
        *_heading(Sentence("bundle.title"), "="),
        "",
        words(Sentence("bundle.made", when=when, version=__version__)),
        *all_words(removed),
        "",
        *_heading(Sentence("bundle.what_is_inside"), "-"),
        *all_words(inside),
        "",
        *_heading(Sentence("bundle.what_was_left_out"), "-"),
        *all_words(outside or [Sentence("bundle.nothing")]),
        "",
        words(Sentence("bundle.never_gathered")),
        "",
    ]
    return "\n".join(lines)


def _heading(title: Sentence, line: str) -> list[str]:
    told = words(title)
    return [told, line * len(told)]
