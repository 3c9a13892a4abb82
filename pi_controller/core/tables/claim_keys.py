"""Idempotency keys of claims made on nodes: one claim has one key however often it is heard, two have two.

A node counts its claims from 1 to 255 and then from 1 again, and after a start from anywhere. A side has one
claim at a time, and a node reports no other: so what is heard is compared with the side's newest claim only,
and a number that comes round gets a key of its own.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pi_controller.bus.values import NodeClaim

PREFIX = "table/"
SAME_CONTACT_NS = 1_000_000_000
"""First contacts of two claims of a side are further apart, a hold of 0.6 s and its end lying between them;
a node corrects the time of its claim by less."""

Heard = Literal["new", "again", "older"]
"""Never heard before; the side's newest claim once more; one from before it, no longer its node's."""


@dataclass(slots=True)
class _Newest:
    identity: str
    key: str
    at_ns: int | None
    """None: it was heard by a core before this one."""


class ClaimKeys:
    """`kept` are the keys in the journal, oldest first; `began_ns` is CLOCK_BOOTTIME of this core's start."""

    def __init__(self, kept: Iterable[str], *, began_ns: int) -> None:
        self._began_ns = began_ns
        self._newest: dict[tuple[str, str], _Newest] = {}
        self._uses: dict[str, int] = {}
        for key in kept:
            parts = key.removesuffix("/withdraw").split("/")
            identity = "/".join(parts[:5])
            self._uses[identity] = int(parts[5]) if len(parts) == 6 else 1
            self._newest[parts[1], parts[3]] = _Newest(identity, "/".join(parts), None)

    def key(self, claim: NodeClaim, at_ns: int) -> tuple[str, Heard]:
        """The key of this claim with its first contact in CLOCK_BOOTTIME, and what it is."""
        identity = f"{PREFIX}{claim.uid}/{claim.boots}/{claim.side}/{claim.number}"
        newest = self._newest.get((claim.uid, claim.side))
        if newest is not None and newest.identity == identity:
            # What the core before this one has heard was touched before this one began.
            known_ns = self._began_ns if newest.at_ns is None else newest.at_ns
            if at_ns <= known_ns + SAME_CONTACT_NS:
                return newest.key, "again"
        elif newest is not None and newest.at_ns is not None and at_ns <= newest.at_ns:
            return _numbered(identity, self._uses.get(identity, 1)), "older"
        self._uses[identity] = self._uses.get(identity, 0) + 1
        key = _numbered(identity, self._uses[identity])
        self._newest[claim.uid, claim.side] = _Newest(identity, key, at_ns)
        return key, "new"


def _numbered(identity: str, use: int) -> str:
    return identity if use == 1 else f"{identity}/{use}"
