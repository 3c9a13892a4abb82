"""The link of a follower is cut for 1 s to 10 min: `python -m tests.soak.hall_cuts --seconds 1 3 30 600`.

Each length twice: without a word, as when a cable is pulled, and with all connections ended. Meanwhile rounds
pass, both halls claim, and both press their big buttons. Then everything stands in the leader's game once, and
how long the follower took to show live time again is printed; the run fails above `--slowest`.
"""

import argparse
import contextlib
import os
import socket
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.soak.hall_claims import Made, answered
from tests.soak.promises import DifferenceError, kept
from tests.system.broker import Cable, broker, cable
from tests.system.halls import Hall, follows, hall

ROUNDS = """\
[game]
schedule = [{{from_round = 1, seconds = {seconds}}}]
robber_seconds = 1
start_countdown_seconds = 0
resume_countdown_seconds = 0
"""
ARRIVED_S = 60.0
OVERRIDE = {"override": True}


@dataclass(frozen=True)
class Cut:
    """Of this length; `silent`: nothing ends, bytes only come no more."""

    seconds: float
    silent: bool

    def __str__(self) -> str:
        return f"{self.seconds:g} s, {'without a word' if self.silent else 'connections ended'}"


class Cuts:
    """Two halls in play, `main` and `east`, and the cable of the second one."""

    def __init__(self, leader: Hall, follower: Hall, wire: Cable) -> None:
        self.leader = leader
        self.follower = follower
        self._wire = wire
        self._number = 0
        self._made: list[Made] = []
        self._sockets: list[socket.socket] = []

    def one(self, cut: Cut) -> float:
        """Seconds from the mended link to live time. Raises DifferenceError."""
        round_before = self.follower.until(lambda picture: picture.running and follows(picture)).round
        began_s = time.monotonic()
        if cut.silent:
            self._wire.cut()
        else:
            self._wire.end_all()
        self._claim_here()
        self._claim_there()
        self._pressed_by_leader()
        _until(began_s + cut.seconds)
        at_last = self.follower.picture()
        if cut.seconds >= 3 and (at_last.running or follows(at_last)):
            raise DifferenceError(f"{cut}: the follower's time has run on: {at_last}")
        self._claim_there()
        self.follower.press()
        mended_s = time.monotonic()
        self._wire.mend()
        shown = self.follower.until(follows)
        took_s = time.monotonic() - mended_s
        self._all_is_there(cut)
        if cut.seconds >= 3 and shown.round <= round_before and self.leader.picture().round <= round_before:
            raise DifferenceError(f"{cut}: no round has passed meanwhile")
        return took_s

    def _all_is_there(self, cut: Cut) -> None:
        """The follower's press has stopped the leader, each claim was answered once, and both halls show the
        same."""
        self.leader.until(lambda picture: "button" in picture.pause_reasons)
        wanted = Counter(made.journal_key for made in self._made)
        found: Counter[str] = Counter()
        until_s = time.monotonic() + ARRIVED_S
        while wanted - found and time.monotonic() < until_s:
            _until(time.monotonic() + 0.05)
            found = Counter(key for key, _ in answered(self.leader) if "/cut-" in key)
        if found != wanted:
            raise DifferenceError(f"{cut}: claimed was {wanted}, and the leader has {found}")
        ids = [claim.id for claim in self.leader.picture().claims]
        self.follower.until(lambda picture: [claim.id for claim in picture.claims] == ids)
        answer = self.leader.client.command("resume", OVERRIDE)
        if not answer.accepted:
            raise DifferenceError(f"{cut}: {answer.reasons}")

    def _body(self, hall: Hall) -> dict[str, str]:
        self._number += 1
        return {"board": f"T{self._number}", "side": hall.picture().side or "sun"}

    def _claim_here(self) -> None:
        self.leader.client.command("claim", self._body(self.leader))

    def _claim_there(self) -> None:
        """In the round that it shows, which may be over: then the leader refuses it, once too."""
        body = self._body(self.follower)
        made = Made(self.follower, f"cut-{self._number}", "claim", body)
        self._made.append(made)
        self._sockets.append(made.tell())

    def close(self) -> None:
        for connection in self._sockets:
            connection.close()

    def _pressed_by_leader(self) -> None:
        self.leader.press()
        self.leader.until(lambda picture: "button" in picture.pause_reasons)
        self.leader.client.command("resume", OVERRIDE)


def _until(moment_s: float) -> None:
    threading.Event().wait(max(0.0, moment_s - time.monotonic()))


def run(folder: Path, cuts: list[Cut], *, round_s: float) -> list[tuple[Cut, float]]:
    """How long each took to live time; raises DifferenceError."""
    rounds = ROUNDS.format(seconds=round_s)
    with (
        broker(folder / "broker") as mosquitto,
        cable(mosquitto.port) as wire,
        hall(folder, "main", "leader", mosquitto.port, rounds) as leader,
        hall(folder, "east", "follower", wire.port) as follower,
    ):
        leader.until_link("leading")
        follower.until_following()
        if not leader.client.command("start").accepted:
            raise DifferenceError("the game was not started")
        with contextlib.closing(Cuts(leader, follower, wire)) as going:
            return [(cut, going.one(cut)) for cut in cuts]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, nargs="+", default=[1, 3, 30, 600])
    parser.add_argument("--slowest", type=float, default=1.0, help="seconds to live time")
    given = parser.parse_args()
    cuts = [Cut(seconds, silent) for seconds in given.seconds for silent in (True, False)]

    def measured(folder: Path) -> str:
        took = run(folder, cuts, round_s=2)
        lines = [f"{cut}: live again after {took_s:.2f} s" for cut, took_s in took]
        said = "\n".join((*lines, f"load {os.getloadavg()[0]:.1f}"))
        if max(took_s for _, took_s in took) > given.slowest:
            raise DifferenceError(said)
        return said

    return kept(measured)


if __name__ == "__main__":
    sys.exit(main())
