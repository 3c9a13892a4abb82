"""After the announced last round sheets are collected and ranked, until somebody ends the game (rule C20)."""

from dataclasses import replace

import pytest
from msgspec import structs

from pi_controller.game.commands import (
    AddTime,
    Claim,
    Close,
    End,
    LastRounds,
    Pause,
    Press,
    Redo,
    Resources,
    Resume,
    Sheet,
    Skip,
    Undo,
    Verdict,
    Withdraw,
)
from pi_controller.game.room import RankedView, WinnerView
from pi_controller.game.rule_sets import CONNECT
from tests.game.hall import Hall

FOURTEEN = Sheet(4, 5)
FIFTEEN = structs.replace(FOURTEEN, victory_cards=1)
EIGHTEEN = Sheet(4, 5, foreign_left=True, foreign_right=True)


def holding(**resources: int) -> Sheet:
    """Fourteen points with these cards in hand."""
    return structs.replace(FOURTEEN, resources=Resources(**resources))


def collecting() -> Hall:
    """Round 1 was announced as the last and is over."""
    return Hall().started().do(LastRounds(0)).wait(35)


def with_sheets(**sheets: Sheet) -> Hall:
    """Of Sun, each entered by hand and counted, with the board as name."""
    hall = collecting()
    for board, sheet in sheets.items():
        hall.do(Claim(board, "sun"))
        hall.do(Verdict(hall.picture.claims[-1].id, sheet=sheet))
    return hall


def ranking(hall: Hall) -> list[tuple[str | None, int | None, str]]:
    return [(one.board, one.points, one.decided_by) for one in hall.picture.ranking]


def test_sheets_are_collected_after_the_last_round_and_no_clock_runs():
    picture = collecting().wait(3600).picture
    assert (picture.phase, picture.round, picture.last_round) == ("collecting", 1, 1)
    assert (picture.running, picture.paused, picture.remaining_ms, picture.dice) == (False, False, 0, None)
    assert (picture.side, picture.next_side, picture.winners, picture.ranking) == (None, None, [], [])
    assert picture.history[0].round == 1


def test_a_game_armed_before_ends_with_its_last_round():
    hall = Hall(replace(CONNECT, version=1)).started().do(LastRounds(0)).wait(35)
    assert (hall.picture.phase, hall.picture.winners) == ("ended", [])
    hall.do(Claim("7", "sun")).do(Verdict("c3", sheet=FOURTEEN))
    assert (hall.picture.decided_by, [one.board for one in hall.picture.winners]) == ("ranking", ["7"])


def test_sheets_are_ranked_live_and_no_sheet_ends_the_game():
    hall = with_sheets(A1=FOURTEEN, A2=EIGHTEEN, A3=FIFTEEN)
    assert ranking(hall) == [("A2", 18, "points"), ("A3", 15, "points"), ("A1", 14, "points")]
    assert (hall.picture.phase, hall.picture.winners, hall.picture.decided_by) == ("collecting", [], None)


def test_each_place_has_the_step_that_decides_it():
    hall = with_sheets(
        A1=holding(ore=2), A2=holding(grain=2), A3=FIFTEEN, A4=holding(wool=1), A5=holding(wool=1)
    )
    assert ranking(hall) == [
        ("A3", 15, "points"),
        ("A2", 14, "grain"),
        ("A1", 14, "resources"),
        ("A4", 14, "shared"),
        ("A5", 14, "shared"),
    ]
    assert [one.place for one in hall.picture.ranking] == [1, 2, 3, 4, 4]
    assert ranking(with_sheets(A1=FOURTEEN)) == [("A1", 14, "points")]
    pairs = with_sheets(A1=holding(ore=1), A2=FOURTEEN, A3=FOURTEEN, A4=holding(ore=1)).picture.ranking
    assert [(one.board, one.place) for one in pairs] == [("A1", 1), ("A4", 1), ("A2", 3), ("A3", 3)]
    assert ranking(with_sheets(A1=FOURTEEN, A2=holding(ore=1)))[-1] == ("A1", 14, "resources")


def test_only_the_end_makes_the_first_of_the_ranking_the_winner():
    hall = with_sheets(A1=FOURTEEN, A2=FIFTEEN)
    assert "second step" in hall.refused(End(confirm=False))
    picture = hall.do(End(confirm=True)).picture
    assert picture.winners == [WinnerView(claim="c5", board="A2", side="sun", points=15)]
    assert (picture.phase, picture.decided_by) == ("ended", "ranking")
    assert picture.ranking[0] == RankedView(
        claim="c5", board="A2", side="sun", points=15, place=1, decided_by="points"
    )


def test_who_is_equal_in_everything_shares_the_victory():
    picture = with_sheets(A1=FOURTEEN, A2=holding(ore=1), A3=holding(ore=1)).do(End(confirm=True)).picture
    assert [one.board for one in picture.winners] == ["A2", "A3"]
    assert [one.decided_by for one in picture.ranking] == ["shared", "shared", "resources"]


