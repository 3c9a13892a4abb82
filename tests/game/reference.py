"""A second, naive hall clock for the tests: written from the rules alone, sharing nothing with the package.

Times are whole milliseconds. An undo plays the whole list of actions again from the beginning.
"""

import copy
import hashlib
import hmac
import struct
from dataclasses import dataclass, field

QUIET_ROUNDS = 10
ROBBER_MS = 12_000
COUNTDOWN_MS = 3_000


def _faces(seed, game_id, kind, round_no, draw):
    def framed(part):
        return struct.pack(">I", len(part)) + part

    block = 0
    while True:
        head = b"".join(map(framed, (b"pi-controller dice 2", game_id.encode(), b"", kind)))
        message = head + struct.pack(">III", round_no, draw, block)
        for byte in hmac.new(seed, message, hashlib.sha256).digest():
            if byte < 252:
                yield byte % 6 + 1
        block += 1


def two_dice(seed, game_id, kind, round_no, draw):
    faces = _faces(seed, game_id, kind, round_no, draw)
    return [next(faces), next(faces)]


def same_board(one, other):
    """Boards here are a letter and a number."""
    return one is not None and (one[0].upper(), int(one[1:])) == (other[0].upper(), int(other[1:]))


@dataclass
class Hall:
    """The hall as its players see it; `mode` is still, run, frozen or count."""

    seed: bytes
    game_id: str
    schedule: list = field(default_factory=lambda: [(1, 35_000), (11, 45_000)])
    phase: str = "ready"
    round: int = 0
    side: str | None = None
    due: str = "sun"
    dice: list | None = None
    target: object = None
    draw: int = 0
    rolls: int = 0
    mode: str = "still"
    left: int = 0
    end: int = 0
    go: int = 0
    since: int = 0
    began: int = 0
    reasons: list = field(default_factory=list)
    number: int = 0
    last_round: int | None = None
    over: list = field(default_factory=list)
    claims: list = field(default_factory=list)
    presses: list = field(default_factory=list)
    ranked: bool = False

    def length(self, round_no):
        return max((first, ms) for first, ms in self.schedule if first <= round_no)[1]

    def next_phase(self, at):
        due_round = self.round + 1
        if self.phase != "ready" and self.last_round is not None and due_round > self.last_round:
            self.stop("collecting", at)
            return
        if self.phase != "ready":
            self.over.append((self.began, at, self.round, self.side))
        while True:
            self.dice = two_dice(self.seed, self.game_id, b"round", due_round, self.draw)
            self.draw += 1
            if sum(self.dice) != 7 or due_round > QUIET_ROUNDS:
                break
        if sum(self.dice) == 7:
            aim = sum(two_dice(self.seed, self.game_id, b"robber", due_round, self.draw - 1))
            self.phase, self.side, self.target = "robber", None, "desert" if aim == 7 else aim
            length = ROBBER_MS
        else:
            self.phase, self.side, self.target = "round", self.due, None
            self.round, self.draw = due_round, 0
            self.due = "moon" if self.side == "sun" else "sun"
            length = self.length(due_round)
        self.rolls, self.began, self.since, self.end, self.left = self.rolls + 1, at, at, at + length, length

    def stop(self, phase, at):
        if self.phase in ("round", "robber"):
            self.over.append((self.began, at, self.round, self.side))
        self.phase, self.mode, self.left, self.reasons, self.began = phase, "still", 0, [], at
        self.side = self.dice = self.target = None
        if phase == "collecting":
            self.presses = []

    def catch_up(self, now):
        while True:
            if self.mode == "run" and self.end <= now:
                self.next_phase(self.end)
            elif self.mode == "count" and self.go <= now:
                self.mode = "run"
                if self.phase == "ready":
                    self.next_phase(self.go)
                else:
                    self.since, self.end = self.go, self.go + self.left
            else:
                return

    def remaining(self, now):
        return self.end - now if self.mode == "run" else self.left if self.mode != "still" else 0

    def freeze(self, at, reason):
        if self.mode == "run":
            self.left = self.end - min(max(at, self.since), self.end)
        if self.mode == "frozen":
            if reason not in self.reasons:
                self.reasons.append(reason)
        else:
            self.mode, self.reasons = "frozen", [reason]

    def do(self, action):
        """Play one action; False when it may not be done, the hall being unchanged then."""
        name, at, seen, value, _source, self.number = action
        self.catch_up(seen)
        return bool(getattr(self, f"do_{name}")(at, seen, value))

    def do_start(self, _at, seen, _value):
        if self.phase == "ready" and self.mode == "still":
            self.mode, self.go = "count", seen + COUNTDOWN_MS
            return True
        return False

    def do_pause(self, at, _seen, reason):
        if self.mode == "still":
            return False
        self.freeze(at, reason)
        return True

    def moment(self, at):
        """Round, active side and time left at a contact."""
        for began, ended, round_no, side in self.over[-8:]:
            if began <= at < ended:
                return round_no, side, ended - at
        return self.round, self.side, self.remaining(max(at, self.since))

    def open_claims(self):
        return [claim for claim in self.claims if claim["open"]]

    def waiting(self):
        """Those that play has not gone on over."""
        return [claim for claim in self.open_claims() if not claim["passed"]]

    def put(self, at, moment, board, side):
        for claim in self.open_claims():
            if claim["passed"] and (claim["board"], claim["side"]) == (board, side):
                claim["open"] = False
        round_no, active, left = moment
        name = f"c{self.number}"
        facts = {"board": board, "side": side, "active": active, "round": round_no, "left": left}
        judged = {"open": True, "lost": False, "rejected": False, "sheet": None, "passed": False}
        self.claims.append({"id": name, "at": at, **judged, **facts})
        self.claims.sort(key=lambda claim: claim["at"])

    def do_press(self, at, _seen, _value):
        if self.mode in ("run", "count"):
            if self.phase != "ready" and self.waiting():
                round_no, active, left = self.moment(at)
                kept = {"id": f"p{self.number}", "at": at, "round": round_no, "side": active, "left": left}
                self.presses = [*self.presses, kept][-8:]
            elif self.phase != "ready":
                self.put(at, self.moment(at), None, None)
            self.freeze(at, "button")
        return True

    def do_claim(self, at, _seen, value):
        """`value`: board, side, and the id of a press or None."""
        board, side, press = value
        named = [claim["board"] for claim in self.claims if not claim["rejected"]]
        same = [each for each in named if same_board(each, board)]
        board = same[0] if same else board
        if self.phase in ("ready", "ended"):
            return False
        if self.phase == "collecting" and at >= self.began:
            return self.enter(at, board, side)
        if any((claim["board"], claim["side"]) == (board, side) for claim in self.waiting()):
            return press is None or press in [kept["id"] for kept in self.presses]
        nobody = [claim for claim in self.open_claims() if claim["board"] is None]
        if press is None and nobody and nobody[0]["active"] == side:
            nobody[0].update(board=board, side=side)
            return True
        if press is None:
            moment = self.moment(at)
        else:
            taken = [kept for kept in self.presses if kept["id"] == press]
            if not taken:
                return False
            at, moment = taken[0]["at"], (taken[0]["round"], taken[0]["side"], taken[0]["left"])
        if moment[1] != side:
            return False
        self.presses = [kept for kept in self.presses if kept["id"] != press]
        self.put(at, moment, board, side)
        return True

    def enter(self, at, board, side):
        """A sheet for the ranking: one of each board and side."""
        mine = [claim for claim in self.claims if same_board(claim["board"], board) and claim["side"] == side]
        if any(claim["open"] and not claim["passed"] for claim in mine):
            return True
        if any(claim["sheet"] for claim in mine):
            return False
        self.put(at, (self.round, side, 0), board, side)
        return True

    def do_verdict(self, _at, _seen, value):
        """`value`: the claim, and None for rejected or a sheet as points and (grain, ore)."""
        name, sheet = value
        for claim in self.claims:
            again = self.phase == "collecting" and claim["sheet"]
            if claim["id"] != name or self.phase == "ended" or not (claim["open"] or again):
                continue
            if sheet is not None and (self.phase != "collecting" or claim["board"] is None):
                return False
            claim.update(open=False, rejected=sheet is None, sheet=sheet)
            return True
        return False

    def do_end(self, _at, seen, _value):
        if self.phase not in ("round", "robber", "collecting"):
            return self.phase == "ended"
        self.ranked = self.phase == "collecting"
        self.stop("ended", seen)
        return True

    def ranking(self):
        """Checked sheets, the best first: points, cards in hand, grain, ore; who claimed earlier first."""
        sheets = [(claim["id"], claim["sheet"]) for claim in self.claims if claim["sheet"] is not None]
        return sorted(sheets, key=lambda one: (one[1][0], sum(one[1][1]), *one[1][1]), reverse=True)

    def winners(self):
        """Whoever has the same as the first of the ranking, once the game has ended with it."""
        ranking = self.ranking() if self.ranked else []
        return [name for name, sheet in ranking if sheet == ranking[0][1]]

    def do_resume(self, _at, seen, override):
        if self.mode == "still" or (self.mode == "frozen" and self.waiting() and not override):
            return False
        if self.mode == "frozen":
            nobody = [
                claim for claim in self.claims if claim["board"] is None and (claim["open"] or claim["lost"])
            ]
            for claim in nobody:
                claim.update(open=False, lost=True)
            self.claims = [claim for claim in self.claims if claim not in nobody[:-3]]
            for claim in self.open_claims():
                claim["passed"] = True
            if not self.open_claims():
                self.presses = []
            self.mode, self.go, self.reasons = "count", seen + COUNTDOWN_MS, []
        return True

    def do_skip(self, _at, seen, _value):
        if self.phase not in ("round", "robber"):
            return False
        self.next_phase(seen)
        return True

    def do_add_time(self, _at, seen, ms):
        if self.phase not in ("round", "robber"):
            return False
        self.left = max(0, self.remaining(seen) + ms)
        self.end = seen + self.left
        self.catch_up(seen)
        return True

    def do_set_schedule(self, _at, _seen, schedule):
        self.schedule = schedule
        return self.phase not in ("collecting", "ended")

    def do_last_rounds(self, _at, _seen, count):
        if self.phase in ("collecting", "ended") or self.round + count < 1:
            return False
        self.last_round = self.round + count
        return True


def played(first, actions, now):
    """The hall after these actions, from the beginning; None when one of them could not be done."""
    hall = copy.deepcopy(first)
    for action in actions:
        if not hall.do(action):
            return None
    hall.catch_up(now)
    return hall
