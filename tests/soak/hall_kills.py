"""Claims of many halls while their broker is killed: `python -m tests.soak.hall_kills --followers 20 --kills 100`.

A real leader and real followers, each with core and links process, at a real Mosquitto that is killed and
started again empty, again and again. Meanwhile the followers' boards claim, one after the other; some claims are
told again as a table does that has heard no answer, some are withdrawn. In the end each claim and each
withdrawal stands exactly once in the leader's journal, and the claims stand in the order of their presses, by
the clocks of the cores that heard them.
"""

import argparse
import contextlib
import itertools
import os
import random
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pi_controller.protocol.picture import Picture
from tests.soak.hall_claims import Made, Presses, answered
from tests.soak.promises import DifferenceError, kept
from tests.system.broker import Broker, broker
from tests.system.halls import Hall, hall
from tests.system.programs import ONE_ROUND

APART_S = 0.01
CLOCK_US = 5_000
"""Two presses that are nearer may stand in either order: so far a follower's clock may be off."""
ARRIVED_S = 60.0


class Kills:
    """A leader, followers, a broker that dies."""

    def __init__(self, leader: Hall, followers: list[Hall], mosquitto: Broker, chance: random.Random) -> None:
        self.leader = leader
        self.followers = followers
        self.repeats = 0
        self.claims: list[Made] = []
        self.withdrawals: list[Made] = []
        self._presses = Presses(followers)
        self._mosquitto = mosquitto
        self._side = leader.picture().side or ""
        self._chance = chance
        self._numbers = itertools.count(1)
        self._sockets: list[socket.socket] = []

    def one_kill(self) -> None:
        """Two claims before the kill, or in the dark, or after it, a repeat, and every second time a
        withdrawal."""
        deeds = [self._claim, self._claim, self._claim, self._repeat]
        if self._chance.random() < 0.5:
            deeds.append(self._withdraw)
        self._chance.shuffle(deeds)
        killed, started = sorted(self._chance.choices(range(len(deeds) + 1), k=2))
        for number, deed in enumerate([*deeds, None]):
            if number == killed:
                self._mosquitto.kill()
            if number == started:
                _wait(self._chance.uniform(0, 0.3))
                self._mosquitto.start()
            if deed is not None:
                deed()
                _wait(APART_S + self._chance.uniform(0, 0.1))
        _wait(self._chance.uniform(0, 0.8))
        for connection in self._sockets[:-100]:
            connection.close()
        del self._sockets[:-100]

    def arrived(self) -> Picture:
        """The leader's picture once nothing is on its way any more."""
        until = time.monotonic() + ARRIVED_S
        while missing := self._missing():
            if time.monotonic() > until:
                raise DifferenceError(f"{len(missing)} have not reached the leader's journal: {missing[:5]}")
            _wait(0.1)
        return self.leader.picture()

    def check(self, picture: Picture) -> None:
        """Raises DifferenceError."""
        counts = self._journal_keys()
        twice = [key for key, count in counts.items() if count > 1]
        strange = counts.keys() - {made.journal_key for made in (*self.claims, *self.withdrawals)}
        if twice or strange:
            raise DifferenceError(f"twice in the journal: {twice}; made by nobody: {strange}")
        moments_us = self._presses.moments_us()
        made = {f"{one.hall.name}/{one.body['board']}": moments_us[one.key] for one in self.claims}
        shown = [claim.board or "" for claim in picture.claims]
        if sorted(shown) != sorted(made):
            raise DifferenceError(f"claimed was {sorted(made)}, and the leader shows {sorted(shown)}")
        for one, next_one in itertools.pairwise(shown):
            if made[one] > made[next_one] + CLOCK_US:
                raise DifferenceError(f"{one} was pressed after {next_one}: {made[one]}, {made[next_one]}")
        withdrawn = {claim.id for claim in picture.claims if claim.status == "withdrawn"}
        if withdrawn != {made.body["claim"] for made in self.withdrawals}:
            raise DifferenceError(f"withdrawn are {withdrawn}")

    def close(self) -> None:
        self._presses.close()
        for connection in self._sockets:
            connection.close()

    def _claim(self) -> None:
        number = next(self._numbers)
        body = {"board": f"T{number}", "side": self._side}
        made = Made(self._chance.choice(self.followers), f"claim-{number}", "claim", body)
        self.claims.append(made)
        self._tell(made)

    def _repeat(self) -> None:
        """As a table whose master was started anew, or two paths of one claim."""
        if self.claims:
            self.repeats += 1
            self._tell(self._chance.choice(self.claims[-10:]))

    def _withdraw(self) -> None:
        gone = {made.body["claim"] for made in self.withdrawals}
        halls = {hall.name: hall for hall in self.followers}
        open_here = [
            claim for claim in self.leader.picture().claims if claim.status == "open" and claim.id not in gone
        ]
        if open_here:
            claim = self._chance.choice(open_here)
            hall = halls[(claim.board or "").partition("/")[0]]
            made = Made(hall, f"withdraw-{next(self._numbers)}", "withdraw", {"claim": claim.id})
            self.withdrawals.append(made)
            self._tell(made)

    def _tell(self, made: Made) -> None:
        try:
            self._sockets.append(made.tell())
        except ConnectionRefusedError:
            core = made.hall.running["core"]
            status, said = core.process.poll(), core.complained.all()[-5:]
            raise DifferenceError(f"the core of {made.hall.name} ended with {status}: {said}") from None

    def _missing(self) -> list[str]:
        known = self._journal_keys()
        return [
            made.journal_key for made in (*self.claims, *self.withdrawals) if made.journal_key not in known
        ]

    def _journal_keys(self) -> Counter[str]:
        """How often each key of another hall stands there as accepted."""
        return Counter(key for key, accepted in answered(self.leader) if accepted)


def _wait(seconds: float) -> None:
    threading.Event().wait(seconds)


@contextlib.contextmanager
def halls(folder: Path, followers: int, chance: random.Random) -> Iterator[Kills]:
    """In play, all of them."""
    with broker(folder / "broker") as mosquitto, contextlib.ExitStack() as ending:
        port = mosquitto.port
        leader = ending.enter_context(hall(folder, "main", "leader", port, ONE_ROUND))
        others = []
        for number in range(followers):
            others.append(ending.enter_context(hall(folder, f"h{number}", "follower", port)))
            others[-1].picture()  # one after the other: so many programs at once take each other's processor
        leader.until_link("leading")
        for one in others:
            one.until_following()
        if not leader.client.command("start").accepted:
            raise DifferenceError("the game was not started")
        for one in others:
            one.until(lambda picture: picture.running)
        kills = Kills(leader, others, mosquitto, chance)
        ending.callback(kills.close)
        yield kills


def run(folder: Path, *, followers: int, kills: int, seed: int) -> str:
    """What was found; raises DifferenceError."""
    with halls(folder, followers, random.Random(seed)) as going:
        for number in range(1, kills + 1):
            going.one_kill()
            if number % 10 == 0:
                print(f"{number} kills, {len(going.claims)} claims", flush=True)
        picture = going.arrived()
        going.check(picture)
        return (
            f"{kills} kills of the broker, {followers} followers: {len(going.claims)} claims, {going.repeats} of "
            f"them told again, and {len(going.withdrawals)} withdrawals, each exactly once in the leader's "
            f"journal, in the order of the presses; load {os.getloadavg()[0]:.1f}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--followers", type=int, default=20)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    return kept(lambda folder: run(folder, followers=given.followers, kills=given.kills, seed=given.seed))


if __name__ == "__main__":
    sys.exit(main())
