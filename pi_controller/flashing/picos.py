"""One Pico after the other: the ports they appear at, their installation, and the list of what was
flashed.
"""

import ast
import contextlib
import csv
import errno
import io
import json
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from string import Template
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
from pi_controller.language.system_errors import why
from pi_controller.language.words import csv_lines, spoken, words
from pi_controller.sentence import Sentence

SYSFS = Path("/sys")
VENDOR = "2e8a"
"""Raspberry Pi's USB vendor number."""
BOOT_PRODUCTS = ("0003", "000f")
"""RP2040 and RP2350 that wait for a UF2 file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PicoPort:
    """A serial port behind which a Pico runs something; `serial` is what it calls itself on USB."""

    device: str
    serial: str


def pico_ports(sysfs: Path = SYSFS) -> tuple[PicoPort, ...]:
    """Serial ports of Raspberry Pi's USB devices, in the order of their names."""
    found = []
    for port in sorted((sysfs / "class" / "tty").glob("ttyACM*")):
        usb_device = (port / "device").resolve().parent
        if _text(usb_device / "idVendor") == VENDOR:
            found.append(PicoPort(device=f"/dev/{port.name}", serial=_text(usb_device / "serial")))
    return tuple(found)


def waits_for_uf2(sysfs: Path = SYSFS) -> bool:
    """Whether a Pico is plugged in that has no MicroPython yet, or whose BOOTSEL button was held."""
    return any(
        _text(device / "idVendor") == VENDOR and _text(device / "idProduct") in BOOT_PRODUCTS
        for device in (sysfs / "bus" / "usb" / "devices").glob("*")
    )


def _text(path: Path) -> str:
    """A device may go while it is looked at; then it is nobody."""
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""


