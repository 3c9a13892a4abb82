from itertools import pairwise

import pytest

from pi_controller.supply.zone import SupplyWiring, row_volts, zones_of

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


def test_volts_fall_away_from_the_injector() -> None:
    volts = along(12)
    assert all(one < other for one, other in pairwise(volts[:6]))
    assert all(one > other for one, other in pairwise(volts[6:]))
