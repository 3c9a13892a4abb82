"""Rows of the fault table that concern the bus: each is injected here and what must follow is checked."""

from itertools import pairwise

import pytest

from pi_controller.bus.conversation import SILENCE_US
from pi_controller.bus.frame import MASTER, Frame, encode, to_u32
from pi_controller.bus.messages import ClaimReport, HealthMessage, StateMessage, to_frame
from pi_controller.bus.register import PERIOD_US, SLOW_PERIOD_US
from pi_controller.bus.values import ClaimHeard, NodeChanged, NodeClaim, SegmentChanged
from tests.bus.hall import SECOND, Hall, joined, percentile
from tests.bus.measure import polls_a_second
from tests.bus.tables import HOLD_US, Table
from tests.bus.wire import frames
from tests.matrix import further
from tests.told import told

BABBLE = "Segment A: a table node sends without being asked, or something holds the line"
SILENT = "Segment A: no table answers any more: check the adapter"


def sentences(hall: Hall) -> list[str]:
    return [told(event.sentence) for event in hall.drive.of(SegmentChanged)]


def repeat(hall: Hall, every_us: int, act: object, until: int) -> None:
    """`act` again and again."""

    def again() -> None:
        act()  # type: ignore[operator]
        if hall.now + every_us < until:
            hall.wire.at(hall.now + every_us, again)

    hall.wire.at(hall.now, again)


@pytest.mark.parametrize("loss", [*further(0.01), 0.2, *further(0.5)])
def test_b4_claims_survive_lost_frames(loss: float) -> None:
    """B4: each claim is heard exactly once and acknowledged, whatever part of the frames is lost."""
    hall = Hall(16, loss=loss)
    hall.run(8 * SECOND)
    for table in hall.tables:
        table.hold("sun")
        hall.run(200_000, settling=True)
    hall.run(30 * SECOND, settling=True)
    heard = [event.claim.uid for event in hall.drive.of(ClaimHeard)]
    assert sorted(heard) == sorted(table.uid for table in hall.tables)
    assert all(table.sides["sun"].status == "open" for table in hall.tables)


@pytest.mark.parametrize("loss", [0.2, *further(0.5)])
def test_b4_a_pause_reaches_everybody_in_short_or_by_its_state(loss: float) -> None:
    """Whatever part of it is lost, within a second every table shows what the master says, to the microsecond."""
    hall = Hall(8, loss=loss)
    for table in hall.tables:
        table.protocols = (1, 5)
    hall.run(4 * SECOND)
    for number in range(12):
        hall.show(paused=number % 2 == 0, running=number % 2 == 1, left_us=35_000_000 - number)
        hall.run(SECOND + 7_000 * number)
        wanted = hall.master._broadcast.message(hall.now)
        for table in hall.tables:
            assert table.state is not None
            assert (table.state.paused, table.state.state_seq) == (wanted.paused, wanted.state_seq)
            assert not wanted.paused or table.state.left_us == wanted.left_us


def test_b5_frames_that_are_repeated_late_count_for_nothing() -> None:
    """B5: answers with a claim in them are played again and again; the claim counts once, and an old press of a
    button not at all."""
    hall = joined(4)
    hall.wire.keep = True
    table = hall.tables[1]
    table.hold("sun")
    hall.run(HOLD_US + SECOND)
    answers = [data for _, data, speaker, _ in hall.wire.on_wire if speaker is table]
    hall.publish("rejected", hall.drive.of(ClaimHeard)[0].claim)
    hall.run(2 * SECOND)
    before = len(hall.drive.events)
    ghost = object()
    repeat(
        hall,
        170_000,
        lambda: hall.wire.speak(ghost, hall.wire.chance.choice(answers)),
        hall.now + 20 * SECOND,
    )
    hall.run(20 * SECOND)
    assert [event for _, event in hall.drive.events[before:] if not isinstance(event, NodeChanged)] == []
    assert len(hall.drive.of(ClaimHeard)) == 1


