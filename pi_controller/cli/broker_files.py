"""The files of an event's broker: what Mosquitto reads in `server`, what goes to each hall in `halls`, the
authority's key beside them.
"""

import base64
import datetime as dt
import hashlib
import os
import pwd
import re
import secrets
import shutil
import socket
import ssl
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from msgspec import Struct

from pi_controller.cli.usage import FAILED, Stop, of_system
from pi_controller.journal.pairing import PairingKey, keep_key, new_key, read_key
from pi_controller.journal.store import write_private
from pi_controller.language.words import words
from pi_controller.links.payloads import LARGEST, OF_HALLS, OF_LEADERS, ROOT, topic
from pi_controller.links.withdrawal import discovery
from pi_controller.sentence import SaidError, Sentence
from pi_controller.settings.fault import toml_text
from pi_controller.web.http.own_certificate import BEFORE, LASTS, alternative_name, private_pem

# Mosquitto, the broker: where it is, and its configuration for a try-out and for an event.


PLAIN_PORT, TLS_PORT = 1883, 8883
"""As IANA has them (`mqtt`, `secure-mqtt`)."""
ALSO_HERE = "/usr/sbin"
"""Debian puts it there, which is not in everybody's PATH."""

CONFIGURATION, PASSWORDS, RIGHTS = "mosquitto.conf", "passwords", "acl"
AUTHORITY, CERTIFICATE, KEY = "ca.pem", "server.pem", "server_key.pem"


def find_mosquitto() -> str:
    """Its full path. Raises Stop where it is not installed."""
    found = shutil.which("mosquitto") or shutil.which("mosquitto", path=ALSO_HERE)
    if found is None:
        raise Stop(FAILED, Sentence("halls.no_mosquitto"))
    return found


def free_port(host: str) -> int:
    """Raises Stop."""
    try:
        with socket.create_server((host, 0)) as probe:
            port: int = probe.getsockname()[1]
    except OSError as error:
        raise Stop(FAILED, of_system(error, Path(host))) from error
    return port


def reached_at(configuration: str) -> tuple[str, int, bool] | None:
    """Address (empty: all), port and encryption of the first listener; None where there is none."""
    found = re.search(r"^listener\s+(\d+)(?:[ \t]+(\S+))?", configuration, re.MULTILINE)
    encrypted = re.search(r"^certfile\s", configuration, re.MULTILINE) is not None
    return (found[2] or "", int(found[1]), encrypted) if found else None


COMMON = f"""\
# A message does not wait until the one before it is confirmed.
set_tcp_nodelay true
# Halls tell everything again after a new start; nothing is written.
persistence false
max_packet_size {2 * LARGEST}
log_dest stderr
log_type error
log_type warning
"""


def try_out_text(port: int) -> str:
    """For this machine alone: everybody on it may do everything."""
    return f"listener {port} 127.0.0.1\nallow_anonymous true\n{COMMON}"


def copy_text(port: int, folder: Path) -> str:
    """For this machine alone, with the passwords and the rights in this folder: to try them."""
    return (
        f"listener {port} 127.0.0.1\nallow_anonymous false\npassword_file {folder / PASSWORDS}\n"
        f"acl_file {folder / RIGHTS}\nmax_queued_messages 100000\n{COMMON}"
    )


@dataclass(frozen=True, slots=True)
class Variant:
    """How an event's broker is reached. `tls`: encrypted, with a certificate; otherwise the network must be
    the halls' own."""

    tls: bool
    port: int

    def text(self, folder: Path) -> str:
        """The configuration of a broker whose other files lie in this folder."""
        encrypted = (
            f"cafile {folder / AUTHORITY}\ncertfile {folder / CERTIFICATE}\nkeyfile {folder / KEY}\n"
            "tls_version tlsv1.2\n"
        )
        return (
            "# Written by `pi-controller broker setup`.\n"
            f"# {self._meaning}\n"
            f"listener {self.port}\n"
            f"{encrypted if self.tls else ''}"
            "# Nobody without a password; what each may write stands in the list of rights.\n"
            "allow_anonymous false\n"
            f"password_file {folder / PASSWORDS}\n"
            f"acl_file {folder / RIGHTS}\n"
            f"{COMMON}log_type notice\n"
        )

    @property
    def _meaning(self) -> str:
        if self.tls:
            return "Encrypted (TLS), for any network; each hall has a password and rights of its own."
        return (
            "Not encrypted: for a network of the halls' own. Each hall has a password and rights of its own."
        )


