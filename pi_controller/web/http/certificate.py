"""The controller's own certificate for the staff's pages, or the site's own files."""

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
        try:
            found = PEM.search(self.certificate.read_text(encoding="ascii"))
            der = ssl.PEM_cert_to_DER_cert("" if found is None else found[0])
        except (OSError, ValueError) as problem:
            told = why(problem) if isinstance(problem, OSError) else str(problem)
            said = Sentence("certificate.unusable", path=str(self.certificate), why=told)
            raise CertificateFault(said) from problem
        digest = hashlib.sha256(der).hexdigest().upper()
        return ":".join(digest[place : place + 2] for place in range(0, len(digest), 2))


def own_files(folder: Path) -> CertificateFiles:
    """The controller's own, in `STATE/web`."""
    return CertificateFiles(folder / CERTIFICATE, folder / KEY)
