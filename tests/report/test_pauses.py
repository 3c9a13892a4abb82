from pi_controller.protocol.game_report import GameReport
from pi_controller.replay.changes import ReplayedChange
from pi_controller.report.figures import pauses_of


def test_a_pause_has_its_length_and_all_its_reasons(report: GameReport) -> None:
    pauses = [(one.at_ms, one.length_ms, one.round, one.reasons) for one in report.pauses]
    assert pauses == [(13_000, 7_000, 1, ["button"])], (
        "the 3-2-1 of the start is none, that of going on belongs to it"
    )


def test_a_pause_that_still_stands_has_no_length(changes: list[ReplayedChange]) -> None:
    paused = next(at for at, change in enumerate(changes) if pauses_of(changes[: at + 1]))
    assert [one.length_ms for one in pauses_of(changes[: paused + 1])] == [None]