# Who may do what at the broker, and with which password: the list of rights and the passwords that Mosquitto
# reads. Pure but for the randomness of a password.


ROUNDS = 101
"""As `mosquitto_passwd` has it: passwords made here cannot be guessed with more rounds or with fewer."""
SALT_BYTES = 12
PASSWORD_BYTES = 18

READ_BY_ALL = ("picture", "beat", "health", "tables", "status")
READ_BY_HALLS = (*READ_BY_ALL, "lease")
ADDRESSED = ("answer", "result")
"""Their topics end with the name of the hall that has asked."""
OWN_LINES = "# Lines of your own below this one stay."
UPKEEP = "_broker"
"""The broker's own account, which withdraws what is retained and tries the rights; no name of a hall."""
MARK = "rights"
"""Below it the broker's own account may write one topic, which names the list that is in force."""


@dataclass(frozen=True, slots=True)
class Users:
    """Who has a password. Of the halls that may lead the first one does."""

    halls: tuple[str, ...] = ()
    listeners: tuple[str, ...] = ()
    """They only read."""
    leaders: tuple[str, ...] = ()
    """Those of the halls that may lead."""


@dataclass(frozen=True, slots=True)
class Rights:
    """Topics of one account, with wildcards."""

    write: tuple[str, ...] = ()
    read: tuple[str, ...] = ()


def rights_of(users: Users) -> dict[str, Rights]:
    """By account. A hall writes below its own name only, and as a leader only where it may lead."""
    rights = {hall: _of_hall(hall, leads=hall in users.leaders) for hall in users.halls}
    read = (*(topic("+", name) for name in READ_BY_ALL), "homeassistant/#")
    rights |= {listener: Rights(read=read) for listener in users.listeners}
    return rights | {UPKEEP: Rights(write=(f"{ROOT}/#", "homeassistant/#"))}


def _of_hall(hall: str, *, leads: bool) -> Rights:
    write = tuple(topic(hall, name) for name in OF_HALLS)
    read = [topic("+", name) for name in READ_BY_HALLS]
    read += [topic("+", name, hall) for name in ADDRESSED]
    read.append(topic(hall, "ask"))  # another controller may have its name
    if not leads:
        return Rights(write, tuple(read))
    as_leader = (*(topic(hall, name) for name in OF_LEADERS), discovery(hall)[0])
    asked = [topic("+", name) for name in OF_HALLS if name not in READ_BY_HALLS]
    return Rights((*write, *as_leader), (*read, *asked))


def rights_text(users: Users, own_lines: str = "") -> str:
    """Mosquitto's `acl_file`."""
    parts = ["# Written by `pi-controller broker setup`."]
    for account, rights in rights_of(users).items():
        lines = [f"topic write {name}" for name in rights.write]
        parts.append("\n".join([f"user {account}", *lines, *(f"topic read {name}" for name in rights.read)]))
    mark = hashlib.sha256("\n\n".join(parts).encode()).hexdigest()[:16]
    parts[-1] += f"\ntopic write {MARK}/{mark}"
    return "\n\n".join([*parts, f"{OWN_LINES}\n{own_lines}"])


def mark_in(rights: str) -> str:
    """The topic that only a broker with this list in force lets its own account write; empty without one."""
    found = re.search(rf"^topic write ({MARK}/\w+)$", rights.partition(OWN_LINES)[0], re.MULTILINE)
    return found[1] if found else ""