def test_an_end_is_undone_with_all_sheets_and_none_is_entered_behind_it():
    hall = with_sheets(A1=FOURTEEN, A2=FIFTEEN).do(Claim("A3", "moon")).do(End(confirm=True))
    for late in (Claim("A4", "sun"), Verdict("c7", sheet=EIGHTEEN), Withdraw("c7")):
        assert "undo the end to enter another sheet" in hall.refused(late)
    hall.wait(600).do(Undo())
    assert (hall.picture.phase, len(hall.picture.ranking)) == ("collecting", 2)
    hall.do(Verdict("c7", sheet=EIGHTEEN)).do(End(confirm=True))
    assert [one.board for one in hall.picture.winners] == ["A3"]
    assert hall.do(Undo()).do(Redo()).picture.phase == "ended"
    assert hall.do(Close(confirm=True)).picture.closed
    assert "seed of this game is published" in hall.refused(Undo())


def test_a_sheet_is_corrected_by_another_one_or_taken_out():
    hall = with_sheets(A1=FOURTEEN, A2=FIFTEEN)
    hall.do(Verdict("c3", sheet=EIGHTEEN))
    assert ranking(hall) == [("A1", 18, "points"), ("A2", 15, "points")]
    hall.do(Verdict("c3", confirmed=False))
    assert ranking(hall) == [("A2", 15, "points")]
    assert "already rejected" in hall.refused(Verdict("c3", sheet=EIGHTEEN))
    hall.do(Claim("A1", "sun"))
    hall.do(Verdict(hall.picture.claims[-1].id, sheet=FOURTEEN))
    assert [one.board for one in hall.picture.ranking] == ["A2", "A1"]


def test_one_board_and_side_has_one_sheet():
    hall = with_sheets(A1=FOURTEEN)
    assert "already has a sheet" in hall.refused(Claim("a01", "sun"))
    hall.do(Claim("A1", "moon"))
    assert hall.ask(Claim("a1", "moon")).events == ()
    for nobody in (Claim(), Claim("A9"), Claim(None, "sun")):
        assert "needs board and side" in hall.refused(nobody)


def test_a_sheet_of_the_ranking_is_held_against_the_rival_at_the_same_board():
    hall = with_sheets(A1=structs.replace(FOURTEEN, largest_army=True)).do(Claim("A1", "moon"))
    assert (
        "largest army"
        in hall.refused(Verdict("c5", sheet=structs.replace(FOURTEEN, largest_army=True))).lower()
    )


def test_nobody_is_confirmed_without_a_sheet_or_without_board_and_side():
    hall = collecting().do(Claim("A1", "sun"))
    assert "compares sheets" in hall.refused(Verdict("c3", confirmed=True))
    pressed = Hall().started().do(LastRounds(0)).do(Press()).do(Skip())
    assert "which board and side" in pressed.refused(Verdict("c3", sheet=EIGHTEEN))
    assert ranking(pressed.do(Verdict("c3", sheet=EIGHTEEN, board="A4", side="sun"))) == [
        ("A4", 18, "points")
    ]


def test_what_needs_a_round_is_refused_with_what_to_do():
    hall = collecting()
    for command in (Pause(), Resume(), Skip(), AddTime(5_000), LastRounds(2)):
        assert "sheets are being collected" in hall.refused(command)
    assert hall.ask(Press()).events == ()


def test_no_correction_leads_to_an_end_of_the_last_round_that_the_hall_has_not_seen():
    hall = Hall().started().do(LastRounds(0)).wait(5).do(Pause()).wait(60)
    assert "unseen by the hall" in hall.refused(Undo())
    ended = Hall().started().do(LastRounds(0)).wait(5).do(End(confirm=True)).wait(60)
    assert "unseen by the hall" in ended.refused(Undo(AddTime(1)))


def test_the_announcement_cannot_be_taken_back_once_its_round_is_over():
    assert "unseen by the hall" in collecting().refused(Undo())


@pytest.mark.parametrize("boards", [("A1",), ("A1", "A2")])
def test_the_ranking_of_a_game_won_by_a_claim_shows_those_that_were_compared(boards):
    hall = Hall().started()
    for board in boards:
        hall.do(Claim(board, "sun"))
    for claim, resources in zip(hall.picture.claims, (1, 2), strict=False):
        hall.do(Verdict(claim.id, sheet=structs.replace(EIGHTEEN, resources=Resources(ore=resources))))
    assert hall.picture.phase == "ended"
    steps = {"A1": [("A1", 18, "points")], "A2": [("A2", 18, "resources"), ("A1", 18, "resources")]}
    assert ranking(hall) == steps[boards[-1]]
