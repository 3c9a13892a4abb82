"""What a connection costs the web process, before its handshake and after it; phones and seats over TLS."""

import contextlib
import os
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.accounts import core_and_web, memory_kib
from pi_controller.bench.figures import Figure, FigureLimit, Say, limits, summary
from pi_controller.bench.processes import ANSWER_WITHIN_S, BenchError, pages
from pi_controller.roster.seat_codes import SeatAt, SeatCodes
from pi_controller.vocabulary import SIDES

HOST = "127.0.0.1"
STAFF_HOST = "127.0.0.77"
"""An address of its own: at the other one connections of this machine may take the port that was free."""
HELLO_LIMIT, SHAKING_LIMIT, OPEN_LIMIT, HALL_LIMIT_MB = 4.0, 64.0, 48.0, 200.0
"""KiB a connection before, in and after the handshake; MB of the whole process with a full hall."""
MOST_SHAKING, MOST_SEATS = 400, 600
"""The web process lets no more than some 500 shake hands at a time, and gives places to 600 seats."""
SOCKSTAT = Path("/proc/net/sockstat")
SETTINGS = """\
[web]
staff_host = "{host}"
staff_port = {port}
staff_tls = true
[tables]
seat_codes = true
"""


@dataclass(frozen=True, slots=True)
class Web:
    """A running web process, and the ways to it."""

    pid: int
    state: Path
    plain: int
    secure: int

    def rss_kib(self) -> int:
        return memory_kib(self.pid)["rss"]

    def come(self, port: int) -> socket.socket:
        """A connection on which nothing is said."""
        host = STAFF_HOST if port == self.secure else HOST
        return socket.create_connection((host, port), timeout=ANSWER_WITHIN_S)


Open = Callable[[Web, int], socket.socket]
"""Makes a connection; each has a number."""


def _silent(web: Web, _number: int) -> socket.socket:
    return web.come(web.secure)


