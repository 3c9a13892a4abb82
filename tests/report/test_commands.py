from pi_controller.protocol.game_report import GameReport
from pi_controller.replay.changes import ReplayedChange
from pi_controller.report.figures import kind_of, report_of


def test_every_command_has_source_press_and_effect(report: GameReport) -> None:
    told = [(one.name, one.source, one.press_to_seen_ms, one.round, one.paused) for one in report.commands]
    assert told[:4] == [
        ("start", "cli", 0, 0, True),
        ("press", "button", 4, 1, True),
        ("verdict", "cli", 0, 1, True),
        ("resume", "web", 0, 1, True),
    ]
    assert [one.name for one in report.commands[4:]] == ["claim", "verdict", "say", "add_time", "undo", "end"]


def test_what_was_taken_back_is_marked(report: GameReport) -> None:
    assert [one.name for one in report.commands if one.undone] == ["add_time"]
    (undo,) = [one for one in report.commands if one.name == "undo"]
    assert undo.body == {"took_back": "add_time"}


def test_names_and_free_texts_are_left_out_unless_asked_for(
    changes: list[ReplayedChange], report: GameReport
) -> None:
    named = report_of(changes, names=True)
    assert "Ann" not in str(report)
    assert {one.source for one in report.commands if one.name == "claim"} == {"web"}
    assert {one.source for one in named.commands if one.name == "claim"} == {"web:director:1"}
    (said,) = [one.body for one in named.commands if one.name == "say"]
    assert said == {"text": "Ann comes to the desk", "tables": True}
    assert (report.names, named.names) == (False, True)


def test_without_names_the_role_is_left_of_a_source() -> None:
    told = {
        "web:judge:2": "web:judge",
        "web:director:1": "web",
        "web:Ann": "web",
        "table": "table",
        "web:judge": "web",
        "": "",
    }
    assert {source: kind_of(source) for source in told} == told


def test_latencies_are_told_for_each_source(report: GameReport) -> None:
    told = [(one.source, one.count, one.p50_ms, one.worst_ms) for one in report.latencies]
    assert told == [("button", 1, 4.0, 4.0), ("web", 1, 0.0, 0.0)]
