"""Who may do what: the roles of a log-in, and which of them each kind of access lets in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from aiohttp import web

Role = Literal["director", "judge", "moderator", "technician", "screen"]
ROLES: tuple[Role, ...] = get_args(Role)
Access = Literal["public", "here", "director", "judge", "moderator", "technician", "staff", "logged_in"]
"""Anybody; anybody at this machine itself and who works on the hall's hardware from elsewhere; the others by
their log-in."""
LET_IN: Mapping[Access, frozenset[Role]] = {
    "public": frozenset(ROLES),
    "here": frozenset({"director", "technician"}),
    "director": frozenset({"director"}),
    "judge": frozenset({"director", "judge"}),
    "moderator": frozenset({"director", "moderator"}),
    "technician": frozenset({"director", "technician"}),
    "staff": frozenset({"director", "judge", "moderator", "technician"}),
    "logged_in": frozenset(ROLES),
}
HOME: Mapping[Role, str] = {
    "director": "/director",
    "judge": "/judge",
    "moderator": "/moderator",
    "technician": "/technician",
    "screen": "/",
}
"""The page that a link of this role leads to."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks and has shown a log-in. `name` is empty where nobody has given one; `link` is None for the
    scripts' token. `number` stands for role and name wherever others may read it; 0 without a name."""

    role: Role
    name: str = ""
    link: str | None = None
    number: int = 0

    @property
    def source(self) -> str:
        """As a command says who gave it: `web` is a director without a name, or a script. Never a name: the
        journal keeps it, and anybody may have that."""
        nobody = self.role == "director" and self.number == 0
        return "web" if nobody else f"web:{self.role}:{self.number}"


PERSON = web.RequestKey("person", Person)
"""The request's own note of who asks; the guard makes it where a log-in was needed."""
