"""What a promotion has made of this hall, over its settings: kept in the state folder until it is taken
back."""

import hmac
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from pi_controller.journal.store import write_private
from pi_controller.protocol.picture import LinkRole
from pi_controller.sentence import Sentence
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.sections import LinkSettings
from pi_controller.vocabulary import Nothing

FILE_NAME = "links.json"
FOLLOWED_NAME = "followed.json"
FIRST_TERM = 1
COPY_NAME = "copy"
"""Folder of the state folder in which a follower keeps the leader's game, and a leader what its followers
get."""


class Followed(Struct, kw_only=True, frozen=True):
    """Whom this hall followed last: `over` are the leases that a promotion decides over."""

    hall: str
    term: int
    over: list[str]


class HallRole(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """`term` is that in which it leads; `over`: the leases over which people have decided for it; `proof`
    that this controller was given both by somebody with the halls' pairing key. `promoted`: it leads,
    whatever the settings say."""

    term: Annotated[int, Meta(ge=FIRST_TERM)] = FIRST_TERM
    over: tuple[str, ...] = ()
    proof: str = ""
    promoted: bool = False

    def role(self, links: LinkSettings) -> Nothing | LinkRole:
        """What this hall is."""
        return "leader" if self.promoted and links.role == "follower" else links.role


def read_standing(state_dir: Path) -> HallRole:
    """That of a hall that was never promoted, where no file is. SettingsFault for a bad one, and OSError."""
    path = state_dir / FILE_NAME
    if not path.exists():
        return HallRole()
    try:
        return msgspec.json.decode(path.read_bytes(), type=HallRole)
    except msgspec.DecodeError as error:
        raise SettingsFault((Sentence("link.standing_damaged", path=str(path), why=str(error)),)) from error


def signed(standing: HallRole, *, controller: str, lease_key: str) -> HallRole:
    """With the proof that this controller was given them by somebody with the halls' pairing key, of which
    `lease_key` is made."""
    return msgspec.structs.replace(standing, proof=_proof(standing, controller, lease_key))


def believed(standing: HallRole, *, controller: str, lease_key: str | None) -> HallRole:
    """What is to be believed of it: terms above the first, and decisions, only where this key proves them."""
    proven = lease_key is not None and standing.proof == _proof(standing, controller, lease_key)
    return standing if proven else msgspec.structs.replace(standing, term=FIRST_TERM, over=())


def _proof(standing: HallRole, controller: str, lease_key: str) -> str:
    told = " ".join((controller, str(standing.term), *standing.over))
    return hmac.new(bytes.fromhex(lease_key), told.encode(), "sha256").hexdigest()


def keep_standing(state_dir: Path, standing: HallRole) -> None:
    """Raises OSError."""
    write_private(state_dir / FILE_NAME, msgspec.json.encode(standing) + b"\n")


def forget_standing(state_dir: Path) -> None:
    """The hall is again what its settings say. Raises OSError."""
    (state_dir / FILE_NAME).unlink(missing_ok=True)


def read_followed(state_dir: Path) -> Followed | None:
    """None where it never followed one, or nobody can read it any more. Raises OSError."""
    try:
        return msgspec.json.decode((state_dir / FOLLOWED_NAME).read_bytes(), type=Followed)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def keep_followed(state_dir: Path, followed: Followed) -> None:
    """Raises OSError."""
    write_private(state_dir / FOLLOWED_NAME, msgspec.json.encode(followed) + b"\n")