def test_b5_a_forged_answer_to_no_question_counts_for_nothing() -> None:
    """B5: a good frame with a claim, but not the answer to the request on the line."""
    hall = joined(2)
    forged = HealthMessage(epoch=1, state_seq=1, sun=ClaimReport(9, 5_000))
    for seq in range(0, 256, 5):
        frame = to_frame(forged, dst=MASTER, src=hall.tables[0].address or 0, seq=seq)
        hall.master.received(encode(frame), hall.now)
    assert hall.drive.of(ClaimHeard) == []


@pytest.mark.parametrize(("baud", "period_us"), [(250_000, PERIOD_US), (115_200, SLOW_PERIOD_US)])
def test_b6_an_adapter_that_returns_every_byte(baud: int, period_us: int) -> None:
    """B6: own frames are known again; nothing else changes."""
    hall = joined(8, echo=True, baud=baud)
    before = sum(table.polls for table in hall.tables)
    hall.run(10 * SECOND)
    snapshot = hall.master.snapshot(hall.now)
    assert snapshot.echoes > 500
    assert snapshot.collisions == 0
    assert snapshot.sentence is None
    assert sum(table.polls for table in hall.tables) - before > 0.92 * 10 * SECOND / period_us
    assert all(node.state == "good" and node.missed == 0 for node in snapshot.nodes)


def test_b6_an_echo_that_is_spoilt_is_a_collision() -> None:
    """B6: part of the own bytes comes back changed: somebody spoke at the same time."""
    hall = joined(2, echo=True)
    ghost = object()
    repeat(hall, 9_700, lambda: hall.wire.speak(ghost, b"\x55\xaa\x33"), hall.now + 5 * SECOND)
    hall.run(5 * SECOND)
    snapshot = hall.master.snapshot(hall.now)
    assert snapshot.collisions > 10
    assert all(node.state == "good" for node in snapshot.nodes)


def test_b8_one_silent_table_is_noticed_and_the_others_keep_their_pace() -> None:
    """B8: suspect after three misses, lost after ten; the others are polled as often as before."""
    hall = joined(16)
    usual = sum(polls_a_second(hall, hall.tables[1:], 5))
    hall.tables[0].alive = False
    silent = sum(polls_a_second(hall, hall.tables[1:], 5))
    assert silent >= 0.95 * usual
    assert hall.state_of(hall.tables[0]) == "suspect"
    hall.run(8 * SECOND)
    assert hall.state_of(hall.tables[0]) == "lost"


def test_b10_a_table_that_restarts_every_two_seconds() -> None:
    """B10: it has the whole picture within a second of each start, and its claims are told apart."""
    hall = joined(8)
    waits = []
    for _ in range(10):
        hall.tables[3].reboot()
        start = hall.now
        while hall.tables[3].state is None:
            hall.run(10_000)
        waits.append(hall.now - start)
        hall.run(2 * SECOND)
    assert max(waits) <= SECOND
    assert {hall.state_of(table) for table in hall.tables if table is not hall.tables[3]} == {"good"}


@pytest.mark.parametrize("turn_us", [(500, 500), (300, 5_000)])
def test_b11_two_tables_on_one_address_are_parted(turn_us: tuple[int, int]) -> None:
    """B11: by their damaged answers, or because one hears the other; both have an address of their own within
    5 s, and no claim is taken for the other's."""
    hall = joined(8)
    first, second = hall.tables[2], hall.tables[5]
    first.turn_us = second.turn_us = turn_us
    second.address = first.address
    hall.run(5 * SECOND)
    assert first.address
    assert second.address
    assert first.address != second.address
    second.hold("moon")
    hall.run(2 * SECOND)
    assert [event.claim for event in hall.drive.of(ClaimHeard)] == [
        NodeClaim(uid=second.uid, boots=1, side="moon", number=1)
    ]


