"""Looks on while several halls play, and says where they did not as they must.

It reads each hall's own feed, as its screens do, and judges by its own clock; what a hall says of its time is converted by
the clock that was given to that hall. Always, but for the 2 s and `late_s` in which a follower does not miss its leader yet:

- **same**: who follows shows game, phase, round, side and dice as its leader does, or did up to `change_s` ago;
- **clock**: what is left of a phase there is at most 20 ms and the told error (`errors` times) more than in the leading hall,
  and never less by more than `AHEAD_US`;
- **ahead**: its round is never higher than the leader has shown;
- **stale**: 2 s and `late_s` after the last that can have come from the leader, nobody says any more that it follows;
- **leaders**: where all of the network is there, no two lead for longer than 3 s and `late_s`;
- **taken**: a hall that has led a game in progress is refused only in favour of one that has this same game;
- **twice**: no press or claim of a follower is accepted twice, in one game or in two.
"""

import contextlib
import json
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import CoreTrouble, NoCore
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.picture import LinkView, Picture
from tests.patience import DEADLINE_S
from tests.system.clocks import HallClock

CLOCK_US = 20_000
AHEAD_US = 2_000
"""A follower moves its time once it is off by 1 ms; between two answers two crystals part by 0.2 ms a second."""
SILENCE_S = 2.0
LEADERS_S = 3.0
TAKEN_S = 1.0
"""So much later does the feed of a hall come that takes the game over, and is no thief."""
LOOK_S = 0.05
KEPT_S = 60.0
SHOWN = 4
"""So many pictures of each hall stand with what went wrong."""


@dataclass(frozen=True)
class Allowed:
    """What a machine may add."""

    change_s: float
    """From a change in the leading hall until a follower shows it."""
    late_s: float
    read_s: float = 0.25
    """From one hall's news until those of another, told before, are read."""
    errors: float = 1.0


STRICT = Allowed(change_s=0.25, late_s=0.25)
PATIENT = Allowed(change_s=30.0, late_s=30.0, read_s=2.0, errors=2.0)
"""Of tests that must pass on any machine (`tests/patience.py`): there, what is exact is told by stamps, not by arrival. By
its method a follower is behind by up to twice the error (`links/follower.py`), which a busy machine makes large."""


class WatchError(Exception):
    """Halls did what they must never do."""


class Watched(Protocol):
    """A hall, as `halls.Hall` is."""

    name: str
    state_dir: Path
    clock: HallClock

    @property
    def mute_s(self) -> float | None:
        """Since when nothing of it can have come to the broker, or from there (time.monotonic); None: unknown."""

    @property
    def shaken_s(self) -> float:
        """When it became so last, whether or not it is so still."""


@dataclass(frozen=True)
class Seen:
    picture: Picture
    arrived_s: float

    @property
    def link(self) -> LinkView | None:
        return self.picture.link

    @property
    def state(self) -> str | None:
        return None if self.link is None else self.link.state

    def left_us(self, now_us: int) -> float:
        """What is left of the phase, by the hall's clock; below 0 when it is over."""
        picture = self.picture
        return picture.remaining_us - (now_us - picture.as_of_us) * picture.rate

    @property
    def shows(self) -> tuple[object, ...]:
        one = self.picture
        return one.game_id, one.phase, one.round, one.side, one.dice, one.paused, one.running

    @property
    def in_play(self) -> bool:
        return self.picture.phase not in ("ready", "ended") and not self.picture.closed

    def __str__(self) -> str:
        one, link = self.picture, self.link
        linked = "alone" if link is None else (
            f"{link.state} of {link.leader} term {link.term} error {link.error_ms} lost {link.lost_ms}"
            f"{' frozen' if link.frozen else ''}{' stopped' if link.stopped else ''}"
        )  # fmt: skip
        what = f"{one.game_id} {one.phase} {one.round} {one.side} {one.dice}{' paused' if one.paused else ''}"
        return f"at {self.arrived_s:.3f}: {linked}; {what}; {one.remaining_us} us left as of {one.as_of_us}"


