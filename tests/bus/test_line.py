from pi_controller.bus.line import QUIET_US, TURN_US, Line


def test_own_bytes_take_their_time_on_the_wire() -> None:
    line = Line(baud=250_000)
    line.sent(39, 1_000)
    assert line.free_at(1_000) == 1_000 + 39 * 40 + 1
    assert line.free_at(3_000) <= 3_000


def test_a_half_frame_holds_the_line_until_it_is_given_up() -> None:
    line = Line(baud=250_000)
    line.heard(10_000, whole=False)
    assert line.free_at(10_000) == 10_000 + QUIET_US
    line.heard(10_500, whole=False)
    assert line.free_at(11_000) == 10_500 + QUIET_US
    assert line.free_at(10_500 + QUIET_US) <= 10_500 + QUIET_US


def test_a_node_gets_the_time_to_let_go_of_the_line() -> None:
    line = Line(baud=250_000)
    line.heard(10_000, whole=False)
    line.heard(11_000, whole=True)
    assert line.free_at(11_000) == 11_000 + TURN_US


def test_who_never_stops_delays_by_no_more_than_a_longest_frame() -> None:
    line = Line(baud=250_000)
    now = 0
    while line.free_at(now) > now:
        line.heard(now, whole=False)
        now += 200
        assert now < 5_000


def test_behind_what_is_said_to_everybody_nobody_is_asked_for_3_ms() -> None:
    line = Line(baud=250_000)
    line.sent(39, 0)
    line.said_to_everybody()
    over = line.sending_until_us
    assert line.free_at(over) <= over
    assert (line.gap_until(over), line.gap_until(over + 2_999)) == (over + 3_000, over + 3_000)
    assert line.gap_until(over + 3_000) is None


def test_a_reopened_port_is_free() -> None:
    line = Line(baud=115_200)
    line.sent(39, 0)
    line.heard(100, whole=False)
    line.forget()
    assert line.free_at(200) <= 200
