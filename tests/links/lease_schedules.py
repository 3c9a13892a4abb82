"""Random schedules of twenty controllers with one lease: python -m tests.links.lease_schedules --schedules N …

The real `Candidate` and `followed`, in one process, on a clock moved by hand. A storm of some ten seconds: networks cut
into parts, claims that get lost or come up to a second late, controllers that are off for some seconds and start anew
with what is on their disk, connections made anew, games that begin and end, old claims of a former run, decisions of
persons. Then the network is whole and nobody fails any more: after 5 s one leads, or there is the fault; and the typed
confirmation in one of its halls ends it. Many controllers only follow. Exit status 1 when anything was wrong, with the
seed of the schedule; `--seed S --schedules 1` tells what happened in it.
"""

import argparse
import heapq
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from pi_controller.links.lease import SILENT_S, Candidate, LeaseClaim, Progress, followed
from tests.links.lease_model import ViolationError, check_step

CONTROLLERS = 20
WHOLE_S = 5.0
"""So long after the network is whole one leads, or there is the fault."""
SLACK_S = 4.0
"""So long a hall may follow an empty game although a leader is heard whose game is played."""
LATEST_S = 1.0
GHOST_S = 3.0
AT_ONCE_S = 0.1
_CANDIDATES = (2, 2, 3, 3, 4, 4, 5, 6, 8, 20)
_HALLS = tuple(f"hall-{number}" for number in range(12))
"""Fewer than controllers: some have the same name."""


class Controller:
    """One hall: what it follows, and its candidate where it may lead."""

    def __init__(self, own: LeaseClaim, *, may_lead: bool) -> None:
        self.disk = own
        self.progress: Progress = own.progress
        self.candidate = Candidate(own) if may_lead else None
        self.part = 0
        self.on = True
        self.follows: LeaseClaim | None = None
        self.heard: dict[str, tuple[LeaseClaim, float]] = {}
        self.empty_since_s: float | None = None

    @property
    def name(self) -> str:
        return self.disk.controller

    @property
    def leads(self) -> bool:
        return self.candidate is not None and self.candidate.own.leads