NAME = "installed-nodes.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """One installation; `when` in UTC, `uid` in 16 hex digits as the bus uses it."""

    when: str
    uid: str
    firmware: str
    micropython: str
    machine: str


_COLUMNS = tuple(field.name for field in fields(Installation))


def note_flashed(state_dir: Path, entry: Installation) -> None:
    """Append to the list; OSError when it cannot be written."""
    state_dir.mkdir(parents=True, exist_ok=True)
    path = state_dir / NAME
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        file.write(csv_lines([_COLUMNS, astuple(entry)] if is_new else [astuple(entry)]))


def flashed(state_dir: Path) -> tuple[Installation, ...]:
    """The newest of each Pico, oldest first; a line that is not whole is left out."""
    path = state_dir / NAME
    if not path.exists():
        return ()
    newest: dict[str, Installation] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in list(csv.reader(file))[1:]:
            if len(row) == len(_COLUMNS):
                entry = Installation(**dict(zip(_COLUMNS, row, strict=True)))
                newest.pop(entry.uid, None)
                newest[entry.uid] = entry
    return tuple(newest.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class PicoDone:
    """One Pico is through; `trouble` is None when it is a node now."""

    port: PicoPort
    sentence: Sentence
    trouble: FlashingError | None


def one_after_the_other(
    ports: Callable[[], tuple[PicoPort, ...]],
    install: Callable[[str], Sentence],
    wait: Callable[[], None],
) -> Iterator[PicoDone]:
    """Installs on every Pico as it is plugged in, also on those that are there already; never ends by itself.

    `install` takes the device and returns a sentence. A Pico that was unplugged has its turn again. One that
    only starts anew, as it does after the installation, has not: it is soon back with the same serial.
    """
    served: set[str] = set()
    missing: dict[str, int] = {}
    seen: set[str] = set()
    while True:
        present = ports()
        _forget_the_unplugged(served, missing, {port.serial for port in present})
        # A port needs a moment until the system has given it its access rights: it must be there twice.
        ready = [port for port in present if port.serial in seen - served]
        seen = {port.serial for port in present}
        if not ready:
            wait()
            continue
        port = ready[0]
        served.add(port.serial)
        try:
            yield PicoDone(port=port, sentence=install(port.device), trouble=None)
        except FlashingError as trouble:
            yield PicoDone(port=port, sentence=trouble.sentence, trouble=trouble)


LOOKS_OF_A_RESTART = 6
"""A Pico that starts anew is away from USB for about a second; the caller looks every half second."""


def _forget_the_unplugged(served: set[str], missing: dict[str, int], present: set[str]) -> None:
    for serial in tuple(served):
        missing[serial] = 0 if serial in present else missing.get(serial, 0) + 1
        if missing[serial] >= LOOKS_OF_A_RESTART:
            served.discard(serial)
            del missing[serial]


# A page for the bench on this machine: what to do now, large, with a tone when the next Pico may come.


HOST = "127.0.0.1"
_HTML = """<!doctype html>
<html lang="$language"><meta charset="utf-8"><title>$title</title>
<style>
body { font: 5vmin/1.4 system-ui, sans-serif; margin: 0; padding: 5vmin; background: #10141c; color: #fff }
#now { font-size: 9vmin; font-weight: 700; padding: 4vmin; border-radius: 2vmin; background: #2a3342 }
.good #now { background: #0b6b3a } .bad #now { background: #9b1c1c }
li { font-size: 3.5vmin }
button { font: inherit }
</style>
<p id="now" data-ended="$ended"></p><button id="sound">$sound_on</button><ol id="done"></ol>
<script>
let audio = null, heard = -1
document.getElementById("sound").onclick = event => { audio = new AudioContext(); event.target.remove() }
function tone(hertz) {
  if (!audio) return
  const note = audio.createOscillator()
  note.frequency.value = hertz
  note.connect(audio.destination)
  note.start()
  note.stop(audio.currentTime + 0.4)
}
async function look() {
  let state = null
  try { state = await (await fetch("state")).json() } catch { }
  const now = document.getElementById("now")
  if (!state) { now.textContent = now.dataset.ended; document.body.className = ""; return }
  now.textContent = state.now
  document.body.className = state.mood
  const list = document.getElementById("done")
  while (list.children.length < state.done.length) {
    const line = document.createElement("li")
    line.textContent = state.done[list.children.length]
    list.append(line)
  }
  if (heard >= 0 && state.done.length > heard) tone(state.mood === "bad" ? 220 : 880)
  heard = state.done.length
  setTimeout(look, 500)
}
look()
</script></html>
"""


class FlashingProgress:
    """What the page shows; told by one thread, in its language, and read by the server's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now = words(Sentence("firmware.plug_in_the_first"))
        self._mood = ""
        self._done: list[str] = []

    def finished(self, sentence: Sentence, *, good: bool) -> None:
        said, now = words(sentence), Sentence("firmware.plug_in_the_next") if good else sentence
        with self._lock:
            self._done.append(said)
            self._mood = "good" if good else "bad"
            self._now = words(now)

    def state(self) -> bytes:
        with self._lock:
            return json.dumps({"now": self._now, "mood": self._mood, "done": self._done}).encode()


def _page() -> str:
    texts = {
        "title": Sentence("firmware.page_title"),
        "sound_on": Sentence("firmware.page_sound_on"),
        "ended": Sentence("firmware.page_ended"),
    }
    shown = {name: escape(words(text)) for name, text in texts.items()}
    return Template(_HTML).substitute(shown, language=spoken())


@contextmanager
def served(bench: FlashingProgress, port: int) -> Iterator[str]:
    """The page's address while it is served, on this machine only, in the language of this thread; port 0
    chooses a free one. FlashingError when the port is taken.
    """
    page = _page().encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pages = {
                "/": ("text/html; charset=utf-8", page),
                "/state": ("application/json", bench.state()),
            }
            kind, body = pages.get(self.path, ("text/plain", b""))
            self.send_response(HTTPStatus.OK if self.path in pages else HTTPStatus.NOT_FOUND)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """The terminal belongs to the installation."""

    try:
        server = ThreadingHTTPServer((HOST, port), Handler)
    except OSError as error:
        raise FlashingError(Sentence("flashing.port_taken", port=port, why=why(error))) from error
    thread = threading.Thread(target=server.serve_forever, name="bench page", kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


# One Pico behind a serial port, spoken to over MicroPython's raw prompt by mpremote.

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
KEY = "key"
FOLDER = "a"
"""Which of the two folders an installation writes; over the bus the other one is written next (start.py)."""
PACKAGES = (f"{FOLDER}/{PACKAGE}", f"b/{PACKAGE}", PACKAGE)
"""Where a node's files may lie: the last one is of nodes from before there were two folders."""
SLOT = "slot"
LEFT = (SLOT, f"{SLOT}.new", "image")
"""Of firmware that came over the bus."""
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
found = [name for name in names if name in {(START, KEY, *LEFT)!r}]
for folder in {PACKAGES!r}:
    try:
        found += [folder + '/' + name for name in os.listdir(folder)]
    except OSError:
        pass
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

    def install(self, parts: tuple[FirmwarePart, ...], key: bytes, free: int) -> int:
        """Bring its files to these, with the key that proves firmware over the bus, and start it; how many
        had to be written.

        The file that starts the node goes first and comes back last: a Pico that was unplugged in between
        does nothing rather than something half.
        """
        wanted = (*map(_placed, parts), FirmwarePart(path=KEY, data=key))
        with self._talking():
            there = self._hashes()
            changed = [part for part in wanted if there.get(part.path) != part.sha256]
            if changed or SLOT in there:
                self._replace(wanted, changed, there, free)
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
        for folder in (FOLDER, PACKAGES[0]):
            if not self._transport.fs_exists(folder):
                self._transport.fs_mkdir(folder)
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


def _placed(part: FirmwarePart) -> FirmwarePart:
    """Where it lies on the Pico."""
    return part if part.path == START else FirmwarePart(path=f"{FOLDER}/{part.path}", data=part.data)


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
