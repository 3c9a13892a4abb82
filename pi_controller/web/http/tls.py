"""Connections that are encrypted, from their first byte: what they cost is bounded at each step.

asyncio's own TLS takes 256 KiB for each connection before its first byte. Here a connection has no more than
a plain one until its ClientHello is there, and shares one buffer with all others after it.
"""

import asyncio
import contextlib
import datetime as dt
import hashlib
import re
import ssl
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pi_controller.journal.store import readable_by_others
from pi_controller.language.system_errors import why
from pi_controller.language.words import WordedError
from pi_controller.protocol.server import Buffered, let_go, read_buffer
from pi_controller.sentence import Sentence
from pi_controller.web.http.limits import ConnectionLimiter, Misbehaviour

MOST_WAITING = 2048
"""Connections whose ClientHello is not read yet: a whole hall of phones and seats that comes back at once."""
MOST_SHAKING = 512
"""Handshakes under way, for each of which OpenSSL takes 45 KiB."""
HELLO_WITHIN_S = 5.0
SHAKEN_WITHIN_S = 5.0
HELLO_AT_ONCE = 2048
"""Bytes that are kept before there is a handshake; a longer hello is handed on as it comes."""
FED_AT_ONCE = 2048
WRITTEN_AT_ONCE = 4096
READ_AT_ONCE = 16 * 1024
"""Bytes. OpenSSL's memory buffers stay as large as they have been once: they are filled and emptied in small
steps. The last is the longest record's."""
MOST_WITHOUT_TEXT = 32 * 1024
"""Bytes that may come in a row and hold nothing for us: twice the longest record."""
MOST_ANSWERS = 64 * 1024
"""Bytes that may wait for a peer that makes TLS itself answer, by key updates say, and does not read."""
HANDSHAKE_RECORD = 0x16
RECORD_HEADER = 5
"""A record's type, version and length (RFC 8446, 5.1)."""


class Pool:
    """Connections that have not shown yet that they speak TLS, at most `most` of them. A newcomer to a full
    pool takes the place of who is longest in it: of its own address when that has its part of the places,
    otherwise of all."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._all: dict[TlsConnection, None] = {}
        self._of: defaultdict[str, dict[TlsConnection, None]] = defaultdict(dict)

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator["TlsConnection"]:
        return iter(tuple(self._all))

    def add(self, connection: "TlsConnection") -> None:
        own = self._of[connection.address]
        if len(self._all) >= self._most:
            part = self._most // len(self._of)
            next(iter(own if len(own) >= part else self._all)).cut()
        self._all[connection] = None
        self._of[connection.address][connection] = None

    def discard(self, connection: "TlsConnection") -> None:
        if self._all.pop(connection, connection) is None:
            own = self._of[connection.address]
            del own[connection]
            if not own:
                del self._of[connection.address]


class Handshakes:
    """All connections of encrypted listeners on which hands are not shaken yet. They take none of the
    limiter's places."""

    def __init__(self, boot_s: Callable[[], float], misbehaviour: Misbehaviour) -> None:
        self.boot_s = boot_s
        self.misbehaviour = misbehaviour
        self.waiting = Pool(MOST_WAITING)
        self.shaking = Pool(MOST_SHAKING)
        self.buffer = read_buffer()
        """What is read from any of them, until it has been handed on."""

    def sweep(self) -> None:
        """Cut those that have taken too long; to be called about once a second."""
        now_s = self.boot_s()
        for pool in (self.waiting, self.shaking):
            for connection in pool:
                connection.cut_if_late(now_s)