def topics_of(users: Users) -> list[str]:
    """What can be written at this broker, one by one: all topics of all halls, and one that nobody has."""
    askers = (*users.halls, UPKEEP)
    found = []
    for hall in users.halls:
        found += [topic(hall, name) for name in (*OF_HALLS, *OF_LEADERS, "other") if "+" not in name]
        found += [topic(hall, f"{name}/{asker}") for name in ADDRESSED for asker in askers]
        found.append(discovery(hall)[0])
    return found


def users_in(rights: str) -> Users:
    """Those of a list that was written here, also by a release in which every hall might lead."""
    halls: list[str] = []
    listeners: list[str] = []
    leaders: list[str] = []
    written = rights.partition(OWN_LINES)[0]
    for block in written.split("\n\n"):
        first, *rest = block.splitlines() or [""]
        word, _, name = first.partition(" ")
        if word != "user" or name == UPKEEP:
            continue
        earlier = f"topic write {topic(name, '#')}" in rest
        is_hall = earlier or f"topic write {topic(name, OF_HALLS[0])}" in rest
        (halls if is_hall else listeners).append(name)
        if earlier or f"topic write {topic(name, 'lease')}" in rest:
            leaders.append(name)
    return Users(tuple(halls), tuple(listeners), tuple(leaders))


def own_lines_in(rights: str) -> str:
    """What a technician has added."""
    return rights.partition(f"{OWN_LINES}\n")[2]


def new_password() -> str:
    return secrets.token_urlsafe(PASSWORD_BYTES)


def password_line(user: str, password: str) -> str:
    """As in Mosquitto's `password_file`: PBKDF2 with SHA-512 (`$7$`)."""
    salt = secrets.token_bytes(SALT_BYTES)
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, ROUNDS)
    return f"{user}:$7${ROUNDS}${_text(salt)}${_text(digest)}"


def without(passwords: str, users: Iterable[str]) -> list[str]:
    """The lines of all others."""
    left_out = set(users)
    return [line for line in passwords.splitlines() if line.partition(":")[0] not in left_out]


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


# The broker's own authority, which every hall trusts, and the certificate that it signs for the broker.


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


FOLDER = Path("/etc/pi-controller/broker")
ACCOUNT = "mosquitto"
"""Debian's package makes it; the unit runs as it."""
AUTHORITY_KEY = "ca_key.pem"
OWN_ACCESS = "own_password"
"""Password of the broker's own account; in the folder that Mosquitto does not read."""
VARIANTS = (Variant(tls=False, port=PLAIN_PORT), Variant(tls=True, port=TLS_PORT))


class NotForHere(SaidError, ValueError):  # noqa: N818 - an answer to who asked
    """A file is not what it should be; the sentence says which and what to do."""