class Schedule:
    """One schedule, wholly decided by its seed. `run` raises ViolationError."""

    def __init__(self, seed: int, tell: Callable[[str], None] | None = None) -> None:
        self.rng = random.Random(seed)
        self._tell = tell
        self.now_s = 0.0
        self.settled_s = 0.0
        """How long after the network was whole one led, or there was the fault."""
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0
        self._storm = True
        self._loss = self.rng.choice((0.0, 0.1, 0.3))
        self._latest_s = self.rng.choice((AT_ONCE_S, LATEST_S))
        self._said: list[tuple[float, LeaseClaim]] = []
        candidates = self.rng.choice(_CANDIDATES)
        games: tuple[Progress, ...] = self.rng.choice(
            (("empty",), ("empty", "playing"), ("empty", "between", "playing"))
        )
        names = self.rng.sample([f"c{number:02}" for number in range(CONTROLLERS)], CONTROLLERS)
        self.all = [
            Controller(
                LeaseClaim(
                    hall=self.rng.choice(_HALLS),
                    controller=name,
                    run="r0",
                    state="asking",
                    progress=self.rng.choice(games) if number < candidates else "empty",
                    term=self.rng.choice((1, 1, 1, 2)),
                ),
                may_lead=number < candidates,
            )
            for number, name in enumerate(names)
        ]
        self.by_name = {one.name: one for one in self.all}
        self.candidates = self.all[:candidates]
        for one in self.all:
            self._at(self.rng.random(), partial(self._second, one))

    def _at(self, after_s: float, event: Callable[[], None]) -> None:
        self._number += 1
        heapq.heappush(self._events, (self.now_s + after_s, self._number, event))

    def _told(self, words: str) -> None:
        if self._tell is not None:
            self._tell(f"{self.now_s:7.3f} {words}")

    def _until(self, end_s: float) -> None:
        while self._events[0][0] <= end_s:
            self.now_s, _, event = heapq.heappop(self._events)
            event()
        self.now_s = end_s

    def run(self) -> str:
        """How it ended: `led`, `divided` (and led once a person had confirmed) or `nobody`, since persons wanted so."""
        storm_s = self.rng.uniform(6, 16)
        self._at(0, self._strike)
        self._until(storm_s)
        self._calm()
        whole_s = self.now_s
        self._watch(whole_s, whole_s + WHOLE_S)
        ended = self._ended()
        self._until(self.now_s + 1)
        ended = self._ended()
        if ended == "divided":
            self._confirm(self.rng.choice([one for one in self.candidates if one.leads]))
            self._until(self.now_s + WHOLE_S)
            if self._ended() != "led":
                raise ViolationError("a person has confirmed who leads, and that is not so after 5 s")
        return ended

    def _watch(self, whole_s: float, end_s: float) -> None:
        settled_s = None
        while self.now_s < end_s:
            self._until(self.now_s + 0.25)
            if not self._settled():
                settled_s = None
            elif settled_s is None:
                settled_s = self.now_s
        self.settled_s = (end_s if settled_s is None else settled_s) - whole_s

    def _settled(self) -> str | None:
        states = Counter(one.candidate.own.state for one in self.candidates if one.candidate)
        if states["divided"]:
            return "divided" if states["divided"] > 1 and not states["leading"] else None
        if states["leading"] == 1:
            return "led"
        gone = all(
            one.candidate.own.state == "refused" and one.candidate.before is None
            for one in self.candidates
            if one.candidate
        )
        return "nobody" if gone else None

    def _ended(self) -> str:
        ended = self._settled()
        if ended is None:
            states = ", ".join(
                f"{one.name} {one.candidate.own.state} {one.progress}"
                for one in self.candidates
                if one.candidate
            )
            raise ViolationError(f"the network is whole, and yet: {states}")
        return ended

    # What controllers do

    def _second(self, one: Controller) -> None:
        self._at(1.0, partial(self._second, one))
        if not one.on:
            return
        if one.candidate is not None:
            self._speak(one)
        if not one.leads:
            self._follow(one)

    def _speak(self, one: Controller) -> None:
        candidate = one.candidate
        assert candidate is not None
        was = replace(candidate.own, progress=one.progress)
        claim = candidate.tick(self.now_s, one.progress)
        self._step(one, was, ())
        self._said.append((self.now_s, claim))
        if self._storm:
            for other in self.all:
                if other is not one and other.part == one.part and self.rng.random() >= self._loss:
                    late_s = self.rng.random() ** 2 * self._latest_s
                    self._at(late_s, partial(self._hear, (other,), claim))
        else:
            self._at(self.rng.random() * AT_ONCE_S, partial(self._hear, self.all, claim))

    def _hear(self, hearers: "tuple[Controller, ...] | list[Controller]", claim: LeaseClaim) -> None:
        for one in hearers:
            if one.on and claim.controller != one.name:
                self._hears(one, claim)

    def _hears(self, one: Controller, claim: LeaseClaim) -> None:
        one.heard[claim.controller] = claim, self.now_s
        candidate = one.candidate
        if candidate is None:
            return
        was = candidate.own
        candidate.hear(claim, self.now_s)
        self._step(one, was, (claim,))
        if candidate.own.state != "leading" or claim.state != "leading":
            return
        sender = self.by_name[claim.controller].candidate
        if sender is None or sender.own != claim or claim not in candidate.heard(self.now_s):
            return
        if candidate.own in sender.heard(self.now_s):
            raise ViolationError(f"{one.name} and {claim.controller} lead in each other's hearing")

    def _step(self, one: Controller, was: LeaseClaim, said: tuple[LeaseClaim, ...]) -> None:
        candidate = one.candidate
        assert candidate is not None
        own = candidate.own
        if own is was:
            return
        check_step(was, own, [*said, *candidate.heard(self.now_s)])
        if own.state == was.state:
            return
        self._told(
            f"{one.name} {was.state} {was.progress} -> {own.state}, term {own.term}, {own.against or ''}"
        )
        check_step(was, own, [*said, *candidate.heard(self.now_s)])
        if own.leads:
            one.follows = None

    def _follow(self, one: Controller) -> None:
        heard = [claim for claim, at_s in one.heard.values() if self.now_s - at_s < SILENT_S]
        one.follows = followed(one.follows, heard)
        follows = one.follows
        played = [claim for claim in heard if claim.leads and claim.progress == "playing"]
        if (
            follows is None
            or follows.progress != "empty"
            or not played
            or not self._could_know(follows, played)
        ):
            one.empty_since_s = None
        elif one.empty_since_s is None:
            one.empty_since_s = self.now_s
        elif self.now_s - one.empty_since_s > SLACK_S:
            raise ViolationError(f"{one.name} follows {follows.lease} with an empty game, and hears {played}")

    def _could_know(self, follows: LeaseClaim, played: list[LeaseClaim]) -> bool:
        """Whether the one that is followed hears them too: while claims get lost it may not."""
        leader = self.by_name[follows.controller]
        return not leader.on or any(
            claim.controller in leader.heard
            and self.now_s - leader.heard[claim.controller][1] < SILENT_S
            and leader.heard[claim.controller][0].leads
            for claim in played
        )

    # What befalls them

    def _strike(self) -> None:
        if not self._storm:
            return
        self._at(self.rng.expovariate(1.0), self._strike)
        kind = self.rng.choice(
            (self._cut, self._cut, self._mend, self._fail, self._fail, self._game, self._game, self._game,
             self._haunt, self._decide, self._connect)
        )  # fmt: skip
        kind(self.rng.choice(self.candidates))

    def _cut(self, _: Controller) -> None:
        parts = self.rng.choice((2, 2, 3, 4))
        anew = self.rng.random() < 0.5
        for one in self.all:
            part = self.rng.randrange(parts)
            if part != one.part and anew:
                self._connected(one)
            one.part = part
        self._told(f"cut into {parts}: {' '.join(f'{one.name}={one.part}' for one in self.candidates)}")

    def _mend(self, _: Controller) -> None:
        anew = self.rng.random() < 0.5
        for one in self.all:
            if one.part and anew:
                self._connected(one)
            one.part = 0
        self._told("whole")

    def _connect(self, one: Controller) -> None:
        self._told(f"{one.name} connects anew")
        self._connected(one)

    def _connected(self, one: Controller) -> None:
        one.heard.clear()
        if one.candidate is not None:
            one.candidate.connected()

    def _fail(self, one: Controller) -> None:
        if one.on:
            one.on = False
            self._told(f"{one.name} is off")
            self._at(self.rng.random() * self.rng.choice((0.5, 6.0)), partial(self._start, one))

    def _start(self, one: Controller) -> None:
        """With what is on its disk, and its game as it was."""
        if one.on or one.candidate is None:
            return
        one.on = True
        run = f"r{int(one.disk.run[1:]) + 1}"
        one.disk = replace(one.disk, run=run)
        one.candidate = Candidate(replace(one.disk, state="asking", progress=one.progress))
        one.heard, one.follows, one.empty_since_s = {}, None, None
        self._told(f"{one.name} starts anew, {one.progress}, term {one.disk.term}")

    def _game(self, one: Controller) -> None:
        """A game begins only where one leads without a rival; where it has ended, a new one may be prepared."""
        if not one.on or one.candidate is None:
            return
        if one.progress == "playing":
            one.progress = "between"
        elif one.candidate.own.state == "leading":
            one.progress = "empty" if one.progress == "between" and self.rng.random() < 0.3 else "playing"
        else:
            return
        self._told(f"{one.name} ({one.candidate.own.state}) is now {one.progress}")
        self._speak(one)

    def _haunt(self, _: Controller) -> None:
        """An old claim comes once more: of any age to whoever has said it, else not older than what is believed."""
        if not self._said:
            return
        at_s, claim = self.rng.choice(self._said[-60:])
        author = self.by_name[claim.controller]
        if author.candidate is not None:
            author.candidate.hear(claim, self.now_s)
        if self.now_s - at_s < GHOST_S:
            self._told(f"once more from {at_s:.3f}: {claim.lease} {claim.state} {claim.progress}")
            there = [one for one in self.all if one.part == author.part]
            self._hear(there, claim)
            for one in there:
                one.empty_since_s = None  # it may be believed once more

    def _decide(self, one: Controller) -> None:
        if not one.on or one.candidate is None:
            return
        if self.rng.random() < 0.6:
            self._confirm(one)
        elif one.leads:
            self._told(f"{one.name} is told to give way")
            one.candidate.give_way()

    def _confirm(self, one: Controller) -> None:
        """A person types the hall's name: this one leads. First onto the disk; some fail just then."""
        assert one.candidate is not None
        decided = one.candidate.decided(self.now_s)
        one.disk = replace(one.disk, term=decided.term, over=decided.over)
        self._told(f"{one.name} is told to lead: term {decided.term} over {decided.over}")
        if self._storm and self.rng.random() < 0.1:
            self._fail(one)
            return
        one.candidate.lead(decided)
        one.follows = None

    def _calm(self) -> None:
        """From now on the network is whole and nobody fails."""
        self._storm = False
        self._told("the network is whole, and nobody fails any more")
        for one in self.candidates:
            self._start(one)
        self._mend(self.all[0])


