"""A whole short evening on a hand-moved clock: the panel, the pictures and the journal tell the same story."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.journal.exports import export_lines
from pi_controller.journal.verify import verify_export
from tests.core.disk import GAME_ID, DiskHall
from tests.core.hall import accepted
from tests.core.hand import MS, S

WINNING_SHEET = {"settlements": 5, "cities": 5, "victory_cards": 3}


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[DiskHall]:
    opened = DiskHall(tmp_path)
    opened.log.prompt = True
    yield opened
    opened.crash()


def play_until_round(hall: DiskHall, number: int) -> None:
    while hall.picture.round < number or hall.picture.phase != "round":
        hall.move(S)


def test_an_evening(hall: DiskHall) -> None:
    assert accepted(hall.ask("contribute", {"text": "rubber duck"}))
    assert accepted(hall.ask("start"))
    hall.move(3 * S)
    play_until_round(hall, 3)
    assert accepted(hall.ask("skip"))
    assert (hall.picture.round, hall.picture.side) == (4, "moon")
    assert accepted(hall.ask("undo"))
    assert (hall.picture.round, hall.picture.side) == (3, "sun")
    seen = hall.picture.history[0].dice

    # The lights go out in the middle of round 5.
    play_until_round(hall, 5)
    hall.move(9 * S)
    hall.beat()
    before = hall.loop.picture()
    hall = hall.again(new_boot=True)
    hall.log.prompt = True
    assert hall.picture.pause_reasons == ["recovery"]
    for name in ("round", "side", "dice", "remaining_ms", "commitment", "public_word"):
        assert getattr(hall.picture, name) == getattr(before, name)
    assert accepted(hall.ask("resume"))
    hall.move(3 * S)

    # From round 11 on the robber may come; both lamps blink then.
    play_until_round(hall, 11)
    assert "robber_possible" in hall.picture.notices
    while hall.picture.phase != "robber":
        hall.move(S)
        assert hall.picture.phase != "ended"
    assert hall.sun.lit == hall.moon.lit
    assert hall.picture.robber_target is not None
    while hall.picture.phase == "robber":
        hall.move(S)
    side, board_round = hall.picture.side, hall.picture.round

    # Somebody has 18 points, presses, and is believed after counting.
    hall.move(5 * S)
    hall.press(late_ns=4 * MS)
    assert accepted(hall.ask("claim", {"board": "B7", "side": side}))
    claim = hall.picture.claims[-1]
    assert (claim.board, claim.round, claim.on_active_side) == ("B7", board_round, True)
    assert accepted(hall.ask("verdict", {"claim": claim.id, "sheet": WINNING_SHEET}))
    assert hall.picture.phase == "ended"
    assert [winner.board for winner in hall.picture.winners] == ["B7"]
    assert (hall.sun.lit, hall.moon.lit, hall.pause_lamp.lit) == (True, True, False)

    assert accepted(hall.ask("close", {"confirm": True}))
    head = hall.picture.journal_head
    lines = list(export_lines(hall.state_dir, GAME_ID))
    report = verify_export(iter(lines), commitment=hall.picture.commitment, head=head)
    assert report.verdict == "proved", report.told
    assert seen

    assert accepted(hall.ask("arm"))
    assert (hall.picture.phase, hall.picture.game_id != GAME_ID) == ("ready", True)
    hall.crash()


def test_the_last_announced_round_ends_the_play(hall: DiskHall) -> None:
    hall.play()
    assert accepted(hall.ask("last_rounds", {"count": 1}))
    while hall.picture.running:
        hall.move(S)
    assert hall.picture.round == 2
    assert hall.picture.phase == "collecting"
    assert (hall.picture.closed, hall.picture.seed) == (False, None)
    later = hall.again()
    assert later.picture.phase == "collecting"
    later.crash()
