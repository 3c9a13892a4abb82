"""The controller's own certificate for the staff's pages, or the site's own files."""

import datetime as dt
import hashlib
import re
import ssl
from dataclasses import dataclass
from pathlib import Path

from pi_controller.journal.private import readable_by_others
from pi_controller.language.system_errors import why
from pi_controller.language.words import WordedError
from pi_controller.sentence import Sentence

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
