"""The watch of the halls finds what it is there for; longer, with real faults: `make halls-watch`, in which `test_hall_kills.py` looks on."""

import json
from pathlib import Path

import pytest

from tests.system.broker import Broker, broker, mosquitto
from tests.system.clocks import HallClock
from tests.system.hall_watch import PATIENT, Allowed, Watch, WatchError, twice
from tests.system.halls import hall, watching
from tests.system.programs import wait_until

__all__ = ["mosquitto"]

AT_ONCE = Allowed(change_s=0.5, late_s=0.1)


def told(watch: Watch, beginning: str) -> None:
    """Until it has told of this; what else it tells on a busy machine is not asked."""
    wait_until(lambda: any(one.startswith(beginning) for one in watch.violations))


def test_it_tells_what_is_wrong_in_real_halls(tmp_path: Path, mosquitto: Broker) -> None:
    """Not the halls do wrong here: the watch is told wrong things of them, or looks at two that know nothing of each other."""
    watch = Watch(AT_ONCE)
    with (
        broker(tmp_path / "far") as far,
        watching(watch),
        hall(tmp_path, "main", "leader", mosquitto.port) as leader,
        hall(tmp_path, "east", "follower", mosquitto.port) as follower,
    ):
        follower.until_following()
        assert leader.client.command("start").accepted
        follower.until(lambda picture: picture.running)
        with hall(tmp_path / "other", "main", "leader", far.port) as other:
            other.until_link("leading")
            told(watch, "**leaders** main+main#2: lead at the same time")
            watch.leave(leader)
            told(watch, "**same** east: shows ")
            watch.join(leader)
        right = follower.clock
        follower.clock = HallClock(tmp_path / "fast", rate_ppm=100_000.0)
        told(watch, "**clock** east: ahead by ")
        follower.clock = right
        wait_until(lambda: not watch.wrong)
        follower.clock = HallClock(tmp_path / "slow", rate_ppm=-100_000.0)
        told(watch, "**clock** east: behind by ")
        follower.clock = right
        mosquitto._breaks()  # nothing is broken
        told(watch, "**stale** east: nothing can have come since ")
        watch.violations.clear()
        watch.leave(follower)
        mosquitto._carries()
        leader.kill("links")
        killed_s = leader.mute_s
        leader.start("links")
        assert killed_s is not None
        assert (leader.mute_s, leader.shaken_s) == (None, killed_s), "shaken, also when it is there again"


def test_it_raises_all_that_it_has_found() -> None:
    watch = Watch(PATIENT)
    watch.violated("one", "east", "is wrong")
    watch.violated("two", "north", "is wrong")
    with pytest.raises(WatchError, match=r"2 violations\n\*\*one\*\* east: is wrong\n\*\*two\*\*"):
        watch.close()


def test_it_finds_what_was_accepted_twice(tmp_path: Path) -> None:
    def journal(folder: str, game: str, *keys: str, accepted: bool = True) -> Path:
        file = tmp_path / folder / "games" / game / "journal.jsonl"
        file.parent.mkdir(parents=True)
        lines = (json.dumps({"kind": "answered", "data": {"key": key, "accepted": accepted}}) for key in keys)
        file.write_text("".join(f"{line}\n" for line in lines) + '{"kind":"answered","data":{"key":"hall/x')
        return tmp_path / folder

    one = journal("main", "first", "hall/east/1", "hall/east/2", "own")
    journal("main", "refused", "hall/east/3", "hall/east/3", accepted=False)
    copy = journal("east", "first", "hall/east/1", "hall/east/2")
    assert list(twice([one, copy])) == []
    again = journal("main", "again", "hall/east/4", "hall/east/4")
    assert [key for _, key, _ in twice([one, copy])] == ["hall/east/4 in again"]
    journal("annex", "other", "hall/east/1")
    found = [key for _, key, _ in twice([copy, tmp_path / "annex"])]
    assert found == ["hall/east/1 in other and first"]
    assert again == one
