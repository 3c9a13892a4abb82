"""Who leads, by what the halls tell of themselves. Pure.

Each leader has a term, which its retained status names; a controller that takes a dead leader's place has a
higher one. Of two leaders the one with the higher term leads, of two with the same the one that was there
first."""

from collections.abc import Iterable

from pi_controller.links.payloads import Status


def _rank(status: Status) -> tuple[int, int, str]:
    return -status.term, status.since_ms, status.id


def leader_of(known: Iterable[Status]) -> Status | None:
    """The leader among these, None when none is online."""
    leaders = [one for one in known if one.role == "leader" and one.state == "online"]
    return min(leaders, key=_rank, default=None)


def leader_or_last(known: Iterable[Status]) -> Status | None:
    """Where no leader is online, the one that led last: what it showed is still the newest that is known."""
    told = list(known)
    return leader_of(told) or min((one for one in told if one.role == "leader"), key=_rank, default=None)


def another_leader(own: Status, known: Iterable[Status]) -> Status | None:
    """Before whom this leader has to give way."""
    first = leader_of([own, *known])
    return None if first is None or first.id == own.id else first


def namesake(own: Status, known: Iterable[Status]) -> Status | None:
    """Another controller that had this name first, and is online."""
    first = (own.since_ms, own.id)
    same = (one for one in known if one.hall == own.hall and one.state == "online")
    return next((one for one in same if (one.since_ms, one.id) < first), None)
