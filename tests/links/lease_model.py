"""All states of a few controllers with one lease: python -m tests.links.lease_model [--controllers N] …

Each controller is the real `Candidate`; what one of them does with one input is reckoned by it once and then known.
What is abstracted:

- Time goes in rounds of 1.5 s, half of what the product calls silence. In a round each controller speaks once, always
  in the same order (of three there are two: `--backwards`); or several in succession speak before they have heard each
  other, and are heard in any order. Each time any controllers may be cut from the broker, also for that moment only:
  that is how claims get lost, how a network is cut and how it becomes whole.
- A claim is heard at once or never. So of another one a controller knows what that one said last in this round or the
  one before, and nothing else. Older claims, late ones and ghosts, and seconds, are for `lease_schedules`.
- `before` is kept as far as the product asks of it: who, whether refused, term and `over`. So are claims that one has
  dealt with: to one that is refused, a game makes no difference.
- A game begins only where its controller leads without a rival, and may end anywhere. `simple`: a game is empty or
  played; else there is the time between two games, too. It changes only when its controller speaks.
- Between two rounds any controller may be started anew, or get another connection, as often as it likes; and persons
  decide, so often in all, that one leads or gives way.

Controllers are not exchanged for each other: their ids decide.
"""

import argparse
import resource
import sys
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations, product
from typing import Literal, NamedTuple

from msgspec.structs import replace

from pi_controller.links.lease import ASKS_S, Candidate, LeaseClaim, Progress

WITHIN_ROUNDS = 6
"""So long after the network is whole one leads, or there is a fault. A controller speaks less often here than once a
second: that it takes no more than 5 s is for `lease_schedules`."""
_NOW_S = 100.0
_ROUND_S = 1.5
_OLDEST = round(ASKS_S / _ROUND_S)
_BITS = 19
_LOCAL = (1 << _BITS) - 1
_EVENTS = ("starts anew", "gets another connection", "is told to lead", "is told to give way")
_DECISIONS = _EVENTS[2:]

Heard = tuple[LeaseClaim, int] | None
"""What another one said, and how many rounds ago: 0 or 1."""


class Local(NamedTuple):
    """All that one controller knows."""

    own: LeaseClaim
    heard: tuple[Heard, ...]
    before: LeaseClaim | None
    since: int | None
    last: bool
    """Persons decide nothing any more."""


class Moment(NamedTuple):
    """These speak, each what it has to say before it hears the others; then these hear these, in this order."""

    speak: tuple[int, ...]
    heard: tuple[tuple[int, int], ...]
    whole: bool


class ViolationError(Exception):
    """A state that must not be, or a step that must not be made."""


def identity(number: int) -> str:
    return "abcdefgh"[number]


def first(number: int, progress: Progress, *, last: bool) -> Local:
    """A controller that has just been started."""
    own = LeaseClaim(
        hall="hall", controller=identity(number), run="r", state="asking", progress=progress, term=1
    )
    return Local(own, (), None, None, last)


def revived(local: Local) -> Candidate:
    """The product's candidate in this state, at _NOW_S."""
    candidate = Candidate(local.own)
    candidate.before = local.before
    candidate._heard = {one[0].controller: (one[0], _NOW_S - one[1] * _ROUND_S) for one in local.heard if one}
    candidate._since_s = None if local.since is None else _NOW_S - local.since * _ROUND_S
    return candidate


def kept(candidate: Candidate, *, last: bool) -> Local:
    """What matters of a candidate."""
    own, before = candidate.own, candidate.before
    if own.state == "refused" and before is None and last:
        return Local(own, (), None, None, last)
    heard = tuple(
        (_matters(one, own, last=last), round((_NOW_S - at_s) / _ROUND_S))
        for _, (one, at_s) in sorted(candidate._heard.items())
        if one.state != "refused"  # as if it were not there, but for `before`
    )
    if before is not None:
        state: Literal["refused", "leading"] = "refused" if before.state == "refused" else "leading"
        before = replace(before, state=state, progress="empty", against=None)
        before = replace(before, term=1, over=()) if last else before
    since = (
        None
        if own.leads or candidate._since_s is None
        else min(round((_NOW_S - candidate._since_s) / _ROUND_S), _OLDEST)
    )
    return Local(own, heard, before, since, last)


