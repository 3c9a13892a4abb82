"""A picture as what differs from the one before it, and the newest picture put together again.

Streams of pictures may be asked for so (`messages.AskWatch`, version 2 of the feeds): the first message is a
whole picture, each further one a change that rests on the picture `on`. A change has each field that differs,
with its new value as a whole; of `allowed` it has only the commands that differ. That is a JSON merge patch
(RFC 7396), but for null, which is a value like any other: no field ever goes.
"""

import msgspec
from msgspec import Raw
from msgspec.structs import astuple

from pi_controller.protocol.picture import Picture
from pi_controller.protocol.question import CoreLine

OF_THE_MOMENT = frozenset(("as_of_ms", "as_of_us", "resume_in_ms", "timer", "link"))
WHILE_RUNNING = frozenset(("remaining_ms", "remaining_us", "forecast", "turn"))
"""Fields that may differ from one moment to the next without a change; the second only while the countdown
runs. Each new `seq` has those of them that are not null, so that it does not matter at which moment the
picture before it was made."""

_FIELDS = Picture.__struct_fields__


def difference(before: Picture, after: Picture) -> dict[str, object]:
    """The fields of the change from one picture to the next of the same session."""
    moving: frozenset[str] = frozenset()
    if before.seq != after.seq:
        moving = OF_THE_MOMENT | WHILE_RUNNING if before.running else OF_THE_MOMENT
    found = {
        name: now
        for name, was, now in zip(_FIELDS, astuple(before), astuple(after), strict=True)
        if (now is not was and now != was) or (name in moving and now is not None)
    }
    if "allowed" in found:
        found["allowed"] = {
            name: now for name, now in after.allowed.items() if before.allowed.get(name) != now
        }
    return found


class NewestPicture:
    """Follows the lines of such a stream. Nothing is decoded that nobody asks for."""

    def __init__(self) -> None:
        self.fields: dict[str, Raw] = {}
        """As core wrote them; empty while no picture is known. Without `allowed`."""
        self._allowed: dict[str, Raw] = {}

    def forget(self) -> None:
        self.fields, self._allowed = {}, {}

    def take(self, line: CoreLine) -> dict[str, Raw]:
        """The fields that are new by this line, which has a picture or a change; without `allowed`."""
        if line.picture:
            self.forget()
        new = msgspec.json.decode(line.shown, type=dict[str, Raw])
        allowed = new.pop("allowed", None) or line.allowed
        if allowed:
            self._allowed.update(msgspec.json.decode(allowed, type=dict[str, Raw]))
        self.fields.update(new)
        return new

    def encoded(self, *, allowed: bool = True) -> bytes:
        """The whole picture as JSON, with or without the field `allowed`."""
        return msgspec.json.encode({**self.fields, "allowed": self._allowed} if allowed else self.fields)
