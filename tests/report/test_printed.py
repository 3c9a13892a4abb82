from pi_controller.language.words import speaking
from pi_controller.protocol.game_report import GameReport
from pi_controller.report.printed import clock, effect, print_report
from tests.paper.reading import pages


def test_a_report_is_printed_in_the_language_that_is_spoken(report: GameReport) -> None:
    pdf = print_report(report)
    assert pdf == print_report(report)
    assert "Claims and verdicts" in " ".join(pages(pdf))
    with speaking("de"):
        assert "Siegmeldungen und Urteile" in " ".join(pages(print_report(report)))


def test_each_effect_has_words(report: GameReport) -> None:
    keys = [effect(one).key.removeprefix("page.report_") for one in report.commands]
    assert keys[0:2] == ["then_ready", "then_paused"]
    assert keys[-3:] == ["taken_back", "then_round", "then_over"]


def test_long_times_have_hours() -> None:
    assert [clock(ms) for ms in (0, 61_999, 3_661_000)] == ["0:00", "1:01", "1:01:01"]