def _matters(claim: LeaseClaim, own: LeaseClaim, *, last: bool) -> LeaseClaim:
    """What matters of a claim for whoever has heard it and dealt with it."""
    if own.state == "refused" and last:
        return replace(claim, state="asking", progress="empty", term=1, over=(), against=None)
    if own.state == "refused" and claim.leads:
        return replace(claim, state="leading", progress="empty", against=None)
    return replace(claim, against=claim.against if claim.against == own.lease else None)


def moments(order: Sequence[int]) -> list[list[Moment]]:
    """By how many have spoken in this round: what may come next."""
    found = []
    for spoken in range(len(order)):
        here: dict[tuple[tuple[int, ...], tuple[tuple[int, int], ...]], Moment] = {}
        for size in range(1, len(order) - spoken + 1):
            speak = tuple(order[spoken : spoken + size])
            for arriving in permutations(speak):
                for linked in product((False, True), repeat=len(order)):
                    heard = tuple(
                        (one, other)
                        for one in arriving
                        for other in order
                        if one != other and linked[other] and linked[one]
                    )
                    moment = Moment(speak, _ordered(heard, len(order)), all(linked))
                    here.setdefault((moment.speak, moment.heard), moment)
        found.append(list(here.values()))
    return found


def _ordered(heard: tuple[tuple[int, int], ...], count: int) -> tuple[tuple[int, int], ...]:
    """The same for each hearer: hearers do not disturb each other."""
    return tuple((one, other) for hearer in range(count) for one, other in heard if other == hearer)


class Rules:
    """What one controller does, each time checked by what it must not do by itself."""

    def __init__(self, *, simple: bool) -> None:
        self.simple = simple
        self.locals: list[Local] = []
        self.claims: list[LeaseClaim] = []
        self.own: list[int] = []
        """By local state: the number of its claim."""
        self._known: dict[Local, int] = {}
        self._known_claims: dict[LeaseClaim, int] = {}
        self._ticked: dict[int, int] = {}
        self._heard: dict[int, int] = {}
        self._aged: dict[int, int] = {}
        self._event: dict[int, int | None] = {}
        self._choices: dict[int, tuple[Progress, ...]] = {}

    def number(self, local: Local) -> int:
        known = self._known.get(local)
        if known is None:
            known = self._known[local] = len(self.locals)
            if known > _LOCAL:
                raise OverflowError("one controller has more states than there are numbers")
            self.locals.append(local)
            claim = self._known_claims.setdefault(local.own, len(self.claims))
            if claim == len(self.claims):
                self.claims.append(local.own)
            self.own.append(claim)
        return known

    def choices(self, local: int) -> tuple[Progress, ...]:
        """What may have become of its game when it speaks next; first: nothing."""
        found = self._choices.get(local)
        if found is None:
            own = self.locals[local].own
            found = self._choices[local] = (own.progress, *self._next_progress(own))
        return found

    def _next_progress(self, own: LeaseClaim) -> list[Progress]:
        if own.progress == "playing":
            return ["empty" if self.simple else "between"]
        return ["playing"] if own.state == "leading" else []

    def tick(self, local: int, progress: Progress) -> int:
        key = local << 2 | ("empty", "between", "playing").index(progress)
        after = self._ticked.get(key)
        if after is None:
            before = self.locals[local]
            candidate = revived(before)
            candidate.tick(_NOW_S, progress)
            changed = before._replace(own=replace(before.own, progress=progress))
            after = self._ticked[key] = self._checked(changed, candidate, "speaks")
        return after

    def hear(self, local: int, claim: int) -> int:
        key = local << _BITS | claim
        after = self._heard.get(key)
        if after is None:
            candidate = revived(self.locals[local])
            said = self.claims[claim]
            candidate.hear(said, _NOW_S)
            after = self._heard[key] = self._checked(self.locals[local], candidate, f"hears {said}", said)
        return after

    def aged(self, local: int) -> int:
        """A round later."""
        after = self._aged.get(local)
        if after is None:
            now = self.locals[local]
            heard = tuple((one[0], 1) for one in now.heard if one is not None and one[1] == 0)
            since = None if now.since is None else min(now.since + 1, _OLDEST)
            after = self._aged[local] = self.number(now._replace(heard=heard, since=since))
        return after

    def last(self, local: int) -> int:
        """Once persons have decided for the last time."""
        return self.number(kept(revived(self.locals[local]), last=True))

    def event(self, local: int, kind: int) -> int | None:
        """After one of _EVENTS; None where it changes nothing."""
        key = local << 2 | kind
        if key not in self._event:
            now = self.locals[local]
            candidate = revived(now)
            if kind == 0:
                candidate = Candidate(replace(now.own, state="asking", against=None))
            elif kind == 1:
                candidate.connected()
            elif kind == 2:
                candidate.lead(candidate.decided(_NOW_S))
            else:
                candidate.give_way()
            after = kept(candidate, last=now.last)
            useless = after == now or (kind == 3 and now.own.state in ("asking", "refused"))
            self._event[key] = None if useless else self.number(after)
        return self._event[key]

    def _checked(self, before: Local, candidate: Candidate, what: str, *said: LeaseClaim) -> int:
        after = kept(candidate, last=before.last)
        try:
            check_step(before.own, after.own, [*said, *(one for one, _ in candidate._heard.values())])
        except ViolationError as error:
            raise ViolationError(f"{error}: {told(before)} {what}") from None
        return self.number(after)


