from pi_controller.language.words import all_words, shown, words
from pi_controller.supply import report
from pi_controller.supply.zone import SupplyWiring, planned, proposed


def test_a_zone_is_a_line() -> None:
    assert [
        tuple(map(shown, row)) for row in report.rows(proposed(SupplyWiring(watts=1.0), [20, 1]), ["A", "B"])
    ] == [
        ("A", "1-20", "after 10", "23.1", "1.01", "0.25", "0.16", "0.4", "60 W", "T 1.6 A"),
        ("B", "1", "before 1", "24.0", "0.05", "0.02", "0.02", "0.0", "15 W", "T 0.5 A"),
    ]


def test_a_collapse_has_no_values() -> None:
    plan = planned(SupplyWiring(watts=1.0), [40], feed="end")
    assert tuple(map(shown, next(report.rows(plan, ["A"]))))[:4] == ("A", "1-40", "before 1", "collapses")
    assert all_words(report.troubles(plan, ["A"])) == [
        "Row A, boards 1 to 40: the supply collapses, the cable cannot carry 40 × 1 W."
    ]
    zone = report.values(plan, ["A"])["zones"][0]
    assert (zone["collapses"], zone["last_v"], zone["node_v"]) == (True, None, [])


def test_parts_are_counted() -> None:
    assert [
        (words(part), count) for part, count in report.to_buy(proposed(SupplyWiring(watts=1.0), [40, 5]))
    ] == [
        ("injector", 3),
        ("supply 24 V, 15 W", 1),
        ("supply 24 V, 60 W", 2),
        ("fuse T 0.5 A", 1),
        ("fuse T 1.6 A", 2),
    ]


def test_assumptions_name_what_counts() -> None:
    plan = proposed(SupplyWiring(watts=1.0, gauge="0.5mm2", copper_clad_aluminium=True, lead_m=12), [2])
    assert words(report.assumptions(plan)) == (
        "24 V, 1 W per node after a converter of 85%, 2 m from board to board, 2 × 0.5mm2 copper-clad aluminium for"
        " each rail, lead-in 12 m of 0.75mm2"
    )


def test_values_are_plain() -> None:
    found = report.values(planned(SupplyWiring(watts=1.0), [20], feed="end"), ["A"])
    assert found["holds"] is True
    (zone,) = found["zones"]
    assert zone["row"] == "A"
    assert len(zone["node_v"]) == 20
    assert zone["last_v"] == 20.355


def test_what_holds_for_most_zones_is_said_once() -> None:
    """Supplies that fit their zones limit before the fuse is sure to blow, in every zone of a hall."""
    plan = planned(SupplyWiring(watts=1.0), [20, 20], feed="middle", zone_nodes=10)
    (remark,) = report.remarks(plan, ["A", "B"])
    assert words(remark).startswith(
        "A short in a zone: its supply may limit the current before the fuse is sure to blow."
    )


def test_a_zone_whose_cable_holds_the_fuse_is_named() -> None:
    plan = planned(SupplyWiring(watts=1.0, lead_m=20, contact_mohm=100), [18], feed="end")
    assert words(report.remarks(plan, ["A"])[0]).startswith(
        "Row A, boards 1 to 18: the cable lets 2.5 A into"
    )
