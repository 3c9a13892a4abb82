"""The broker's own authority, which every hall trusts, and the certificate that it signs for the broker."""

import datetime as dt
import hashlib
import ssl
from collections.abc import Iterable
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from pi_controller.web.http.own_certificate import BEFORE, LASTS, alternative_name, private_pem

CERTIFY_ONLY = x509.KeyUsage(
    key_cert_sign=True,
    crl_sign=True,
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    encipher_only=False,
    decipher_only=False,
)


@dataclass(frozen=True, slots=True)
class Signed:
    """A certificate and its key, both as PEM."""

    certificate: bytes
    key: bytes


def make_authority(now: dt.datetime) -> Signed:
    """A new one, for this broker alone."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("pi-controller-broker-authority")
    made = (
        _begun(name, name, key.public_key(), now)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(CERTIFY_ONLY, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return Signed(made.public_bytes(serialization.Encoding.PEM), private_pem(key))


def sign_for(authority: Signed, names: Iterable[str], now: dt.datetime) -> Signed:
    """A new certificate for a broker that is reached by these names and addresses. ValueError when the
    authority's files are not what they should be."""
    signs = x509.load_pem_x509_certificate(authority.certificate)
    signing_key = serialization.load_pem_private_key(authority.key, None)
    if not isinstance(signing_key, ec.EllipticCurvePrivateKey):
        raise ValueError("The authority's key is of another kind.")  # noqa: TRY004 - the caller asks for this
    key = ec.generate_private_key(ec.SECP256R1())
    by_authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(signing_key.public_key())
    made = (
        _begun(_name("pi-controller-broker"), signs.subject, key.public_key(), now)
        .add_extension(x509.SubjectAlternativeName([alternative_name(one) for one in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(by_authority, critical=False)
        .sign(signing_key, hashes.SHA256())
    )
    return Signed(made.public_bytes(serialization.Encoding.PEM), private_pem(key))


def names_in(certificate: bytes) -> set[str]:
    """By which it may be reached. ValueError when it is none."""
    made = x509.load_pem_x509_certificate(certificate)
    found = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return {*found.get_values_for_type(x509.DNSName), *map(str, found.get_values_for_type(x509.IPAddress))}


def fingerprint(certificate: str) -> str:
    """SHA-256 of a certificate in PEM, in pairs of digits. ValueError when it is none."""
    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).hexdigest().upper()
    return ":".join(digest[place : place + 2] for place in range(0, len(digest), 2))


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _begun(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: dt.datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BEFORE)
        .not_valid_after(now + LASTS)
    )
