"""Figures: ranks, limits, rows, JSON."""

import json

import pytest

from pi_controller.bench.figures import Figure, Summary, as_json, in_ms, limits, machine_line, rows, summary


def figure(**changes: object) -> Figure:
    values = {"name": "press", "what": "edge to picture", "unit": "ms", "measured": summary([4.0, 5.0, 9.0])}
    return Figure(**(values | changes))  # type: ignore[arg-type]


def test_ranks_are_samples_that_were_measured() -> None:
    assert summary(range(1, 101)) == Summary(count=100, p50=50, p99=99, max=100)
    assert summary([7]) == Summary(count=1, p50=7, p99=7, max=7)
    assert summary([3, 1, 2]).p99 == 3


def test_nanoseconds_in_milliseconds() -> None:
    assert in_ms([1_500_000]).p50 == 1.5


def test_nothing_measured_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing was measured"):
        summary([])


@pytest.mark.parametrize(
    ("at_most", "met"), [({}, None), ({"p50": 5}, True), ({"p50": 5, "p99": 8}, False), ({"max": 9}, True)]
)
def test_a_target_is_met_when_every_limit_is_kept(at_most: dict[str, float], met: bool | None) -> None:
    assert figure(limits=limits(**at_most)).met is met


def test_a_row_says_figure_floor_target_and_whether_it_was_met() -> None:
    row, about, note = rows(
        figure(limits=limits(p99=8), floor=summary([1.0]), floor_is="a bare timer", note="mind the load")
    )
    assert " ".join(row.split()) == "press 3 5.000 9.000 9.000 ms 1.000 / 1.000 p99 ≤ 8 ms: MISSED"
    assert about == "    edge to picture; floor: a bare timer"
    assert note == "    mind the load"
    assert rows(figure())[0].endswith("none")
    assert rows(figure(limits=limits(max=10)))[0].endswith("max ≤ 10 ms: met")


def test_the_machine_and_its_load_stand_beside_the_figures() -> None:
    assert "load " in machine_line()
    report = json.loads(as_json([figure(limits=limits(p50=5))], ["0.1 0.2 0.3"]))
    assert report["loads"] == ["0.1 0.2 0.3"]
    assert report["figures"][0]["met"] is True
    assert report["figures"][0]["measured"] == {"count": 3, "p50": 5.0, "p99": 9.0, "max": 9.0}