class TlsConnection(Buffered):
    """What comes from the network for one connection: it waits for its ClientHello, then shakes hands; from
    then on what `make_inner` makes serves it, above a `TlsTransport`."""

    __slots__ = (
        "_context",
        "_handshakes",
        "_hello",
        "_inner",
        "_limiter",
        "_make_inner",
        "_queued",
        "_raw",
        "_tls",
        "_until_s",
        "address",
    )

    def __init__(
        self,
        limiter: ConnectionLimiter,
        handshakes: Handshakes,
        context: ssl.SSLContext,
        make_inner: Callable[[], Buffered],
    ) -> None:
        super().__init__(handshakes.buffer)
        self._limiter = limiter
        self._handshakes = handshakes
        self._context = context
        self._make_inner = make_inner
        self._raw: asyncio.Transport
        self._hello = b""
        self._until_s: float | None = None
        """None when hands are shaken, or no more will be."""
        self._queued = False
        """It waits for us, and no time passes for it."""
        self._tls: TlsTransport | None = None
        self._inner: Buffered | None = None
        self.address = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._raw = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if isinstance(peer, tuple) else ""
        self._until_s = self._handshakes.boot_s() + HELLO_WITHIN_S
        self._handshakes.waiting.add(self)

    def data_received(self, data: bytes) -> None:
        if self._inner is not None:
            self._take(data)
        elif self._tls is not None:
            self._in_turn(self._shake, data)
        else:
            self._wait(data)

    def cut_if_late(self, now_s: float) -> None:
        if self._until_s is not None and now_s >= self._until_s and not self._queued:
            self.cut()

    def cut(self) -> None:
        """It gets no further."""
        self._handshakes.misbehaviour.count("handshake")
        self._leave()
        self._raw.abort()

    def _leave(self) -> None:
        self._until_s = None
        self._handshakes.waiting.discard(self)
        self._handshakes.shaking.discard(self)

    def _wait(self, data: bytes) -> None:
        """Until the hello is there."""
        self._hello += data
        if self._hello[0] != HANDSHAKE_RECORD:
            self.cut()
            return
        length = RECORD_HEADER + int.from_bytes(self._hello[3:RECORD_HEADER], "big")
        if len(self._hello) < min(max(length, RECORD_HEADER), HELLO_AT_ONCE):
            return
        hello, self._hello = self._hello, b""
        self._in_turn(self._begin, hello)

    def _in_turn(self, step: Callable[[bytes], None], data: bytes) -> None:
        """Guests wait for each other: each step of a handshake takes its part of a millisecond."""
        if self._limiter.knows(self.address):
            step(data)
        else:
            self._queued = True
            self._raw.pause_reading()
            self._limiter.queue(self.address, lambda: self._go_on(step, data))

    def _go_on(self, step: Callable[[bytes], None], data: bytes) -> None:
        self._queued = False
        if not self._raw.is_closing():
            self._raw.resume_reading()
            step(data)

    def _begin(self, hello: bytes) -> None:
        self._handshakes.waiting.discard(self)
        self._handshakes.shaking.add(self)
        self._until_s = self._handshakes.boot_s() + SHAKEN_WITHIN_S
        self._tls = TlsTransport(self._raw, self._context)
        self._shake(hello)

    def _shake(self, data: bytes) -> None:
        tls = cast(TlsTransport, self._tls)
        try:
            shaken, plain, more = tls.shake(data)
        except ssl.SSLError:
            self.cut()
            return
        if not shaken:
            return
        if tls.is_closing():  # nobody is there for the end of our part
            self.cut()
            return
        self._leave()
        self._inner = self._make_inner()
        tls.set_protocol(self._inner)
        self._inner.connection_made(tls)
        self._hand_on(plain, more=more)

    def _take(self, data: bytes) -> None:
        tls = cast(TlsTransport, self._tls)
        try:
            plain, more = tls.decrypt(data)
        except ssl.SSLError:
            self._handshakes.misbehaviour.count("tls")
            tls.abort()
            return
        self._hand_on(plain, more=more)

    def _hand_on(self, plain: bytes, *, more: bool) -> None:
        """What has come; `more` may come yet."""
        inner, tls = cast(Buffered, self._inner), cast(TlsTransport, self._tls)
        if plain and not tls.is_closing():
            inner.data_received(plain)
        if not more and not tls.is_closing():
            inner.eof_received()
            tls.close()

    def eof_received(self) -> bool | None:
        return None if self._inner is None else self._inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._until_s is not None:
            self._handshakes.misbehaviour.count("handshake")
        self._leave()
        self._hello = b""
        let_go(self._raw)
        inner, self._inner, self._tls = self._inner, None, None
        if inner is not None:
            inner.connection_lost(exc)

    def pause_writing(self) -> None:
        if self._inner is not None:
            self._inner.pause_writing()

    def resume_writing(self) -> None:
        if self._inner is not None:
            self._inner.resume_writing()