class HallFile(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What one of the users carries away, as TOML. `ca`: the authority's certificate, empty without TLS."""

    role: str
    """`leader` or `follower` for a hall, `listener` for who only reads."""
    user: str
    """The hall's name, too."""
    password: str
    broker: str
    port: int
    ca: str = ""
    may_lead: bool = True
    """As the broker's list of rights says; a release before this setting let every hall lead."""
    pairing_key: str = ""
    """That of all halls; without it a hall cannot take a leader's place."""

    def text(self) -> str:
        fields = msgspec.structs.asdict(self)
        if self.role == "listener":
            del fields["may_lead"], fields["pairing_key"]
        lines = [f"{key} = {toml_text(value)}" for key, value in fields.items()]
        for_hall = Sentence("broker.file_is_for_a_hall", file=f"{self.user}.toml")
        first = Sentence("broker.file_is_for_a_program") if self.role == "listener" else for_hall
        return "\n".join([f"# {words(first)}", *lines, ""])


def read_hall_file(path: Path) -> HallFile:
    """Raises NotForHere, and OSError."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8-sig")), HallFile)
    except ValueError as error:  # no UTF-8, no TOML, or another one
        raise NotForHere(Sentence("broker.no_hall_file", path=str(path), why=str(error))) from error


class BrokerFolder:
    """Changes only what is not as it is wanted; `changed` are the files that it has written."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder
        self.server = folder / "server"
        self.halls = folder / "halls"
        self.changed: list[Path] = []
        self.kept: list[tuple[Path, Path]] = []
        """Files that somebody had edited, and where they lie now."""
        self.new_leaders: list[str] = []
        """Halls that may lead from now on and whose files, which say so, no longer lie here."""

    @property
    def configuration(self) -> Path:
        return self.server / CONFIGURATION

    def users(self) -> Users:
        return users_in(self.rights())

    def variant(self) -> Variant | None:
        """That which is in force; None before the first, and where the file was edited."""
        found = self._text(CONFIGURATION)
        return next((one for one in VARIANTS if one.text(self.server) == found), None)

    def authority(self) -> str:
        """The certificate of the authority, empty where none was made."""
        return self._text(AUTHORITY)

    def configuration_text(self) -> str:
        """Empty where none was made."""
        return self._text(CONFIGURATION)

    def rights(self) -> str:
        """The list of rights, empty where none was made."""
        return self._text(RIGHTS)

    def own_password(self) -> str | None:
        """Of the broker's own account; None where it was set up by a release without one. Raises OSError."""
        path = self.folder / OWN_ACCESS
        return path.read_text(encoding="utf-8").strip() if path.exists() else None

    def set_up(
        self,
        wanted: Users,
        now: dt.datetime,
        *,
        tls: bool | None,
        address: str,
        reached_by: Sequence[str],
        pairing_key: PairingKey | None,
    ) -> None:
        """Everything that is missing; Mosquitto's configuration last. `wanted` are added to those that are
        known; who may lead: those alone, as it is where none is named. `tls` None: as it is.
        The halls reach the broker at `address`; its certificate is for all in `reached_by`. Without this
        controller's own `pairing_key` the halls get one that is made for them. Raises Stop, NotForHere,
        PairingFault, OSError."""
        self._make_folders()
        before, known = self.variant(), self.users()
        encrypted = (before is not None and before.tls) if tls is None else tls
        variant = VARIANTS[encrypted]
        if encrypted:
            self._sign(reached_by, now)
        halls = tuple(dict.fromkeys((*known.halls, *wanted.halls)))
        listeners = tuple(dict.fromkeys((*known.listeners, *wanted.listeners)))
        leaders = wanted.leaders or known.leaders or halls[:1]
        users = Users(halls, listeners, tuple(hall for hall in halls if hall in leaders))
        self._give_passwords(users, variant, address, self._pairing_key(pairing_key))
        self.new_leaders = [
            hall for hall in users.leaders if hall not in known.leaders and not self.hall_file(hall).exists()
        ]
        self._put_rights(users)
        self._put_configuration(variant.text(self.server))

    def forget(self, user: str) -> None:
        """Nobody gets in with this one's password any more. Raises OSError."""
        known = self.users()
        kept = Users(
            tuple(one for one in known.halls if one != user),
            tuple(one for one in known.listeners if one != user),
            tuple(one for one in known.leaders if one != user),
        )
        self._put(self.server / PASSWORDS, self._lines(without(self._text(PASSWORDS), [user])))
        self._put_rights(kept)
        self.hall_file(user).unlink(missing_ok=True)

    def hall_file(self, user: str) -> Path:
        return self.halls / f"{user}.toml"

    def _make_folders(self) -> None:
        for folder, mode in ((self.folder, 0o755), (self.server, 0o700), (self.halls, 0o700)):
            folder.mkdir(mode=mode, exist_ok=True)
        if os.geteuid() == 0:
            try:
                account = pwd.getpwnam(ACCOUNT)
            except KeyError:
                raise Stop(FAILED, Sentence("halls.no_mosquitto")) from None
            os.chown(self.server, account.pw_uid, account.pw_gid)

    def _sign(self, reached_by: Sequence[str], now: dt.datetime) -> None:
        """The authority stays, so that no hall need be told; a certificate for further names is a new one."""
        key_path, certificate_path = self.folder / AUTHORITY_KEY, self.server / CERTIFICATE
        try:
            if key_path.exists() and self.authority():
                authority = Signed(self.authority().encode(), key_path.read_bytes())
            else:
                authority = make_authority(now)
                self._put(key_path, authority.key)
                self._put(self.server / AUTHORITY, authority.certificate)
                certificate_path.unlink(missing_ok=True)
            has = names_in(certificate_path.read_bytes()) if certificate_path.exists() else set()
            if set(reached_by) <= has:
                return
            signed = sign_for(authority, sorted(has | set(reached_by)), now)
        except ValueError as error:
            raise NotForHere(Sentence("broker.unusable", folder=str(self.folder), why=str(error))) from error
        self._put(self.server / KEY, signed.key)
        self._put(certificate_path, signed.certificate)

    def _give_passwords(self, users: Users, variant: Variant, address: str, key: PairingKey) -> None:
        """A new one to who has none; where a file still lies here, it says how the broker is reached now."""
        lines = self._text(PASSWORDS).splitlines()
        have = {line.partition(":")[0] for line in lines}
        roles = dict.fromkeys(users.listeners, "listener") | dict.fromkeys(users.halls, "follower")
        roles |= {users.leaders[0]: "leader"}
        for user, role in roles.items():
            path = self.hall_file(user)
            if user in have and not path.exists():
                continue
            password = read_hall_file(path).password if user in have else new_password()
            file = HallFile(
                role=role,
                user=user,
                password=password,
                broker=address,
                port=variant.port,
                ca=self.authority() if variant.tls else "",
                may_lead=user in users.leaders,
                pairing_key=key.text(),
            )
            self._put(path, file.text().encode())
            lines += [] if user in have else [password_line(user, password)]
        own = self.own_password()
        if own is None or UPKEEP not in have:
            own = new_password()
            self._put(self.folder / OWN_ACCESS, f"{own}\n".encode())
            lines = [*without("\n".join(lines), [UPKEEP]), password_line(UPKEEP, own)]
        self._put(self.server / PASSWORDS, self._lines(lines))

    def _pairing_key(self, of_controller: PairingKey | None) -> PairingKey:
        """The controller's own before the one that was made here."""
        key = of_controller or read_key(self.folder)
        if key is None:
            key = new_key()
            keep_key(self.folder, key)
        return key

    def _put_rights(self, users: Users) -> None:
        own_lines = own_lines_in(self._text(RIGHTS))
        self._put(self.server / RIGHTS, rights_text(users, own_lines).encode())

    def _put_configuration(self, text: str) -> None:
        path = self.configuration
        if path.exists() and self.variant() is None:
            beside = path.with_name(f"{path.name}.before")
            path.replace(beside)
            self.kept.append((path, beside))
        self._put(path, text.encode())

    def _put(self, path: Path, content: bytes) -> None:
        if not path.exists() or path.read_bytes() != content:
            write_private(path, content)
            self.changed.append(path)

    def _text(self, name: str) -> str:
        path = self.server / name
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def _lines(self, lines: Sequence[str]) -> bytes:
        return "".join(f"{line}\n" for line in lines).encode()


EXAMPLES = "systemd/mosquitto"


def examples() -> dict[str, str]:
    """The broker's files to be read before they are made, content by path: both configurations, and the
    rights of two halls, of which one may lead, and of somebody who reads."""
    own_network, tls = (variant.text(FOLDER / "server") for variant in VARIANTS)
    return {
        f"{EXAMPLES}/own_network.conf": own_network,
        f"{EXAMPLES}/tls.conf": tls,
        f"{EXAMPLES}/acl.example": rights_text(Users(("main", "east"), ("listener",), ("main",))),
    }
