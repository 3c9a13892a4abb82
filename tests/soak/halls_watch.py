"""Four halls play one game while everything between them breaks: `python -m tests.soak.halls_watch --minutes 60 --faults 120`.

`main` leads, `annex` is set to lead, too, and is refused, `east` and `north` follow; each with its own clocks
(`tests/system/clocks.py`) and its own cable to a real Mosquitto. A director has games played all the time, boards claim and
big buttons are pressed. Faults come in an order drawn from `--seed`, one after the other; after each, all must be whole again
within `WHOLE_S`. What `tests/system/hall_watch.py` watches is asserted all the time. In the end nothing waits for an answer,
and how long each kind of fault took to be whole again is printed; exit status 1 where something was not as it must be.
"""

import argparse
import contextlib
import itertools
import os
import random
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from pi_controller.protocol.errors import CoreTrouble, NoCore
from pi_controller.protocol.picture import Picture
from tests.soak.hall_players import Players
from tests.soak.promises import kept
from tests.system.broker import Broker, Cable, broker, cable
from tests.system.hall_watch import STRICT, Allowed, Watch
from tests.system.halls import Hall, follows, hall, watched, watching
from tests.system.listener import Listener

RULES = """\
[game]
schedule = [{from_round = 1, seconds = 6}]
robber_seconds = 1
start_countdown_seconds = 0
resume_countdown_seconds = 0
"""
ROLES = {"main": "leader", "annex": "leader", "east": "follower", "north": "follower"}
LONGEST_S = 20.0
BESIDE_S = 6.0
"""So long another leader, or a namesake, is there: longer than a leader asks for others."""
EARLIER_S = -3 * 365 * 86_400.0
"""The time of day of a hall that is started beside others stands before all others."""
LARGEST_STEP_S = 30 * 86_400.0
WHOLE_S = 30.0
STAYS_S = 2.5
"""It has to stay so: a follower does not miss its leader sooner than after 2 s."""
LOOK_S = 0.05


class Faults:
    """What is done to the halls: each kind by its name, until all that was done is mended."""

    def __init__(
        self, folder: Path, halls: dict[str, Hall], wires: dict[str, Cable], mosquitto: Broker,
        chance: random.Random, *, longest_s: float,
    ) -> None:  # fmt: skip
        self._folder = folder
        self._halls = halls
        self._wires = wires
        self._mosquitto = mosquitto
        self._chance = chance
        self._longest_s = longest_s
        self._numbers = itertools.count(1)
        self.kinds: dict[str, Callable[[], str]] = {
            "cut without a word": lambda: self._cut(Cable.cut),
            "cut with an end": lambda: self._cut(Cable.end_all),
            "core killed": lambda: self._killed("core"),
            "links killed": lambda: self._killed("links"),
            "controller killed": lambda: self._killed("core", "links"),
            "controller restarted": self._restarted,
            "broker killed": self._broker_killed,
            "broker stands still": self._broker_stands,
            "wall clock set": self._clock_set,
            "earlier second leader": lambda: self._beside("west", self._folder),
            "namesake of the leader": lambda: self._beside("main", self._folder / "spare"),
            "ghost of the leader": self._ghost,
        }

    def _for(self, most_s: float) -> float:
        return self._chance.uniform(min(1.0, most_s), most_s)

    def _one(self) -> Hall:
        return self._halls[self._chance.choice(list(self._halls))]

    def _cut(self, cut: Callable[[Cable], None]) -> str:
        name, seconds = self._one().name, self._for(self._longest_s)
        cut(self._wires[name])
        wait(seconds)
        self._wires[name].mend()
        return f"{name} for {seconds:.1f} s"

    def _killed(self, *programs: str) -> str:
        one, seconds = self._one(), self._chance.choice((0.0, self._for(self._longest_s / 3)))
        one.kill(*programs)
        wait(seconds)
        one.start(*programs)
        return f"of {one.name}, started after {seconds:.1f} s"

    def _restarted(self) -> str:
        one = self._one()
        one.end("links", "core")
        one.start("core", "links")
        return one.name

    def _broker_killed(self) -> str:
        seconds = self._for(self._longest_s / 3)
        self._mosquitto.kill()
        wait(seconds)
        self._mosquitto.start()
        return f"for {seconds:.1f} s"

    def _broker_stands(self) -> str:
        seconds = self._for(self._longest_s / 2)
        self._mosquitto.stand()
        wait(seconds)
        self._mosquitto.go_on()
        return f"for {seconds:.1f} s"

    def _clock_set(self) -> str:
        one, seconds = self._one(), self._chance.uniform(-LARGEST_STEP_S, LARGEST_STEP_S)
        one.clock.step(seconds)
        wait(1.0)
        return f"in {one.name} by {seconds / 86_400:+.1f} days"

    def _beside(self, name: str, folder: Path) -> str:
        """A controller nobody has heard of; its folder is another one each time."""
        folder = folder / f"beside-{next(self._numbers)}"
        with watched(Hall(folder / name, name, "leader", self._mosquitto.port, RULES)) as other:
            other.clock.step(EARLIER_S)
            other.start("core", "links").picture()
            wait(BESIDE_S)
        return f"{name} for {BESIDE_S:g} s"

    def _ghost(self) -> str:
        """What the broker had kept of the leader before it was killed is told again afterwards, as a broker with a
        memory or a bridge does: as it was, and in the name of a hall that is no more."""
        main = self._halls["main"]
        with contextlib.closing(Listener(self._mosquitto.port, "controller/main/#")) as heard:
            wait(1.0)
            kept = [heard.messages.get() for _ in range(heard.messages.qsize())]
            main.kill("core", "links")
            main.start("core", "links")
            for topic, payload, retain in kept:
                if retain:
                    text = payload.decode()
                    heard.keep(topic, text)
                    heard.keep(topic.replace("/main/", "/old/"), text.replace('"main"', '"old"'))
        return f"{len(kept)} messages"


