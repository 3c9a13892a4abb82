"""A master's side of new firmware, frame by frame, for one node's Update; and what the loader makes of its flash."""

import hashlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from pi_controller.bus.messages import (
    BLOCK_BYTES,
    BLOCKS_A_PART,
    BlockMessage,
    Message,
    OfferMessage,
    ProgressMessage,
    StepMessage,
    from_frame,
    to_frame,
)
from pi_controller.bus.values import UpdateStep
from pi_controller.flashing.build import FirmwarePart
from pi_controller.flashing.image import pack
from table_node import start
from table_node.update import PROGRESS_SIZE, Update
from tests.firmware.hand_board import HandBoard, HandFiles, Rebooted

KEY = bytes(range(32))
OTHER_KEY = bytes(range(1, 33))
OFFER = 48_879
FIRMWARE = (1, 8)
PART_BYTES = BLOCK_BYTES * BLOCKS_A_PART


def key_mark(key: bytes) -> bytes:
    """How an offer names the key."""
    return hashlib.sha256(key).digest()[:4]


def files_of(word: str) -> dict[str, bytes]:
    """The files of a firmware, in each of which this word stands; together they are more than a part, packed."""
    noise = b"".join(word.encode() + bytes((at * at % 251, at * 7 % 256, at >> 3)) for at in range(1200))
    return {
        "table_node/main.mpy": word.encode(),
        "table_node/glyphs.mpy": noise,
        "table_node/words_de.mpy": b"",
    }


OLD, NEW = files_of("old"), files_of("new")


def packed(files: dict[str, bytes] = NEW, key: bytes = KEY) -> bytes:
    parts = [FirmwarePart(path=path, data=data) for path, data in files.items()]
    return pack(parts, firmware=FIRMWARE, key=key)


def flash(**more: bytes) -> HandFiles:
    """Of a node that runs OLD from folder a, with the key."""
    return HandFiles({f"a/{path}": data for path, data in OLD.items()} | {"key": KEY} | more)


def blocks(data: bytes, part: int) -> dict[int, bytes]:
    """Of this part of the image, by their numbers."""
    piece = data[part * PART_BYTES : (part + 1) * PART_BYTES]
    count = -(-len(piece) // BLOCK_BYTES)
    return {
        at: piece[at * BLOCK_BYTES : (at + 1) * BLOCK_BYTES].ljust(BLOCK_BYTES, b"\0") for at in range(count)
    }


class Told:
    """One run of a node's Update between two starts, told by a master; `files` is its flash."""

    def __init__(self, files: HandFiles, *, offer: int = OFFER) -> None:
        self.board = HandBoard()
        self.board.kept = files
        self.offer_number = offer
        self.update: Any = Update(self.board)

    def offer(self, data: bytes, *, key: bytes = KEY, maintenance: bool = True) -> ProgressMessage:
        offer = OfferMessage(offer=self.offer_number, size=len(data), firmware=FIRMWARE, key=key_mark(key))
        assert self.update.hear(heard(offer), maintenance)
        return self.told()

    def block(self, part: int, number: int, data: bytes) -> None:
        self.update.hear(
            heard(BlockMessage(offer=self.offer_number, part=part, block=number, data=data)), True
        )

    def step(self, what: UpdateStep = "ask") -> ProgressMessage:
        assert self.update.hear(heard(StepMessage(offer=self.offer_number, what=what)), True)
        return self.told()

    def told(self) -> ProgressMessage:
        """The answer; then all that it does because of it."""
        into = bytearray(29)
        assert self.update.pack(into) == PROGRESS_SIZE
        progress = from_frame(SimpleNamespace(version=7, type=20, payload=bytes(into[:PROGRESS_SIZE])))  # type: ignore[arg-type]
        assert isinstance(progress, ProgressMessage)
        self.update.answered()
        while self.update.work():
            pass
        return progress

    def seconds(self, count: int, *, maintenance: bool = True) -> None:
        for _ in range(count):
            self.update.second(maintenance)

    def fetch(self, data: bytes) -> ProgressMessage:
        """The whole image, until the node is done with it."""
        progress = self.offer(data)
        while progress.state == "fetching":
            for number, piece in blocks(data, progress.part).items():
                if number in progress.missing:
                    self.block(progress.part, number, piece)
            self.step()
            progress = self.step()
        return progress


def heard(message: Message) -> Any:
    frame = to_frame(message, dst=1, src=0, seq=0)
    return SimpleNamespace(
        version=frame.version, type=frame.type, size=len(frame.payload), payload=memoryview(frame.payload)
    )


def loads(files: HandFiles) -> str:
    """What the loader does with this flash at a start; the folder that runs then."""
    folder, written = start.chosen(files.kept.get("slot", b"").decode())
    if written:
        save(files, written)
    return folder


def fails(files: HandFiles) -> None:
    """A trial that ends in an exception."""
    save(files, start.gone_back(files.kept["slot"].decode()))


def save(files: HandFiles, line: str) -> None:
    file = files.open("slot.new", "wb")
    file.write(line.encode())
    file.close()
    files.rename("slot.new", "slot")


def in_folder(files: HandFiles, folder: str) -> dict[str, bytes]:
    return {
        path.removeprefix(f"{folder}/"): data
        for path, data in files.kept.items()
        if path.startswith(f"{folder}/")
    }


def renewed(files: HandFiles, offer: int = OFFER) -> Iterator[str]:
    """A whole update with its restarts; yields the folder that runs after each start, the last one for good."""
    yield loads(files)
    told = Told(files, offer=offer)
    assert told.fetch(packed()).state == "whole"
    try:
        told.step("try")
    except Rebooted:
        yield loads(files)
    told = Told(files, offer=offer)
    told.step("keep")
    assert told.step().state == "kept"
    yield loads(files)
