"""A table node: one pass of its loop reads the cable, answers, watches buttons and link, lights and draws.

`board` is the hardware, real or simulated:
uid (8 bytes), hardware (int), reset (0 power, 1 watchdog, 2 soft, 3 other);
read(buffer) -> count, send(buffer, count) (returns when the last bit is out), set_baud(baud);
button(side) -> bool, lamp(which, 0-255): lamps of side 0 and 1, then their claim lamps;
supply() in 0.2 V, temperature() in degrees Celsius, measure(measuring.Measured): what it can, within 4 ms;
load() -> bytes or None, save(bytes), reboot(), slot() -> bytes or None, files() (update.py),
hang() until the watchdog bites, resets() by the watchdog in the last minute,
feed() the watchdog (of 2 s: a hung node is to be back in 3 s);
ticks_us, ticks_diff and ticks_add as in MicroPython's time.
`faces` draw for side 0 and 1 (view.py): the sides of the connectors. `swapped` says which is Sun's.
"""

import os

from table_node import garbage, record, scene
from table_node import messages as m
from table_node.answers import Answers
from table_node.care import Care
from table_node.claim import Claim
from table_node.claim_button import MAY, NO, NO_NEWS, NOT_NOW, WALK, Button, ClaimPoint
from table_node.countdown import Countdown
from table_node.estimator import Estimator, signed
from table_node.frame import EVERYBODY, MASTER, UNASSIGNED
from table_node.health import Vitals
from table_node.languages import Languages
from table_node.lights import Lamp, claim_lamp, side_lamp, test_lamp
from table_node.line import Line
from table_node.link import NEW_EPOCH, STALE, Address, Link
from table_node.safe_mode import SafeMode
from table_node.said import Said
from table_node.stage import LOOK_US, Stage
from table_node.view import View

FIRMWARE = (1, 7)
LONGEST_REST_US = 5000
_KEEP_US = 3000
_SAME_CLOCK_US = 50_000
_NOT_POLLED_SECONDS = 10
_NEW_GAME_SECONDS = 2
"""A master that starts again may say "ready" for a moment before it knows its game."""
_SIDES = (0, 1)
_NO_CLAIMS = (m.READY, m.ENDED, m.FOUNDING)
_BLOCK = 18
_BESIDES = (_BLOCK, m.SEAT, m.SAY, m.LANGUAGES)
_IDLE = (m.READY, m.ENDED)
_ACTIVE = m.SUN_ACTIVE | m.MOON_ACTIVE
_ASLEEP = ("boot", "no_link", "ready", "ended")


