"""The site's own certificate: each thing that is wrong with it is one sentence, and a good one is taken."""

import datetime as dt
import os
import pwd
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID
from msgspec.structs import replace

from pi_controller.cli.questions import SetupAnswers, SiteCertificate
from pi_controller.language.words import words
from pi_controller.web.http.tls import CertificateFiles

NOW = dt.datetime(2026, 11, 23, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
NAMES = (x509.DNSName("clock.example.org"), x509.DNSName("*.hall.example.org"))


def written_key(
    path: Path, key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey, password: bytes = b""
) -> Path:
    hidden = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    path.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, hidden))
    path.chmod(0o600)
    return path


def site_files(
    folder: Path,
    *,
    names: tuple[x509.GeneralName, ...] = NAMES,
    first: dt.datetime = NOW - DAY,
    last: dt.datetime = NOW + DAY,
) -> SetupAnswers:
    """A certificate of a site and its key, as somebody answers with them."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "clock.example.org")])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(first)
        .not_valid_after(last)
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    certificate = folder / "site.pem"
    certificate.write_bytes(builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    return SetupAnswers(
        reach="network",
        transport="site",
        certificate=str(certificate),
        certificate_key=str(written_key(folder / "site.key", key)),
        opened_as="clock.example.org",
    )


def said(answers: SetupAnswers, state: Path = Path("/nowhere")) -> str:
    problem = SiteCertificate(state, NOW).problem(answers)
    return "" if problem is None else words(problem)


def test_a_good_one_has_no_problem_and_serves(tmp_path: Path) -> None:
    answers = site_files(tmp_path)
    assert said(answers) == ""
    CertificateFiles(Path(answers.certificate), Path(answers.certificate_key)).context()


@pytest.mark.parametrize("name", ["CLOCK.example.org.", "a.hall.example.org", "192.0.2.7", "2001:db8::7"])
def test_names_that_it_is_for(tmp_path: Path, name: str) -> None:
    addresses = (x509.IPAddress(ip_address(each)) for each in ("192.0.2.7", "2001:db8::7"))
    assert said(replace(site_files(tmp_path, names=(*NAMES, *addresses)), opened_as=name)) == ""


@pytest.mark.parametrize("name", ["", "hall.example.org", "a.b.hall.example.org", "192.0.2.7", "pi.local"])
def test_names_that_it_is_not_for(tmp_path: Path, name: str) -> None:
    answers = replace(site_files(tmp_path), opened_as=name)
    assert said(answers) == (
        f"The certificate {answers.certificate} is for clock.example.org, *.hall.example.org, not for “{name}”: "
        "type one of the names that it covers."
    )


def test_the_name_of_its_subject_is_none_for_a_browser(tmp_path: Path) -> None:
    assert "is for -, not for “clock.example.org”" in said(site_files(tmp_path, names=()))


def test_its_days(tmp_path: Path) -> None:
    path = tmp_path / "site.pem"
    assert said(site_files(tmp_path, first=NOW - 3 * DAY, last=NOW - DAY)) == (
        f"The certificate {path} expired on 2026-11-22: get a new one."
    )
    assert said(site_files(tmp_path, first=NOW + DAY, last=NOW + 3 * DAY)) == (
        f"The certificate {path} is valid only from 2026-11-24; this computer's date is 2026-11-23."
    )


def test_files_that_are_something_else(tmp_path: Path) -> None:
    answers = site_files(tmp_path)
    swapped = replace(answers, certificate=answers.certificate_key, certificate_key=answers.certificate)
    assert said(swapped).endswith("site.key holds no certificate: it must be a PEM file (BEGIN CERTIFICATE).")
    no_key = "site.pem holds no private key without a password: it must be a PEM file (BEGIN PRIVATE KEY)."
    assert said(replace(answers, certificate_key=answers.certificate)).endswith(no_key)
    missing = f"{tmp_path}/none.pem cannot be read (No such file or directory)."
    assert said(replace(answers, certificate=f"{tmp_path}/none.pem")) == missing
    assert (
        said(replace(answers, certificate="site.pem"))
        == "“site.pem” is not a full path: it must begin with /."
    )


def test_keys(tmp_path: Path) -> None:
    answers = site_files(tmp_path)
    key = Path(answers.certificate_key)
    key.chmod(0o640)
    assert said(answers) == f"The key {key} can be read by others: give it mode 0600."
    written_key(key, rsa.generate_private_key(65537, 2048))
    assert said(answers) == (
        f"The key {key} does not belong to the certificate {answers.certificate}: "
        "take the one that it was requested with."
    )
    written_key(key, ec.generate_private_key(ec.SECP256R1()), b"secret")
    assert said(answers).startswith(f"{key} holds no private key without a password")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may try with the rights of another account")
def test_root_tries_with_the_rights_of_the_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies where the service sees nothing is said first."""
    state, account = tmp_path / "state", pwd.getpwnam("nobody")
    state.mkdir()
    os.chown(state, account.pw_uid, account.pw_gid)
    answers = site_files(tmp_path)
    assert "The controller's service sees nothing in /tmp: put" in said(answers, state)
    monkeypatch.setattr("pi_controller.cli.questions.HIDDEN", ())
    assert said(answers, state) == (
        f"The account nobody may not read {answers.certificate}: "
        "make it the file's owner, and put the file in a folder that it may enter."
    )
    assert (os.geteuid(), os.getegid()) == (0, 0)
