"""The controller's own certificate for the staff's pages, or the site's own files."""

import datetime as dt
import hashlib
import ipaddress
import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from pi_controller.journal.private import private_folder, readable_by_others, write_private
from pi_controller.language.system_errors import why
from pi_controller.language.words import WordedError
from pi_controller.sentence import Sentence

LASTS = dt.timedelta(days=3650)
"""Nobody renews it in between: who trusts it compares its fingerprint. A browser that was told to trust it
must not be told again at each event."""
BEFORE = dt.timedelta(days=3650)
"""A controller without a battery may make it on a day long ago."""
CERTIFICATE = "certificate.pem"
KEY = "certificate_key.pem"


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
            found = x509.load_pem_x509_certificate(self.certificate.read_bytes())
        except (OSError, ValueError) as problem:
            told = why(problem) if isinstance(problem, OSError) else str(problem)
            said = Sentence("certificate.unusable", path=str(self.certificate), why=told)
            raise CertificateFault(said) from problem
        digest = hashlib.sha256(found.public_bytes(serialization.Encoding.DER)).hexdigest().upper()
        return ":".join(digest[place : place + 2] for place in range(0, len(digest), 2))


def own_files(folder: Path) -> CertificateFiles:
    """The controller's own, in `STATE/web`."""
    return CertificateFiles(folder / CERTIFICATE, folder / KEY)


def make_own(folder: Path, names: Iterable[str], now: dt.datetime) -> CertificateFiles:
    """A new one for these names and addresses in the place of the old one. Raises CertificateFault."""
    files, key = own_files(folder), ec.generate_private_key(ec.SECP256R1())
    signed = _signed(key, sorted(set(names)), now)
    try:
        private_folder(folder)
        write_private(files.key, private_pem(key))
        write_private(files.certificate, signed.public_bytes(serialization.Encoding.PEM))
    except OSError as problem:
        said = Sentence("certificate.unusable", path=str(files.certificate), why=why(problem))
        raise CertificateFault(said) from problem
    return files


def _signed(key: ec.EllipticCurvePrivateKey, names: list[str], now: dt.datetime) -> x509.Certificate:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "pi-controller")])
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BEFORE)
        .not_valid_after(now + LASTS)
        .add_extension(
            x509.SubjectAlternativeName([alternative_name(name) for name in names]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )


def private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """The key as a file without a password."""
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def alternative_name(name: str) -> x509.GeneralName:
    """A name or an address, as certificates list them."""
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