class Soak:
    """The halls in play, and what is done to them."""

    def __init__(self, halls: dict[str, Hall], watch: Watch, faults: Faults, players: Players) -> None:
        self.took_s: defaultdict[str, list[float]] = defaultdict(list)
        self.done: Counter[str] = Counter()
        self.watch = watch
        self.players = players
        self.kinds = faults.kinds
        self._halls = halls

    def fault(self, kind: str) -> float | None:
        """Do it, and wait until all is whole again: so many seconds, or None where it does not come to that."""
        self.watch.note(kind)
        told = self.kinds[kind]()
        self.watch.note(f"{kind} is over: {told}")
        self.done[kind] += 1
        took_s = self.until_whole(f"{kind}, {told}")
        if took_s is not None:
            self.took_s[kind].append(took_s)
        return took_s

    def until_whole(self, after: str) -> float | None:
        """Seconds; None, and a violation, where it does not come to that."""
        began_s = whole_s = time.monotonic()
        while (now_s := time.monotonic()) < began_s + WHOLE_S:
            wrong = self._wrong()
            whole_s = now_s if wrong else whole_s
            if now_s - whole_s >= STAYS_S:
                return whole_s - began_s
            wait(LOOK_S)
        self.watch.violated("whole", "all", f"not within {WHOLE_S:g} s after {after}: {wrong}")
        return None

    def until_answered(self) -> None:
        """Nothing is on its way any more."""
        until_s = time.monotonic() + WHOLE_S
        waiting: dict[str, int] = {}
        while time.monotonic() < until_s:
            found = {name: picture_of(one) for name, one in self._halls.items()}
            waiting = {
                name: one.link.waiting if one is not None and one.link is not None else -1
                for name, one in found.items()
            }
            if not any(waiting.values()):
                return
            wait(LOOK_S)
        self.watch.violated("answered", "all", f"presses and claims that wait for an answer: {waiting}")

    def _wrong(self) -> str:
        """What keeps the halls apart."""
        found = {name: picture_of(one) for name, one in self._halls.items()}
        states = {name: one.link.state if one and one.link else "away" for name, one in found.items()}
        main = found["main"]
        if main is None or states["main"] != "leading" or states["annex"] != "refused":
            return str(states)
        for name in ("east", "north"):
            here = found[name]
            if here is None or not follows(here) or here.link is None or here.link.leader != "main":
                return f"{name} is {states[name]}: {here.health.messages if here else ''}"
            if here.game_id != main.game_id:
                return f"{name} has {here.game_id}, main {main.game_id}"
        return ""


