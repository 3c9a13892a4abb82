import pytest

from pi_controller.language.words import all_words, words
from pi_controller.supply.zone import SupplyFault, SupplyPlan, SupplyWiring, Zone, planned, proposed


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
        "boards 1 to 18: the cable lets 2.5 A into a short at the far end, 1.6 A blows for sure only from 3.4 A; "
        "smaller zones or thicker cable help"
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
    assert words(told.value.sentence) == "A zone of 0 boards cannot be: give it at least one."
