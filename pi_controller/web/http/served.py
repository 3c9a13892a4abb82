"""Where this controller's pages were last served, kept for the command line, which prints addresses."""

from pathlib import Path

import msgspec

from pi_controller.journal.private import write_private
from pi_controller.web.http.addresses import PageAddress

FILE_NAME = "served"


class Served(msgspec.Struct, frozen=True):
    """`fingerprint` is that of the certificate at `staff`; empty where nothing is encrypted."""

    hall: PageAddress
    staff: PageAddress
    fingerprint: str

    @property
    def claims(self) -> PageAddress:
        """Where phones may claim."""
        return self.staff if self.staff.secure else self.hall


def keep_served(folder: Path, served: Served) -> None:
    """In `STATE/web`. Raises OSError."""
    write_private(folder / FILE_NAME, msgspec.json.encode(served))


def last_served(folder: Path) -> Served | None:
    """None where no start has said so yet, or this user may not read it."""
    try:
        return msgspec.json.decode((folder / FILE_NAME).read_bytes(), type=Served)
    except (OSError, msgspec.DecodeError):
        return None
