"""Lamps and displays of the tables are judged by their own currents; nobody looks for gaps, no fuse has too much."""

import pytest

from pi_controller.bus.values import IdentifyWhat
from pi_controller.roster import model
from pi_controller.selftest.checks.looks import Lamps
from pi_controller.selftest.verdicts import Code
from pi_controller.supply.zone import SupplyWiring
from tests.selftest.small_hall import SmallHall
from tests.selftest.small_tables import Table
from tests.selftest.somebody import Somebody, run

ROW_FUSE_A = 1.6 * 0.75
"""What a T1.6 A fuse carries for good."""


class LoadedHall(SmallHall):
    """Twenty tables on one fuse; it keeps the most that the row takes, and what the tables were told."""

    def __init__(self) -> None:
        super().__init__({"A": 20})
        self.most_a = 0.0
        self.told: list[tuple[str | None, int]] = []

    def identify(self, uid: str | None, *, what: IdentifyWhat, seconds: int, number: int) -> None:
        super().identify(uid, what=what, seconds=seconds, number=number)
        if what == "pattern":
            self.told.append((uid, number))
        tables = self.tables_there.values()
        self.most_a = max(self.most_a, sum(table.watts() for table in tables) / self.power.source_v)


def white_w(table: Table) -> float:
    """With white displays and all its lamps, behind its converter."""
    table.told("pattern", 0)
    watts = table.watts() * SupplyWiring().efficiency
    table.told("lamps", 0b1111)
    return watts + table.lamps_ma() / 1000 * 5


@pytest.mark.parametrize("protocol", [5, 6])
@pytest.mark.parametrize("code", ["LED", "OLD", "VBS"])
def test_no_check_takes_more_than_the_fuse_of_twenty_boards_carries(code: Code, protocol: int) -> None:
    hall = LoadedHall()
    for table in hall.tables_there.values():
        table.protocol = protocol
    assert white_w(Table("A1", "1")) == pytest.approx(SupplyWiring().watts, rel=0.1), "the planning value"
    assert run(hall, Somebody(hall), code).results[0].verdict == "passed"
    assert 0.3 < hall.most_a < ROW_FUSE_A


@pytest.mark.parametrize("outdated", [False, True])
def test_an_older_node_is_never_told_what_it_would_show_fully_white(*, outdated: bool) -> None:
    hall = LoadedHall()
    old = hall.tables_there["A7"]
    old.protocol, old.outdated = 5, outdated
    run(hall, Somebody(hall), "OLD")
    assert any(number > 255 for uid, number in hall.told if uid not in (None, old.uid))
    assert all(number < 5 for uid, number in hall.told if uid in (None, old.uid))
    assert (None, 0) not in hall.told


@pytest.mark.parametrize(("code", "asked"), [("LED", ["only the Sun lamps"]), ("OLD", ["a thin frame"])])
def test_where_nodes_measure_one_look_is_asked_for(code: Code, asked: list[str]) -> None:
    hall = SmallHall()
    operator = Somebody(hall)
    run(hall, operator, code)
    assert len(operator.asked) == len(asked)
    assert all(words in question.text for words, question in zip(asked, operator.asked, strict=True))


@pytest.mark.parametrize(("code", "looks"), [("LED", 3), ("OLD", 2)])
def test_a_board_that_does_not_measure_is_looked_at_alone(code: Code, looks: int) -> None:
    hall = SmallHall()
    hall.tables_there["B2"].measures = False
    operator = Somebody(hall)
    assert run(hall, operator, code).results[0].verdict == "passed"
    assert len(operator.asked) == looks
    first = operator.asked[0]
    assert {name.partition("-")[0] for name in first.names} - {"panel"} == {"B2"}
    assert "B2" in first.text
    assert "all tables" not in first.text


@pytest.mark.parametrize(
    ("each", "silent", "shorted"),
    [
        ((5.0, 25.0, 3.0, 45.0), [], []),
        ((4.9, 25.1, 2.9, 45.1), [0, 2], [1, 3]),
    ],
)
def test_limits_of_the_lamps(each: tuple[float, ...], silent: list[int], shorted: list[int]) -> None:
    lamps = Lamps(dark=0.0, all_lit=sum(each), each=each)
    assert (lamps.silent, lamps.shorted) == (silent, shorted)


def test_a_lamp_is_named_with_its_plug_also_where_the_node_stands_the_other_way_round() -> None:
    hall = SmallHall()
    hall.kept_roster = model.swap(hall.kept_roster, "A2")
    for label in ("A1", "A2"):
        table = hall.tables_there[label]
        table.crossed = label == "A2"
        table.dead_lamps, table.dark = {2}, {"sun"}
    (led,) = run(hall, Somebody(hall), "LED").results
    (old,) = run(hall, Somebody(hall), "OLD").results
    assert [one.sentence.split("plug ")[1][:2] for one in led.findings] == ["J5", "J6"]
    assert [one.sentence.split("plug ")[1][:2] for one in old.findings] == ["J3", "J4"]
