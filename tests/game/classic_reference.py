"""A second, naive clock of one table for the tests: written from the rules alone, sharing nothing with the package.

What every clock does (it runs out, is frozen, counts 3-2-1) it has from the reference of the hall.
"""

import hashlib
import hmac
import struct
from dataclasses import dataclass, field

from tests.game.reference import Hall

DAY_MS = 24 * 3_600_000
COUNTDOWN_MS = 3_000
LATE_ROLL_MS = 30_000
TARGET = 10


def _bytes(seed, game_id, kind, number, draw):
    def framed(part):
        return struct.pack(">I", len(part)) + part

    block = 0
    while True:
        head = b"".join(map(framed, (b"pi-controller dice 2", game_id.encode(), b"", kind)))
        yield from hmac.new(seed, head + struct.pack(">III", number, draw, block), hashlib.sha256).digest()
        block += 1


def _pairs(stream):
    faces = (byte % 6 + 1 for byte in stream if byte < 252)
    return zip(faces, faces, strict=False)


def first_of(seats, first, stream):
    """Who begins, and who rolled what for it: those with the highest sum roll again until one is left."""
    if first == "drawn":
        usable = 256 // len(seats) * len(seats)
        return seats[next(byte for byte in stream if byte < usable) % len(seats)], []
    pairs, left, times = _pairs(stream), list(seats), []
    while first == "highest" and len(left) > 1:
        dice = {seat: next(pairs) for seat in left}
        times.append(sorted(dice.items(), key=lambda one: sum(one[1]), reverse=True))
        left = [seat for seat in left if sum(dice[seat]) == max(map(sum, dice.values()))]
    return (left[0] if first == "highest" else first), times


