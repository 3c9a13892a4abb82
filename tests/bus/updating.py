"""Scripted table nodes that take new firmware over the bus (PROTOCOL.md): what they keep is a prefix of what they did."""

import hashlib
from collections.abc import Sequence
from typing import Any

from pi_controller.bus.frame import MASTER, Frame
from pi_controller.bus.messages import (
    BLOCK_BYTES,
    BLOCKS_A_PART,
    BlockMessage,
    Info,
    Message,
    OfferMessage,
    ProgressMessage,
    StepMessage,
    to_frame,
)
from pi_controller.bus.values import FirmwareAsked, UpdateState, UpdateTrouble
from tests.bus.hall import Hall
from tests.bus.tables import Table

KEY = bytes(range(32))
OLD, NEW = (1, 6), (1, 7)
BOOT_US = 700_000
WRITE_US = 90_000
UNPACK_US = 600_000
GOES_BACK_US = 60_000_000


def key_mark(key: bytes = KEY) -> bytes:
    return hashlib.sha256(key).digest()[:4]


class UpdatingTable(Table):
    """`keeps` is what its flash holds: which firmware runs, and which is on trial by which offer."""

    def __init__(self, hall: Hall, number: int, *, key: bytes | None = KEY, **how: Any) -> None:
        super().__init__(hall.wire, number, **how)
        self.protocols = (1, 7)
        self.key = key
        self.runs = OLD
        self.trial: tuple[tuple[int, int], int] | None = None
        self.starts = True
        """What it gets starts."""
        self.proves = True
        self.image = b""
        self.blocks_heard = 0
        self.dies_at: int | None = None
        """It loses its power when it has heard so many of the update's frames."""
        self.deaf_until_us = 0
        self._frames = 0
        self._forget()

    @property
    def firmware(self) -> tuple[int, int]:
        return self.runs if self.trial is None else self.trial[0]

    def _forget(
        self, state: UpdateState = "nothing", why: UpdateTrouble | None = None, offer: int = 0
    ) -> None:
        self.offer, self.update, self.why = offer, state, why
        self.size, self.offered, self.part = 0, OLD, 0
        self.have: dict[int, bytes] = {}
        self.image = b""

    def lose_power(self) -> None:
        """Back after a while; a trial starts once more, and the second time it is over."""
        self.address, self.alive = None, False
        trial, self.trial = self.trial, None
        self._forget("went_back", "not_started", trial[1]) if trial else self._forget()
        self.wire.at(self.wire.now + BOOT_US, self._back)

    def _back(self) -> None:
        self.alive = True
        self.reboot()

    def _try(self) -> None:
        """The loader has the new firmware on trial."""
        firmware, offer = self.offered, self.offer
        self.address, self.alive = None, False
        if not self.starts:
            self._forget("went_back", "not_started", offer)
            self.wire.at(self.wire.now + 2 * BOOT_US, self._back)
            return
        self.trial = firmware, offer
        self.wire.at(self.wire.now + BOOT_US, self._back)
        self.wire.at(self.wire.now + BOOT_US, lambda: self._forget("trying", offer=offer))
        self.wire.at(self.wire.now + BOOT_US + GOES_BACK_US, lambda: self._go_back(offer))

    def _go_back(self, offer: int) -> None:
        if self.trial is not None and self.trial[1] == offer:
            self.lose_power()
            self.why = "not_kept"

    def _knows(self, frame: Frame) -> bool:
        if self.wire.now < self.deaf_until_us:
            return False
        if frame.type not in (OfferMessage.layout.type, BlockMessage.layout.type, StepMessage.layout.type):
            return super()._knows(frame)
        self._frames += 1
        if self._frames == self.dies_at:
            self.lose_power()
            return False
        return frame.version <= self.protocols[1]

    def _take(self, message: Message, frame: Frame) -> None:
        if isinstance(message, BlockMessage):
            self.blocks_heard += 1
            if self.update == "fetching" and (message.offer, message.part) == (self.offer, self.part):
                self.have[message.block] = message.data
        else:
            super()._take(message, frame)

    def _told(self, message: Message, frame: Frame) -> None:
        if isinstance(message, OfferMessage):
            self._offered(message)
        elif isinstance(message, StepMessage):
            self._step(message)
        else:
            super()._told(message, frame)
            return
        self._later(self._progress, frame.seq)

    def _offered(self, offer: OfferMessage) -> None:
        if self.update == "trying" or self.offer == offer.offer:
            return
        if self.state is None or not self.state.maintenance:
            self._forget("refused", "no_maintenance", offer.offer)
            self.offer = 0
        elif self.key is None or offer.key != key_mark(self.key):
            self._forget("refused", "no_key" if self.key is None else "other_key", offer.offer)
        else:
            self._forget("fetching", offer=offer.offer)
            self.size, self.offered = offer.size, offer.firmware

    def _wanted(self) -> Sequence[int]:
        left = self.size - self.part * BLOCKS_A_PART * BLOCK_BYTES
        return range(min(BLOCKS_A_PART, -(-left // BLOCK_BYTES)))

    def _step(self, step: StepMessage) -> None:
        if step.offer != self.offer:
            return
        now = self.wire.now
        if step.what == "ask" and self.update == "fetching" and len(self.have) == len(self._wanted()):
            self.wire.at(now + 9_000, self._write)
        elif step.what == "try" and self.update == "whole":
            self.wire.at(now + 9_000, self._try)
        elif step.what == "keep" and self.trial is not None:
            self.wire.at(now + 9_000, self._keep)
        elif step.what == "leave":
            self._forget()

    def _keep(self) -> None:
        if self.trial is not None:
            self.runs, self.trial = self.trial[0], None
            self.update = "kept"

    def _write(self) -> None:
        """The part, once; meanwhile it is deaf."""
        if self.update != "fetching" or len(self.have) < len(self._wanted()):
            return
        self.deaf_until_us = self.wire.now + WRITE_US
        self.image += b"".join(self.have[block] for block in sorted(self.have))
        self.have = {}
        self.part += 1
        if self.part * BLOCKS_A_PART * BLOCK_BYTES >= self.size:
            self.update = "unpacking"
            self.wire.at(self.wire.now + UNPACK_US, self._unpacked)

    def _unpacked(self) -> None:
        if self.update == "unpacking":
            self.update = "whole" if self.proves else "refused"
            self.why = None if self.proves else "not_proved"

    def _progress(self, seq: int, src: int) -> Frame:
        missing = set(self._wanted()) - self.have.keys() if self.update == "fetching" else ()
        said = ProgressMessage(
            offer=self.offer, state=self.update, why=self.why, part=self.part, missing=frozenset(missing)
        )
        return to_frame(said, dst=MASTER, src=src, seq=seq)

    def _info(self, seq: int, src: int) -> Frame:
        low, high = self.protocols
        message = Info(
            uid=self.uid, hardware=1, firmware=self.firmware, proto_min=low, proto_max=high, boots=self.boots
        )
        return to_frame(message, dst=MASTER, src=src, seq=seq)


def updating_hall(tables: int, **how: Any) -> Hall:
    """A segment in maintenance whose tables are all there."""
    hall = Hall(0, **how)
    hall.tables += [UpdatingTable(hall, number) for number in range(1, tables + 1)]
    hall.run(6_000_000)
    hall.show(maintenance=True, phase="ready", running=False)
    hall.run(500_000)
    return hall


def firmware_for(hall: Hall, *, size: int = 7_000, offer: int = 4711) -> FirmwareAsked:
    image = bytes(number * 7 % 251 for number in range(size))
    uids = tuple(table.uid for table in hall.tables)
    return FirmwareAsked(uids=uids, offer=offer, firmware=NEW, key=key_mark(), image=image)
