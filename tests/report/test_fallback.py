from pathlib import Path
from random import Random

from pi_controller.game.rule_sets import CONNECT
from pi_controller.game.turn_order import Due
from pi_controller.journal.exports import export_lines
from pi_controller.journal.record import decode
from pi_controller.paper.document import Paper
from pi_controller.replay.changes import ReplayedChange, changes_of
from pi_controller.report.fallback import add_dice, add_sheets, add_state, drawn, due_after
from tests.core.disk import GAME_ID, DiskHall
from tests.core.hand import S
from tests.paper.reading import pages


def test_the_sheet_says_where_the_game_stood_and_that_its_dice_are_others(
    changes: list[ReplayedChange],
) -> None:
    last = changes[-3]
    assert due_after(last, CONNECT) == Due(3, 0, "sun")
    paper = Paper("To go on by hand")
    rolls = list(drawn(CONNECT, due_after(last, CONNECT), count=12, source=Random(1)))
    add_state(paper, CONNECT, last)
    add_dice(paper, CONNECT, rolls)
    add_sheets(paper, CONNECT, 4)
    text = pages(paper.pdf())
    assert "round 2," in text[0]
    assert "these are not the dice of the game" in " ".join(text)
    assert sum(one.count("Claim sheet") for one in text) == 4


def test_without_a_game_it_begins_with_round_1() -> None:
    assert due_after(None, CONNECT) == Due(1, 0, "sun")
    paper = Paper("To go on by hand")
    add_state(paper, CONNECT, None)
    assert "From round 11 on" in pages(paper.pdf())[0]


def test_after_the_last_round_the_paper_says_that_sheets_are_collected(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    hall.ask("last_rounds", {"count": 0})
    hall.move(35 * S)
    assert hall.picture.phase == "collecting"
    hall.crash()
    lines = [decode(line) for line in export_lines(tmp_path, GAME_ID)]
    paper = Paper("To go on by hand")
    add_state(paper, CONNECT, changes_of(lines)[-1])
    text = pages(paper.pdf())[0]
    assert "sheets are collected" in text
    assert "before the start" not in text
