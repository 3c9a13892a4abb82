"""What was seen and answered before a kill, held against what is there afterwards."""

import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pi_controller.journal.heartbeat import read_heartbeat
from pi_controller.journal.record import Record, encode
from pi_controller.journal.recovery import recover
from pi_controller.journal.verify import verify_export
from pi_controller.protocol.picture import Picture
from tests.system.hall_watch import WatchError

ROUNDING_MS = 2
"""The picture is in whole milliseconds, rounded up."""
SHORTEST_PHASE_MS = 1_500
"""The robber phase of the settings lasts 2 s."""
LASTING = ("claims", "schedule", "last_round", "commitment", "public_word", "winners", "decided_by", "seed")
"""Fields that stay as they were saved; rounds and time go on until the kill."""


class DifferenceError(AssertionError):
    """A promise was broken."""


def kept(run: Callable[[Path], str]) -> int:
    """Print what a run in a folder of its own has found; 1 and what was broken, where a promise was."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            print(run(Path(folder)))
        except (DifferenceError, WatchError) as broken:
            print(f"broken promise: {broken}", file=sys.stderr)
            return 1
    return 0


class Promises:
    """One game after the other in one state folder; the newest is looked at closely."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.game_id = ""
        self.games = 0
        self.lost_ms: list[float] = []
        self._texts: dict[str, str] = {}
        self._sent: set[str] = set()
        self._accepted: set[str] = set()
        self._lines: dict[str, list[bytes]] = {}
        self._rolls: dict[tuple[str, int, int], tuple[Any, ...]] = {}
        self._commitments: dict[str, str] = {}
        self._beat_ms = 0.0

    def turn_to(self, game_id: str) -> None:
        """This game is on now."""
        if game_id != self.game_id:
            self.game_id = game_id
            self.games += 1
            self._accepted, self._texts = set(), {}

    def answered(self, sent: dict[str, str], accepted: Iterable[str]) -> None:
        """These commands were sent, each key with the text it carried, and of these keys *accepted* was
        heard."""
        self._sent |= set(sent)
        self._texts |= sent
        self._accepted |= set(accepted)

    def saw(self, picture: Picture) -> None:
        """A picture that was shown: its rolls and its commitment hold for ever."""
        game = picture.game_id
        if self._commitments.setdefault(game, picture.commitment) != picture.commitment:
            raise DifferenceError(f"game {game} is committed to something else now: {picture}")
        number, robbers = None, 0
        for roll in reversed(picture.history):
            robbers = 0 if roll.kind == "round" else robbers + 1
            number = roll.round if roll.kind == "round" else number
            if number is None:
                continue  # the round before this robber phase is not in view: which one it was is not known
            shown = (roll.kind, roll.side, *roll.dice, roll.robber_target)
            if self._rolls.setdefault((game, number, robbers), shown) != shown:
                raise DifferenceError(f"round {number} shows another roll than before: {picture}")

    def check_journal(self, *, games: set[str], before_the_fall: bool = True) -> None:
        """Read while nobody writes: everything accepted stands there, and what stood there before still does.

        `games` are those that may be on now. `before_the_fall`: heartbeat and journal tell how long play went on.
        """
        newest = recover(self.state)
        if newest is None or newest.game_id not in games:
            raise DifferenceError(f"one of {games} should be on, but it is {newest and newest.game_id}")
        own = recover(self.state, self.game_id)
        if own is None:
            raise DifferenceError(f"the journal of game {self.game_id} is gone")
        if before_the_fall:
            beat = read_heartbeat(self.state / "heartbeat")
            beat_ns = beat.boot_ns if beat and beat.game_id == self.game_id else 0
            self._beat_ms = max(beat_ns, own.records[-1].boot_ns) / 1_000_000
        self._check_answers(own.records)
        for game in (own, newest):
            self._check_lines(game.game_id, [encode(record) for record in game.records])

    def _check_answers(self, records: tuple[Record, ...]) -> None:
        kept = {record.data["key"]: record.data for record in records if record.kind == "answered"}
        lost, invented = self._accepted - set(kept), set(kept) - self._sent
        if lost or invented:
            raise DifferenceError(f"accepted but lost: {sorted(lost)}; never asked: {sorted(invented)}")
        said = [str(record.data) for record in records if record.kind == "did"]
        for text in (self._texts[key] for key in self._accepted if self._texts[key]):
            if sum(text in each for each in said) != 1:
                raise DifferenceError(f"{text!r} was accepted, but does not stand in the journal once")

    def _check_lines(self, game_id: str, lines: list[bytes]) -> None:
        before = self._lines.get(game_id, [])
        if lines[: len(before)] != before:
            raise DifferenceError(f"lines of game {game_id} that were on the disk have changed")
        self._lines[game_id] = lines
        report = verify_export(iter(lines))
        if report.verdict == "refused":
            raise DifferenceError(f"the verifier says: {report.told}")

    def check_return(self, picture: Picture, before: Picture | None, killed_ms: float) -> None:
        """The first picture after the restart; `before` is the last one of a game that nobody touched since."""
        self.saw(picture)
        if picture.running or picture.resume_in_ms is not None:
            raise DifferenceError(f"it runs on by itself: {picture}")
        in_play = picture.phase in ("round", "robber")
        if in_play and (not picture.paused or "recovery" not in picture.pause_reasons):
            raise DifferenceError(f"not paused after a kill: {picture}")
        if before is None:
            return
        changed = [name for name in LASTING if getattr(before, name) != getattr(picture, name)]
        if changed or before.game_id != picture.game_id:
            raise DifferenceError(f"{changed} of {before} came back otherwise: {picture}")
        if before.running:
            self._check_time(picture, before, killed_ms)

    def _check_time(self, picture: Picture, before: Picture, killed_ms: float) -> None:
        """Play stands where the last heartbeat or the last line of the journal found it, whichever is newer."""
        if killed_ms - before.as_of_ms > before.remaining_ms + SHORTEST_PHASE_MS:
            return  # a machine that stood still: more than one phase may have passed
        turned = before.history[0] != picture.history[0]
        left = before.remaining_ms + (picture.duration_ms if turned else 0)
        latest = left - max(0.0, self._beat_ms - before.as_of_ms)
        earliest = left + max(0.0, before.as_of_ms - self._beat_ms)
        if turned and latest > picture.duration_ms + ROUNDING_MS:
            raise DifferenceError(f"time was left in {before}, but the next phase is on: {picture}")
        if not latest - ROUNDING_MS <= picture.remaining_ms <= earliest + ROUNDING_MS:
            raise DifferenceError(f"{picture.remaining_ms} ms left instead of {latest:.1f}: {picture}")
        self.lost_ms.append(picture.remaining_ms - (left - (killed_ms - before.as_of_ms)))
