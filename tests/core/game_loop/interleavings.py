"""Two directors and three judges give commands in random order on what they last saw, over the real queue, and the
directors take the game over from each other and hand it over:
`python -m tests.core.game_loop.interleavings --games 10000`. Time and disk are moved by hand."""

import argparse
import asyncio
import dataclasses
import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_controller.core.game_loop.pending import Answer, SeenPicture
from pi_controller.game.claims import ClaimRecord
from pi_controller.game.game import Game
from pi_controller.game.state import CountingDown, Frozen
from pi_controller.hal.system.file_thread import FileThread
from pi_controller.protocol.commands import COUNTING
from pi_controller.protocol.picture import Picture
from pi_controller.sentence import Sentence
from pi_controller.web.api.game import Directing
from pi_controller.web.http.access import LinkBook
from pi_controller.web.http.routes import Person
from tests.core.hall import Hall
from tests.core.hand import MS, S
from tests.web.hall import HandClock

STEPS = 40
DIRECTORS, JUDGES = ("director 1", "director 2"), ("judge 1", "judge 2", "judge 3")
FILES = FileThread("who directs")
OF_DIRECTORS = (
    *("pause", "resume", "resume", "skip", "add_time", "undo", "undo", "redo", "say", "set_claims"),
    *("set_schedule", "last_rounds", "end", "claim", "verdict", "timer", "correct"),
)
OF_JUDGES = ("claim", "claim", "verdict", "verdict", "verdict", "withdraw")
BOARDS = ("A1", "A2", "B7")
WATCHES = "directing.other_directs"


@dataclass
class Given:
    """A command that somebody gave on the picture `seen`; each list gets the answer to one sending."""

    key: str
    name: str
    body: Any
    seen: int
    by: Person | None
    """None: a judge."""
    answers: list[list[Answer]] = dataclasses.field(default_factory=list)
    directed: bool = False
    """Whether its sender directed at one of the sendings, or nobody did."""


class Evening:
    def __init__(self, number: int, folder: Path) -> None:
        clocks = HandClock().clocks()
        links = LinkBook(folder, clocks, str)
        self.persons: dict[str, Person] = {}
        for who in DIRECTORS:
            device = links.device(links.let_in("director", who))
            assert device is not None
            self.persons[who] = Person("director", who, device.id, device.number)
        self.directing = Directing(folder, links, clocks, FILES)
        self.pages = [self.directing.here(person) for person in self.persons.values()]
        for page in self.pages:
            page.__enter__()
        self.known: dict[str, int | None] = dict.fromkeys(DIRECTORS)
        """Who directs, as each director last saw."""
        self.chance = random.Random(number)
        self.hall = Hall().play()
        self.games: dict[int, Game] = {}
        """As each picture showed them."""
        self.hall.loop.showing.show_to(
            Sentence("part.pages"), self._remember, saved=lambda picture, _fresh: self._remember(picture)
        )
        self.given: list[Given] = []
        self.looked = dict.fromkeys((*DIRECTORS, *JUDGES), 0)
        self.hall.log.prompt = False
        self.hall.ask("say", {"text": "welcome"})
        self.hall.save()
        for who in self.looked:
            self._look(who)

    def _remember(self, picture: Picture) -> None:
        self.games[picture.seq] = self.hall.loop.game

    def _look(self, who: str) -> None:
        self.looked[who] = max(self.games)
        if who in DIRECTORS:
            self.known[who] = self.directing.directs

    def run(self) -> None:
        for _ in range(STEPS):
            what = self.chance.random()
            if what < 0.2:
                self.hall.move(self.chance.choice([1 * MS, 300 * MS, 3 * S, 3 * S, 20 * S]))
            elif what < 0.4:
                self.hall.save()
            elif what < 0.65:
                self._look(self.chance.choice([*self.looked]))
            elif what < 0.70:
                self._turn(self.chance.choice(DIRECTORS))
            elif what < 0.77 and self.given:
                self._send(self.chance.choice(self.given[-6:]))
            else:
                self._give(self.chance.choice([*self.looked]))
        self.hall.save()
        self.hall.move(10 * S)
        self.hall.save()

    def _turn(self, who: str) -> None:
        """Takes over on what this director last saw, or hands over."""
        person, before = self.persons[who], self.directing.directs
        if self.chance.random() < 0.6:
            refused = self.directing.take_over(person, self.known[who]) is not None
            fresh = before in (self.known[who], person.number)
            assert refused != fresh, f"{who} takes over from somebody whom he had not seen"
            assert self.directing.directs == (before if refused else person.number)
        else:
            other = next(one.number for one in self.persons.values() if one is not person)
            refused = self.directing.hand_over(person, other) is not None
            assert refused == (before not in (None, person.number)), f"{who} hands over what is not his"

    def _give(self, who: str) -> None:
        seen = self.looked[who]
        name = self.chance.choice(OF_DIRECTORS if who in DIRECTORS else OF_JUDGES)
        name, body = self._filled(name, self.games[seen])
        if name == "":
            return
        self.given.append(Given(f"{who}-{len(self.given)}", name, body, seen, self.persons.get(who)))
        self._send(self.given[-1])

    def _send(self, given: Given) -> None:
        """Also once more, as after an answer that did not arrive."""
        if given.by is not None:
            given.directed |= self.directing.directs in (None, given.by.number)
            against = self.directing.against(given.by, given.name, given.key)
            if against is not None:
                given.answers.append([Answer(accepted=False, seq=self.hall.loop.seq, reasons=(against,))])
                return
        answers = self.hall.ask(
            given.name, given.body, key=given.key, source="web", seen=SeenPicture(given.seen, "s")
        )
        given.answers.append(answers)

    def _filled(self, name: str, game: Game) -> tuple[str, Any]:
        """The command as somebody fills it in who sees this game."""
        chance, state = self.chance, game.state
        claims = [claim.id for claim in state.claims if claim.status != "withdrawn"]
        if name in ("verdict", "withdraw", "correct"):
            if not claims:
                return "", None
            claim = chance.choice(claims)
            verdict = {"claim": claim, **self._judged()}
            replaced = {"claim": claim, "replace": {"name": "verdict", "body": verdict}}
            bodies = {"verdict": verdict, "withdraw": {"claim": claim}, "correct": replaced}
            return ("undo" if name == "correct" else name), bodies[name]
        bodies = {
            "resume": {"override": chance.random() < 0.5},
            "add_time": {"ms": chance.choice([-20_000, 5_000])},
            "say": {"text": chance.choice("abc")},
            "set_claims": {"mode": chance.choice(["ask", "pause"])},
            "set_schedule": [{"from_round": 1, "seconds": chance.choice([20, 30])}],
            "last_rounds": {"count": chance.randrange(2)},
            "end": {"confirm": True},
            "claim": {"board": chance.choice(BOARDS), "side": state.side or "sun"},
            "timer": {"label": "Break", "seconds": 60},
        }
        return name, bodies.get(name)

    def _judged(self) -> dict[str, Any]:
        chance = self.chance
        if chance.random() < 0.25:
            return {"confirmed": False}
        sheet = {"settlements": chance.randrange(3, 5), "cities": chance.randrange(4, 6)}
        return {"sheet": sheet | {"foreign_left": True, "foreign_right": chance.random() < 0.5}}

    def check(self) -> Counter[str]:
        """The four promises; how many commands were done, refused as unseen, refused otherwise."""
        done = self._done()
        told: Counter[str] = Counter()
        for given in self.given:
            assert all(len(answers) == 1 for answers in given.answers), f"{given} is lost without an answer"
            told_done = [answers[0].done for answers in given.answers]
            assert any(told_done) == (given.key in done), f"{given} was done and refused, or neither"
            if given.key in done and given.by is not None and given.name != "pause":
                assert given.directed, f"{given} was done for one who watched"
            if given.key not in done:
                if any(one[0].reasons and one[0].reasons[0].key == WATCHES for one in given.answers):
                    told["watched"] += 1
                    continue
                unseen = any("unseen" in reason.key for one in given.answers for reason in one[0].reasons)
                told["unseen" if unseen else "refused"] += 1
                continue
            told["done"] += 1
            effects, tag = done[given.key]
            assert effects <= 1, f"{given} took effect {effects} times"
            if effects:
                self._check_seen(given, self._before(tag))
        return told

    def _done(self) -> dict[str, tuple[int, int]]:
        """By key: how many effects an accepted command had, and the change that it came with."""
        found: dict[str, tuple[int, int]] = {}
        effects = Counter(tag for tag, kind, _ in self.hall.log.lines if kind in ("did", "corrected"))
        for tag, kind, data in self.hall.log.lines:
            if kind == "answered" and data["accepted"]:
                before = found.get(data["key"], (0, 0))[0]
                found[data["key"]] = before + effects[tag], tag
        return found

    def _before(self, tag: int) -> Game:
        return self.games[max(seq for seq in self.games if seq < tag)]

    def _check_seen(self, given: Given, before: Game) -> None:
        seen = self.games[given.seen]
        for field in COUNTING[given.name]:
            assert counted(seen, field) == counted(before, field), f"{given} did not see {field}"
        if given.name == "verdict":
            claim = given.body["claim"]
            assert record(seen, claim) == record(before, claim), f"{given} overwrites what it has not seen"


