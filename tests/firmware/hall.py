"""One node on a hand-moved board, and a master that says what a test wants. Runs under MicroPython too."""

from struct import pack, unpack_from

from table_node import messages as m
from table_node.frame import EVERYBODY, LONGEST_FRAME, UNASSIGNED, Receiver, encode
from table_node.node import Node
from tests.firmware.hand_board import HandBoard, HandFace

ADDRESS = 7
REFRESH_US = 200_000


def frame(kind, payload, *, dst, src=0, seq=0, version=1):
    into = bytearray(LONGEST_FRAME)
    return bytes(into[: encode(into, version << 5 | kind, dst, src, seq, payload, len(payload))])


class Game:
    """What the master says in each STATE; fields as on the wire."""

    def __init__(self):
        self.epoch = 500
        self.seq = 1
        self.clock = 0  # master time at true time 0
        self.phase = m.READY
        self.flags = 0
        self.end_us = 0  # true time at which the phase ends, while running
        self.left_us = 0
        self.duration = 0
        self.resume_at = None
        self.rate = 256
        self.round = 0
        self.dice = 0
        self.target = 0
        self.last = 0
        self.reasons = 0
        self.brightness = 255
        self.acting = None  # in a game whose seats the node does not know: acting and next one, a nibble each

    def begin(self, now_us, *, flags=m.SUN_ACTIVE, phase=m.ROUND, seconds=35):
        """A phase begins now."""
        self.phase = phase
        self.flags = m.RUNNING | flags
        self.end_us = now_us + seconds * 1_000_000 * 256 // self.rate
        self.duration = seconds * 10
        self.changed()

    def pause(self, now_us, reasons=m.BUTTON):
        self.left_us = self.left(now_us)
        self.flags = self.flags & ~m.RUNNING | m.PAUSED
        self.reasons = reasons
        self.changed()

    def changed(self):
        self.seq = (self.seq + 1) & 0xFFFF

    def left(self, now_us):
        return max(0, (self.end_us - now_us) * self.rate // 256) if self.flags & m.RUNNING else self.left_us

    def state(self, now_us, *, version=None, seq=0):
        resume = m.NO_RESUME if self.resume_at is None else max(0, self.resume_at - now_us) // 1000
        payload = pack(
            "<HHIBHIHHHHBBBBB", self.epoch, self.seq, (self.clock + now_us) & 0xFFFFFFFF, self.phase, self.flags,
            self.left(now_us), self.duration, resume, self.rate, self.round, self.dice, self.target, self.last,
            self.reasons, self.brightness,
        )  # fmt: skip
        if self.acting is None and version in (None, 1):
            return frame(m.STATE, payload, dst=EVERYBODY, seq=seq)
        payload += bytes((0xFF if self.acting is None else self.acting,))
        return frame(m.STATE, payload, dst=EVERYBODY, seq=seq, version=version or 2)

    def short(self, *, epoch=None, seq=None, version=5, dst=EVERYBODY):
        """The PAUSE that says the newest picture, which is one, sooner than a STATE."""
        epoch, seq = self.epoch if epoch is None else epoch, self.seq if seq is None else seq
        payload = pack("<HHIB", epoch, seq, self.left_us, self.reasons)
        return frame(m.PAUSE, payload, dst=dst, version=version)


class Hall:
    """True time moves in steps of the node's loop; `jitter()` gives how long a pass takes."""

    make_face = HandFace

    def __init__(self, *, board=None, game=None, jitter=None, protocols=(1, 2), chance=b"\x09\x00\x64"):
        self.board = board or HandBoard()
        self.game = game or Game()
        self.jitter = jitter or (lambda: 1000)
        self.protocols = protocols
        self.chance = chance
        self.silent = False  # the master says nothing by itself
        self.next_state = self.board.now_us
        self.heard = Receiver()
        self.boot()

    def boot(self):
        self.faces = [self.make_face(self.board), self.make_face(self.board)]
        self.node = Node(self.board, self.faces, protocols=self.protocols, chance=self.chance)

    @property
    def view(self):
        return self.node.views[0]

    def run(self, us):
        """The master refreshes every 200 ms."""
        end = self.board.now_us + us
        while self.board.now_us < end:
            if self.board.now_us >= self.next_state:
                self.next_state += REFRESH_US
                if not self.silent:
                    self.tell()
            rest = self.node.step()
            self.board.now_us += max(1, min(rest, self.jitter()))

    def tell(self):
        """A STATE begins on the line now."""
        self.board.bring(self.game.state(self.board.now_us), self.board.now_us)

    def freeze(self, reasons=m.BUTTON, **how):
        """A pause begins now, of which only the PAUSE is said."""
        self.game.pause(self.board.now_us, reasons)
        self.hear(self.game.short(**how))

    def hear(self, data):
        """These bytes and nothing else for 30 ms."""
        self.silent = True
        self.board.bring(data, self.board.now_us)
        self.run(30_000)

    def ask(self, kind, payload, *, dst=ADDRESS, version=1, seq=33):
        """Says this and returns the answer, between two STATEs, as (type, src, seq, version, payload), or None."""
        self.run(30_000 if self.next_state - self.board.now_us < 25_000 else 3000)
        before = len(self.board.sent)
        self.board.bring(frame(kind, payload, dst=dst, seq=seq, version=version), self.board.now_us)
        self.run(15_000)
        if len(self.board.sent) == before:
            return None
        heard = self.heard
        good = [heard.take(byte) for byte in self.board.sent[-1][1]]
        assert good[-1]
        return heard.type, heard.src, heard.seq, heard.version, bytes(heard.payload)

    def introduce(self, index, sign, name, *, epoch=None, version=2):
        """A SEAT, between two STATEs."""
        epoch = self.game.epoch if epoch is None else epoch
        payload = pack("<HBB", epoch, index, sign) + name + bytes(10 - len(name))
        self.ask(m.SEAT, payload, dst=EVERYBODY, version=version)

    def say(self, number, text, *, epoch=None, version=4, only=None):
        """The director's message in its parts, or one part of it; an empty one ends it."""
        epoch = self.game.epoch if epoch is None else epoch
        pieces = [text[start : start + 20] for start in range(0, len(text), 20)] or [b""]
        parts = len(pieces) if text else 0
        for part, piece in enumerate(pieces):
            if only in (None, part):
                payload = pack("<HBB", epoch, number, part | parts << 4) + piece + bytes(20 - len(piece))
                self.ask(m.SAY, payload, dst=EVERYBODY, version=version)

    def assign(self, *, address=ADDRESS, swap=0, board=b"A1", brightness=255):
        payload = (
            self.board.uid + bytes((address, swap)) + board + bytes(6 - len(board)) + bytes((brightness,))
        )
        return self.ask(m.ASSIGN, payload, dst=UNASSIGNED)

    def poll(self, sun=(0, 0), moon=(0, 0), *, epoch=None):
        """HEALTH as a dictionary, or None."""
        epoch = self.game.epoch if epoch is None else epoch
        answer = self.ask(m.POLL, pack("<HBBBB", epoch, sun[0], sun[1], moon[0], moon[1]))
        return None if answer is None else health(answer)

    def hold(self, side, us=650_000):
        """Presses and lets go."""
        self.board.pressed[side] = True
        self.run(us)
        self.board.pressed[side] = False
        self.run(60_000)


def health(answer):
    assert answer[0] == m.HEALTH
    names = (
        "epoch", "state_seq", "sun", "sun_us", "moon", "moon_us", "flags", "supply", "temperature", "reset",
        "damaged", "missed", "uptime",
    )  # fmt: skip
    return dict(zip(names, unpack_from("<HHBIBIHBbBBBH", answer[4])))  # noqa: B905 - MicroPython has no strict


def playing(**how):
    """A node with an address in a round of 35 s, Sun active, 20 s left when it returns."""
    hall = Hall(**how)
    hall.run(500_000)
    hall.assign()
    hall.game.begin(hall.board.now_us)
    hall.run(15_000_000)
    return hall
