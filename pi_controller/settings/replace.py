"""Puts a settings file in the place of the one before, which stays beside it as a backup."""

from pathlib import Path

from pi_controller.journal.private import write_private

READABLE = 0o644
"""Settings hold no secrets, and the services' user has to read what root writes."""


def replace_file(path: Path, text: str, stamp: str) -> Path | None:
    """Whole or not at all; the backup's path, None when there was no file. `stamp` names the moment.

    Raises OSError; then the old file is in force.
    """
    backup = None
    if path.exists():
        backup = path.with_name(f"{path.name}.{stamp}")
        write_private(backup, path.read_bytes(), mode=READABLE)
    write_private(path, text.encode(), mode=READABLE)
    return backup
