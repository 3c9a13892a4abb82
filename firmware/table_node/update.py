"""New firmware over the bus, protocol 7 (PROTOCOL.md). Imported when needed: in play its memory is free.

`board.files()` is the flash. Paths have no leading slash; everything raises OSError:
open(path, "rb" or "wb") -> file with read(size), write(data), close(): what was written stands from then on;
rename(old, new) whole or not at all, over what stands there; remove(path); make(folder);
names(folder) -> those in it, [] when there is none; free() -> bytes;
inflate(file) -> read(size) over the stream of zlib that stands in the open file from here on, ValueError too.
"""

import gc
import hashlib
from struct import pack_into, unpack_from

from table_node import messages as m

OFFER, BLOCK, STEP, PROGRESS = range(17, 21)
ASK, TRY, KEEP, LEAVE = range(4)
NOTHING, FETCHING, UNPACKING, WHOLE, TRYING, KEPT, REFUSED, WENT_BACK = range(8)
NO_MAINTENANCE, NO_KEY, OTHER_KEY, NO_ROOM, NOT_PROVED, NOT_UNPACKED, NOT_WRITTEN, NOT_KEPT = range(1, 9)
LARGEST_IMAGE = 262_144
BLOCK_BYTES = 24
BLOCKS_A_PART = 128
PART_BYTES = BLOCK_BYTES * BLOCKS_A_PART
PROGRESS_SIZE = 21
PATIENCE_SECONDS = 60
"""Without maintenance, without a frame of the offer, or on trial without "keep"."""

IMAGE = "image"
KEY = "key"
KEY_BYTES = 32
SLOT = "slot"
FOLDERS = ("a", "b")
PACKAGE = "table_node"
MAGIC = b"TNFW\x01"
HEAD_BYTES = 8
MAC_BYTES = 32
_STREAM_AT = HEAD_BYTES + MAC_BYTES
_PIECE = 512
"""Bytes in a slice of work: the flash erases at most one sector in it, in 0.4 s. Little memory is free in one
piece when a node has run for long."""
_WORK_US = 60_000
_LISTEN_US = 30_000
"""So long it works, and then it listens for who asks."""
_SPARE_BYTES = 32_768
"""Beyond the image and what it unpacks to: the file system's own."""
_TROUBLES = {28: NO_ROOM, 22: NOT_UNPACKED}
"""By the number of an OSError: no space left, and what `inflate` raises for a broken stream."""
_GROWS = 3
"""An image unpacks to less than so many times its size."""


class Offer:
    """`firmware` is major << 8 | minor, `key` the first bytes of the key's SHA-256."""

    def __init__(self):
        self.offer = 0
        self.size = 0
        self.firmware = 0
        self.key = b""

    def read(self, payload):
        offer, size, firmware, key = unpack_from("<HIH4s", payload)
        if not offer or not 0 < size <= LARGEST_IMAGE:
            return False
        self.offer, self.size, self.firmware, self.key = offer, size, firmware, key
        return True


class Block:
    """`data` is that of the payload, which holds until the next frame comes."""

    def __init__(self):
        self.offer = 0
        self.part = 0
        self.block = 0
        self.data = b""

    def read(self, payload):
        offer = payload[0] | payload[1] << 8
        if not offer or payload[3] >= BLOCKS_A_PART:
            return False
        self.offer, self.part, self.block, self.data = offer, payload[2], payload[3], payload[4:]
        return True


class Step:
    def __init__(self):
        self.offer = 0
        self.what = ASK

    def read(self, payload):
        offer = payload[0] | payload[1] << 8
        if not offer or payload[2] > LEAVE:
            return False
        self.offer, self.what = offer, payload[2]
        return True


