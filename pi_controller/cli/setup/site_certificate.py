"""Whether the site's own certificate can serve the staff's pages: each doubt as one sentence."""

import contextlib
import datetime as dt
import ipaddress
import os
import pwd
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes

from pi_controller.cli.setup.answers import SITE, Answers
from pi_controller.journal.private import readable_by_others
from pi_controller.language.system_errors import why
from pi_controller.language.words import WordedError
from pi_controller.sentence import Sentence

HIDDEN = (Path("/home"), Path("/root"), Path("/run/user"), Path("/tmp"), Path("/var/tmp"))  # noqa: S108
"""What the installed service does not see (`ProtectHome`, `PrivateTmp`)."""


class _Doubt(WordedError, Exception):  # noqa: N818 - told to who answered
    """Why the certificate cannot serve."""


@dataclass(frozen=True, slots=True)
class SiteCertificate:
    """`state`: the state folder, whose owner's account reads the files when the services run."""

    state: Path
    now: dt.datetime

    def problem_of_certificate(self, answers: Answers) -> Sentence | None:
        """It can be read, is one, and is good today."""
        return _problem(lambda: self._certificate(answers.certificate))

    def problem_of_key(self, answers: Answers) -> Sentence | None:
        """The same, and the key is that of the certificate and nobody else's to read."""
        return _problem(lambda: self._key(answers))

    def problem_of_name(self, answers: Answers) -> Sentence | None:
        """The certificate is for the name that the pages are opened by."""
        return _problem(lambda: self._name(answers))

    def problem(self, answers: Answers) -> Sentence | None:
        """The first of all three where the site's own certificate is chosen."""
        if answers.transport != SITE:
            return None
        checks = (self.problem_of_certificate, self.problem_of_key, self.problem_of_name)
        return next((found for check in checks if (found := check(answers)) is not None), None)

    def _certificate(self, path: str) -> x509.Certificate:
        try:
            found = x509.load_pem_x509_certificate(self._read(path))
        except ValueError as error:
            raise _Doubt(Sentence("certificate.is_none", path=path)) from error
        first, last = found.not_valid_before_utc, found.not_valid_after_utc
        if last < self.now:
            raise _Doubt(Sentence("certificate.expired", path=path, day=f"{last:%Y-%m-%d}"))
        if first > self.now:
            day, today = f"{first:%Y-%m-%d}", f"{self.now:%Y-%m-%d}"
            raise _Doubt(Sentence("certificate.not_yet", path=path, day=day, today=today))
        return found

    def _key(self, answers: Answers) -> None:
        path = answers.certificate_key
        try:
            key = serialization.load_pem_private_key(self._read(path), None)
        except (ValueError, TypeError) as error:  # TypeError: it has a password
            raise _Doubt(Sentence("certificate.no_key", path=path)) from error
        if _public(key.public_key()) != _public(self._certificate(answers.certificate).public_key()):
            raise _Doubt(Sentence("certificate.other_key", key=path, certificate=answers.certificate))
        if readable_by_others(Path(path)) is not None:
            raise _Doubt(Sentence("certificate.key_readable", path=path))

    def _name(self, answers: Answers) -> None:
        names = _names(self._certificate(answers.certificate))
        if not any(_covers(name, answers.opened_as.lower().rstrip(".")) for name in names):
            path, told, name = answers.certificate, ", ".join(names) or "-", answers.opened_as
            raise _Doubt(Sentence("certificate.other_name", path=path, names=told, name=name))

    def _read(self, path: str) -> bytes:
        file = Path(path)
        if not file.is_absolute():
            raise _Doubt(Sentence("certificate.no_full_path", path=path))
        account = self._account()
        if account is not None and (hidden := next(filter(file.resolve().is_relative_to, HIDDEN), None)):
            raise _Doubt(Sentence("certificate.not_seen", path=path, folder=str(hidden)))
        try:
            with _as(account):
                return file.read_bytes()
        except PermissionError as error:
            name = (account or pwd.getpwuid(os.geteuid())).pw_name
            raise _Doubt(Sentence("certificate.not_readable_by", path=path, account=name)) from error
        except OSError as error:
            raise _Doubt(Sentence("certificate.not_readable", path=path, why=why(error))) from error

    def _account(self) -> pwd.struct_passwd | None:
        """The services', where root sets up for them."""
        owner = self.state.stat().st_uid if os.geteuid() == 0 and self.state.is_dir() else 0
        return pwd.getpwuid(owner) if owner else None


def _problem(check: Callable[[], object]) -> Sentence | None:
    try:
        check()
    except _Doubt as doubt:
        return doubt.sentence
    return None


@contextlib.contextmanager
def _as(account: pwd.struct_passwd | None) -> Iterator[None]:
    """With the rights of this account; None: one's own."""
    if account is None:
        yield
        return
    groups, group = os.getgroups(), os.getegid()
    os.setgroups(os.getgrouplist(account.pw_name, account.pw_gid))
    os.setegid(account.pw_gid)
    os.seteuid(account.pw_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)
        os.setgroups(groups)


def _public(key: PublicKeyTypes) -> bytes:
    return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def _names(certificate: x509.Certificate) -> list[str]:
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:  # browsers look nowhere else
        return []
    addresses = found.get_values_for_type(x509.IPAddress)
    return [*found.get_values_for_type(x509.DNSName), *map(str, addresses)]


def _covers(named: str, name: str) -> bool:
    """Whether a certificate for `named`, which may begin with `*.`, is one for this name."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(named) == ipaddress.ip_address(name.strip("[]"))
    named = named.lower()
    first, _, rest = name.partition(".")
    return name == named or (bool(first) and named == f"*.{rest}")
