"""Games recorded by the real loop and journal, with time moved by hand, and compared with their replay:
`python -m tests.replay.recorded_games --games 100`."""

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from pi_controller.game.commands import Step
from pi_controller.game.rule_sets import CLASSIC, CLASSIC_SEATS, CONNECT, RuleSet
from pi_controller.journal.record import Record
from pi_controller.protocol.picture import Picture
from pi_controller.replay.changes import ReplayedChange, changes_of
from pi_controller.replay.pictures import OF_THE_PROCESS, Replay
from tests.core.disk import DiskHall
from tests.core.hall import SEED
from tests.core.hand import MS, S
from tests.report.played import records_of

US = 1_000
STEPS = 60
CLASSIC_GAMES = {
    1: CLASSIC,
    3: replace(CLASSIC, schedule=(Step(1, 60),)),
    5: replace(CLASSIC, sides=CLASSIC_SEATS, building_ms=20_000, rounds_without_seven=12),
    7: replace(CLASSIC, sides=CLASSIC_SEATS[:3], first_side="drawn"),
}
SHEET = {"settlements": 5, "cities": 5, "victory_cards": 3}
LESS = {"settlements": 4, "cities": 1}


@dataclass(frozen=True)
class Sent:
    """A picture as it was sent, and the boot in which that was."""

    boot_id: str
    picture: Picture


class Evening:
    """One game driven by chance from its arming to its end, with restarts; `sent` are its pictures."""

    def __init__(self, number: int, state_dir: Path, rules: RuleSet) -> None:
        self.chance = random.Random(number)
        self.sent: list[Sent] = []
        self.hall = self._listened(DiskHall(state_dir, rules=rules))

    def _listened(self, hall: DiskHall) -> DiskHall:
        hall.log.prompt = True
        self.sent += [Sent(hall.timers.boot_id, picture) for picture in hall.pictures]
        hall.publish = lambda picture: self.sent.append(Sent(hall.timers.boot_id, picture))  # type: ignore[method-assign]
        return hall

    def play(self) -> list[Record]:
        """The journal's lines, once core has ended."""
        if self.chance.random() < 0.5:
            self._ask("contribute", {"text": "rubber duck"})
        self._ask("start")
        self._pass(3 * S)
        for _ in range(STEPS):
            self._pass(self.chance.choice([US, 999 * MS, 3 * S, self.chance.randrange(60_000_000) * US]))
            self._step()
        self._ask("end", {"confirm": True})
        self._pass(2 * S)
        if self.chance.random() < 0.5:
            self._ask("close", {"confirm": True})
        return records_of(self.hall)

    def _step(self) -> None:
        acts = ["press", "resume", "claim", "verdict", "skip", "add", "undo", "redo", "say", "timer", "rare"]
        weights = [3, 8, 3, 5, 3, 3, 3, 2, 2, 2, 1]
        act = self.chance.choices(acts, weights)[0]
        if self.hall.picture.turn is not None and self.chance.random() < 0.6:
            act = "turn"
        getattr(self, f"_{act}")()

    def _ask(self, name: str, body: object = None) -> None:
        key = f"k{self.chance.randrange(10**9)}" if self.chance.random() < 0.3 else None
        self.hall.ask(name, body, key=key, source=self.chance.choice(["cli", "web:Ann", "web"]))
        self.hall.timers.jump(US)  # on a real clock two changes never fall on the same nanosecond
        self.hall.settle()

    def _pass(self, ns: int) -> None:
        """In steps short enough for the disk to keep up with."""
        while ns > 0:
            self.hall.move(min(ns, 2 * S))
            ns -= 2 * S

    def _press(self) -> None:
        self.hall.press(late_ns=self.chance.choice([0, 4 * MS, 30 * MS]))
        self.hall.timers.jump(US)
        self.hall.settle()

    def _resume(self) -> None:
        self._ask("resume", {"override": self.chance.random() < 0.6})

    def _claim(self) -> None:
        side = self.hall.picture.side or self.hall.picture.seats[0].id
        self._ask("claim", {"board": self.chance.choice(["A5", "a05", "B7", "C12"]), "side": side})

    def _verdict(self) -> None:
        found = [claim for claim in self.hall.picture.claims if claim.status == "open"]
        if found:
            sheet = self.chance.choices([LESS, SHEET], [5, 1])[0]
            one = self.chance.choice(found)
            where = {} if one.board else {"board": "A1", "side": self.hall.picture.seats[0].id}
            self._ask("verdict", {"claim": one.id, "sheet": sheet, **where})

    def _turn(self) -> None:
        self._ask("turn")

    def _skip(self) -> None:
        self._ask("skip")

    def _add(self) -> None:
        self._ask("add_time", {"ms": self.chance.choice([-90_000, -1, 1, 5_000, 30_000])})

    def _undo(self) -> None:
        instead = (
            {"replace": {"name": "add_time", "body": {"ms": 7_000}}} if self.chance.random() < 0.3 else {}
        )
        self._ask("undo", instead)

    def _redo(self) -> None:
        self._ask("redo")

    def _say(self) -> None:
        self._ask(
            "say", self.chance.choice([{"text": "Hello", "seconds": 9}, {"line": "break"}, {"text": ""}])
        )

    def _timer(self) -> None:
        self._ask("timer", self.chance.choice([{"label": "Break", "seconds": 40}, {"stop": True}]))

    def _rare(self) -> None:
        match self.chance.randrange(4):
            case 0:
                self._ask("set_schedule", [{"from_round": 1, "seconds": 20}])
            case 1:
                self._ask("last_rounds", {"count": 9})
            case _:
                self._restart()

    def _restart(self) -> None:
        self.hall.beat()
        self._pass(self.chance.randrange(1, 50_000) * US)
        boot_id = self.hall.timers.boot_id
        new_boot = boot_id == "boot-1" and self.chance.random() < 0.5
        self.hall = self._listened(self.hall.again(after_ns=5 * S, new_boot=new_boot))
        self.hall.timers.boot_id = "boot-2" if new_boot else boot_id
        self.hall.timers.jump(US)


