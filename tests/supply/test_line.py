import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.supply.zone import SupplyArm, even_arm, settle

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