def check_step(was: LeaseClaim, now: LeaseClaim, there: list[LeaseClaim]) -> None:
    """Raises ViolationError where a controller does by itself what only a person may decide. `there` are those it
    has heard, what it hears just now among them."""
    if (now.term, now.over) != (was.term, was.over):
        raise ViolationError("a term or a decision without a person")
    if was.state == now.state:
        return
    over = any(was.lease in one.over and one.state != "refused" for one in there)
    if was.leads and not over:
        _check_end(was, now, there)
    if not was.leads and now.state == "leading":
        rivals = [
            one for one in there if one.leads and one.progress == "playing" and one.lease not in now.over
        ]
        if rivals:
            raise ViolationError("one takes the lease of a leader whose game it hears being played")
    if now.state == "divided":
        rivals = [one for one in there if one.lease == now.against]
        known = any(one.state == "divided" for one in rivals)
        if not known and not any("empty" not in (now.progress, one.progress) for one in rivals):
            raise ViolationError("a fault although no two games have begun")


def _check_end(was: LeaseClaim, now: LeaseClaim, there: list[LeaseClaim]) -> None:
    """Of a lease or a fault, over which no person has decided."""
    rival = (was.against or "").rpartition(".")[0]
    gave_way = any(one.state == "refused" and one.controller == rival for one in there)
    if was.state == "divided" and not gave_way:
        raise ViolationError("a fault ends by itself")
    if now.state == "asking":
        raise ViolationError("one that leads asks")
    if now.state == "refused" and was.progress == "playing":
        raise ViolationError("a game in progress loses its lease, and no person has decided so")


def told(local: Local) -> str:
    """For a person who reads a trace."""
    own = local.own
    words = [f"{own.controller}: {own.state} {own.progress} term {own.term}"]
    if own.over:
        words.append(f"over {','.join(own.over)}")
    if own.against:
        words.append(f"against {own.against}")
    if local.before is not None:
        words.append(
            f"before {local.before.controller}{'(refused)' if local.before.state == 'refused' else ''}"
        )
    words += [f"hears {one[0].lease} {one[0].state} {one[0].progress} {one[1]}" for one in local.heard if one]
    if local.since is not None:
        words.append(f"since {local.since}")
    return ", ".join(words)


