"""The files of an event's broker: what Mosquitto reads in `server`, what goes to each hall in `halls`, the
authority's key beside them."""

import datetime as dt
import os
import pwd
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import Struct

from pi_controller.cli.halls import mosquitto as names
from pi_controller.cli.halls.authority import Signed, make_authority, names_in, sign_for
from pi_controller.cli.halls.mosquitto import PLAIN_PORT, TLS_PORT, Variant
from pi_controller.cli.halls.rights import (
    UPKEEP,
    Users,
    new_password,
    own_lines_in,
    password_line,
    rights_text,
    users_in,
    without,
)
from pi_controller.cli.usage import FAILED, Stop
from pi_controller.journal.pairing import PairingKey, keep_key, new_key, read_key
from pi_controller.journal.private import write_private
from pi_controller.language.words import words
from pi_controller.sentence import SaidError, Sentence
from pi_controller.settings.toml import toml_text

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


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a technician asks for; `tls` None: as it is, without at first."""

    users: Users
    """To be added to those that are known. Who may lead: those alone; as it is where none is named."""
    tls: bool | None
    address: str
    """At which the halls reach the broker."""
    reached_by: Sequence[str]
    """All names and addresses that the certificate is to have."""
    pairing_key: PairingKey | None = None
    """This controller's own; without it the halls get one that is made for them."""


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
        return self.server / names.CONFIGURATION

    def users(self) -> Users:
        return users_in(self.rights())

    def variant(self) -> Variant | None:
        """That which is in force; None before the first, and where the file was edited."""
        found = self._text(names.CONFIGURATION)
        return next((one for one in VARIANTS if one.text(self.server) == found), None)

    def authority(self) -> str:
        """The certificate of the authority, empty where none was made."""
        return self._text(names.AUTHORITY)

    def configuration_text(self) -> str:
        """Empty where none was made."""
        return self._text(names.CONFIGURATION)

    def rights(self) -> str:
        """The list of rights, empty where none was made."""
        return self._text(names.RIGHTS)

    def own_password(self) -> str | None:
        """Of the broker's own account; None where it was set up by a release without one. Raises OSError."""
        path = self.folder / OWN_ACCESS
        return path.read_text(encoding="utf-8").strip() if path.exists() else None

    def set_up(self, wanted: Wanted, now: dt.datetime) -> None:
        """Everything that is missing; Mosquitto's configuration last. Raises Stop, NotForHere, PairingFault,
        OSError."""
        self._make_folders()
        before, known = self.variant(), self.users()
        tls = (before is not None and before.tls) if wanted.tls is None else wanted.tls
        variant = VARIANTS[tls]
        if tls:
            self._sign(wanted.reached_by, now)
        halls = tuple(dict.fromkeys((*known.halls, *wanted.users.halls)))
        listeners = tuple(dict.fromkeys((*known.listeners, *wanted.users.listeners)))
        leaders = wanted.users.leaders or known.leaders or halls[:1]
        users = Users(halls, listeners, tuple(hall for hall in halls if hall in leaders))
        self._give_passwords(users, wanted, variant)
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
        self._put(self.server / names.PASSWORDS, self._lines(without(self._text(names.PASSWORDS), [user])))
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
        key_path, certificate_path = self.folder / AUTHORITY_KEY, self.server / names.CERTIFICATE
        try:
            if key_path.exists() and self.authority():
                authority = Signed(self.authority().encode(), key_path.read_bytes())
            else:
                authority = make_authority(now)
                self._put(key_path, authority.key)
                self._put(self.server / names.AUTHORITY, authority.certificate)
                certificate_path.unlink(missing_ok=True)
            has = names_in(certificate_path.read_bytes()) if certificate_path.exists() else set()
            if set(reached_by) <= has:
                return
            signed = sign_for(authority, sorted(has | set(reached_by)), now)
        except ValueError as error:
            raise NotForHere(Sentence("broker.unusable", folder=str(self.folder), why=str(error))) from error
        self._put(self.server / names.KEY, signed.key)
        self._put(certificate_path, signed.certificate)

    def _give_passwords(self, users: Users, wanted: Wanted, variant: Variant) -> None:
        """A new one to who has none; where a file still lies here, it says how the broker is reached now."""
        lines = self._text(names.PASSWORDS).splitlines()
        have = {line.partition(":")[0] for line in lines}
        key = self._pairing_key(wanted.pairing_key)
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
                broker=wanted.address,
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
        self._put(self.server / names.PASSWORDS, self._lines(lines))

    def _pairing_key(self, of_controller: PairingKey | None) -> PairingKey:
        """The controller's own before the one that was made here."""
        key = of_controller or read_key(self.folder)
        if key is None:
            key = new_key()
            keep_key(self.folder, key)
        return key

    def _put_rights(self, users: Users) -> None:
        own_lines = own_lines_in(self._text(names.RIGHTS))
        self._put(self.server / names.RIGHTS, rights_text(users, own_lines).encode())

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
