"""Voltage and current along rows, zones, fuses."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.language.words import all_words, words
from pi_controller.supply.zone import (
    AREA_MOHM,
    AWG_MOHM,
    SupplyArm,
    SupplyFault,
    SupplyPlan,
    SupplyWiring,
    Zone,
    conductor_mohm,
    even_arm,
    planned,
    proposed,
    row_volts,
    settle,
    zones_of,
)

SUPPLY = st.floats(5, 60)
ARMS = st.lists(
    st.lists(st.tuples(st.floats(0.0, 3), st.floats(0.01, 1)), min_size=1, max_size=12).map(
        lambda nodes: SupplyArm(watts=tuple(node[0] for node in nodes), ohms=tuple(node[1] for node in nodes))
    ),
    min_size=1,
    max_size=2,
)


def test_one_node_is_a_quadratic_equation() -> None:
    """v² − 24 v + 1 · 20 = 0 has 23.13 as its upper solution."""
    found = settle(24, 0, [even_arm(1, node_w=20, hop_ohm=1)])
    assert found is not None
    assert found.last_v == pytest.approx(12 + 124**0.5, abs=1e-5)
    assert found.feed_a == pytest.approx(20 / found.last_v, abs=1e-5)


def test_more_than_the_cable_can_carry_collapses() -> None:
    """Through 1 ohm at 24 V at most 24² / 4 = 144 W can be had."""
    assert settle(24, 0, [even_arm(1, node_w=143, hop_ohm=1)]) is not None
    assert settle(24, 0, [even_arm(1, node_w=145, hop_ohm=1)]) is None


def test_the_lead_in_is_shared_by_both_arms() -> None:
    arm = even_arm(5, node_w=1, hop_ohm=0.3)
    alone, both = settle(24, 2, [arm]), settle(24, 2, [arm, arm])
    assert alone is not None
    assert both is not None
    assert 24 - both.feed_v == pytest.approx(2 * both.feed_a, abs=1e-5)
    assert both.feed_v < alone.feed_v


def test_no_node_draws_nothing() -> None:
    found = settle(24, 1, [])
    assert found is not None
    assert (found.last_v, found.feed_a) == (24, 0)


@given(volts=SUPPLY, lead=st.floats(0, 2), arms=ARMS)
def test_the_laws_of_circuits_hold(volts: float, lead: float, arms: list[SupplyArm]) -> None:
    found = settle(volts, lead, arms)
    if found is None:
        return
    assert found.feed_v == pytest.approx(volts - lead * found.feed_a, abs=1e-4)
    for arm, along in zip(arms, found.volts, strict=True):
        taken = [watts / v for watts, v in zip(arm.watts, along, strict=True)]
        before = [found.feed_v, *along[:-1]]
        for place, (here, there) in enumerate(zip(before, along, strict=True)):
            assert here - there == pytest.approx(arm.ohms[place] * sum(taken[place:]), abs=1e-4)


@given(volts=SUPPLY, lead=st.floats(0, 2), arms=ARMS)
def test_a_higher_supply_never_lets_it_collapse(volts: float, lead: float, arms: list[SupplyArm]) -> None:
    if settle(volts, lead, arms) is not None:
        assert settle(volts + 1, lead, arms) is not None


def end_fed(volts: float, nodes: int, watts: float, gauge: str) -> Zone:
    return planned(SupplyWiring(volts=volts, watts=watts, gauge=gauge), [nodes], feed="end").zones[0]


@pytest.mark.parametrize(
    ("volts", "nodes", "watts", "gauge", "known"),
    [
        (24, 20, 0.5, "26", (22.3, 0.52, 0.26, 0.8)),
        (24, 20, 1.0, "26", (20.4, 1.10, 0.55, 1.8)),
        (24, 20, 1.0, "24", (21.4, 1.06, 0.53, 1.3)),
        (24, 25, 1.0, "26", (17.7, 1.50, 0.75, 3.2)),
        (24, 40, 0.5, "24", (18.3, 1.17, 0.59, 2.9)),
        (24, 40, 0.5, "26", (14.8, 1.34, 0.67, 4.6)),
        (48, 40, 1.0, "26", (40.9, 1.09, 0.55, 3.5)),
        (12, 20, 0.6, "24", (8.1, 1.52, 0.76, 1.9)),
    ],
)
def test_known_rows_fed_at_one_end(
    volts: float, nodes: int, watts: float, gauge: str, known: tuple[float, ...]
) -> None:
    zone = end_fed(volts, nodes, watts, gauge)
    assert zone.settled is not None
    last_v, feed_a, contact_a, shift_v = known
    assert zone.settled.last_v == pytest.approx(last_v, abs=0.05)
    assert zone.settled.feed_a == pytest.approx(feed_a, abs=0.006)
    assert zone.contact_a == pytest.approx(contact_a, abs=0.006)
    assert zone.shift_v == pytest.approx(shift_v, abs=0.05)


@pytest.mark.parametrize(
    ("volts", "nodes", "watts", "gauge"),
    [
        (5, 20, 0.5, "24"),
        (5, 20, 0.5, "26"),
        (12, 20, 1.0, "24"),
        (12, 20, 0.6, "26"),
        (12, 40, 0.5, "24"),
        (24, 40, 0.8, "24"),
        (24, 40, 0.8, "26"),
        (24, 40, 1.0, "24"),
        (24, 40, 1.0, "26"),
    ],
)
def test_known_rows_that_collapse(volts: float, nodes: int, watts: float, gauge: str) -> None:
    zone = end_fed(volts, nodes, watts, gauge)
    assert zone.settled is None
    assert all_words(zone.faults) == [
        f"boards 1 to {nodes}: the supply collapses, the cable cannot carry {nodes} × {watts:g} W"
    ]


def test_two_arms_of_ten() -> None:
    zone = planned(SupplyWiring(watts=1.0), [20], feed="middle").zones[0]
    assert zone.settled is not None
    assert zone.settled.last_v == pytest.approx(23.1, abs=0.05)
    assert zone.shift_v == pytest.approx(0.43, abs=0.005)
    assert zone.injector_after == 10
    assert zone.volts[9] == max(zone.volts)
    assert zone.volts[0] == zone.volts[19] == zone.settled.last_v


def test_a_lead_in_of_thin_cable_costs_two_volts() -> None:
    """Two conductors of 24 AWG for each rail over 20 m, 1.1 A: half of 93.8 milliohm/m, there and back."""
    thin = SupplyWiring(watts=1.0, lead_m=10, lead_gauge="24")  # 10 m of one conductor are 20 m of two
    assert 1.1 * thin.lead_ohm == pytest.approx(2.1, abs=0.05)
    zone = planned(thin, [20], feed="end").zones[0]
    assert zone.settled is not None
    assert 24 - zone.settled.feed_v == pytest.approx(thin.lead_ohm * zone.settled.feed_a, abs=1e-5)


def test_copper_clad_aluminium_is_half_as_good_again() -> None:
    good, bad = (
        SupplyWiring(watts=1.0, contact_mohm=0),
        SupplyWiring(watts=1.0, contact_mohm=0, copper_clad_aluminium=True),
    )
    assert bad.hop_ohm == pytest.approx(1.5 * good.hop_ohm)


@pytest.mark.parametrize(
    ("wiring", "nodes", "sentence"),
    [
        (SupplyWiring(watts=0.5), 40, "boards 1 to 40: 14.8 V at the last node, above 15 V is needed"),
        (SupplyWiring(watts=1.0), 25, "boards 1 to 25: 0.751 A through one contact, 0.75 A is the limit"),
        (SupplyWiring(watts=1.0), 25, "boards 1 to 25: 0 V shifts by 3.2 V, 3.0 V is the limit"),
        (
            SupplyWiring(watts=1.0),
            25,
            "boards 1 to 25: 0.46 V from one board to the next, below 0.40 V is wanted",
        ),
        (SupplyWiring(watts=1.0), 25, "boards 1 to 25: 1.50 A, a fuse of 2 A carries 1.5 A for hours"),
        (
            SupplyWiring(watts=1.0, volts=48),
            40,
            "boards 1 to 40: 52 W, the largest supply of a zone gives 48 W for hours",
        ),
        (SupplyWiring(watts=1.0, volts=12), 1, "board 1: 12.0 V at the last node, above 15 V is needed"),
    ],
)
def test_each_limit_has_its_sentence(wiring: SupplyWiring, nodes: int, sentence: str) -> None:
    zone = planned(wiring, [nodes], feed="end").zones[0]
    assert sentence in all_words(zone.faults)


def test_a_short_that_blows_no_fuse_is_remarked() -> None:
    zone = planned(SupplyWiring(watts=1.0, lead_m=20, contact_mohm=100), [18], feed="end").zones[0]
    (remark,) = zone.remarks
    assert words(remark) == (
        "boards 1 to 18: the cable lets 2.5 A into a short at the far end, but a fuse of 1.6 A is sure to blow only "
        "from 3.4 A; use smaller zones or thicker cable"
    )


def test_the_smallest_supply_of_a_zone_never_blows_its_fuse_for_sure() -> None:
    """It limits at 1.3 times what flows or a little more, and the fuse carries as much for hours."""
    for nodes in range(2, 21):
        zone = planned(SupplyWiring(watts=1.0), [nodes], feed="middle").zones[0]
        assert zone.supply_limits_first
        assert zone.remarks == ()


def test_a_cable_may_limit_a_short_more_than_the_supply() -> None:
    zone = planned(SupplyWiring(watts=1.0, lead_m=20, contact_mohm=100), [18], feed="end").zones[0]
    assert zone.sure_a == zone.short_a == pytest.approx(2.53, abs=0.01)
    assert zone.supply_w is not None
    assert zone.short_a < 1.05 * zone.supply_w / 24


def spans(plan: SupplyPlan) -> list[list[tuple[int, int, int]]]:
    return [[(zone.first, zone.last, zone.injector_after) for zone in row] for row in plan.rows]


def test_what_is_proposed_holds_with_the_fewest_zones() -> None:
    plan = proposed(SupplyWiring(watts=1.0), [20, 40, 33, 21, 1, 0])
    assert plan.holds
    assert spans(plan) == [
        [(1, 20, 10)],
        [(1, 20, 10), (21, 40, 30)],
        [(1, 17, 8), (18, 33, 25)],
        [(1, 11, 5), (12, 21, 16)],
        [(1, 1, 0)],
        [],
    ]


def test_large_displays_are_planned_with_two_watts_in_two_zones_a_row() -> None:
    assert spans(proposed(SupplyWiring(), [20])) == [[(1, 10, 5), (11, 20, 15)]]
    assert words(planned(SupplyWiring(), [20], feed="middle").zones[0].faults[-1]) == (
        "boards 1 to 20: 2.07 A, a fuse of 2 A carries 1.5 A for hours"
    )


def test_thirsty_nodes_get_smaller_zones() -> None:
    plan = proposed(SupplyWiring(watts=3, gauge="28", hop_m=3), [20])
    assert plan.holds
    assert len(plan.zones) > 1
    assert [zone.nodes for zone in plan.zones] == sorted((zone.nodes for zone in plan.zones), reverse=True)


def test_supplies_and_fuses_have_reserve() -> None:
    zone = proposed(SupplyWiring(watts=1.0), [20]).zones[0]
    assert zone.settled is not None
    assert (zone.supply_w, zone.fuse_a) == (
        60,
        1.6,
    )  # 24.2 W are over 80 % of 30 W, 1.01 A over 75 % of 1.25 A


def test_a_row_for_which_nothing_holds_says_why() -> None:
    plan = proposed(SupplyWiring(watts=1.0, volts=5), [20])
    assert not plan.holds
    assert len(plan.zones) == 1


def test_zones_as_asked() -> None:
    assert spans(planned(SupplyWiring(watts=1.0), [25], feed="end", zone_nodes=10)) == [
        [(1, 9, 0), (10, 17, 9), (18, 25, 17)]
    ]


@pytest.mark.parametrize(("rows", "total"), [([], 0), ([0], 0), ([200, 57], 257), ([-1, 5], 4)])
def test_halls_of_no_size_are_refused(rows: list[int], total: int) -> None:
    with pytest.raises(SupplyFault) as told:
        proposed(SupplyWiring(watts=1.0), rows)
    assert words(told.value.sentence) == f"The hall has {total} boards; the budget is for 1 to 256 of them."


def test_a_zone_needs_a_board() -> None:
    with pytest.raises(SupplyFault) as told:
        planned(SupplyWiring(watts=1.0), [5], feed="end", zone_nodes=0)
    assert words(told.value.sentence) == "A zone cannot have 0 boards: give it at least one."


WIRING = SupplyWiring(watts=2.0)
HOP = WIRING.hop_ohm


def along(nodes: int, *, zones: int = 1, source_v: list[float] | None = None, **hops: float) -> list[float]:
    """A row fed in the middle of its zones; `hops` such as n4=1.0 have so much more resistance."""
    ohms = [HOP + hops.get(f"n{node}", 0.0) for node in range(nodes)]
    return row_volts(
        zones_of(WIRING, nodes, count=zones, feed="middle"),
        source_v=source_v or [24.0] * zones,
        watts=[WIRING.node_w] * nodes,
        ohms=ohms,
        back_ohm=HOP,
    )


def test_hops_that_are_all_alike_give_what_the_power_budget_plans() -> None:
    planned = [zone.volts for zone in zones_of(WIRING, 20, count=2, feed="middle")]
    assert along(20, zones=2) == pytest.approx([*planned[0], *planned[1]], abs=1e-3)


def test_a_bad_hop_takes_its_volts_from_all_beyond_it_and_from_no_other() -> None:
    good, bad = along(10), along(10, n7=1.0)
    beyond = 3 * WIRING.node_w / bad[7]
    assert bad[:5] == pytest.approx(good[:5], abs=1e-3), "the other arm"
    assert good[6] - bad[6] < 0.01
    assert [one - other for one, other in zip(good[7:], bad[7:], strict=True)] == pytest.approx(
        [beyond] * 3, abs=0.02
    )


def test_towards_the_first_node_the_hop_stands_behind_the_one_that_it_starves() -> None:
    good, bad = along(10), along(10, n3=1.0)
    fallen = [node for node in range(10) if good[node] - bad[node] > 0.1]
    assert fallen == [0, 1, 2], "the cable between 2 and 3 feeds the nodes before it"


def test_a_cable_between_two_zones_carries_no_supply() -> None:
    assert along(20, zones=2, n10=50.0) == pytest.approx(along(20, zones=2), abs=1e-3)


def test_a_dead_supply_and_an_arm_that_collapses_have_none() -> None:
    volts = along(20, zones=2, source_v=[24.0, 0.0])
    assert min(volts[:10]) > 23
    assert volts[10:] == [0.0] * 10
    volts = along(10, n6=60.0)
    assert min(volts[:5]) > 23
    assert volts[5:] == [0.0] * 5


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"volts": 230}, "The voltage is 230 V; it must lie between 3 and 60 V."),
        ({"watts": 0}, "The power of a node is 0 W; it must lie between 0.01 and 20 W."),
        ({"watts": float("nan")}, "The power of a node is nan W; it must lie between 0.01 and 20 W."),
        ({"efficiency": 1.2}, "The converter's efficiency is 1.2; it must lie between 0.3 and 1."),
        ({"hop_m": -2}, "The distance from table to table is -2 m; it must lie between 0.1 and 50 m."),
        ({"conductors": 0}, "The number of conductors for each rail is 0; it must lie between 1 and 4."),
        ({"contact_mohm": -1}, "The resistance of a contact is -1 mΩ; it must lie between 0 and 1000 mΩ."),
        ({"lead_m": 1e9}, "The length of the lead-in is 1e+09 m; it must lie between 0 and 200 m."),
        (
            {"gauge": "25"},
            "There is no cable of size '25' here: choose one of 22, 23, 24, 26, 28, 0.5mm2, 0.75mm2, 1mm2, 1.5mm2, 2.5mm2.",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SupplyFault) as told:
        SupplyWiring(**change)
    assert words(told.value.sentence) == sentence


def test_thicker_cable_resists_less() -> None:
    for table in (AWG_MOHM, AREA_MOHM):
        values = [conductor_mohm(size) for size in table]
        assert values == sorted(values, reverse=table is AREA_MOHM)


def test_the_values_of_one_hop() -> None:
    assert SupplyWiring().hop_ohm == pytest.approx(0.309)
    assert SupplyWiring(watts=1.0).node_w == pytest.approx(1.176, abs=0.001)
    assert SupplyWiring(lead_m=10).lead_ohm == pytest.approx(0.52)