def tried(seed: int) -> tuple[int, str, float]:
    """The seed, how its schedule ended or what was wrong, and after how many seconds."""
    schedule = Schedule(seed)
    try:
        return seed, schedule.run(), schedule.settled_s
    except ViolationError as error:
        return seed, f"WRONG at {schedule.now_s:.3f}: {error}", 0.0


def main() -> int:
    """0 when nothing was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.links.lease_schedules")
    parser.add_argument("--schedules", type=int, default=100_000, help="how many (default 100000)")
    parser.add_argument("--seed", type=int, default=1, help="of the first one (default 1)")
    parser.add_argument("--jobs", type=int, default=None, help="processes (default: one for each core)")
    arguments = parser.parse_args()
    if arguments.schedules == 1:
        schedule = Schedule(arguments.seed, print)
        try:
            print(schedule.run())
        except ViolationError as error:
            print(f"WRONG: {error}")
            return 1
        return 0
    began = time.perf_counter()
    ends: Counter[str] = Counter()
    wrong: list[tuple[int, str]] = []
    slowest_s = 0.0
    seeds = range(arguments.seed, arguments.seed + arguments.schedules)
    with multiprocessing.Pool(arguments.jobs) as pool:
        for done, (seed, ended, took_s) in enumerate(pool.imap_unordered(tried, seeds, chunksize=50), 1):
            ends[ended.split(" ")[0]] += 1
            slowest_s = max(slowest_s, took_s)
            if ended.startswith("WRONG"):
                wrong.append((seed, ended))
            if done % max(1, arguments.schedules // 50) == 0:
                print(
                    f"{done * 100 // arguments.schedules:3d} %, {len(wrong)} wrong",
                    file=sys.stderr,
                    flush=True,
                )
    took = time.perf_counter() - began
    print(f"{arguments.schedules} schedules of {CONTROLLERS} controllers in {took:.0f} s: {dict(ends)}")
    print(f"settled at the latest {slowest_s:.2f} s after the network was whole; {len(wrong)} violations")
    for seed, ended in sorted(wrong)[:20]:
        print(f"  --schedules 1 --seed {seed}: {ended}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