def test_b11_a_newcomer_on_a_taken_address_is_reported() -> None:
    """B11: a table from elsewhere believes that it has an address here."""
    hall = joined(8)
    stranger = Table(hall.wire, 999)
    stranger.turn_us = hall.tables[2].turn_us = (500, 500)
    stranger.address = hall.tables[2].address
    hall.run(5 * SECOND)
    assert stranger.address not in (None, hall.tables[2].address)
    states = [(event.uid, event.state) for event in hall.drive.of(NodeChanged) if event.state == "duplicate"]
    assert states == [(stranger.uid, "duplicate"), (hall.tables[2].uid, "duplicate")]
    assert hall.state_of(hall.tables[2]) == hall.state_of(stranger) == "good"


def test_b12_a_babbling_table_is_told_within_two_seconds_and_forgotten_when_it_stops() -> None:
    """B12: one sends without a pause; a pause still goes out."""
    hall = joined(8)
    start = hall.now
    ghost = object()
    noise = [bytes(hall.wire.chance.randrange(256) for _ in range(100)) for _ in range(20)]
    repeat(hall, 4_010, lambda: hall.wire.speak(ghost, hall.wire.chance.choice(noise)), start + 6 * SECOND)
    hall.run(2 * SECOND)
    assert sentences(hall)[0].startswith(BABBLE)
    hall.wire.keep = True
    pressed = hall.now
    hall.show(paused=True, running=False)
    hall.run(20_000)
    own = [end for end, _, speaker, _ in hall.wire.on_wire if speaker is hall.master]
    assert own[0] - pressed < 10_000
    hall.run(10 * SECOND)
    assert sentences(hall)[-1] == ""
    assert {node.state for node in hall.master.snapshot(hall.now).nodes} == {"good"}


def test_b12_good_frames_without_end_are_babble_too() -> None:
    """B12: a node gone wild repeats its answer again and again."""
    hall = joined(4)
    frame = encode(to_frame(HealthMessage(epoch=1, state_seq=1), dst=MASTER, src=3, seq=9))
    ghost = object()
    repeat(hall, 1_500, lambda: hall.wire.speak(ghost, frame), hall.now + 3 * SECOND)
    hall.run(2 * SECOND)
    assert sentences(hall)[0].startswith((BABBLE, SILENT))


def test_b12_a_line_held_low_is_told_within_two_seconds() -> None:
    """B12: a stuck driver silences everybody."""
    hall = joined(8)
    hall.wire.held = True
    hall.run(2 * SECOND)
    assert sentences(hall)[0].startswith(SILENT)
    assert SILENCE_US < 2 * SECOND
    hall.wire.held = False
    hall.run(10 * SECOND)
    assert sentences(hall)[-1] == ""
    assert {node.state for node in hall.master.snapshot(hall.now).nodes} == {"good"}


def test_b16_another_device_on_the_port_is_never_taken_for_the_bus() -> None:
    """B16: a satellite receiver talks; it is named, and nobody is ever there."""
    hall = Hall(0)
    line = b"$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n"
    repeat(hall, 200_000, lambda: hall.drive._received(line), hall.now + 5 * SECOND)
    hall.run(5 * SECOND)
    snapshot = hall.master.snapshot(hall.now)
    assert snapshot.link == "wrong_device"
    assert snapshot.nodes == ()
    assert "looks like a satellite receiver" in sentences(hall)[0]


def test_b18_newer_and_outdated_firmware() -> None:
    """B18: who speaks version 1 too plays on; who does not is addressed, listed, and asked whether it is there."""
    hall = Hall(3)
    hall.tables[1].protocols = (1, 2)
    hall.tables[2].protocols = (2, 3)
    hall.join()
    hall.run(7 * SECOND)
    assert [hall.state_of(table) for table in hall.tables] == ["good", "good", "outdated"]
    assert hall.tables[1].polls > 100
    assert hall.tables[2].polls == 0
    assert hall.tables[2].state is not None
    snapshot = {node.uid: node for node in hall.master.snapshot(hall.now).nodes}
    assert snapshot[hall.tables[2].uid].protocols == (2, 3)
    assert snapshot[hall.tables[2].uid].age_ms < 6_000
    hall.tables[2].protocols = (1, 3)
    hall.tables[2].reboot()
    hall.run(4 * SECOND)
    assert hall.state_of(hall.tables[2]) == "good"


