"""Makes the controller's own certificate. Loaded by the one start that needs it: the library takes 8 MiB."""

import datetime as dt
import ipaddress
from collections.abc import Iterable
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from pi_controller.journal.store import private_folder, write_private
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence
from pi_controller.web.http.tls import CertificateFault, CertificateFiles, own_files

LASTS = dt.timedelta(days=3650)
"""Nobody renews it in between: who trusts it compares its fingerprint. A browser that was told to trust it
must not be told again at each event."""
BEFORE = dt.timedelta(days=3650)
"""A controller without a battery may make it on a day long ago."""


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
