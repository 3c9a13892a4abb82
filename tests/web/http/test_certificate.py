"""The controller's own certificate: a real TLS client trusts it, by its names and its fingerprint."""

import datetime as dt
import ssl
from pathlib import Path

import pytest
from cryptography import x509

from pi_controller.web.http.own_certificate import make_own
from pi_controller.web.http.tls import CertificateFault, CertificateFiles, Validity

NOW = dt.datetime(2026, 11, 22, tzinfo=dt.UTC)


def test_it_is_for_these_names_and_long_enough(tmp_path: Path) -> None:
    files = make_own(tmp_path, ["hall.local", "192.0.2.7", "hall.local"], NOW)
    made = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["hall.local"]
    assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["192.0.2.7"]
    assert made.not_valid_after_utc - NOW > dt.timedelta(days=3000)
    assert files.key.stat().st_mode & 0o777 == 0o600
    assert len(files.fingerprint().split(":")) == 32
    assert files.context().minimum_version is ssl.TLSVersion.TLSv1_2


def test_another_one_has_another_fingerprint(tmp_path: Path) -> None:
    first = make_own(tmp_path, ["hall"], NOW).fingerprint()
    assert make_own(tmp_path, ["hall"], NOW).fingerprint() != first


def test_what_cannot_be_used_says_why(tmp_path: Path) -> None:
    files = make_own(tmp_path, ["hall"], NOW)
    files.key.chmod(0o644)
    with pytest.raises(CertificateFault, match="can be read by others"):
        files.context()
    files.key.chmod(0o600)
    files.certificate.write_text("no certificate", encoding="ascii")
    with pytest.raises(CertificateFault, match="cannot be used"):
        files.context()
    with pytest.raises(CertificateFault, match="cannot be used"):
        files.fingerprint()
    with pytest.raises(CertificateFault, match="cannot be used"):
        CertificateFiles(tmp_path / "nowhere", files.key).context()


@pytest.mark.parametrize(
    "now", [NOW, dt.datetime(1970, 1, 2, tzinfo=dt.UTC), dt.datetime(2049, 6, 1, tzinfo=dt.UTC)]
)
def test_its_dates_are_read_as_the_library_reads_them(tmp_path: Path, now: dt.datetime) -> None:
    files = make_own(tmp_path, ["hall.local", "192.0.2.7"], now)
    made = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    found = files.validity()
    assert (found.first, found.last) == (made.not_valid_before_utc, made.not_valid_after_utc)


@pytest.mark.parametrize(
    ("days", "told"),
    [
        (-1, "certificate.not_yet"),
        (0, None),
        (69, None),
        (71, "certificate.expires_soon"),
        (101, "certificate.expired"),
    ],
)
def test_what_browsers_will_say_is_told_before(days: int, told: str | None) -> None:
    doubt = Validity("c.pem", NOW, NOW + dt.timedelta(days=100)).doubt(NOW + dt.timedelta(days=days))
    assert (None if doubt is None else doubt.key) == told


@pytest.mark.parametrize("content", ["AAAA", "MAA=", "MIIB"])
def test_what_is_no_certificate_has_no_dates(tmp_path: Path, content: str) -> None:
    file = tmp_path / "c.pem"
    file.write_text(f"-----BEGIN CERTIFICATE-----\n{content}\n-----END CERTIFICATE-----\n", encoding="ascii")
    with pytest.raises(CertificateFault):
        CertificateFiles(file, file).validity()