class Feed:
    """What a hall shows, read on a thread; a core that is started anew is asked again."""

    def __init__(self, hall: Watched, name: str, changed: threading.Condition) -> None:
        self.hall = hall
        self.name = name
        self.seen: deque[Seen] = deque()
        self.live = False
        self.led: str | None = None
        """The game in progress that it led last."""
        self._changed = changed
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    @property
    def now(self) -> Seen | None:
        """What it shows; None: its core is away."""
        return self.seen[-1] if self.live and self.seen else None

    def since(self, moment_s: float) -> list[Seen]:
        """All that was shown at this moment or later, the newest first."""
        found = []
        for one in reversed(self.seen):
            found.append(one)
            if one.arrived_s <= moment_s:
                break
        return found

    def close(self) -> None:
        self._closed.set()

    def join(self) -> None:
        self._thread.join(DEADLINE_S)

    def _read(self) -> None:
        client = Client(socket_path(self.hall.state_dir))
        while not self._closed.is_set():
            with contextlib.suppress(NoCore, CoreTrouble), contextlib.closing(client.watch()) as news:
                for one in news:
                    self._take(one.picture)
                    if self._closed.is_set():
                        return
            with self._changed:
                self.live = False
            self._closed.wait(LOOK_S)

    def _take(self, picture: Picture | None) -> None:
        """Or a beat: it is as it was."""
        now_s = time.monotonic()
        with self._changed:
            self.live = True
            if picture is None:
                return
            self.seen.append(Seen(picture, now_s))
            while len(self.seen) > SHOWN and self.seen[1].arrived_s < now_s - KEPT_S:
                self.seen.popleft()
            if self.seen[-1].state == "leading":
                self.led = picture.game_id if self.seen[-1].in_play else None
            self._changed.notify_all()


