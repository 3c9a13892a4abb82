"""A small file that is written beside the loop: of several contents that wait, the newest."""

import logging
from pathlib import Path

from pi_controller.hal.system.file_thread import PATIENCE_S, FileThread
from pi_controller.journal.private import write_private

LOG = logging.getLogger(__name__)


class KeptFile:
    """`files` writes it. Called on one thread."""

    def __init__(self, path: Path, files: FileThread) -> None:
        self._path = path
        self._files = files
        self._newest: bytes | None = None

    def keep(self, content: bytes) -> None:
        """Returns at once. What cannot be written is told in the log."""
        waits, self._newest = self._newest is not None, content
        if not waits:
            self._files.begin(self._write)

    async def written(self, *, patience_s: float = PATIENCE_S) -> None:
        """Returns when all that was kept is on the disk, or was tried. DiskSlow."""
        await self._files.do(lambda: None, patience_s=patience_s)

    def _write(self) -> None:
        content, self._newest = self._newest, None
        if content is None:
            return
        try:
            write_private(self._path, content)
        except OSError as problem:
            LOG.warning("%s is not kept: %s", self._path, problem)