def differences(sent: list[Sent], records: list[Record], seed: bytes | None = None) -> list[str]:
    """What the replay of these lines shows otherwise than it was sent, or did not show, or shows besides."""
    changes = changes_of(records, seed)
    first = {change.records[0].boot_id: change for change in reversed(changes)}
    known = {_moment(one.picture) for one in sent}
    found: list[str] = []
    for one in sent:
        begins = first[one.boot_id]
        then = [change for change in changes if change.records[0].boot_id <= one.boot_id]
        since_ns = begins.since_ns + one.picture.as_of_us * US - begins.boot_ns
        candidates = [_unlike(one.picture, shown) for shown in _shown(then, since_ns)]
        found += [] if [] in candidates else candidates[-1]
    for _, picture in list(Replay(changes).pictures())[1:]:
        if _moment(picture) not in known:
            found.append(f"nothing was sent at {picture.as_of_us}")
    return found


def _shown(changes: list[ReplayedChange], since_ns: int) -> Iterator[Picture]:
    """What is shown at this moment: on a hand-moved clock a note and what it announces have the same one."""
    at_once = [number for number, change in enumerate(changes) if change.since_ns == since_ns]
    for number in at_once or [len(changes)]:
        yield Replay(changes[:number]).at(since_ns) if number else Replay(changes[:1]).at(since_ns)
    yield Replay(changes).at(since_ns)


def _unlike(picture: Picture, shown: Picture) -> list[str]:
    if picture.saved_seq < picture.seq:
        picture = _not_yet_saved(picture, shown)
    again = _of_the_game(shown)
    return [
        f"{picture.as_of_us} {name}: {value!r} was sent, {again[name]!r} comes again"
        for name, value in _of_the_game(picture).items()
        if msgspec.json.encode(value) != msgspec.json.encode(again[name])
    ]


def _moment(picture: Picture) -> bytes:
    return msgspec.json.encode((picture.as_of_us, picture.phase, picture.round, picture.remaining_us))


def _not_yet_saved(picture: Picture, shown: Picture) -> Picture:
    """What is shown only when it is on the disk."""
    return msgspec.structs.replace(
        picture,
        journal_head=shown.journal_head,
        journal_head_full=shown.journal_head_full,
        closed=shown.closed,
        seed=shown.seed,
    )


def _of_the_game(picture: Picture) -> dict[str, Any]:
    return {
        name: value for name, value in msgspec.structs.asdict(picture).items() if name not in OF_THE_PROCESS
    }


def run_game(number: int, rules: RuleSet = CONNECT) -> tuple[list[str], int]:
    """The differences, and how many pictures were compared."""
    with tempfile.TemporaryDirectory() as folder:
        evening = Evening(number, Path(folder), rules)
        records = evening.play()
    # Who acts first, and what was rolled for it, is known before the start by the seed alone.
    seed = None if rules is CONNECT else SEED
    return differences(evening.sent, records, seed), len(evening.sent)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--first", type=int, default=1)
    options = parser.parse_args()
    pictures = 0
    for number in range(options.first, options.first + options.games):
        found, sent = run_game(number, CLASSIC_GAMES[number % 8] if number % 2 else CONNECT)
        pictures += sent
        if found:
            print(f"game {number}: {len(found)} differences, the first: {found[0]}")
            return 1
    print(f"{options.games} recorded games: all {pictures} pictures that were sent come again")
    return 0


if __name__ == "__main__":
    sys.exit(main())
