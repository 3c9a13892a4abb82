"""One Pico behind a serial port, spoken to over MicroPython's raw prompt by mpremote."""

import ast
import contextlib
import errno
import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pi_controller.flashing.build import (
    OLDEST_MICROPYTHON,
    PACKAGE,
    START,
    FirmwarePart,
    FlashingError,
    NotAPico,
    PicoFull,
    PicoLost,
    ToolMissing,
)
from pi_controller.sentence import Sentence

ANSWER_S = 5
"""Longer than the slowest answer: a block of flash is erased in at most 0.4 s (W25Q16 data sheet)."""
_ABOUT = """
import sys, os
try:
    from machine import unique_id
    uid = unique_id()
except ImportError:
    uid = b''
kind = getattr(sys.implementation, '_machine', '')
size = os.statvfs('/')
print(repr((uid.hex(), list(sys.implementation[1][:3]), kind, size[0] * size[3])))
"""
_HASHES = f"""
import os, hashlib
def of(path):
    hash = hashlib.sha256()
    with open(path, 'rb') as file:
        while True:
            data = file.read(1024)
            if not data:
                return hash.digest().hex()
            hash.update(data)
names = os.listdir()
found = [name for name in names if name == '{START}']
if '{PACKAGE}' in names:
    found += ['{PACKAGE}/' + name for name in os.listdir('{PACKAGE}')]
print({{path: of(path) for path in found}})
"""
CHUNK = 1024
"""Bytes written at a time: the Pico must hold it as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PicoIdentity:
    """What a Pico says of itself. `uid` in 16 hex digits; `free` bytes of its file system."""

    uid: str
    micropython: tuple[int, ...]
    machine: str
    free: int


class Pico:
    """Use as a context: `with open_pico(device) as pico`."""

    def __init__(self, transport: Any, device: str) -> None:
        self._transport = transport
        self._device = device

    def about(self) -> PicoIdentity:
        """NotAPico when it is another board or its MicroPython is too old."""
        with self._talking():
            uid, version, machine, free = self._evaluated(_ABOUT)
        if "RP2" not in machine:
            raise NotAPico(Sentence("flashing.no_pico", port=self._device, says=repr(machine)))
        if tuple(version[:2]) < OLDEST_MICROPYTHON:
            has = ".".join(map(str, version))
            raise NotAPico(Sentence("flashing.old_micropython", port=self._device, version=has))
        return PicoIdentity(uid=uid, micropython=tuple(version), machine=machine, free=free)

    def install(self, parts: tuple[FirmwarePart, ...], free: int) -> int:
        """Bring its files to these and start it; how many had to be written.

        The file that starts the node goes first and comes back last: a Pico that was unplugged in between
        does nothing rather than something half.
        """
        with self._talking():
            there = self._hashes()
            changed = [part for part in parts if there.get(part.path) != part.sha256]
            if changed:
                self._replace(parts, changed, there, free)
            self._transport.exec_raw_no_follow("import machine; machine.reset()")
        return len(changed)

    def _replace(
        self, parts: tuple[FirmwarePart, ...], changed: list[FirmwarePart], there: dict[str, str], free: int
    ) -> None:
        needed = sum(len(part.data) for part in changed if part.path not in there)
        if needed > free:
            raise PicoFull(Sentence("flashing.no_room", port=self._device, free=free, needed=needed))
        keep = {part.path for part in parts} - {START}
        for path in sorted(there.keys() - keep, key=lambda path: path != START):
            self._transport.fs_rmfile(path)
        if not self._transport.fs_exists(PACKAGE):
            self._transport.fs_mkdir(PACKAGE)
        start = [part for part in parts if part.path == START]
        for group in ([part for part in changed if part.path != START], start):
            self._write(group)

    def _write(self, parts: list[FirmwarePart]) -> None:
        for part in parts:
            self._transport.fs_writefile(part.path, part.data, chunk_size=CHUNK)
        there = self._hashes()
        for part in parts:
            if there.get(part.path) != part.sha256:
                raise FlashingError(Sentence("flashing.damaged", path=part.path, port=self._device))

    def _hashes(self) -> dict[str, str]:
        """SHA-256 of the files that are ours, by path."""
        found: dict[str, str] = self._evaluated(_HASHES)
        return found

    def _evaluated(self, script: str) -> Any:
        return ast.literal_eval(self._transport.exec(script).decode())

    @contextlib.contextmanager
    def _talking(self) -> Iterator[None]:
        """Everything that the line or the library can do, as sentences."""
        from mpremote.transport import TransportError, TransportExecError  # noqa: PLC0415

        try:
            yield
        except TransportExecError as error:
            why = _last_line(error.error_output)
            raise FlashingError(Sentence("flashing.refused", port=self._device, why=why)) from error
        except (TransportError, struct.error, ValueError, SyntaxError) as error:
            raise PicoLost(Sentence("flashing.answers_no_more", port=self._device)) from error
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise PicoFull(Sentence("flashing.flash_full", port=self._device)) from error
            raise PicoLost(Sentence("flashing.unplugged", port=self._device)) from error


@contextlib.contextmanager
def open_pico(device: str) -> Iterator[Pico]:
    """The Pico at this port, stopped whatever it did. FlashingError when there is none or it is busy."""
    try:
        from mpremote.transport import TransportError  # noqa: PLC0415 - only for this task
        from mpremote.transport_serial import SerialTransport  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ToolMissing("mpremote") from error
    try:
        transport = SerialTransport(device, timeout=ANSWER_S)
    except (TransportError, OSError) as error:
        raise FlashingError(Sentence("flashing.not_opened", port=device)) from error
    try:
        _enter(transport, device)
        yield Pico(transport, device)
    finally:
        # The port may have gone with the Pico.
        with contextlib.suppress(OSError):
            transport.close()


def _enter(transport: Any, device: str) -> None:
    from mpremote.transport import TransportError  # noqa: PLC0415

    try:
        # mpremote prints what it got instead of an answer.
        with contextlib.redirect_stdout(io.StringIO()):
            transport.enter_raw_repl(soft_reset=False, timeout_overall=ANSWER_S)
    except (TransportError, OSError) as error:
        raise NotAPico(Sentence("flashing.no_micropython", port=device)) from error


def _last_line(text: str) -> str:
    return "".join(text.strip().splitlines()[-1:])[:200]
