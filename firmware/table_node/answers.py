"""What the node does with messages other than STATE, and what it answers."""

from table_node import measuring, scene
from table_node import messages as m
from table_node.frame import EVERYBODY, MASTER, UNASSIGNED, encode

_SIDES = (0, 1)
_FROZEN = (m.DISCOVER, m.ASSIGN)
_BUTTONS = (m.SUN_BUTTON, m.MOON_BUTTON)
_WITHDRAWALS = (m.SUN_WITHDRAWS, m.MOON_WITHDRAWS)
_STUCK = (m.SUN_STUCK, m.MOON_STUCK)
_DISPLAYS = (m.SUN_DISPLAY, m.MOON_DISPLAY)
_AFTERWARDS = (m.FORGET, m.HANG, m.RATE)
_TESTS = (m.PING, m.MEASURE)
_OFFER = 17
_STEP = 19
_PROGRESS = 20


class Answers:
    """`take` says what is to be answered, `build` packs it into the line's buffer ahead of its time."""

    def __init__(self, node, firmware):
        self._node = node
        self._poll = m.Poll()
        self._discover = m.Discover()
        self._assign = m.Assign()
        self._identify = m.Identify()
        self._order = m.Order()
        self._ping = m.Ping()
        self._ping_us = 0
        self._measure = measuring.Measure()
        self._measured = measuring.Measured()
        self._health = m.Health()
        self._payload = bytearray(m.SIZES[m.PONG])
        info = self._info = m.Info(node.board.uid, node.board.hardware, firmware[0] << 8 | firmware[1])
        info.proto_min, info.proto_max = node.protocols
        info.boots = node.boots
        self._kind = m.HEALTH
        self._version = self._seq = 0
        self._then = 0  # the order that is carried out when its answer is over
        self._packed = 0  # bytes of the answer that stands in the line's buffer
        self._takes = {
            m.POLL: self._take_poll,
            m.DISCOVER: self._take_discover,
            m.ASSIGN: self._take_assign,
            m.IDENTIFY: self._take_identify,
            m.ORDER: self._take_order,
            m.PING: self._take_ping,
            m.MEASURE: self._take_measure,
            _OFFER: self._take_update,
            _STEP: self._take_update,
        }
        self.sent_seq = -1  # of the last answer; its own bytes may come back more than once

    def take(self, frame, ended):
        """A good frame of the master that is no STATE."""
        kind = frame.type
        if kind in _FROZEN:
            if frame.dst != UNASSIGNED or not m.fits(frame.version, kind, frame.size):
                return
        elif not self._readable(frame):
            return
        take = self._takes.get(kind)
        if take is not None:
            take(frame, ended)

    def build(self):
        """Packs the answer, once; returns the size of the whole frame."""
        if self._packed:
            return self._packed
        node, payload = self._node, self._payload
        if self._kind == m.INFO:
            size = m.pack_info(payload, self._info)
        elif self._kind == m.PONG:
            size = m.pack_pong(payload, self._ping.data, self._ping_us)
        elif self._kind == m.MEASURED:
            size = measuring.pack_measured(payload, self._measured)
        elif self._kind == _PROGRESS:
            size = node.update.pack(payload)
        else:
            self._fill_health()
            size = m.pack_health(payload, self._health)
        src = node.address.number or UNASSIGNED
        kind = self._version << 5 | self._kind
        self._packed = encode(node.line.out, kind, MASTER, src, self._seq, payload, size)
        return self._packed

    def sent(self):
        self.sent_seq = self._seq
        then, self._then = self._then, 0
        node = self._node
        if then == m.FORGET:
            node.address.forget()
        elif then == m.HANG and node.idle():
            node.board.hang()
        elif then == m.RATE:
            node.line.visit(self._order.argument)
        elif then == _STEP and node.update.answered():
            node.line.forget()

    def _readable(self, frame):
        """Right version and length. Another version in what is meant for this node alone: outdated."""
        node = self._node
        lowest, highest = node.protocols
        if lowest <= frame.version <= highest:
            return m.fits(frame.version, frame.type, frame.size)
        if frame.dst != EVERYBODY and frame.dst == node.address.number:
            node.outdated = True
            node.stage.hurry()
        return False

    def _want(self, kind, frame, ended):
        self._packed = 0
        self._kind = kind
        self._version = frame.version
        self._seq = frame.seq
        self._then = 0
        self._node.line.want(ended, frame.type == m.POLL, frame.type in _TESTS)

    def _is_own(self, frame):
        return frame.dst != 0 and frame.dst == self._node.address.number

    def _take_poll(self, frame, ended):
        node, poll = self._node, self._poll
        if not self._is_own(frame) or not poll.read(frame.payload):
            return
        node.asked()
        if poll.epoch == node.link.epoch:
            node.address.polled()
            for side in _SIDES:
                if node.claims[side].answered(poll.claim[side], poll.status[side], ended):
                    node.stage.hurry()
        self._want(m.HEALTH, frame, ended)

    def _take_discover(self, frame, ended):
        node, discover = self._node, self._discover
        if node.address.number or not discover.read(frame.payload):
            return
        self._packed = 0
        self._kind = m.INFO
        self._version = m.OLDEST
        self._seq = frame.seq
        slot = m.slot(node.board.uid, discover.salt, discover.slots)
        node.line.want_in_slot(ended, slot, discover.slot_ms * 1000)

    def _take_assign(self, frame, ended):
        node, assign = self._node, self._assign
        if not assign.read(frame.payload):
            return
        if assign.uid == bytes(node.board.uid):
            node.seat(assign)
            self._want(m.INFO, frame, ended)
            self._version = m.OLDEST
        elif assign.address == node.address.number:
            node.address.forget()

    def _take_identify(self, frame, _ended):
        node, identify = self._node, self._identify
        if (frame.dst == EVERYBODY or self._is_own(frame)) and identify.read(frame.payload):
            node.notice.take(identify)
            node.care.wake()
            node.stage.hurry()
            scene.shine(node)

    def _take_order(self, frame, ended):
        node, order = self._node, self._order
        if not self._is_own(frame) or not order.read(frame.payload):
            return
        if order.what == m.REBOOT:
            node.board.reboot()
            return
        node.asked()
        self._want(m.HEALTH, frame, ended)
        if order.what in _AFTERWARDS:
            self._then = order.what
        elif order.what == m.SWAP:
            node.swap(bool(order.argument))
        elif order.what == m.BLANK:
            node.care.blanked = True
        elif order.what == m.LEAVE_SAFE_MODE:
            node.safe.leave()

    def _take_ping(self, frame, ended):
        node = self._node
        if not self._is_own(frame) or not self._ping.read(frame.payload):
            return
        node.asked()
        self._ping_us = (node.time.master(ended) or 1) if node.time.known else 0
        self._want(m.PONG, frame, ended)

    def _take_measure(self, frame, ended):
        node = self._node
        if not self._is_own(frame) or not self._measure.read(frame.payload):
            return
        node.asked()
        # Read at once: the answer has some milliseconds' time, and the line keeps what comes in meanwhile.
        node.board.measure(self._measured)
        self._want(m.MEASURED, frame, ended)

    def _take_update(self, frame, ended):
        node = self._node
        if self._is_own(frame) and node.updating().hear(frame, node.maintenance()):
            node.asked()
            self._want(_PROGRESS, frame, ended)
            self._then = _STEP
            node.stage.hurry()

    def _fill_health(self):
        node, health = self._node, self._health
        health.epoch = max(0, node.link.epoch)
        health.state_seq = node.link.state_seq
        flags = m.SWAPPED if node.swapped else 0
        if node.safe.on:
            flags |= m.SAFE_MODE
        if node.languages.wordless:
            flags |= m.WORDLESS
        if not node.time.certain():
            flags |= m.TIME_UNCERTAIN
        for side in _SIDES:
            point = node.points[side]
            sun_moon = side ^ node.swapped
            claim = point.claim
            stands = claim.stands()
            health.claim[sun_moon] = claim.number if stands else 0
            health.at_us[sun_moon] = claim.at_us if stands else 0
            if point.button.recent:
                flags |= _BUTTONS[sun_moon]
            if point.button.stuck:
                flags |= _STUCK[sun_moon]
            if claim.withdrawing:
                flags |= _WITHDRAWALS[sun_moon]
            if node.stage.faces[side].display.ok:
                flags |= _DISPLAYS[sun_moon]
        health.flags = flags
        vitals = node.vitals
        health.vbus = vitals.supply
        health.temperature = vitals.temperature
        health.reset = vitals.reset
        health.crc_errors = node.line.receiver.damaged
        health.missed = node.link.missed
        health.uptime = vitals.minutes()
