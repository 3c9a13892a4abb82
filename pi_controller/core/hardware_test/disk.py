"""The test of the disk: small files written, synced, read back and deleted. Blocks; for a thread."""

import os
import secrets
import time
from pathlib import Path

from pi_controller.journal.files import FileSystem, write_all
from pi_controller.protocol.probes import DiskChecked

NS_PER_MS = 1e6
SYSFS = Path("/sys")


def check_disk(
    folder: Path, *, writes: int, size: int, files: FileSystem, sysfs: Path = SYSFS
) -> DiskChecked:
    """Write so many files of so many bytes into a folder of their own below this one. Raises OSError.

    Nothing stays, also after an error, as far as the disk lets it be removed.
    """
    place = folder / f"test-{secrets.token_hex(4)}"
    files.make_folder(place)
    written: dict[Path, bytes] = {}
    took_ms: list[float] = []
    try:
        for number in range(writes):
            path, content = place / f"{number:03}", secrets.token_bytes(size)
            written[path] = content
            took_ms.append(_write(files, path, content))
        files.sync_folder(place)
        verified = all(files.read_back(path) == content for path, content in written.items())
    finally:
        _remove(files, place, written)
    took_ms.sort()
    return DiskChecked(
        p50_ms=part(took_ms, 0.50),
        p99_ms=part(took_ms, 0.99),
        worst_ms=took_ms[-1],
        verified=verified,
        free_bytes=files.free_bytes(folder),
        errors=counted_errors(folder, sysfs),
    )


def part(sorted_ms: list[float], share: float) -> float:
    """The value that this share of all does not exceed."""
    return sorted_ms[max(0, -(-int(share * 100) * len(sorted_ms) // 100) - 1)]


def counted_errors(folder: Path, sysfs: Path) -> int | None:
    """The errors that the folder's file system has counted; None where it counts none (only ext4 does)."""
    device = folder.stat().st_dev
    block = sysfs / "dev" / "block" / f"{os.major(device)}:{os.minor(device)}"
    counter = sysfs / "fs" / "ext4" / block.resolve().name / "errors_count"
    return int(counter.read_text(encoding="ascii")) if counter.exists() else None


def _write(files: FileSystem, path: Path, content: bytes) -> float:
    """Milliseconds from the opening of the file until it is on the disk."""
    begin_ns = time.monotonic_ns()
    fd = files.create(path)
    try:
        write_all(files, fd, content)
        files.sync(fd)
    finally:
        files.close(fd)
    return (time.monotonic_ns() - begin_ns) / NS_PER_MS


def _remove(files: FileSystem, place: Path, written: dict[Path, bytes]) -> None:
    for path in written:
        if path.exists():
            files.remove(path)
    place.rmdir()