class Node:
    """`protocols` are the lowest and highest version that it speaks; `chance` are three random bytes, which
    tell this run's claims from those of the run before without a write to flash. A board that calls `step`
    by itself for each byte and each touch may allow a longer rest than 5000 µs, and fewer looks."""

    def __init__(
        self,
        board,
        faces,
        *,
        protocols=(m.OLDEST, m.NEWEST),
        firmware=FIRMWARE,
        chance=None,
        longest_rest_us=LONGEST_REST_US,
        look_us=LOOK_US,
    ):
        boots, *numbers = chance or os.urandom(3)
        self.board = board
        self.longest_rest_us = longest_rest_us
        self.protocols = protocols
        self.firmware = firmware
        self.boots = boots
        self.line = Line(board)
        self.link = Link(board)
        self.time = Estimator(board)
        self.countdown = Countdown()
        self.address = Address(board)
        self.vitals = Vitals(board)
        self.safe = SafeMode(board.resets())
        self.care = Care()
        self.notice = scene.Notice()
        self.state = m.State()
        self.heard = False  # a STATE has counted since the start
        self.outdated = False  # no version in common with the master
        self.master_version = m.OLDEST
        self.seats = scene.Seats()
        self.said = Said()
        self.languages = Languages()
        self.brightness = 128
        self.claims = [Claim(board, number) for number in numbers]  # of Sun and Moon
        self.points = [ClaimPoint(Button(board), claim) for claim in self.claims]  # of side 0 and 1
        self.views = [View(), View()]
        self.lamps = [Lamp(board, which) for which in range(4)]
        self.stage = Stage(board, faces, look_us)
        self.stage.light(self.brightness, on=True)
        self.answers = Answers(self, firmware)
        self.walking = False
        self.update = None  # the chapter of new firmware, while it is wanted
        self.spoke = False  # an answer has been given: nobody asks anything for a while
        self._incoming = m.State()
        # Kept, since each mention of a method makes an object.
        self._handle = self._frame
        self._exact_at = self.time.exact
        self._news = True  # a STATE, of which the views do not know yet
        self._stale = True  # so with what changes with orders and seconds
        self._unlit = False  # the lamps are not as the newest look wants them
        self._unpolled = 0
        self._looked_ms = 0
        self._kept = board.ticks_us()
        self._ready = 0
        self._kind = ""
        self._remember()
        slot = board.slot()
        if slot and len(slot) > 3 and slot[2] in b"ab":
            self.updating()  # this firmware is on trial

    def step(self):
        """One pass. Returns after how many microseconds, 5000 at most, the next one must follow."""
        line, board = self.line, self.board
        came = line.pump(self._handle)
        now = board.ticks_us()
        if line.is_near(now):
            self._answer()
            return self._rest()
        if board.ticks_diff(now, self._kept) >= _KEEP_US:
            self._keep(now)
        self._press(now)
        if not line.wanted:
            self._gap(now, came)
        return self._rest()

    def _keep(self, now):
        """What need not be looked at in every pass."""
        self._kept = now
        self.line.watch()
        self.link.watch(now)
        self.address.watch(now)
        if self.vitals.tick(now):
            self._second(now)
        if self.stage.served(now):
            self.board.feed()

    def _answer(self):
        """Nothing stands between a request and its answer; who hears another byte first stays silent."""
        line = self.line
        size = self.answers.build()
        if line.is_due(self.board.ticks_us()) and not line.pump(self._handle) and line.wanted:
            line.send(size)
            self.answers.sent()
            self.spoke = True

    def swap(self, swapped):
        """Which side is Sun's: side 0, or side 1 when swapped. Claims of the other order are over."""
        if swapped == self.swapped:
            return
        self.swapped = swapped
        for side, point in enumerate(self.points):
            point.claim = self.claims[side ^ swapped]
            point.claim.forget()

    def seat(self, assign):
        """The master has given address and place."""
        self.address.give(assign.address)
        self.board_name = record.text(assign.board)
        self.brightness = assign.brightness
        self.swap(bool(assign.flags & m.ASSIGN_SWAP))
        self.care.wake()
        self.stage.hurry()

    def idle(self):
        """Nothing is being played, as far as the master says."""
        return self.link.alive and self.state.phase in _IDLE

    def maintenance(self):
        """The master says that flash may be written."""
        return self.link.alive and bool(self.state.flags & m.MAINTENANCE)

    def updating(self):
        """The chapter of new firmware. To import it takes longer than an answer may."""
        if not self.update:
            garbage.collect()  # so that what stays lies together
            from table_node.update import Update  # noqa: PLC0415 - in play its memory is free

            self.update = Update(self.board)
            garbage.prepare()
        return self.update

    def asked(self):
        """A master speaks a version that this node knows."""
        self._unpolled = 0
        if self.outdated:
            self.outdated = False
            self.stage.hurry()

    def _remember(self):
        """What the flash knows; the master tells it all again."""
        self.swapped = False
        saved = record.unpack(self.board.load())
        self._saved = saved.pack()
        self._saved_epoch, self._saved_address = saved.epoch, saved.address
        self.board_name = saved.board
        self.brightness = saved.brightness
        self.swap(saved.swapped)
        uid = "".join([f"{byte:02x}" for byte in self.board.uid])
        for view in self.views:
            view.uid = uid
            view.version = f"{self.firmware[0]}.{self.firmware[1]}"

    def _frame(self, ended):
        frame = self.line.receiver
        if frame.src != MASTER:
            self._hear_another(frame)
            return
        if frame.type == m.STATE:
            if frame.dst == EVERYBODY:
                self._hear(frame, ended)
        elif frame.type == m.PAUSE:
            if frame.dst == EVERYBODY and self.link.freezes(frame, self.state):
                self._show_state()
                self.stage.start_over(ended)
        elif frame.type in _BESIDES:
            if frame.dst == EVERYBODY:
                self._take(frame)
        elif frame.dst >= UNASSIGNED or frame.dst == self.address.number:
            self.answers.take(frame, ended)

    def _take(self, frame):
        """What is said to all beside the state."""
        if frame.type == _BLOCK:
            if self.update:
                self.update.hear(frame, True)
        elif frame.type == m.LANGUAGES:
            self.languages.hear(frame, self.link.epoch)
        else:
            hearer = self.seats if frame.type == m.SEAT else self.said
            if hearer.hear(frame, self.link.epoch):
                self._news = True
                self.stage.hurry()

    def _hear_another(self, frame):
        """Another node that has this address too: this one gives it up, and the master finds it anew."""
        if frame.src == self.address.number and frame.seq != self.answers.sent_seq:
            self.address.forget()

    def _hear(self, frame, ended):
        heard = self._incoming
        if not m.fits(frame.version, m.STATE, frame.size) or not heard.read(frame.payload):
            return
        judged = self.link.judge(heard, ended)
        if judged == STALE:
            return
        self._incoming, self.state = self.state, heard
        self.heard = True
        self.master_version = frame.version
        if frame.version < self.protocols[0]:
            self.outdated = True
        if judged == NEW_EPOCH:
            self._new_master(ended)
        changed = judged == NEW_EPOCH or heard.state_seq != self._incoming.state_seq
        self._stamp((heard.master_us + self.line.frame_us()) & 0xFFFFFFFF, ended, judged == NEW_EPOCH)
        self._show_state()
        if changed:
            self.stage.start_over(ended)

    def _new_master(self, ended):
        if self._saved_address and self._saved_epoch == self.state.epoch:
            self.address.give(self._saved_address)
        self._saved_address = 0
        self.seats.forget()
        self.said.forget()
        self.languages.doubt()
        self.address.doubt(ended)

    def _stamp(self, master_us, ended, new):
        """A master with another clock: claims keep their moment, told in its time."""
        time = self.time
        if not time.known:
            time.stamp(master_us, ended)
            return
        before = time.exact(ended)
        if new and abs(signed(master_us - before)) > _SAME_CLOCK_US:
            time.forget()
        time.stamp(master_us, ended)
        if time.stamps == 1:  # it has begun anew
            for claim in self.claims:
                claim.move(signed(master_us - before))

    def _show_state(self):
        state = self.state
        counting = bool(state.flags & m.COUNTING_IN)
        self.countdown.take(state, running=bool(state.flags & m.RUNNING), counting_in=counting)
        self.brightness = state.brightness
        self._news = True
        self.stage.hurry()

    def _walk(self):
        """A walk ends with its time or as soon as something may be played; so do its claims."""
        if self.notice.what == m.IDENTIFY_WALK and not self.idle():
            self.notice.stop()
        walking = self.notice.what == m.IDENTIFY_WALK
        if walking != self.walking:
            self.walking = walking
            for claim in self.claims:
                claim.forget()

    def _press(self, now):
        self._walk()
        for side in _SIDES:
            closed = self.board.button(side)
            point = self.points[side]
            if not closed and point.at_rest():
                continue
            if point.watch(closed, now, self._allowed(side), self._exact_at):
                self.care.wake()
                self.stage.hurry()

    def _allowed(self, side):
        """What a press on this side would mean now."""
        if self.safe.on or not self.link.alive:
            return NO_NEWS
        if self.update and self.update.busy():
            return NO
        if self.walking:
            return WALK
        state = self.state
        if state.phase in _NO_CLAIMS:
            return NO
        active = state.flags & _ACTIVE
        own = m.MOON_ACTIVE if side ^ self.swapped else m.SUN_ACTIVE
        if active & own:
            return MAY
        # At one table core knows which button is whose: no node has a seat beyond the first two for its own.
        return MAY if not active and state.phase == m.TURN else NOT_NOW

    def _gap(self, now, came):
        """Nobody waits for an answer: time to look at the clock, light the lamps and draw."""
        stage = self.stage
        if not stage.may_work(now, quiet=not came and not self.line.in_frame(now)):
            return
        update = self.update
        if update and stage.is_drawn():
            if update.work():
                self.line.forget()
                return
            if update.busy() and not self._stale:
                return  # one look a second, so that blocks are heard as fast as they are said
        if self.languages.unread:
            self.languages.load()
            if not self.languages.unread:
                self._news = True
                stage.hurry()
        elif self._unlit and stage.is_drawn() and not stage.hurried:
            # A pass of its own, behind the drawing: together with the look it takes too long.
            self._unlit = False
            self._light(now, self._looked_ms)
        elif stage.time_to_look(now):
            self._look(now)
        elif self.safe.on and not self.safe.may_draw:
            stage.skip(now)
        else:
            stage.draw(self.views, now)

    def _look(self, now):
        master_us = self._master_us(now)
        self._looked_ms = master_us // 1000
        if self._news:
            for view in self.views:
                scene.take_state(view, self.state)
            scene.take_words(self.views, self.state, self.languages)
            scene.take_seats(self.views, self.state, self.seats)
        if self._news or self._stale or self.stage.hurried:
            for view in self.views:
                scene.take_node(view, self)
        self._news = self._stale = False
        scene.take_time(self.views, self, master_us)
        for side in _SIDES:
            view = self.views[side]
            view.look = (view.look + 1) & 0xFFFF
            scene.take_claim(view, self.points[side], side ^ self.swapped)
        if self.views[0].kind != self._kind:
            self._kind = self.views[0].kind
            self.care.wake()
        self._unlit = not self.safe.on
        self.stage.looked(now, self.countdown.to_flip(master_us) if self.link.alive else 1_000_000)

    def _master_us(self, now):
        return self.time.master(now) if self.time.known else 0

    def _light(self, now, ms):
        notice = self.notice
        if notice.what == m.IDENTIFY_LAMPS:
            for which, lamp in enumerate(self.lamps):
                lamp.show(test_lamp(which ^ self.swapped, notice.number), now)
            return
        bright = self.brightness + 1
        for side in _SIDES:
            view = self.views[side]
            self.lamps[side].show(side_lamp(view, view.own_side, ms) * bright >> 8, now)
            self.lamps[2 + side].show(claim_lamp(view, ms), now)

    def _second(self, now):
        self._stale = True
        self.time.keep(now)
        self.notice.second()
        self.languages.second()
        self.said.second()
        self.care.second(self._kind in _ASLEEP)
        scene.shine(self)
        self._ready = self._ready + 1 if self.link.alive and self.state.phase == m.READY else 0
        if self._ready == _NEW_GAME_SECONDS and not self.walking:
            for claim in self.claims:
                claim.forget()
        if self.address.number and self.link.alive:
            self._unpolled += 1
            if self._unpolled >= _NOT_POLLED_SECONDS and self.master_version > self.protocols[1]:
                self.outdated = True
        if self.maintenance() and not self.line.wanted:
            self._save()
        if self.update:
            self.update.second(self.maintenance())
            if self.update.over():
                self.update = None
                garbage.forget("update")
                garbage.forget("files")

    def _save(self):
        """Only in maintenance: a write to flash stops everything else for up to 0.4 s."""
        now = record.Record()
        now.epoch, now.address, now.swapped = self.link.epoch, self.address.number, self.swapped
        now.board, now.brightness = self.board_name, self.brightness
        packed = now.pack()
        if packed != self._saved:
            self.board.save(packed)
            self._saved = packed

    def _rest(self):
        now = self.board.ticks_us()
        if self.line.wanted:
            return max(0, min(LONGEST_REST_US, self.board.ticks_diff(self.line.due, now)))
        return min(self.longest_rest_us, self.stage.rest(now))
