"""A node that has nothing but the codec: it answers every request with what it has heard, so that who asks sees
whether it was understood. Under MicroPython it talks over standard input and output: wire_node.py [UID]."""

from table_node import messages
from table_node.frame import LONGEST_FRAME, MASTER, Receiver, encode


class Mirror:
    """HEALTH, INFO and PONG carry what STATE, PAUSE, POLL, DISCOVER, ASSIGN, IDENTIFY, ORDER and PING said."""

    def __init__(self, uid):
        self.receiver = Receiver()
        self.state = messages.State()
        self.poll = messages.Poll()
        self.discover = messages.Discover()
        self.assign = messages.Assign()
        self.identify = messages.Identify()
        self.order = messages.Order()
        self.ping = messages.Ping()
        self.pause = messages.Pause()
        self.health = messages.Health()
        self.info = messages.Info(uid, 0, 0)
        self.payload = bytearray(29)
        self.out = bytearray(LONGEST_FRAME)
        self.heard = {
            messages.STATE: self.state,
            messages.POLL: self.poll,
            messages.DISCOVER: self.discover,
            messages.ASSIGN: self.assign,
            messages.IDENTIFY: self.identify,
            messages.ORDER: self.order,
            messages.PING: self.ping,
            messages.PAUSE: self.pause,
        }

    def take(self, byte):
        """Bytes of the answer now in `out`; 0: none."""
        if not self.receiver.take(byte):
            return 0
        kind = self.receiver.type
        if kind not in self.heard or not messages.fits(self.receiver.version, kind, self.receiver.size):
            return 0
        if not self.heard[kind].read(self.receiver.payload):
            return 0
        if kind == messages.PAUSE:
            self.state.freeze(self.pause)
        if kind in (messages.POLL, messages.ORDER):
            return self.answer(messages.HEALTH, self.pack_health())
        if kind in (messages.DISCOVER, messages.ASSIGN):
            return self.answer(messages.INFO, self.pack_info())
        if kind == messages.PING:
            size = messages.pack_pong(self.payload, self.ping.data, self.state.master_us)
            return self.answer(messages.PONG, size)
        return 0

    def answer(self, kind, size):
        source = self.assign.address or self.receiver.dst
        return encode(
            self.out, messages.OLDEST << 5 | kind, MASTER, source, self.receiver.seq, self.payload, size
        )

    def pack_health(self):
        health = self.health
        state = self.state
        health.epoch = self.poll.epoch
        health.state_seq = state.state_seq
        health.claim[0] = self.poll.claim[0]
        health.claim[1] = self.poll.claim[1]
        health.at_us[0] = state.master_us
        health.at_us[1] = state.left_us
        health.flags = state.flags & 0x7FF
        health.vbus = state.brightness
        health.temperature = state.dice - 128
        health.reset = self.order.what & 3
        health.crc_errors = self.poll.status[0] << 4 | self.poll.status[1]
        health.missed = state.phase << 4 | state.target
        health.uptime = self.identify.number
        return messages.pack_health(self.payload, health)

    def pack_info(self):
        info = self.info
        info.uid = self.assign.uid or info.uid
        info.hardware = self.assign.brightness
        info.firmware = self.discover.salt
        info.proto_max = self.discover.slots
        info.boots = len(self.assign.board) << 4 | self.assign.flags & 1
        return messages.pack_info(self.payload, info)


if __name__ == "__main__":
    import sys

    uid = sys.argv[1] if len(sys.argv) > 1 else "0" * 16
    mirror = Mirror(bytes([int(uid[at : at + 2], 16) for at in range(0, 16, 2)]))
    line = bytearray(1)
    while sys.stdin.buffer.readinto(line):
        count = mirror.take(line[0])
        if count:
            sys.stdout.buffer.write(mirror.out[:count])