class Progress:
    """What `pack_progress` sends. Bit k of byte j of `missing`: block 8 j + k of `part` is missing."""

    def __init__(self):
        self.offer = 0
        self.state = NOTHING
        self.why = 0
        self.part = 0
        self.missing = bytearray(BLOCKS_A_PART // 8)


def pack_progress(into, progress):
    """Writes the payload to the beginning of `into`; returns its size."""
    pack_into("<HBBB", into, 0, progress.offer, progress.state, progress.why, progress.part)
    into[5:PROGRESS_SIZE] = progress.missing
    return PROGRESS_SIZE


class Refused(Exception):  # noqa: N818 - what is the case
    """Of an image: `why` as PROGRESS says it."""

    def __init__(self, why):
        super().__init__(why)
        self.why = why


class Update:
    """What a node has of an image, and what is to be done with it."""

    def __init__(self, board):
        self._board = board
        self._files = board.files()
        self._offer = Offer()
        self._block = Block()
        self._step = Step()
        self._progress = Progress()
        self._part = bytearray()  # bytes of the part that is wanted, kept since the first offer
        self._work = None  # a job that goes on in slices
        self._then = None  # begins when the answer is over
        self._image = None  # the open file that is being written
        self._worked_us = 0  # since it last listened
        self._ended = board.ticks_us()  # the newest slice
        self._quiet = 0  # seconds without a frame
        self._barred = 0  # seconds without maintenance
        self._tried = 0  # seconds on trial
        self._own, self._trial = read_slot(board.slot(), self._progress)

    # What the node asks and tells

    def busy(self):
        """The image has the table for itself."""
        return self._progress.state in (FETCHING, UNPACKING, WHOLE)

    def over(self):
        """Nothing is going on that would not be known from flash, or that anybody waits for."""
        return self._quiet >= PATIENCE_SECONDS and not self.busy() and self._progress.state != TRYING

    def percent(self):
        if self._progress.state != FETCHING:
            return 100
        return min(99, 100 * PART_BYTES * self._progress.part // self._offer.size)

    def hear(self, frame, maintenance):
        """A BLOCK, OFFER or STEP; True when it is to be answered."""
        if frame.type == BLOCK:
            self._hear_block(frame)
            return False
        return self._hear_step(frame) if frame.type == STEP else self._hear_offer(frame, maintenance)

    def _hear_offer(self, frame, maintenance):
        offer, progress = self._offer, self._progress
        before = offer.size, offer.firmware
        if not offer.read(frame.payload):
            return False
        self._quiet = 0
        same = offer.offer == progress.offer and progress.state != REFUSED
        if self.busy():
            same = same and before == (offer.size, offer.firmware)
        if not same and progress.state != TRYING:
            self._begin(maintenance)
        return True

    def _hear_block(self, frame):
        block, progress = self._block, self._progress
        if progress.state != FETCHING or not m.fits(frame.version, BLOCK, frame.size):
            return
        if not block.read(frame.payload) or block.offer != progress.offer:
            return
        self._quiet = 0
        if block.part == progress.part:
            start = block.block * BLOCK_BYTES
            self._part[start : start + BLOCK_BYTES] = block.data
            progress.missing[block.block >> 3] &= ~(1 << (block.block & 7))

    def _hear_step(self, frame):
        step, progress = self._step, self._progress
        if not step.read(frame.payload):
            return False
        self._quiet = 0
        self._then = None
        if step.offer != progress.offer:
            return True
        if step.what == ASK and progress.state == FETCHING and not self._work and not any(progress.missing):
            self._then = self._store
        elif step.what == TRY and progress.state == WHOLE:
            self._then = self._try
        elif step.what == KEEP and progress.state == TRYING:
            self._then = self._keep
        elif step.what == LEAVE and progress.state != TRYING:
            self._leave()
        return True

    def pack(self, into):
        """As `pack_progress`."""
        return pack_progress(into, self._progress)

    def answered(self):
        """The answer is over: now there is time for the flash. True when it was deaf meanwhile."""
        then, self._then = self._then, None
        if then:
            then()
        return then is not None

    def work(self):
        """One slice of what goes on, as deaf; True when it did one. Now and then it is time to listen."""
        if not self._work:
            return False
        board = self._board
        began = board.ticks_us()
        if self._worked_us >= _WORK_US:
            if board.ticks_diff(began, self._ended) < _LISTEN_US:
                return False
            self._worked_us = 0
        self._slice(self._work)
        self._ended = board.ticks_us()
        self._worked_us += board.ticks_diff(self._ended, began)
        return True

    def _slice(self, work):
        try:
            next(work)
        except StopIteration:
            self._work = None
        except Refused as refused:
            self._refuse(refused.why)
        except MemoryError:
            self._refuse(NO_ROOM)
        except OSError as error:
            self._refuse(_TROUBLES.get(error.args[0] if error.args else 0, NOT_WRITTEN))
        self._board.feed()

    def second(self, maintenance):
        """A second has passed."""
        self._quiet += 1
        self._barred = 0 if maintenance else self._barred + 1
        if self._progress.state == TRYING:
            self._tried += 1
            if self._tried >= PATIENCE_SECONDS:
                self._write_slot(f"{self._own} - {NOT_KEPT} {self._progress.offer}")
                self._board.reboot()
        elif self.busy() and max(self._quiet, self._barred) >= PATIENCE_SECONDS:
            self._leave()

    # Fetching

    def _begin(self, maintenance):
        self._leave()
        progress = self._progress
        progress.offer = self._offer.offer
        key = self._key()
        if not maintenance:
            self._refuse(NO_MAINTENANCE)
        elif key is None:
            self._refuse(NO_KEY)
        elif hashlib.sha256(key).digest()[:4] != self._offer.key:
            self._refuse(OTHER_KEY)
        else:
            progress.state = FETCHING
            gc.collect()
            self._part = self._part or bytearray(PART_BYTES)
            self._want(0)
            self._work = self._make_room()

    def _make_room(self):
        """Everything of an image before, file by file."""
        files = self._files
        package = f"{self._trial}/{PACKAGE}"
        for name in files.names(package):
            files.remove(f"{package}/{name}")
            yield
        if IMAGE in files.names(""):
            files.remove(IMAGE)
        if files.free() < (1 + _GROWS) * self._offer.size + _SPARE_BYTES:
            raise Refused(NO_ROOM)

    def _want(self, part):
        progress = self._progress
        progress.part = part
        blocks = (self._left() + BLOCK_BYTES - 1) // BLOCK_BYTES
        for at in range(BLOCKS_A_PART):
            bit = 1 << (at & 7)
            if at < blocks:
                progress.missing[at >> 3] |= bit
            else:
                progress.missing[at >> 3] &= ~bit

    def _left(self):
        """Bytes of the part that is wanted."""
        return min(PART_BYTES, self._offer.size - PART_BYTES * self._progress.part)

    def _store(self):
        self._work = self._append()
        while self._work and self._progress.state == FETCHING:
            self._slice(self._work)

    def _append(self):
        left, part = self._left(), self._progress.part
        image = self._image = self._image or self._files.open(IMAGE, "wb")
        for start in range(0, left, _PIECE):
            image.write(self._part[start : min(start + _PIECE, left)])
            yield
        if PART_BYTES * part + left < self._offer.size:
            self._want(part + 1)
            return
        image.close()
        self._image = None
        self._progress.part = 0
        self._progress.state = UNPACKING
        yield from self._unpack()

    # Proving and unpacking

    def _unpack(self):
        files = self._files
        file = files.open(IMAGE, "rb")
        try:
            head = file.read(HEAD_BYTES)
            mac = file.read(MAC_BYTES)
            if head != MAGIC + bytes((self._offer.firmware & 255, self._offer.firmware >> 8, 0)):
                raise Refused(NOT_UNPACKED)
            yield from _prove(file, self._key() or b"", head, mac)
        finally:
            file.close()
        file = files.open(IMAGE, "rb")
        gc.collect()
        try:
            file.read(_STREAM_AT)
            yield from self._write_files(files.inflate(file))
        except (ValueError, EOFError):
            raise Refused(NOT_UNPACKED)  # noqa: B904 - MicroPython has no causes
        finally:
            file.close()
        files.remove(IMAGE)
        self._progress.state = WHOLE

    def _write_files(self, stream):
        files = self._files
        package = f"{self._trial}/{PACKAGE}"
        if PACKAGE not in files.names(self._trial):
            if self._trial not in files.names(""):
                files.make(self._trial)
            files.make(package)
        while True:
            size = _exactly(stream, 1)[0]
            if not size:
                return
            path = _exactly(stream, size)
            left = unpack_from("<I", _exactly(stream, 4))[0]
            file = files.open(f"{package}/{_name(path)}", "wb")
            try:
                while left:
                    data = _exactly(stream, min(left, _PIECE))
                    file.write(data)
                    left -= len(data)
                    yield
            finally:
                file.close()
            yield

    # What becomes of it

    def _try(self):
        if self._write_slot(f"{self._own} {self._trial} 0 {self._progress.offer}"):
            self._board.reboot()
        self._refuse(NOT_WRITTEN)

    def _keep(self):
        if self._write_slot(f"{self._trial} + 0 {self._progress.offer}"):
            self._own, self._trial = self._trial, self._own
            self._progress.state = KEPT

    def _write_slot(self, text):
        files = self._files
        try:
            file = files.open(SLOT + ".new", "wb")
            try:
                file.write(text.encode())
            finally:
                file.close()
            files.rename(SLOT + ".new", SLOT)
        except OSError:
            return False
        return True

    def _key(self):
        try:
            file = self._files.open(KEY, "rb")
        except OSError:
            return None
        try:
            key = file.read(KEY_BYTES + 1)
        finally:
            file.close()
        return key if len(key) == KEY_BYTES else None

    def _refuse(self, why):
        offer = self._progress.offer
        self._leave()
        self._progress.offer = offer
        self._progress.state = REFUSED
        self._progress.why = why

    def _leave(self):
        progress = self._progress
        progress.offer = progress.state = progress.why = progress.part = 0
        for at in range(len(progress.missing)):
            progress.missing[at] = 0
        work, self._work = self._work, None
        if work:
            work.close()
        self._then = None
        image, self._image = self._image, None
        if image:
            try:
                image.close()
            except OSError as error:
                print("image", error)  # of no use any more


def read_slot(line, progress):
    """The folder that runs and the other one; what is known of an offer goes into `progress`."""
    words = (line or b"").decode().split()
    own = words[0] if words and words[0] in FOLDERS else FOLDERS[0]
    other = FOLDERS[1 - FOLDERS.index(own)]
    if len(words) == 4 and words[2].isdigit() and words[3].isdigit():
        what = {"+": KEPT, "-": WENT_BACK, other: TRYING}.get(words[1], NOTHING)
        progress.state = what
        progress.offer = int(words[3]) if what else 0
        progress.why = int(words[2]) if what == WENT_BACK else 0
    return own, other


def _prove(file, key, head, mac):
    """HMAC-SHA256 (RFC 2104) over the head and what follows in the file; Refused when it is another one."""
    inner = hashlib.sha256(_pad(key, 0x36) + head)
    while True:
        data = file.read(_PIECE)
        if not data:
            break
        inner.update(data)
        yield
    found = hashlib.sha256(_pad(key, 0x5C) + inner.digest()).digest()
    differs = 0
    for one, other in zip(found, mac):  # noqa: B905 - MicroPython; both are compared to their end
        differs |= one ^ other
    if differs or len(mac) != MAC_BYTES:
        raise Refused(NOT_PROVED)


def _pad(key, byte):
    return bytes([each ^ byte for each in key]) + bytes([byte]) * (64 - len(key))


def _exactly(stream, size):
    data = stream.read(size)
    while len(data) < size:
        more = stream.read(size - len(data))
        if not more:
            raise Refused(NOT_UNPACKED)
        data += more
    return data


def _name(path):
    """Of a file of the package; Refused for any other path."""
    folder, _, name = path.partition(b"/")
    stem = name[:-4]
    if folder != PACKAGE.encode() or name[-4:] != b".mpy" or not stem:
        raise Refused(NOT_UNPACKED)
    for character in stem:
        if not (0x61 <= character <= 0x7A or 0x30 <= character <= 0x39 or character == 0x5F):
            raise Refused(NOT_UNPACKED)
    return name.decode()