class TlsTransport(asyncio.Transport):
    """Encrypts what is written and writes it to `raw` at once: what waits for the peer waits there only."""

    __slots__ = ("_closing", "_empty", "_incoming", "_outgoing", "_protocol", "_raw", "_tls")

    def __init__(self, raw: asyncio.Transport, context: ssl.SSLContext) -> None:
        super().__init__()
        self._raw = raw
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._protocol: asyncio.BaseProtocol
        self._closing = False
        self._empty = 0
        """Bytes since there was some plain text."""

    def shake(self, data: bytes) -> tuple[bool, bytes, bool]:
        """Go on with the handshake: whether it is complete; then as `decrypt`. Raises ssl.SSLError."""
        try:
            for start in range(0, len(data), FED_AT_ONCE):
                self._incoming.write(data[start : start + FED_AT_ONCE])
                with contextlib.suppress(ssl.SSLWantReadError):
                    self._tls.do_handshake()
                    return True, *self.decrypt(data[start + FED_AT_ONCE :])
            return False, b"", True
        finally:
            self._send()

    def decrypt(self, data: bytes) -> tuple[bytes, bool]:
        """The plain text, and whether more may come. Raises ssl.SSLError, also for who keeps TLS at work and
        says nothing, or does not read our answers."""
        found: list[bytes] = []
        more = self._read(found)
        for start in range(0, len(data), FED_AT_ONCE):
            self._incoming.write(data[start : start + FED_AT_ONCE])
            more = self._read(found)
        self._empty = 0 if found else self._empty + len(data)
        unread = self._outgoing.pending > 0 and self._raw.get_write_buffer_size() > MOST_ANSWERS
        if unread or self._empty > MOST_WITHOUT_TEXT:
            raise ssl.SSLError
        self._send()
        return b"".join(found), more

    def _read(self, found: list[bytes]) -> bool:
        try:
            while plain := self._tls.read(READ_AT_ONCE):
                found.append(plain)
        except ssl.SSLWantReadError:
            return True
        except ssl.SSLZeroReturnError:
            return False
        return False  # nothing, and no error: the peer has said that this is all, too

    def _send(self) -> None:
        if self._outgoing.pending:
            self._raw.write(self._outgoing.read())

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self.is_closing():
            return
        view = memoryview(data).cast("B")
        for start in range(0, len(view), WRITTEN_AT_ONCE):
            self._tls.write(view[start : start + WRITTEN_AT_ONCE])
            self._send()

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        self.write(b"".join(list_of_data))

    def close(self) -> None:
        """After what was written; the peer is told that this is all, and need not answer."""
        if self._closing:
            return
        self._closing = True
        with contextlib.suppress(ssl.SSLError):  # it would wait for the peer's word
            self._tls.unwrap()
        self._send()
        self._raw.close()

    def abort(self) -> None:
        self._closing = True
        self._raw.abort()

    def is_closing(self) -> bool:
        return self._closing or self._raw.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        if name == "sslcontext":
            return self._tls.context
        return self._tls if name == "ssl_object" else self._raw.get_extra_info(name, default)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        return self._protocol

    def is_reading(self) -> bool:
        return self._raw.is_reading()

    def pause_reading(self) -> None:
        self._raw.pause_reading()

    def resume_reading(self) -> None:
        self._raw.resume_reading()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._raw.set_write_buffer_limits(high, low)

    def get_write_buffer_size(self) -> int:
        return self._raw.get_write_buffer_size()

    def get_write_buffer_limits(self) -> tuple[int, int]:
        return self._raw.get_write_buffer_limits()

    def can_write_eof(self) -> bool:
        return False


# The controller's own certificate for the staff's pages, or the site's own files.


CERTIFICATE = "certificate.pem"
KEY = "certificate_key.pem"
PEM = re.compile(f"{ssl.PEM_HEADER}.*?{ssl.PEM_FOOTER}", re.DOTALL)
"""RFC 7468; the first one in a file is the server's own."""


class CertificateFault(WordedError, OSError):  # noqa: N818 - like KeyFault
    """The certificate cannot be used; the sentence has the remedy."""


SOON = dt.timedelta(days=30)
"""So long before its end it is told that a certificate needs a successor."""


