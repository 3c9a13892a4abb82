"""The pictures of an earlier game, at its changes and at any moment between them. Pure.

What is of the game is as it was. Of the process that sent the pictures, the journal knows nothing:
`OF_THE_PROCESS` names those fields, and `allowed` holds what the rules had against a command, not what the
computer had. Each picture is as it was sent once its change was on the disk.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from pi_controller.core.game_loop.picture import PictureFrame, picture_at
from pi_controller.core.panel.view import BLINK_HALF_NS, PanelView, panel_at, view_of
from pi_controller.game.game import Game
from pi_controller.language.languages import ENGLISH
from pi_controller.protocol.picture import HealthView, Picture
from pi_controller.replay.changes import ReplayedChange

OF_THE_PROCESS = ("session", "seq", "saved_seq", "health", "identify", "sound", "caption", "closes_at_ms")
"""Fields that tell of the process, not of the game: `session` names the game here, and `seq` counts the
pictures of the replay."""

_WELL = HealthView(level="ok", messages=[], items=[])


class Replay:
    """A game's changes as pictures; `languages` are the hall's."""

    def __init__(self, changes: Sequence[ReplayedChange], languages: tuple[str, ...] = (ENGLISH,)) -> None:
        self.changes = changes
        self.languages = languages

    def pictures(self) -> Iterator[tuple[int, Picture]]:
        """Those that were sent because something had changed, each with its moment: nanoseconds since the
        game's first line."""
        for _, since_ns, picture in self.moments():
            yield since_ns, picture

    def moments(self) -> Iterator[tuple[int, int, Picture]]:
        """The same, each with the index of its change."""
        seq = 0
        for number, change in enumerate(self.changes):
            for boot_ns in (change.boot_ns, *self._run_out(number)):
                seq += 1
                since_ns = change.since_ns + boot_ns - change.boot_ns
                yield number, since_ns, self._picture(change, boot_ns, seq)

    def at(self, since_ns: int) -> Picture:
        """What stood on the screens at this moment since the game's first line, or at that line."""
        number = max(0, bisect_right(self._moments, since_ns) - 1)
        change = self.changes[number]
        return self._picture(change, change.boot_ns + max(0, since_ns - change.since_ns), number + 1)

    @cached_property
    def _moments(self) -> list[int]:
        return [change.since_ns for change in self.changes]

    def _run_out(self, number: int) -> list[int]:
        """When, before the next change, a message or free timer ran out: CLOCK_BOOTTIME."""
        change = self.changes[number]
        if number + 1 == len(self.changes):
            return []
        until_ns = self.changes[number + 1].time.anchor_game_ns
        moments = {moment for moment in _ends(change.game) if change.time.anchor_game_ns < moment < until_ns}
        return sorted(change.time.boot_ns(moment) for moment in moments)

    def _picture(self, change: ReplayedChange, boot_ns: int, seq: int) -> Picture:
        frame = PictureFrame(
            session=change.game.game_id,
            seq=seq,
            saved_seq=seq,
            head=change.head,
            health=_WELL,
            languages=self.languages,
        )
        return picture_at(change.game, change.time, boot_ns, frame=frame)


def _ends(game: Game) -> list[int]:
    """When the free timer and the message end, in game time."""
    message, timer = game.state.message, game.state.timer
    ends = [] if timer is None else [timer.deadline_ns]
    return ends if message is None or message.until_ns is None else [*ends, message.until_ns]


# What the panel's lamps showed beside a picture. Pure.


NS_PER_MS = 1_000_000


class LampsView(Struct, kw_only=True):
    """Levels of the panel's lamps."""

    sun: bool
    moon: bool
    pause: bool


class ReplayLine(Struct, kw_only=True):
    """One picture with its moment since the game's first line. `lamps` are as at the picture and half a blink
    later: where these differ, they take turns. What may be done then (`allowed`) is left out."""

    since_ms: int
    picture: Picture
    lamps: tuple[LampsView, LampsView]


def lines_of(pictures: Iterable[tuple[int, Picture]]) -> Iterator[ReplayLine]:
    """One for each picture."""
    view: PanelView | None = None
    for since_ns, picture in pictures:
        view = view_of(picture, offset_ns=0, before=view)
        lamps = (_lamps(view, view.as_of_ns), _lamps(view, view.as_of_ns + BLINK_HALF_NS))
        yield ReplayLine(since_ms=since_ns // NS_PER_MS, picture=replace(picture, allowed={}), lamps=lamps)


def _lamps(view: PanelView, now_ns: int) -> LampsView:
    shown = panel_at(view, now_ns)
    return LampsView(sun=shown.sun, moon=shown.moon, pause=shown.pause_lamp)
