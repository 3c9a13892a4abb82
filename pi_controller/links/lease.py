"""Who leads several halls, by a claim once a second from every controller that may lead
(docs/decisions/0094). Pure: no clock of the day, and nothing that a broker has kept."""

import hmac
from collections.abc import Iterable
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from pi_controller.protocol.picture import HallName

ASKS_S = 3.0
"""Who has been started hears for so long first whether somebody leads."""
SILENT_S = 3.0
"""Who has not been heard for so long is not there: of three claims one has to come through."""
AGAIN_S = 1.5
"""Longer than a claim is old when the next one comes."""
FIRST_TERM = 1
Version = Literal[2]
"""Of what halls publish."""
MOST_OVER = 32

Identity = Annotated[str, Meta(min_length=1, max_length=40, pattern=r"^[0-9A-Za-z-]+\Z")]
LeaseName = Annotated[str, Meta(min_length=3, max_length=60, pattern=r"^[0-9A-Za-z-]+\.[0-9]+\Z")]
"""A controller and its term: what a person decides over."""
Progress = Literal["empty", "between", "playing"]
"""Of a game: not started; over; in between."""


class LeaseClaim(Struct, kw_only=True, frozen=True, omit_defaults=True):
    """What a controller that may lead says of itself. `asking`: it will lead if nobody does; `divided`: it
    leads, and so does `against`, which was heard, and a person has to decide."""

    version: Version = 2
    hall: HallName
    controller: Identity
    """Of its state folder, on this computer."""
    run: Identity
    """Of its links process."""
    session: Annotated[str, Meta(max_length=40)] = ""
    """Of its core: whose pictures and beats are those of this leader."""
    state: Literal["asking", "leading", "refused", "divided"]
    progress: Progress
    term: Annotated[int, Meta(ge=FIRST_TERM, le=1_000_000)]
    over: Annotated[tuple[LeaseName, ...], Meta(max_length=MOST_OVER)] = ()
    """The leases over which people have decided in favour of this one, newest first, with those over which
    these had been preferred."""
    against: LeaseName | None = None
    proof: Annotated[str, Meta(max_length=64)] = ""
    """That whoever says this has the halls' pairing key."""

    @property
    def lease(self) -> str:
        return f"{self.controller}.{self.term}"

    @property
    def leads(self) -> bool:
        return self.state in ("leading", "divided")

    @property
    def rank(self) -> tuple[bool, bool, int, str, str]:
        """Of several of which none leads, or none plays, the first."""
        return self.progress != "playing", self.progress == "empty", -self.term, self.controller, self.run


def gives_way(own: LeaseClaim, other: LeaseClaim) -> bool:
    """Whether a leader has to leave its lease to this other one that leads or asks. Each of two reckons for
    itself: where neither gives way they are divided, and never do both."""
    if other.state == "refused":
        return False
    if own.lease in other.over:
        return True
    if own.state == "divided" or other.lease in own.over:
        return False
    if other.state == "asking":
        return own.progress == "empty" and other.progress == "playing" and other.term >= own.term
    if other.state == "divided":
        return own.progress == "empty" and other.rank < own.rank  # else it is divided, too
    if other.progress == "playing":
        return own.progress == "empty" or (own.progress == "between" and own.term <= other.term)
    return own.progress != "playing" and other.rank < own.rank


def followed(before: LeaseClaim | None, heard: Iterable[LeaseClaim]) -> LeaseClaim | None:
    """Whom a hall follows: the same one for as long as it is heard leading, then whoever leads, but not from
    a game that was played to one that has not begun. `heard` are those of the last SILENT_S."""
    leaders = [one for one in heard if one.leads]
    for one in leaders:
        if before is not None and one.controller == before.controller:
            return one
    if before is not None and before.progress != "empty":
        leaders = [one for one in leaders if one.progress != "empty" or one.term > before.term]
    return min(leaders, key=lambda one: one.rank, default=before)


def prove(claim: LeaseClaim, key: str | None) -> LeaseClaim:
    """With the proof of whoever has the halls' key (`PairingKey.lease_key`)."""
    return claim if key is None else replace(claim, proof=_proof(claim, key))


def believed(claim: LeaseClaim, key: str | None) -> LeaseClaim:
    """What is to be believed of it: terms above the first, and decisions, only where this key proves them."""
    if claim == replace(claim, term=FIRST_TERM, over=()):
        return claim
    proven = key is not None and hmac.compare_digest(claim.proof, _proof(claim, key))
    return claim if proven else replace(claim, term=FIRST_TERM, over=())


def _proof(claim: LeaseClaim, key: str) -> str:
    content = msgspec.json.encode(replace(claim, proof=""))
    return hmac.new(bytes.fromhex(key), content, "sha256").hexdigest()


