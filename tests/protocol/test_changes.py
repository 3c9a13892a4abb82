"""Changes of pictures add up to the pictures that whoever takes whole ones gets."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from pi_controller.core.server.requests import Feed
from pi_controller.protocol.changes import NewestPicture, difference
from pi_controller.protocol.messages import News
from pi_controller.protocol.question import encode, read_line
from pi_controller.sentence import as_told
from tests.core.hall import Hall, S


class Watcher:
    """A connection that keeps what it is told."""

    def __init__(self) -> None:
        self.lags = False
        self.on_close: list[Callable[[], object]] = []
        self.lines: list[bytes] = []

    def stream(self, _kind: str, line: bytes) -> None:
        self.lines.append(line)


class Watched:
    """A hall, and two who watch it from its beginning on: one takes changes, the other one whole pictures."""

    def __init__(self) -> None:
        self.hall = Hall()
        self.feed = Feed(timers=self.hall.timers)
        self.hall.loop.showing.show_to(
            as_told("the feed"), self.feed.publish, expect=self.feed.expect, saved=self.feed.saved
        )
        self.changes, self.whole = Watcher(), Watcher()
        self.feed.add(self.changes, changes=True)  # type: ignore[arg-type]
        self.feed.add(self.whole, changes=False)  # type: ignore[arg-type]
        self.newest = NewestPicture()

    def put_together(self) -> Any:
        """The picture of who takes changes, by all that it was told."""
        for line in self.changes.lines:
            said = read_line(line)
            if said.picture or said.change:
                self.newest.take(said)
        self.changes.lines.clear()
        return json.loads(self.newest.encoded())

    @property
    def shown(self) -> Any:
        """The newest picture of who takes whole ones."""
        pictures = [line for line in self.whole.lines if line.startswith(b'{"picture"')]
        return json.loads(pictures[-1])["picture"]


def play(hall: Hall, check: Callable[[], None]) -> None:
    """A game with much in it."""
    deeds: list[Callable[[], object]] = [
        hall.play,
        hall.press,
        lambda: hall.ask("say", {"text": "Dinner", "seconds": 30}),
        lambda: hall.ask("timer", {"label": "Break", "seconds": 300}),
        lambda: hall.move(1 * S),
        lambda: hall.ask("claim", {"board": "A1", "side": "sun"}, key="k1"),
        lambda: hall.ask("resume", {"override": True}),
        lambda: hall.move(5 * S),
        lambda: hall.move(40 * S),
        lambda: hall.ask("claim", {"board": "A2", "side": "moon"}, key="k2"),
        lambda: hall.ask("last_rounds", {"count": 1}),
        lambda: hall.ask("undo"),
        lambda: hall.ask("end", {"confirm": True}),
        lambda: hall.ask("close", {"confirm": True}),
    ]
    for deed in deeds:
        deed()
        check()


@pytest.mark.parametrize("carried", News.__struct_fields__)
def test_a_line_of_a_stream_is_read_whatever_it_carries(carried: str) -> None:
    """By whoever only looks at which it is: a line that cannot be read ends the stream, which then begins anew."""
    carries = {"on": 7}.get(carried, {} if carried in ("change", "allowed") else None)
    line = read_line(encode(News(**{carried: carries})))
    assert line.trouble() is None
    assert line.on == (7 if carried == "on" else 0)


def test_changes_add_up_to_the_whole_picture() -> None:
    watched = Watched()

    def check() -> None:
        assert watched.put_together() == watched.shown

    play(watched.hall, check)
    changes = [line for line in watched.whole.lines if b'"change"' in line]
    assert changes == []


def test_who_reads_slowly_is_told_nothing_that_rests_on_what_it_may_not_get() -> None:
    watched = Watched()
    watched.hall.play()
    watched.put_together()
    watched.changes.lags = True
    watched.hall.press()
    assert all(b'"change"' not in line for line in watched.changes.lines)
    watched.changes.lags = False
    watched.changes.lines[:] = watched.changes.lines[-1:]
    watched.hall.ask("say", {"text": "Dinner"})
    assert watched.put_together() == watched.shown


def test_a_pause_is_small_and_what_is_on_the_disk_smaller() -> None:
    watched = Watched()
    watched.hall.play()
    watched.put_together()
    watched.hall.log.prompt = False
    watched.hall.ask("pause")
    (line,) = watched.changes.lines
    paused = json.loads(line)
    assert len(line) - len(json.dumps(paused["allowed"], separators=(",", ":"))) < 300
    assert {"paused", "pause_reasons", "running"} <= paused["change"].keys()
    watched.hall.save()
    saved = json.loads(watched.changes.lines[1])
    assert saved["change"].keys() == {"saved_seq", "journal_head", "journal_head_full"}
    assert saved["on"] == paused["change"]["seq"]


@pytest.mark.parametrize(("running", "moving"), [(True, {"remaining_ms", "forecast"}), (False, set())])
def test_what_moves_by_itself_is_told_as_long_as_it_moves(running: bool, moving: set[str]) -> None:
    picture = Hall().play().loop.picture()
    before = msgspec.structs.replace(picture, running=running)
    found = difference(before, msgspec.structs.replace(before, seq=before.seq + 1))
    assert found.keys() & {"remaining_ms", "forecast"} == moving
    assert {"seq", "as_of_ms", "as_of_us"} <= found.keys()
    assert difference(before, before) == {}