@dataclass(frozen=True, slots=True)
class Validity:
    """From when until when the certificate in the file `path` is good."""

    path: str
    first: dt.datetime
    last: dt.datetime

    def doubt(self, now: dt.datetime) -> Sentence | None:
        """What browsers will say against it, now or soon."""
        day = f"{self.last:%Y-%m-%d}"
        if self.last < now:
            return Sentence("certificate.expired", path=self.path, day=day)
        if self.first > now:
            first, today = f"{self.first:%Y-%m-%d}", f"{now:%Y-%m-%d}"
            return Sentence("certificate.not_yet", path=self.path, day=first, today=today)
        return (
            Sentence("certificate.expires_soon", path=self.path, day=day) if self.last < now + SOON else None
        )


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    certificate: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        """For a server, TLS 1.2 or newer. Raises CertificateFault."""
        try:
            open_to_others = readable_by_others(self.key) is not None
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.minimum_version = ssl.TLSVersion.TLSv1_2
            context.load_cert_chain(self.certificate, self.key)
        except ssl.SSLError as problem:
            said = Sentence("certificate.unusable", path=str(self.certificate), why=problem.reason or "?")
            raise CertificateFault(said) from problem
        except OSError as problem:
            said = Sentence("certificate.unusable", path=str(self.certificate), why=why(problem))
            raise CertificateFault(said) from problem
        if open_to_others:
            raise CertificateFault(Sentence("certificate.key_readable", path=str(self.key)))
        return context

    def fingerprint(self) -> str:
        """SHA-256 of the certificate, as browsers show it. Raises CertificateFault."""
        digest = hashlib.sha256(self._der()).hexdigest().upper()
        return ":".join(digest[place : place + 2] for place in range(0, len(digest), 2))

    def validity(self) -> Validity:
        """Raises CertificateFault."""
        try:
            first, last = _validity(self._der())
        except (ValueError, IndexError) as problem:
            said = Sentence("certificate.is_none", path=str(self.certificate))
            raise CertificateFault(said) from problem
        return Validity(str(self.certificate), first, last)

    def _der(self) -> bytes:
        """Raises CertificateFault."""
        try:
            found = PEM.search(self.certificate.read_text(encoding="ascii"))
            return ssl.PEM_cert_to_DER_cert("" if found is None else found[0])
        except (OSError, ValueError) as problem:
            told = why(problem) if isinstance(problem, OSError) else str(problem)
            said = Sentence("certificate.unusable", path=str(self.certificate), why=told)
            raise CertificateFault(said) from problem


def served_files(state_dir: Path, *, staff_certificate: str, staff_key: str) -> CertificateFiles:
    """The site's own files where the settings name some, otherwise the controller's own."""
    if staff_certificate:
        return CertificateFiles(Path(staff_certificate), Path(staff_key))
    return own_files(state_dir / "web")


def _validity(der: bytes) -> tuple[dt.datetime, dt.datetime]:
    """Of a certificate in DER (RFC 5280, 4.1): in its signed part, behind version, number, algorithm and
    issuer. Not by the library, which takes 8 MiB at each start. ValueError, IndexError."""
    certificate = _parts(der)[0][1]
    signed = _parts(_parts(certificate)[0][1])
    behind = 4 if signed[0][0] == 0xA0 else 3
    first, last = _parts(signed[behind][1])
    return _moment(*first), _moment(*last)


def _parts(der: bytes) -> list[tuple[int, bytes]]:
    """Tag and content of each value in a row (X.690, 8.1)."""
    found, place = [], 0
    while place < len(der):
        tag, size, place = der[place], der[place + 1], place + 2
        if size & 0x80:
            more = size & 0x7F
            size, place = int.from_bytes(der[place : place + more], "big"), place + more
        found.append((tag, der[place : place + size]))
        place += size
    return found


def _moment(tag: int, content: bytes) -> dt.datetime:
    """UTCTime or GeneralizedTime (RFC 5280, 4.1.2.5): a year from 50 on is of the last century."""
    text = content.decode("ascii")
    if tag == 0x17:
        text = ("19" if text[:2] >= "50" else "20") + text
    return dt.datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=dt.UTC)


def own_files(folder: Path) -> CertificateFiles:
    """The controller's own, in `STATE/web`."""
    return CertificateFiles(folder / CERTIFICATE, folder / KEY)
