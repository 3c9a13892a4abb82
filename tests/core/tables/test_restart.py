"""Core is killed and comes back from the journal: claims count once, and their nodes hear of them again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.bus.values import ClaimHeard, NodeClaim
from pi_controller.core.tables.claims import StoodStill
from pi_controller.game.commands import Claim
from tests.core.disk import DiskHall
from tests.core.hand import S
from tests.core.hand_bus import TableHall, roster_of, uid
from tests.matrix import further

ROSTER = roster_of(1, 2)


class Evening:
    """The same tables before and after."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.disk = DiskHall(folder).play()
        self.hall = TableHall(folder, self.disk, roster=ROSTER)
        self.disk.move(10 * S)
        self.disk.beat()

    def kill_and_return(self, after_ns: int = 2 * S) -> TableHall:
        self.disk = self.disk.again(after_ns=after_ns)
        self.disk.log.prompt = True
        assert self.disk.restored is not None
        down_ms = self.disk.restored.restart.down_ms
        assert down_ms is not None
        stood = StoodStill(self.disk.loop.game.game_id, down_ms * 1_000_000)
        self.hall = TableHall(self.folder, self.disk, stood_still=stood)
        return self.hall


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    found = Evening(tmp_path)
    yield found
    found.disk.crash()


def test_a_refused_claim_stays_refused(evening: Evening) -> None:
    claim = evening.hall.claim(1, "moon")
    assert evening.hall.status(claim) == "wait"
    later = evening.kill_and_return()
    assert later.status(later.claim(1, "moon", ago_ms=2700)) == "wait"
    assert later.claims == []


def test_a_claim_of_the_game_before_is_never_taken_also_after_a_restart(evening: Evening) -> None:
    evening.hall.claim(1)
    evening.disk.ask("end", {"confirm": True})
    evening.disk.ask("arm")
    evening.disk.move(0)
    evening.disk.ask("start")
    evening.disk.move(10 * S)
    later = evening.kill_and_return()
    claim = later.claim(1, ago_ms=12_900)
    assert (later.claims, later.status(claim)) == ([], "withdrawn")


class Player:
    """Holds Sun's button of node 1 again and again; the node counts as its firmware does."""

    def __init__(self, evening: Evening) -> None:
        self.evening = evening
        self.number = 0
        self.at_us = 0

    def touch(self) -> None:
        """The first contact of the next claim."""
        self.number = self.number % 255 + 1
        self.at_us = self.evening.disk.timers.boot_ns() // 1000

    def report(self) -> NodeClaim:
        claim = NodeClaim(uid=uid(1), boots=7, side="sun", number=self.number)
        self.evening.hall.tables.heard(ClaimHeard(claim=claim, board=None, at_us=self.at_us))
        self.evening.disk.move(0)
        return claim

    def claims(self) -> int:
        """How many the game has taken."""
        return sum(isinstance(action.command, Claim) for action in self.evening.disk.loop.game.actions)


@pytest.mark.parametrize("claims", [120, *further(600)])
def test_of_the_claims_of_one_side_each_counts_once_whenever_core_is_killed(
    evening: Evening, claims: int
) -> None:
    """Numbers come round. Core is killed with a claim standing, and with one touched that it never heard."""
    evening.disk.ask("pause")
    player = Player(evening)
    player.number = 200
    for made in range(1, claims + 1):
        evening.disk.move(2 * S)
        player.touch()
        if made % 60 == 0:
            evening.disk.beat()
            evening.kill_and_return()
        claim = player.report()
        assert (player.claims(), evening.hall.status(claim)) == (made, "judge_comes"), f"claim {made}"
        if made % 60 == 30:
            evening.kill_and_return()
        assert player.report() == claim, "heard once more"
        assert (player.claims(), evening.hall.status(claim)) == (made, "judge_comes"), f"claim {made} again"
        if made % 2:
            evening.disk.ask("verdict", {"claim": evening.hall.claims[-1][0], "confirmed": False})
            evening.disk.move(0)
            assert evening.hall.status(claim) == "rejected"
        else:
            evening.hall.take_back(claim)
            assert evening.hall.status(claim) == "withdrawn"
    assert len(evening.hall.claims) == claims // 2 + 1, "half have verdicts, and one that was taken back"


def test_a_node_that_starts_again_with_the_same_numbers_claims_anew(evening: Evening) -> None:
    """Its random bytes fell as before, and so its number is that of a claim which has its verdict."""
    player = Player(evening)
    player.touch()
    player.report()
    evening.disk.ask("verdict", {"claim": "c2", "confirmed": False})
    evening.disk.move(4 * S)
    player.number = 0
    player.touch()
    claim = player.report()
    assert (player.claims(), evening.hall.status(claim)) == (2, "open")
    later = evening.kill_and_return()
    assert player.report() == claim
    assert [entry[3] for entry in later.claims] == ["rejected", "open"]