class Candidate:
    """A controller that may lead. Times are seconds of one clock that nobody sets."""

    def __init__(self, own: LeaseClaim) -> None:
        """`own` asks, with the term and the decisions that are kept on its disk."""
        self.own = own
        self.before: LeaseClaim | None = None
        """Before whom it has given way, or with whom it is divided, as heard last."""
        self._heard: dict[str, tuple[LeaseClaim, float]] = {}
        """By controller: one that is started anew takes the place of its former run."""
        self._since_s: float | None = None
        """Since when it asks, or may ask again."""

    def connected(self) -> None:
        """The connection is another one. Who asks begins anew, since nobody could be heard; who leads goes on
        leading."""
        self._heard.clear()
        self._since_s = None

    def hear(self, claim: LeaseClaim, now_s: float) -> None:
        """What another one says. The own former run is no rival."""
        if claim.controller == self.own.controller:
            return
        self._heard[claim.controller] = claim, now_s
        self._heard = {name: one for name, one in self._heard.items() if now_s - one[1] < SILENT_S}
        if self.before is not None and claim.controller == self.before.controller:
            self.before = claim
        self._decide(now_s)

    def tick(self, now_s: float, progress: Progress) -> LeaseClaim:
        """Once a second, and when its game begins or ends: what it has to say."""
        self.own = replace(self.own, progress=progress)
        self._decide(now_s)
        return self.own

    def heard(self, now_s: float) -> list[LeaseClaim]:
        """The others that are there."""
        return [claim for claim, at_s in self._heard.values() if now_s - at_s < SILENT_S]

    def decided(self, now_s: float) -> LeaseClaim:
        """What this one says once a person has decided that it leads: a new term, over everybody else who
        leads, or before whom it has given way. To be kept on the disk first."""
        others = [one for one in self.heard(now_s) if one.leads]
        if self.before is not None:
            others.append(self.before)
        term = 1 + max(one.term for one in (self.own, *others))
        over = [name for one in (self.own, *others) for name in one.over] + [one.lease for one in others]
        newest = tuple(dict.fromkeys(reversed(over)))[:MOST_OVER]
        return replace(self.own, term=term, over=newest)

    def lead(self, decided: LeaseClaim) -> None:
        """A person has decided so, and it is on the disk."""
        self.own = replace(decided, state="leading", progress=self.own.progress, against=None)
        self.before = None

    def give_way(self) -> None:
        """A person has decided that another one leads."""
        self._refuse(self.before)

    def _refuse(self, before: LeaseClaim | None) -> None:
        self.own = replace(self.own, state="refused", against=None)
        self.before, self._since_s = before, None

    def _decide(self, now_s: float) -> None:
        there = [one for one in self.heard(now_s) if one.state != "refused"]
        if self.own.state == "asking":
            self._ask(there, now_s)
        elif self.own.state == "refused":
            self._wait(there, now_s)
        else:
            self._lead(there)

    def _ask(self, there: list[LeaseClaim], now_s: float) -> None:
        own = self.own
        for one in there:
            if one.leads and not gives_way(one, own):
                if one.against == own.lease and own.progress == "playing":
                    self._divide(one)  # this one has been started anew, and nobody has decided
                else:
                    self._refuse(one)
                return
        if self._since_s is None:
            self._since_s = now_s
        over = {name for one in (own, *there) for name in one.over}  # else three might wait in a circle
        waits = own.lease in over or any(
            one.leads or (one.rank < own.rank and one.lease not in over) for one in there
        )
        if not waits and now_s - self._since_s >= ASKS_S:
            self.own = replace(own, state="leading")

    def _wait(self, there: list[LeaseClaim], now_s: float) -> None:
        """Once refused it stays so, also while the other one is away; unless that one has given way too, and
        nobody leads or asks: two may have given way to each other by what was true a second before."""
        if self.before is None or self.before.state != "refused" or there:
            self._since_s = None
        elif self._since_s is None:
            self._since_s = now_s
        elif now_s - self._since_s >= AGAIN_S:
            self.own, self.before = replace(self.own, state="asking"), None

    def _lead(self, there: list[LeaseClaim]) -> None:
        before = self.before
        if self.own.state == "divided" and before is not None and before.state == "refused":
            self.own, self.before = replace(self.own, state="leading", against=None), None
        for one in there:
            if self.own.state == "divided" and self.own.lease not in one.over:
                continue  # a person decides
            if gives_way(self.own, one):
                self._refuse(one)
                return
            if one.leads and one.lease not in self.own.over and not gives_way(one, self.own):
                self._divide(one)

    def _divide(self, rival: LeaseClaim) -> None:
        self.own, self.before = replace(self.own, state="divided", against=rival.lease), rival
