from pi_controller.bus.messages import HealthMessage, Info
from pi_controller.bus.snapshot import Busy, Node, grown, node_snapshot, round_trip
from pi_controller.bus.values import DisplaysView

SECOND = 1_000_000


def test_the_line_is_busy_for_the_part_of_time_with_bytes_on_it() -> None:
    busy = Busy(baud=250_000)
    assert busy.part(0) == 0
    for now in range(0, 4 * SECOND, 10_000):
        busy.add(50, now)
    assert round(busy.part(4 * SECOND), 3) == 0.2
    assert busy.part(60 * SECOND) == 0


def test_percentiles_of_round_trips() -> None:
    assert round_trip([]) is None
    trip = round_trip(range(1_000, 101_000, 1_000))
    assert trip is not None
    assert (trip.p50, trip.p99) == (51, 100)


def test_counters_of_a_node_wrap() -> None:
    assert grown(250, 3) == 9
    assert grown(7, 7) == 0


def test_a_node_that_has_only_said_who_it_is() -> None:
    info = Info(uid="e6614c311b000001", hardware=2, firmware=(1, 14), proto_min=1, proto_max=2, boots=9)
    node = Node(uid=info.uid, address=4, info=info, board="A4", heard_us=SECOND)
    snapshot = node_snapshot(node, "A", 3 * SECOND)
    assert (snapshot.firmware, snapshot.protocols, snapshot.age_ms, snapshot.displays) == (
        "1.14",
        (1, 2),
        2_000,
        DisplaysView(sun=True, moon=True),
    )
    assert not snapshot.reported
    assert snapshot.round_trip_ms is None


def test_a_node_with_a_report() -> None:
    info = Info(uid="e6614c311b000001", hardware=2, firmware=(1, 14))
    health = HealthMessage(
        epoch=1,
        state_seq=1,
        vbus=25,
        temperature=-3,
        reset="watchdog",
        uptime=90,
        sun_display=True,
        safe_mode=True,
    )
    node = Node(uid=info.uid, address=4, info=info, health=health, good=7, missed=2, crc_errors=1)
    snapshot = node_snapshot(node, "A", 0)
    assert (snapshot.supply_v, snapshot.temperature_c, snapshot.uptime_min) == (5.0, -3, 90)
    assert (snapshot.reset, snapshot.safe_mode) == ("watchdog", True)
    assert snapshot.displays == DisplaysView(sun=True, moon=False)
    assert (snapshot.good, snapshot.missed, snapshot.crc_errors) == (7, 2, 1)