def record(game: Game, claim: str) -> ClaimRecord | None:
    return game.state.claims.find(claim)


def counted(game: Game, field: str) -> object:
    """What a person can see of this, or for `actions` what undo would act on."""
    state, clock = game.state, game.state.clock
    if field == "claims":
        standing = [claim for claim in state.claims if claim.status != "rejected"]
        return [(c.id, c.board, c.side, c.status, c.passed, c.sheet) for c in standing]
    if field == "actions":
        last = game.actions.last_undoable
        return (None if last is None else game.actions[last]), game.undone
    values = {
        "game_id": game.game_id,
        "paused": isinstance(clock, Frozen | CountingDown),
        "pause_reasons": clock.reasons if isinstance(clock, Frozen) else (),
        "public_word": state.word,
    }
    return values[field] if field in values else getattr(state, field)


def run_evening(number: int) -> tuple[str | None, Counter[str]]:
    """The first promise that was broken, if one was, and what became of the commands."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            evening = Evening(number, Path(folder))
            try:
                evening.run()
                return None, evening.check()
            finally:
                asyncio.run(FILES.do(lambda: None))  # before the folder goes
    except AssertionError as broken:
        return f"evening {number}: {broken}", Counter()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=1)
    options = parser.parse_args()
    began = time.monotonic()
    told: Counter[str] = Counter()
    with multiprocessing.get_context("spawn").Pool() as pool:
        numbers = range(options.first, options.first + options.games)
        for done, (broken, more) in enumerate(pool.imap_unordered(run_evening, numbers, chunksize=20), 1):
            told += more
            if broken:
                print(broken)
                return 1
            if done % 1_000 == 0:
                print(f"{done} interleavings, {time.monotonic() - began:.0f} s", flush=True)
    print(
        f"{options.games} interleavings of two directors and three judges: {told['done']} commands done once, "
        f"{told['unseen']} refused because their sender had not seen what they act on, {told['watched']} because "
        f"another one directed, {told['refused']} for another reason, none without an answer"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