class Space:
    """The states that can be reached, each once. A state is the controllers, how many have spoken in this round, and how
    many decisions persons still make; all in one number."""

    def __init__(self, count: int, *, decisions: int, simple: bool, backwards: bool = False) -> None:
        self.rules = Rules(simple=simple)
        self.count = count
        self.transitions = 0
        self.unsettled: list[int] = []
        """After each number of rounds, beginning with none: from so many states it may not be settled yet."""
        self._moments = moments(range(count)[::-1] if backwards else range(count))
        self._shift = _BITS * count
        self._all = (1 << count) - 1
        self.states = array("Q")
        self.parents = array("I")
        self._index: dict[int, int] = {}
        self._whole_from = array("Q", [0])
        """Where in _whole_to those begin that follow a state while the network is whole and nobody fails."""
        self._whole_to = array("I")
        progress: tuple[Progress, ...] = ("empty", "playing") if simple else ("empty", "between", "playing")
        for games in product(progress, repeat=count):
            locals_ = [
                self.rules.number(first(number, game, last=not decisions))
                for number, game in enumerate(games)
            ]
            self._found(self._state(locals_, 0, decisions), 0)

    def _state(self, locals_: list[int], spoken: int, left: int) -> int:
        state = left << self.count | spoken
        for one in locals_:
            state = state << _BITS | one
        return state

    def parts(self, state: int) -> tuple[list[int], int, int]:
        """The controllers, how many have spoken, decisions left."""
        locals_ = [state >> _BITS * (self.count - 1 - one) & _LOCAL for one in range(self.count)]
        rest = state >> self._shift
        return locals_, rest & self._all, rest >> self.count

    def _found(self, state: int, parent: int) -> int:
        index = self._index.setdefault(state, len(self.states))
        if index == len(self.states):
            self.states.append(state)
            self.parents.append(parent)
        return index

    def explore(self, progressed: Callable[[int, int], None] = lambda _done, _known: None) -> None:
        """Raises ViolationError, with the way there."""
        at = 0
        while at < len(self.states):
            try:
                self._expand(at)
            except ViolationError as error:
                raise ViolationError(f"{error}\n{self.way(at)}") from None
            at += 1
            if at % 100_000 == 0:
                progressed(at, len(self.states))
        progressed(at, len(self.states))

    def _expand(self, at: int) -> None:
        locals_, spoken, left = self.parts(self.states[at])
        self._check(locals_)
        for after, whole in self._steps(locals_, spoken, left):
            index = self._found(after, at)
            self.transitions += 1
            if whole:
                self._whole_to.append(index)
        self._whole_from.append(len(self._whole_to))

    def _check(self, locals_: list[int]) -> None:
        """Never two that lead in each other's hearing, but for the fault."""
        rules = self.rules
        leading = [one for one in locals_ if rules.locals[one].own.state == "leading"]
        for one, other in combinations(leading, 2):
            if _knows(rules.locals[one], rules.locals[other]) and _knows(
                rules.locals[other], rules.locals[one]
            ):
                raise ViolationError("two lead in each other's hearing")

    def _steps(self, locals_: list[int], spoken: int, left: int) -> Iterator[tuple[int, bool]]:
        """What may come next; and whether that may come in a whole network in which nothing else happens."""
        choices = self.rules.choices
        for moment in self._moments[spoken]:
            for chosen in product(*(choices(locals_[one]) for one in moment.speak)):
                calm = all(
                    choices(locals_[one])[0] == now for one, now in zip(moment.speak, chosen, strict=True)
                )
                yield self._speak(locals_, spoken, left, moment, chosen), calm and moment.whole
        if spoken:
            return
        for kind in range(len(_EVENTS) if left else len(_EVENTS) - len(_DECISIONS)):
            for number, one in enumerate(locals_):
                after = self.rules.event(one, kind)
                if after is not None:
                    new = [*locals_[:number], after, *locals_[number + 1 :]]
                    yield (
                        self._decided(new, spoken, left)
                        if _EVENTS[kind] in _DECISIONS
                        else self._state(new, spoken, left),
                        False,
                    )

    def _speak(
        self, locals_: list[int], spoken: int, left: int, moment: Moment, chosen: tuple[Progress, ...]
    ) -> int:
        rules, new, said = self.rules, list(locals_), [0] * self.count
        for one, progress in zip(moment.speak, chosen, strict=True):
            new[one] = rules.tick(new[one], progress)
            said[one] = rules.own[new[one]]
        for one, other in moment.heard:
            new[other] = rules.hear(new[other], said[one])
        now = spoken + len(moment.speak)
        if now < self.count:
            return self._state(new, now, left)
        return self._state([rules.aged(one) for one in new], 0, left)

    def _decided(self, new: list[int], spoken: int, left: int) -> int:
        return self._state([self.rules.last(one) for one in new] if left == 1 else new, spoken, left - 1)

    def settled(self, state: int) -> bool:
        """One leads, or there is the fault; or persons have made all of them give way."""
        now = [self.rules.locals[one] for one in self.parts(state)[0]]
        states = [one.own.state for one in now]
        if all(one.own.state == "refused" and one.before is None for one in now):
            return True
        if "divided" in states:
            return "leading" not in states and states.count("divided") > 1
        return states.count("leading") == 1

    def rounds_to_settle(self) -> int:
        """After how many rounds of a whole network in which nobody fails one leads, or there is the fault, from
        whatever state and in whatever order they are heard; the round in which the network became whole counts, too.
        Raises ViolationError where that may take more than WITHIN_ROUNDS."""
        spoken = [self.parts(state)[1] for state in self.states]
        order = sorted(range(len(spoken)), key=lambda one: -spoken[one])
        bad = bytearray(len(spoken))
        known: dict[int, bool] = {}
        for at, state in enumerate(self.states):
            if spoken[at] == 0:
                locals_ = state & (1 << self._shift) - 1
                if locals_ not in known:
                    known[locals_] = self.settled(state)
                bad[at] = not known[locals_]
        for rounds in range(WITHIN_ROUNDS + 1):
            if not any(bad):
                return rounds
            later = bytearray(len(bad))
            for at in order:
                for to in self._whole_to[self._whole_from[at] : self._whole_from[at + 1]]:
                    if (later if spoken[to] else bad)[to]:
                        later[at] = 1
                        break
            self.unsettled.append(bad.count(1))
            worst, bad = bad, later
        raise ViolationError(
            f"{WITHIN_ROUNDS} rounds are too few for {self.unsettled[-1]} states\n{self.way(worst.index(1))}"
        )

    def way(self, at: int) -> str:
        """How a state came about, line by line."""
        chain = [at]
        while chain[-1]:
            if self.parents[chain[-1]] == chain[-1] or chain[-1] < 1:
                break
            chain.append(self.parents[chain[-1]])
        lines = []
        for one in reversed(chain):
            locals_, spoken, left = self.parts(self.states[one])
            lines.append(f"  spoken {spoken}, decisions left {left}")
            lines += [f"    {told(self.rules.locals[local])}" for local in locals_]
        return "\n".join(lines)