@dataclass
class Table(Hall):
    """The table as its players see it; `round` is the turn, `side` who acts."""

    seats: list = field(default_factory=list)
    first: str = "highest"
    quiet: int = 0
    building: int = 0
    placed: int = 0
    rolled: int = 0
    length: int = 0
    froze: int = 0
    history: list = field(default_factory=list)
    gained: dict = field(default_factory=dict)
    winners: list = field(default_factory=list)
    won: bool = False
    progress: tuple = (0, 0)

    def __post_init__(self):
        stream = _bytes(self.seed, self.game_id, b"first_side", 0, 0)
        begins, self.opening = first_of(self.seats, self.first, stream)
        at = self.seats.index(begins)
        self.order = self.seats[at:] + self.seats[:at]
        self.founders = self.order + self.order[::-1]

    @property
    def playing(self):
        return self.phase in ("founding", "turn")

    @property
    def following(self):
        """Who is next."""
        if self.phase == "founding":
            return (self.founders + self.order)[self.placed + 1]
        if self.phase == "ready" and self.mode == "still" and self.first not in self.seats:
            return None
        return None if self.phase == "ended" else self.order[self.round % len(self.seats)]

    def roll(self):
        draws = (next(_pairs(_bytes(self.seed, self.game_id, b"round", self.round, n))) for n in range(999))
        return next(dice for dice in draws if sum(dice) != 7 or self.round > self.quiet)

    def next_phase(self, at):
        """The next founding, the dice, the others' building, or the next turn."""
        if self.phase == "ready" or (self.phase == "founding" and self.placed + 1 < len(self.founders)):
            self.placed += self.phase == "founding"
            self.begin("founding", at, DAY_MS, self.founders[self.placed])
            self.progress = (0, self.placed + 1)
        elif self.phase == "turn" and self.dice is None:
            self.dice, self.rolled, self.progress = self.roll(), at, (self.round, 1)
            self.history = [(self.round, self.side, self.dice), *self.history][:12]
            if self.mode == "run" and at >= self.end:
                self.since, self.end, self.length = at, at + LATE_ROLL_MS, self.length + LATE_ROLL_MS
        elif self.phase == "turn" and self.side and self.building and len(self.seats) > 4:
            self.begin("turn", at, self.building, None)
            self.progress = (self.round, 2)
        else:
            limits = [ms for first, ms in self.schedule if first <= self.round + 1]
            seat = self.order[self.round % len(self.seats)]
            self.begin("turn", at, limits[-1] if limits else DAY_MS, seat)
            self.round, self.dice = self.round + 1, None
            self.progress = (self.round, 0)

    def begin(self, phase, at, length, seat):
        self.close(at)
        self.phase, self.side, self.length, self.left, self.end = phase, seat, length, length, at + length
        self.began = self.since = self.froze = at

    def close(self, at):
        if self.playing:
            self.over = [*self.over, (self.began, at, self.round, self.side)][-8:]

    def stop(self, at, won):
        self.close(at)
        self.phase, self.mode, self.side, self.reasons, self.won = "ended", "still", None, [], won

    def freeze(self, at, reason):
        if self.mode == "run":
            at = min(max(at, self.since), self.end)
        self.froze = self.froze if self.mode == "frozen" else at
        super().freeze(at, reason)

    def do_start(self, at, seen, value):
        fresh = super().do_start(at, seen, value)
        self.go = seen if fresh else self.go
        return fresh

    def do_turn(self, at, _seen, seat):
        if self.mode != "run":
            return False
        if at >= max(self.since, self.rolled if self.phase == "turn" and self.dice else 0):
            if seat not in (None, self.side or self.following):
                return False
            self.next_phase(at)
        return True

    def do_press(self, at, seen, _value):
        return self.do_turn(at, seen, None) or True

    def do_resume(self, _at, seen, override):
        waiting = [claim for claim in self.claims if claim["status"] == "open" and not claim["passed"]]
        if self.mode == "still" or (self.mode == "frozen" and waiting and not override):
            return False
        if self.mode == "frozen":
            for claim in waiting:
                claim["passed"] = True
            self.count(seen)
        return True

    def count(self, seen):
        self.mode, self.reasons = "count", []
        self.go = seen + (COUNTDOWN_MS if self.playing else 0)

    def do_skip(self, _at, seen, _value):
        if self.playing:
            self.next_phase(seen)
        return self.playing

    def do_add_time(self, _at, seen, ms):
        if not self.playing or self.length >= DAY_MS:
            return False
        more = max(0, self.remaining(seen) + ms) - self.remaining(seen)
        self.left = self.remaining(seen) + more
        self.end, self.length = seen + self.left, max(0, self.length + more)
        if self.side:
            self.gained[self.side] = self.gained.get(self.side, 0) + more
        self.catch_up(seen)
        return True

    def do_end(self, _at, seen, _value):
        if self.playing:
            self.stop(seen, won=False)
        return self.phase == "ended"

    def moment(self, at):
        """Turn, acting seat and time left at a contact; no time where there is no limit."""
        for began, ended, turn, seat in self.over:
            if began <= at < ended:
                return turn, seat, ended - at
        if self.length >= DAY_MS:
            left = 0
        elif self.mode == "run":
            left = self.end - max(at, self.since)
        else:
            late = self.froze - max(at, self.began) if self.mode == "frozen" else 0
            left = self.left + max(0, late)
        return self.round, self.side, left

    def do_claim(self, at, _seen, seat):
        if self.phase in ("ready", "founding") or self.won:
            return False
        turn, active, left = (self.round, seat, 0) if self.phase == "ended" else self.moment(at)
        seat = seat or active
        mine = [claim for claim in self.claims if claim["status"] == "open" and claim["seat"] == seat]
        if seat is None or (self.playing and at < (self.over[0][0] if self.over else self.began)):
            return False
        ranked = [one["seat"] for one in self.claims if not self.playing and one["status"] == "confirmed"]
        if seat != active or seat in ranked or any(not claim["passed"] for claim in mine):
            return any(not claim["passed"] for claim in mine)
        if self.playing:
            self.freeze(at, "claim")
        for claim in mine:
            claim["status"] = "withdrawn"
        made = {"id": f"c{self.number}", "seat": seat, "at": at, "turn": turn, "left": left}
        self.claims.append(made | {"status": "open", "points": None, "passed": False})
        self.claims.sort(key=lambda claim: claim["at"])
        return True

    def judged(self, seen, claim, status, points=None):
        claim.update(status=status, points=points)
        waiting = any(one["status"] == "open" and not one["passed"] for one in self.claims)
        agreed = [one for one in self.claims if one["status"] == "confirmed"]
        if self.playing and not waiting and agreed:
            for one in self.claims:
                one["status"] = "withdrawn" if one["status"] == "open" else one["status"]
            self.stop(seen, won=True)
        if self.playing and not waiting and "claim" in self.reasons:
            self.reasons = [reason for reason in self.reasons if reason != "claim"]
            if not self.reasons:
                self.count(seen)
        if self.phase == "ended" and agreed:
            first = min(one["turn"] for one in agreed)
            among = [one for one in agreed if one["turn"] == first or not self.won]
            most = max(one["points"] or 0 for one in among)
            self.winners = [one["id"] for one in among if (one["points"] or 0) == most]
        return True

    def do_withdraw(self, at, seen, name):
        return self.do_verdict(at, seen, (name, "withdrawn"))

    def do_verdict(self, _at, seen, value):
        """`value`: the claim, and False, True, "withdrawn" or a sheet's pieces, victory cards and bonus."""
        found = [one for one in self.claims if one["id"] == value[0] and one["status"] == "open"]
        if not found or value[1] in (False, "withdrawn"):
            return bool(found) and self.judged(seen, found[0], value[1] or "rejected")
        if value[1] is True:
            rivals = [one for one in self.claims if one is not found[0]]
            free = all(one["status"] in ("rejected", "withdrawn") or one["passed"] for one in rivals)
            agreed = any(one["status"] == "confirmed" for one in rivals)
            return self.playing and free and not agreed and self.judged(seen, found[0], "confirmed")
        settlements, cities, cards, army, route, foreign = value[1]
        points = settlements + 2 * cities + cards + 2 * army + 2 * route
        status = "confirmed" if points >= TARGET or self.phase == "ended" else "rejected"
        fits = settlements <= 5 and cities <= 4 and not foreign
        return fits and self.judged(seen, found[0], status, points)
