"""A process that goes on with the newest game, or begins one, and prints each tag it was told is saved."""

import sys
import threading
import time
from pathlib import Path

from pi_controller.journal.recovery import recover
from pi_controller.journal.store import Store
from pi_controller.journal.writer import JournalWriter

LONGEST = 3000


def main(state_dir: Path) -> None:
    store = Store(state_dir)
    store.prepare()
    room = threading.Semaphore(20)

    def told(tag: int, head: str) -> None:
        sys.stdout.write(f"{tag} {head}\n")
        sys.stdout.flush()
        room.release()

    with store.lock():
        writer = JournalWriter(
            store,
            boot_id="boot",
            wall=lambda: "2026-11-20T18:30:05Z",
            now_ns=lambda: time.clock_gettime_ns(time.CLOCK_BOOTTIME),
            on_saved=told,
            on_trouble=print,
            on_mended=print,
        )
        found = recover(state_dir, mend=True)
        begin = 0
        if found is None:
            writer.open_game("20261120-183005-ab12", bytes(32), {}, game_ns=0, boot_ns=0, tag=0)
            begin = 1
        else:
            writer.continue_game(found)
            begin = found.next_seq
        for tag in range(begin, begin + LONGEST):
            room.acquire(timeout=0.001)
            writer.append("did", {"n": tag}, game_ns=tag, boot_ns=tag, tag=tag)
        writer.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
