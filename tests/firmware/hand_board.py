"""A node's hardware moved by hand: its time, its cable, its buttons. Imports nothing that MicroPython lacks."""

TICKS = 1 << 30
MINUTE_US = 60_000_000


class Rebooted(BaseException):
    """The processor was reset by its own program."""


class Hung(BaseException):
    """The program stands still until the watchdog bites."""


class PowerCut(BaseException):
    """In the middle of an operation on the flash."""


class HandFile:
    """Of a HandFiles; what is written stands at once."""

    def __init__(self, files, path, mode):
        self._files = files
        self._path = path
        self._at = 0
        if mode == "wb":
            files.act()
            files.kept[path] = b""
        elif path not in files.kept:
            raise OSError(2)

    def read(self, size):
        data = self._files.kept[self._path][self._at : self._at + size]
        self._at += len(data)
        return data

    def readinto(self, buffer):
        """As `deflate` of MicroPython reads."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def write(self, data):
        files = self._files
        data = bytes(data)
        half = data[: len(data) // 2]
        try:
            files.act()
        except PowerCut:
            files.kept[self._path] += half
            raise
        if sum([len(each) for each in files.kept.values()]) + len(data) > files.size:
            raise OSError(28)
        files.kept[self._path] += data

    def close(self):
        self._files.act()


class HandFiles:
    """A flash in memory: `kept` are its files by path. Power is cut in the middle of operation `cut_at`, counted
    from 0, and stays off; every write raises OSError `fails` when that is set."""

    def __init__(self, kept=None, size=1_400_000):
        self.kept = kept or {}
        self.size = size
        self.done = 0
        self.cut_at = -1
        self.fails = 0

    def act(self):
        if 0 <= self.cut_at <= self.done:
            raise PowerCut
        if self.fails:
            raise OSError(self.fails)
        self.done += 1

    def open(self, path, mode):
        return HandFile(self, path, mode)

    def rename(self, old, new):
        self.act()
        self.kept[new] = self.kept.pop(old)

    def remove(self, path):
        self.act()
        del self.kept[path]

    def make(self, folder):
        self.act()

    def names(self, folder):
        start = folder + "/" if folder else ""
        found = [path[len(start) :].split("/")[0] for path in self.kept if path.startswith(start)]
        return list(set(found))

    def free(self):
        return self.size - sum([len(each) for each in self.kept.values()])

    def inflate(self, file):
        try:
            from deflate import ZLIB, DeflateIO  # noqa: PLC0415 - MicroPython
        except ImportError:
            from io import BytesIO  # noqa: PLC0415
            from zlib import decompress, error  # noqa: PLC0415

            try:
                return BytesIO(decompress(file.read(1 << 30)))
            except error:
                raise ValueError("broken") from None
        return DeflateIO(file, ZLIB)


class HandBoard:
    """True time is `now_us`; the crystal is `ppm` fast. `lamps` are levels, `sent` are (us, bytes)."""

    def __init__(self, *, uid=b"\x01\x23\x45\x67\x89\xab\xcd\xef", ppm=0, ticks=0, reset=0):
        self.uid = uid
        self.hardware = 1
        self.reset = reset
        self.now_us = 0
        self.ppm = ppm
        self.first_ticks = ticks
        self.line = []
        self.sent = []
        self.echo = False
        self.baud = 250_000
        self.pressed = [False, False]
        self.lamps = [0, 0, 0, 0]
        self.changes = [[], [], [], []]
        self.fed_us = 0
        self.flash = None
        self.saves = 0
        self.kept = HandFiles()
        self.watchdog_resets = 0

    def ticks_us(self):
        return (self.first_ticks + self.now_us + self.now_us * self.ppm // 1_000_000) % TICKS

    @staticmethod
    def ticks_diff(end, start):
        return (end - start + TICKS // 2) % TICKS - TICKS // 2

    @staticmethod
    def ticks_add(ticks, delta):
        return (ticks + delta) % TICKS

    def bring(self, data, at_us):
        """These bytes begin on the line at this true time; each can be read when it is over."""
        byte_us = 10_000_000 / self.baud
        for index in range(len(data)):
            self.line.append((at_us + int((index + 1) * byte_us), data[index]))
        self.line.sort(key=lambda item: item[0])
        return at_us + int(len(data) * byte_us)

    def read(self, buffer):
        count = 0
        while self.line and count < len(buffer) and self.line[0][0] <= self.now_us:
            buffer[count] = self.line.pop(0)[1]
            count += 1
        return count

    def send(self, buffer, count):
        data = bytes(buffer[:count])
        self.sent.append((self.now_us, data))
        if self.echo:
            self.bring(data, self.now_us)
        self.now_us += count * 10_000_000 // self.baud

    def set_baud(self, baud):
        self.baud = baud

    def button(self, side):
        return self.pressed[side]

    def lamp(self, which, level):
        self.lamps[which] = level
        self.changes[which].append((self.now_us, level))

    def supply(self):
        return 120

    def temperature(self):
        return 31

    def measure(self, measured):
        self.now_us += 2_000
        measured.supply_mv, measured.spread_mv, measured.loop = 24_025, 18, True

    def feed(self):
        self.fed_us = self.now_us

    def load(self):
        return self.flash

    def save(self, record):
        self.flash = bytes(record)
        self.saves += 1

    def slot(self):
        return self.kept.kept.get("slot")

    def files(self):
        return self.kept

    def reboot(self):
        raise Rebooted

    def hang(self):
        raise Hung

    def resets(self):
        return self.watchdog_resets


class HandDisplay:
    def __init__(self):
        self.ok = True
        self.on = False
        self.level = -1
        self.flushed = 0
        self.slices = 1

    def flush(self, budget_us):
        self.flushed += 1
        return self.flushed % self.slices == 0

    def contrast(self, level):
        self.level = level

    def power(self, on):
        self.on = on


class HandFace:
    """Writes down what a player would see: (true us, kind, seconds), one line for each change."""

    def __init__(self, board):
        self.board = board
        self.display = HandDisplay()
        self.view = None
        self.drawn = 0
        self.seen = []

    def draw(self, view):
        self.view = view
        self.drawn += 1
        looks = (view.kind, view.seconds)
        if not self.seen or self.seen[-1][1:] != looks:
            self.seen.append((self.board.now_us, view.kind, view.seconds))
