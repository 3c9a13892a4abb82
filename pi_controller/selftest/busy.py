"""A load for the computer's own supply: every processor hashes."""

import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PIECE = bytes(1 << 20)
"""Hashed without the interpreter's lock, which other threads get meanwhile."""


@contextmanager
def busy_processors() -> Iterator[None]:
    """One thread for each processor, until the end."""
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            hashlib.sha256(PIECE).digest()

    threads = [
        threading.Thread(target=work, name="selftest-load", daemon=True) for _ in range(os.cpu_count() or 1)
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()
