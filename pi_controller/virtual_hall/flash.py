"""The flash of a virtual node: files that take the time of a real one and outlive a restart, and its loader's
choice between two folders with firmware."""

from collections.abc import Callable
from io import BytesIO
from random import Random
from zlib import decompress, error

from table_node import start, update

SECTOR, PAGE = 4096, 256
"""Bytes that are erased, and programmed, at a time (W25Q16 data sheet)."""
ERASE_US, LONGEST_ERASE_US = 45_000, 400_000
PROGRAM_US = (400, 800)
FREE_BYTES = 1_300_000
"""Beside the firmware that runs."""
NOT_FOUND, NO_SPACE = 2, 28
COMPILED = b"M"
"""So begins each module; a torn one is not loaded."""


class VirtualFlash:
    """The object that `table_node/update.py` asks for. `spend` lets the processor stand still for so many
    microseconds; `now_us` is its time."""

    def __init__(self, *, random: Random, now_us: Callable[[], int], spend: Callable[[int], None]) -> None:
        self.kept: dict[str, bytes] = {}
        """Files by their paths."""
        self._random = random
        self._now_us = now_us
        self._spend = spend
        self._under_way: list[tuple[int, int, Callable[[float], None]]] = []
        """From when to when each of the last operations takes, and what makes only a part of it so."""
        self._versions: dict[str, tuple[int, int]] = {}
        """Of the firmware in each folder, but for the one that was there from the beginning."""

    def open(self, path: str, mode: str) -> "VirtualFile":
        if mode == "wb":
            before = self.kept.get(path)
            self.kept[path] = b""
            self._take(self._erase_us(), lambda _part: self._put_back(path, before))
            if (folder := path.partition("/")[0]) != path:
                image = self.kept.get(update.IMAGE, b"")
                self._versions[folder] = (image[6], image[5]) if len(image) > update.HEAD_BYTES else (0, 0)
        elif path not in self.kept:
            raise OSError(NOT_FOUND, path)
        return VirtualFile(self, path)

    def append(self, path: str, data: bytes) -> None:
        """OSError when there is no room."""
        before = self.kept[path]
        if self.free() < len(data):
            raise OSError(NO_SPACE, path)
        self.kept[path] = before + data
        pages = -(-len(data) // PAGE)
        sectors = (len(before) + len(data)) // SECTOR - len(before) // SECTOR
        us = sum(self._random.randint(*PROGRAM_US) for _ in range(pages))
        us += sum(self._erase_us() for _ in range(sectors))
        self._take(us, lambda part: self._put_back(path, before + data[: int(len(data) * part)]))

    def rename(self, old: str, new: str) -> None:
        before, moved = self.kept.get(new), self.kept.pop(old)

        def undo(_part: float) -> None:
            self.kept[old] = moved
            self._put_back(new, before)

        self.kept[new] = moved
        self._take(self._erase_us(), undo)

    def remove(self, path: str) -> None:
        gone = self.kept.pop(path)
        self._take(self._random.randint(*PROGRAM_US), lambda _part: self._put_back(path, gone))

    def make(self, folder: str) -> None:
        """There are no folders without files."""

    def names(self, folder: str) -> list[str]:
        begin = f"{folder}/" if folder else ""
        inside = (path.removeprefix(begin) for path in self.kept if path.startswith(begin))
        return sorted({path.partition("/")[0] for path in inside})

    def free(self) -> int:
        return FREE_BYTES - sum(map(len, self.kept.values()))

    def inflate(self, file: "VirtualFile") -> BytesIO:
        try:
            return BytesIO(decompress(file.read(FREE_BYTES)))
        except error as broken:
            raise ValueError("broken") from broken

    def lose_power(self, now_us: int) -> None:
        """What was under way is done in part, what would have come after it not at all."""
        for begin_us, end_us, undo in reversed(self._under_way):
            if end_us > now_us:
                undo(max(0.0, (now_us - begin_us) / (end_us - begin_us)))
        self._under_way.clear()

    def load(self, own: tuple[int, int]) -> tuple[int, int]:
        """The version of the firmware that starts now, as the node's loader has it: `own` where none came
        over the bus. A trial that does not start is over."""
        text = self.kept.get(start.SLOT, b"").decode()
        folder, counted = start.chosen(text)
        if counted:
            self._write_slot(counted)
            if folder != text.split()[0] and not self._starts(folder):
                self._write_slot(start.gone_back(text))
                return self.load(own)
        return self._versions.get(folder, own)

    def _starts(self, folder: str) -> bool:
        modules = [data for path, data in self.kept.items() if path.startswith(f"{folder}/")]
        return bool(modules) and all(data.startswith(COMPILED) for data in modules)

    def _write_slot(self, text: str) -> None:
        self.kept[start.SLOT] = text.encode()

    def _put_back(self, path: str, data: bytes | None) -> None:
        if data is None:
            self.kept.pop(path, None)
        else:
            self.kept[path] = data

    def _erase_us(self) -> int:
        return min(LONGEST_ERASE_US, round(ERASE_US * (0.8 + self._random.expovariate(5.0))))

    def _take(self, us: int, undo: Callable[[float], None]) -> None:
        now_us = self._now_us()
        self._under_way = [one for one in self._under_way if one[1] > now_us]
        self._under_way.append((now_us, now_us + us, undo))
        self._spend(us)


class VirtualFile:
    """An open file; what is written stands at once."""

    def __init__(self, flash: VirtualFlash, path: str) -> None:
        self._flash = flash
        self._path = path
        self._at = 0

    def read(self, size: int) -> bytes:
        data = self._flash.kept[self._path][self._at : self._at + size]
        self._at += len(data)
        return data

    def write(self, data: bytes) -> None:
        self._flash.append(self._path, bytes(data))

    def close(self) -> None:
        """Nothing is left to be written."""