def _knows(one: Local, other: Local) -> bool:
    """Whether it has heard what the other one is now."""
    return any(heard is not None and heard[0] == other.own for heard in one.heard)


def main() -> int:
    """0 when no state and no step is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.links.lease_model")
    parser.add_argument("--controllers", type=int, default=3, help="how many (default 3)")
    parser.add_argument("--decisions", type=int, default=1, help="of persons, in all (default 1)")
    parser.add_argument("--full", action="store_true", help="with the time between two games")
    parser.add_argument("--backwards", action="store_true", help="the last id speaks first")
    arguments = parser.parse_args()
    began = time.perf_counter()

    def progressed(done: int, known: int) -> None:
        took = time.perf_counter() - began
        print(f"{done} of {known} states looked at, {took:.0f} s", file=sys.stderr, flush=True)

    space = Space(
        arguments.controllers,
        decisions=arguments.decisions,
        simple=not arguments.full,
        backwards=arguments.backwards,
    )
    try:
        space.explore(progressed)
        print(
            f"{arguments.controllers} controllers, {arguments.decisions} decisions: {len(space.states)} states,"
        )
        print(f"{space.transitions} steps, {len(space.rules.locals)} states of one", flush=True)
        rounds = space.rounds_to_settle()
    except ViolationError as error:
        print(f"not settled after each number of rounds: {space.unsettled}\n{error}")
        return 1
    took = time.perf_counter() - began
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"settled after {rounds} rounds at the latest (not after each number of them: {space.unsettled})")
    print(f"{took:.0f} s, {most} MiB; 0 violations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
