from pi_controller.journal.export_files import GameSummary
from pi_controller.protocol.game_report import GameReport
from pi_controller.replay.changes import Change
from pi_controller.report.figures import report_of


def test_a_game_in_short(report: GameReport) -> None:
    assert (report.rule_set, report.phase, report.ended_by, report.rounds) == (
        "connect",
        "ended",
        "director",
        2,
    )
    assert (report.length_ms, report.played_ms) == (50_000, 43_000)
    assert report.winners == []
    assert [(roll.round, roll.side, roll.at_ms) for roll in report.rolls] == [
        (1, "sun", 3_000),
        (2, "moon", 45_004),
    ]
    assert sum(one.count for one in report.distribution) == 2


def test_claims_stand_as_they_stood_last(report: GameReport) -> None:
    told = [(one.board, one.side, one.status, one.verdict_ms) for one in report.claims]
    assert told[1] == ("B2", "moon", "rejected", 5_000)
    assert report.claims[0].pressed_ms_before_end == 25_004


def test_the_other_games_of_the_evening_are_named(changes: list[Change]) -> None:
    others = [GameSummary("g9", rounds=4, ended=True), GameSummary(changes[0].game.game_id)]
    assert [(one.game_id, one.rounds) for one in report_of(changes, others=others).games] == [("g9", 4)]