def picture_of(one: Hall) -> Picture | None:
    with contextlib.suppress(NoCore, CoreTrouble, AssertionError):
        return one.quick.picture()
    return None


def wait(seconds: float) -> None:
    threading.Event().wait(seconds)


@contextlib.contextmanager
def soak(folder: Path, seed: int, allowed: Allowed, longest_s: float) -> Iterator[Soak]:
    """All halls play; raises WatchError at the end."""
    chance = random.Random(seed)
    with broker(folder / "broker") as mosquitto, contextlib.ExitStack() as ending:
        wires = {name: ending.enter_context(cable(mosquitto.port)) for name in ROLES}
        watch = ending.enter_context(watching(Watch(allowed)))
        halls: dict[str, Hall] = {}
        for name, role in ROLES.items():
            halls[name] = ending.enter_context(hall(folder, name, role, wires[name].port, RULES))
            halls[name].picture()  # one after the other: so many programs at once take each other's processor
            if name == "main":
                halls[name].until_link("leading")
                assert halls[name].client.command("start").accepted
        players = ending.enter_context(contextlib.closing(Players(halls, seed)))
        faults = Faults(folder, halls, wires, mosquitto, chance, longest_s=longest_s)
        going = Soak(halls, watch, faults, players)
        going.until_whole("the start")
        yield going


def order(kinds: list[str], count: int, chance: random.Random) -> list[str]:
    """Each kind as often as the others."""
    found = (kinds * (count // len(kinds) + 1))[:count]
    chance.shuffle(found)
    return found


def run(
    folder: Path, *, minutes: float, faults: int, seed: int, allowed: Allowed = STRICT,
    kinds: list[str] | None = None, longest_s: float = LONGEST_S,
) -> str:  # fmt: skip
    """What was found; raises WatchError."""
    with soak(folder, seed, allowed, longest_s) as going:
        began_s = time.monotonic()
        wanted = order(kinds or list(going.kinds), faults, random.Random(seed))
        shown = 0
        for number, kind in enumerate(wanted, 1):
            took_s = going.fault(kind)
            whole = "not whole again" if took_s is None else f"whole after {took_s:.1f} s"
            print(
                f"{(time.monotonic() - began_s) / 60:.1f} min: {number} of {faults} faults ({kind}: {whole}), "
                f"{going.players.told}, {len(going.watch.violations)} violations",
                flush=True,
            )
            for one in going.watch.violations[shown:]:
                print(f"  {one.partition(chr(10))[0]}", flush=True)
                shown += 1
            wait(began_s + number * minutes * 60 / faults - time.monotonic())
        going.players.rest()
        going.until_answered()
        lines = [
            f"{kind}: {going.done[kind]} times, whole again after {median(took):.1f} s, at most {max(took):.1f} s"
            for kind, took in sorted(going.took_s.items())
            if took
        ]
        return "\n".join((*lines, f"{going.players.told}; load {os.getloadavg()[0]:.1f}"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--faults", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", help="kinds of faults")
    parser.add_argument(
        "--machine", type=float, default=STRICT.late_s, help="seconds that this machine may add"
    )
    given = parser.parse_args()
    allowed = Allowed(change_s=given.machine, late_s=given.machine)

    def watched_run(folder: Path) -> str:
        said = run(
            folder, minutes=given.minutes, faults=given.faults, seed=given.seed,
            allowed=allowed, kinds=given.only,
        )  # fmt: skip
        return f"{said}\n0 violations"

    return kept(watched_run)


if __name__ == "__main__":
    sys.exit(main())