def test_two_masters_on_one_line_are_told() -> None:
    hall = joined(4)
    first = hall.drive
    hall.wire.keep = True
    while (
        not (said := frames(hall.wire))
        or said[-1][1].type != StateMessage.layout.type
        or hall.now < said[-1][0]
    ):
        hall.run(100)  # the other one begins while the line is free behind a STATE
    hall.wire.keep = False
    second = hall.new_master(epoch=99)
    hall.drive = first
    other = second.act
    until = hall.now + 2 * SECOND
    repeat(hall, 7_300, other, until)
    hall.run(2 * SECOND)
    wanted = (
        "Segment A: another controller sends on this line, and they disturb each other: unplug one of the two"
    )
    assert wanted in sentences(hall)
    second.stop()
    hall.run(12 * SECOND)
    assert sentences(hall)[-1] == ""


def test_exactly_once_through_loss_repeated_frames_and_restarts_of_the_master() -> None:
    """Claims: 20 % of frames lost, answers played again at random, three masters one after the other."""
    hall = Hall(12, loss=0.2)
    hall.wire.keep = True
    hall.run(5 * SECOND)
    made: set[str] = set()
    heard: list[list[NodeClaim]] = []
    ghost = object()
    for run in range(3):
        for table in hall.tables[run * 4 : run * 4 + 4]:
            table.hold("sun")
            made.add(table.uid)
            hall.run(300_000, settling=True)
            answers = [data for _, data, speaker, _ in hall.wire.on_wire[-400:] if isinstance(speaker, Table)]
            hall.wire.speak(ghost, hall.wire.chance.choice(answers))
        if run == 1:
            hall.run(400_000)
        else:
            hall.run(20 * SECOND, settling=True)
        heard.append([event.claim for event in hall.drive.of(ClaimHeard)])
        if run < 2:
            hall.drive.stop()
            hall.new_master(epoch=run + 2)
    for claims in heard:
        assert len(claims) == len(set(claims))
    assert {claim.uid for claims in heard for claim in claims} == made
    assert len({claim for claims in heard for claim in claims}) == len(made)
    assert all(table.sides["sun"].status == "open" for table in hall.tables)


def test_an_interrupted_poll_costs_nobody_its_turn() -> None:
    """A pause breaks a poll off; the table that was asked comes next, and no miss is counted."""
    hall = joined(32)
    gaps = []
    for number in range(40):
        hall.show(paused=number % 2 == 0, running=number % 2 == 1)
        hall.run(97_000)
    for table in hall.tables:
        moments = table.polled_us[-8:]
        gaps += [(later - now) / 1000 for now, later in pairwise(moments)]
    assert percentile(gaps, 0.99) < 800
    assert all(node.state == "good" for node in hall.master.snapshot(hall.now).nodes)


class Endless(Table):
    """Its firmware is broken: each report carries another claim."""

    def _health(self, seq: int, src: int) -> Frame:
        claiming = self.sides["sun"]
        claiming.number = claiming.number % 255 + 1
        claiming.at_us = to_u32(self.wire.now)
        return super()._health(seq, src)


@pytest.mark.parametrize("broken", [*further(1), 3])
def test_tables_that_claim_without_end_take_nothing_from_the_others(broken: int) -> None:
    """The others are asked as often, and a spare is found as soon, as without them."""
    worst: dict[str, int] = {}
    for name, kind in (("well", Table), ("broken", Endless)):
        hall = Hall(16)
        others = list(hall.tables)
        for number in range(broken):
            kind(hall.wire, 900 + number)
        hall.join()
        begun = hall.now
        hall.run(5 * SECOND)
        polled = [[at for at in table.polled_us if at >= begun] for table in others]
        worst[name] = max(later - sooner for times in polled for sooner, later in pairwise(times))
        spare = Table(hall.wire, 950)
        others[0].hold("sun")
        hall.run(3 * SECOND, settling=True)
        assert spare.address is not None
        assert others[0].sides["sun"].status == "open"
    assert worst["broken"] < 1.25 * worst["well"]