def _half_hello(web: Web, _number: int) -> socket.socket:
    there, hello = web.come(web.secure), _hello()
    there.sendall(hello[: len(hello) // 2])
    return there


def _shaking(web: Web, _number: int) -> socket.socket:
    there = web.come(web.secure)
    there.sendall(_hello())
    if not there.recv(1):
        raise BenchError("The web process does not shake hands.")
    return there


def _secure(web: Web) -> socket.socket:
    return _context().wrap_socket(web.come(web.secure))


def _after_an_answer(web: Web, _number: int) -> socket.socket:
    return _asked(_secure(web), web.secure, "/api/state", 200)


def _phone(web: Web, _number: int) -> socket.socket:
    return _asked(_secure(web), web.secure, "/api/phone", 101)


def _plain_phone(web: Web, _number: int) -> socket.socket:
    return _asked(web.come(web.plain), web.plain, "/api/phone", 101)


def _seat(web: Web, number: int) -> socket.socket:
    there = _asked(_secure(web), web.secure, "/api/seat", 101)
    at = SeatAt(f"A{number // len(SIDES) + 1}", SIDES[number % len(SIDES)])
    codes = SeatCodes(web.state)
    codes.refresh()
    _say_once(there, f'{{"code":"{codes.code(at)}","device":"device-{number:04}"}}'.encode())
    if b'"seat"' not in there.recv(4096):
        raise BenchError("A seat's code is not taken.")
    return there


KINDS: dict[str, tuple[str, Open, float | None]] = {
    "silent": ("silent on the encrypted port", _silent, HELLO_LIMIT),
    "half_hello": ("half a ClientHello", _half_hello, HELLO_LIMIT),
    "shaking": ("a handshake that stops half-way", _shaking, SHAKING_LIMIT),
    "asked": ("over TLS, after one answer", _after_an_answer, OPEN_LIMIT),
    "phone": ("a phone over TLS", _phone, OPEN_LIMIT),
    "seat": ("a seat over TLS", _seat, OPEN_LIMIT),
    "plain": ("a phone, not encrypted", _plain_phone, None),
}
"""What it is, how one is made, and its limit in KiB."""
SETTLED, REST_S = 10, 0.05
"""As large for so many looks in a row, with so long between them."""
SHOWN_WITHIN_S = 60.0
MOST = {"shaking": MOST_SHAKING, "seat": MOST_SEATS}


def connections(*, count: int, phones: int, seats: int, folder: Path, say: Say) -> list[Figure]:
    """Growth of the resident memory by `count` connections of each kind, one kind to a fresh process; then a
    hall of `phones` and `seats` over TLS in one."""
    figures = []
    for name, (what, open_one, limit) in KINDS.items():
        number = min(count, MOST.get(name, count))
        say(f"connections: {number} times {what}")
        with _web(folder / name) as web, _opened(web, open_one, number) as grown:
            at_most = () if limit is None else limits(max=limit)
            figures.append(_figure(name, what, number, grown, at_most))
    say(f"connections: {phones} phones and {seats} seats over TLS in one process")
    with _web(folder / "hall") as web, _opened(web, _phone, phones), _opened(web, _seat, seats):
        figures.append(
            Figure(
                name="connections.hall",
                what=f"resident memory of web with {phones} phones and {seats} seats over TLS",
                unit="MB",
                measured=summary([web.rss_kib() * 1024 / 1e6]),
                limits=limits(max=HALL_LIMIT_MB),
            )
        )
    return figures


def _figure(
    name: str, what: str, number: int, grown: tuple[float, float], at_most: tuple[FigureLimit, ...]
) -> Figure:
    own, kernel = grown
    return Figure(
        name=f"connections.{name}",
        what=f"{what}: resident memory of each of {number}",
        unit="KiB",
        measured=summary([max(0.0, own)]),
        limits=at_most,
        note=f"not in it: {kernel:.1f} KiB in the kernel's socket buffers, of both ends together",
    )


@contextlib.contextmanager
def _web(state: Path) -> Iterator[Web]:
    settings = state / "settings.toml"
    state.mkdir()
    SeatCodes(state).prepare()
    with socket.create_server((STAFF_HOST, 0)) as free:
        secure = int(free.getsockname()[1])
    settings.write_text(SETTINGS.format(host=STAFF_HOST, port=secure), encoding="utf-8")
    with pages(state, f"--settings={settings}") as (run, plain):
        web = Web(core_and_web(run)["web"], state, plain, secure)
        # What the first of a kind needs for all of them.
        _shown(web)
        _settled(web)
        yield web


@contextlib.contextmanager
def _opened(
    web: Web, open_one: Callable[[Web, int], socket.socket], number: int
) -> Iterator[tuple[float, float]]:
    """So many connections for the length of the block: the growth of the process and of the kernel's buffers,
    in KiB for each."""
    with contextlib.ExitStack() as there:
        before, kernel = web.rss_kib(), _kernel_kib()
        for each in range(number):
            there.enter_context(open_one(web, each))
        _seen_by(web)
        yield (web.rss_kib() - before) / number, (_kernel_kib() - kernel) / number


def _settled(web: Web) -> None:
    """The process has loaded what it loads beside its first answers, such as all languages."""
    seen = [web.rss_kib()]
    while len(seen) < SETTLED or max(seen[-SETTLED:]) > min(seen[-SETTLED:]):
        time.sleep(REST_S)
        seen.append(web.rss_kib())


def _shown(web: Web) -> None:
    """Wait until the pages show core's picture: a busy machine has them up before it. Raises BenchError."""
    until = time.monotonic() + SHOWN_WITHIN_S
    while not _is_shown(web):
        if time.monotonic() > until:
            raise BenchError("The pages do not show what core has.")
        time.sleep(REST_S)


def _is_shown(web: Web) -> bool:
    with _context().wrap_socket(web.come(web.secure)) as one:
        try:
            _asked(one, web.secure, "/api/state", 200)
        except BenchError:
            return False
        return True


def _seen_by(web: Web) -> None:
    """It has taken all that has come before this question."""
    with web.come(web.plain) as one:
        _asked(one, web.plain, "/api/state", 200)


def _asked(there: socket.socket, port: int, path: str, status: int) -> socket.socket:
    """Ask for this as a browser does, and have its head and something more, if it is no WebSocket."""
    key = "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n"
    upgrade = f"Connection: Upgrade\r\nUpgrade: websocket\r\n{key}" if status == 101 else ""
    host = there.getpeername()[0]
    there.sendall(
        f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n{upgrade}Accept: */*\r\nAccept-Language: de\r\n"
        "Accept-Encoding: gzip, deflate\r\nUser-Agent: Mozilla/5.0 (Linux; Android 15)\r\n\r\n".encode()
    )
    came = b""
    while b"\r\n\r\n" not in came:
        more = there.recv(4096)
        if not more:
            raise BenchError(f"The web process hangs up on {path}.")
        came += more
    if f" {status} ".encode() not in came.split(b"\r\n")[0]:
        raise BenchError(f"{path} is answered with {came.splitlines()[0].decode('latin-1')}.")
    return there


def _say_once(there: socket.socket, text: bytes) -> None:
    """A masked text message of less than 126 bytes (RFC 6455, 5.2)."""
    mask = os.urandom(4)
    there.sendall(
        bytes([0x81, 0x80 | len(text)]) + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(text))
    )


def _hello() -> bytes:
    """A ClientHello."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        _context().wrap_bio(incoming, outgoing).do_handshake()
    return outgoing.read()


def _context() -> ssl.SSLContext:
    """For clients that look at no certificate: only the server's side is measured."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _kernel_kib() -> float:
    """What the kernel has in buffers of TCP sockets, of all processes."""
    for line in SOCKSTAT.read_text(encoding="ascii").splitlines():
        name, *words = line.split()
        if name == "TCP:":
            told = dict(zip(words[::2], words[1::2], strict=True))
            return int(told["mem"]) * os.sysconf("SC_PAGE_SIZE") / 1024
    raise BenchError(f"{SOCKSTAT} tells nothing of TCP.")