class Watch:
    """Halls that join it are looked at until it is closed; then it raises WatchError with all that it has found."""

    def __init__(self, allowed: Allowed) -> None:
        self.violations: list[str] = []
        self._allowed = allowed
        self._changed = threading.Condition()
        self._feeds: list[Feed] = []
        self._folders: list[Path] = []
        self._names: Counter[str] = Counter()
        """How often a hall of this name has joined."""
        self._began_s: dict[tuple[str, str], float] = {}
        """Since when it is not as it must be, by rule and hall."""
        self._told: set[tuple[str, str]] = set()
        self._notes: deque[str] = deque(maxlen=12)
        self._trouble: Exception | None = None
        self._closed = False
        self._goes_on: set[str] = set()
        """Halls that are refused in favour of one that has their game."""
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        found = self._close()
        if found is not None and kind is None:
            raise found
        if found is not None and isinstance(error, BaseException):
            error.add_note(str(found))

    def join(self, hall: Watched) -> None:
        with self._changed:
            self._names[hall.name] += 1
            number = self._names[hall.name]
            name = hall.name if number == 1 else f"{hall.name}#{number}"
            self._feeds.append(Feed(hall, name, self._changed))
            self._folders.append(hall.state_dir)

    def leave(self, hall: Watched) -> None:
        """Before it is closed: it is no longer asked."""
        with self._changed:
            gone = [one for one in self._feeds if one.hall is hall]
            self._feeds = [one for one in self._feeds if one.hall is not hall]
        for one in gone:
            one.close()

    @property
    def wrong(self) -> list[str]:
        """What is not as it must be just now, by rule and hall, also where it may be so for a while."""
        with self._changed:
            return [" ".join(place) for place in self._began_s]

    def note(self, text: str) -> None:
        """What is done to the halls, to stand with what goes wrong then."""
        self._notes.append(f"at {time.monotonic():.3f}: {text}")

    def violated(self, rule: str, hall: str, what: str) -> None:
        """Also by who looks on besides; told once until it is well again."""
        lines = [f"**{rule}** {hall}: {what}", *self._notes]
        for feed in self._feeds:
            lines += [f"{feed.name} ({feed.hall.clock}) {one}" for one in list(feed.seen)[-SHOWN:]]
        self.violations.append("\n    ".join(lines))

    def close(self) -> None:
        found = self._close()
        if found is not None:
            raise found

    def _close(self) -> WatchError | None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(DEADLINE_S)
        for feed in self._feeds:
            feed.close()
        for folder, key, count in twice(self._folders):
            self.violated("twice", str(folder), f"{key} was accepted {count} times")
        if self._trouble is not None:
            raise self._trouble
        if self.violations:
            return WatchError("\n".join((f"{len(self.violations)} violations", *self.violations)))
        return None

    def _look_on(self) -> None:
        try:
            with self._changed:
                while not self._closed:
                    self._judge(time.monotonic())
                    self._changed.wait(LOOK_S)
        except Exception as error:  # noqa: BLE001 - told by `close`
            self._trouble = error

    def _judge(self, now_s: float) -> None:
        shown = [(feed, now) for feed in self._feeds if (now := feed.now) is not None]
        leading = [feed for feed, now in shown if now.state == "leading"]
        for feed, now in shown:
            if now.link is not None and now.link.role == "follower":
                self._judge_follower(feed, now, now_s)
            else:
                self._judge_leader(feed, now, now_s)
        together = len(leading) > 1 and all(feed.hall.mute_s is None for feed in leading)
        who = "+".join(sorted(feed.name for feed in leading)) if together else ""
        self._hold("leaders", who, LEADERS_S + self._allowed.late_s, lambda: "lead at the same time")

    def _judge_leader(self, feed: Feed, now: Seen, now_s: float) -> None:
        name = feed.name
        taken = False
        if now.state != "refused":
            self._goes_on.discard(name)
        decided = any(one.hall.decided for one in self._feeds)
        if now.state == "refused" and now.link is not None and feed.led is not None and not decided:
            others = [one for one in self._named(now.link.leader) if one is not feed]
            games = [one.now.picture.game_id for one in others if one.now is not None]
            taken = feed.led not in games and feed.led == now.picture.game_id and name not in self._goes_on
            if feed.led in games:
                self._goes_on.add(name)  # there, whether that hall is still looked at or not
        late_s = TAKEN_S + self._allowed.read_s
        self._is("taken", name, taken, late_s, lambda: f"its game {feed.led} was taken away")
        ids = [claim.id for claim in now.picture.claims]
        self._is("twice", name, len(ids) > len(set(ids)), 0, lambda: f"claims {ids}")

    def _judge_follower(self, feed: Feed, now: Seen, now_s: float) -> None:
        name, link = feed.name, now.link
        assert link is not None
        leaders = self._named(link.leader)
        live = link.state == "following" and not link.frozen and bool(leaders)
        silent_s = self._silent_s(feed, leaders)
        stale = live and silent_s is not None and now_s - silent_s > SILENCE_S
        self._is(
            "stale", name, stale, self._allowed.late_s, lambda: f"nothing can have come since {silent_s}"
        )
        beside = [one for one in leaders if one.now is not None and one.now.state == "leading"]
        shaken_s = max(one.hall.shaken_s for one in (feed, *leaders))
        sure = now_s - shaken_s > SILENCE_S + self._allowed.late_s
        compared = live and not link.stopped and sure and bool(beside)
        half_s = self._allowed.change_s / 2
        theirs = [one for leader in beside for one in leader.since(now_s - half_s)]
        same = [one for one in theirs if one.shows == now.shows]
        shown = [one.shows for one in theirs[:3]]
        apart = compared and not same
        self._is("same", name, apart, half_s, lambda: f"shows {now.shows}, its leader {shown}")
        off = self._off(feed, now, same, beside[0].hall.clock) if compared and same else None
        self._is("clock", name, off is not None, self._allowed.read_s, lambda: off or "")
        rounds = [one.picture.round for one in theirs if one.picture.game_id == now.picture.game_id]
        ahead = compared and bool(rounds) and now.picture.round > max(rounds)
        self._is(
            "ahead",
            name,
            ahead,
            self._allowed.read_s,
            lambda: f"round {now.picture.round}, which its leader has not",
        )

    def _off(self, feed: Feed, now: Seen, same: list[Seen], clock: HallClock) -> str | None:
        """By which of these pictures of its leader it is nearest to that one's time, where by none it is near enough."""
        if not now.picture.running or not now.picture.duration_ms or now.link is None:
            return None
        here_us = now.left_us(feed.hall.clock.now_us())
        error_us = (now.link.error_ms or 0.0) * 1_000 * self._allowed.errors
        there_us = clock.now_us()
        differences = [here_us - one.left_us(there_us) for one in same]
        if any(-AHEAD_US <= one <= CLOCK_US + error_us for one in differences):
            return None
        nearest_us = min(differences, key=abs)
        return f"{'ahead' if nearest_us < 0 else 'behind'} by {abs(nearest_us) / 1_000:.3f} ms, told is {error_us / 1_000} ms"

    def _silent_s(self, feed: Feed, leaders: list[Feed]) -> float | None:
        """Since when nothing can have come from any of them."""
        if feed.hall.mute_s is not None:
            return feed.hall.mute_s
        mute = [one.hall.mute_s for one in leaders]
        known = [one for one in mute if one is not None]
        return max(known) if known and len(known) == len(mute) else None

    def _named(self, hall: str | None) -> list[Feed]:
        """Several may call themselves so; followers do not lead."""
        found = [feed for feed in self._feeds if feed.hall.name == hall]
        return [one for one in found if not (one.seen and _follows(one.seen[-1]))]

    def _hold(self, rule: str, who: str, allowed_s: float, what: Callable[[], str]) -> None:
        """As `_is`, of a thing that has no hall of its own."""
        for known in [one for one in self._began_s if one[0] == rule and one[1] != who]:
            self._is(rule, known[1], False, allowed_s, what)
        if who:
            self._is(rule, who, True, allowed_s, what)

    def _is(self, rule: str, hall: str, wrong: bool, allowed_s: float, what: Callable[[], str]) -> None:
        """So it is now; told once it has been wrong for longer than it may."""
        place, now_s = (rule, hall), time.monotonic()
        if not wrong:
            self._began_s.pop(place, None)
            self._told.discard(place)
            return
        began_s = self._began_s.setdefault(place, now_s)
        if now_s - began_s >= allowed_s and place not in self._told:
            self._told.add(place)
            self.violated(rule, hall, f"{what()}, for {now_s - began_s:.3f} s")


def _follows(one: Seen) -> bool:
    return one.link is not None and one.link.role == "follower"


def accepted(state_dir: Path) -> Iterator[tuple[str, str]]:
    """Game and key of each press and claim of another hall that stands as accepted in a journal there."""
    for journal in sorted((state_dir / "games").glob("*/journal.jsonl")):
        for line in journal.read_bytes().splitlines():
            if b'"answered"' in line and b'"hall/' in line:
                with contextlib.suppress(ValueError):  # a line that a kill has cut off
                    data = json.loads(line)["data"]
                    if data["accepted"] and data["key"].startswith("hall/"):
                        yield journal.parent.name, data["key"]


def twice(folders: Iterable[Path]) -> Iterator[tuple[Path, str, int]]:
    """Keys that were accepted more than once: in one journal, or in the games of two."""
    games: dict[str, str] = {}
    for folder in folders:
        counts = Counter(accepted(folder))
        for (game, key), count in counts.items():
            if games.setdefault(key, game) != game:
                yield folder, f"{key} in {game} and {games[key]}", 2
            if count > 1:
                yield folder, f"{key} in {game}", count
