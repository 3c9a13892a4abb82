"""The figures of the table bus, in virtual time: exact, and the same on every machine."""

import random
from collections.abc import Sequence

from pi_controller.bus.messages import NEWEST
from pi_controller.bus.values import BusJob, ClaimHeard
from tests.bus.hall import SECOND, Hall
from tests.bus.tables import HOLD_US, Table

LATE_US = 1_000
"""A segment's thread wakes for a poll up to so late: eight of them wake at the same moment and share one interpreter."""
READY_US = (1_400, 4_200)
"""When a node could answer: about as on the emulated chip, 3.0 ms at p50 and 4.3 ms at p99."""
BEGIN_US = 7_777
"""From the start of one segment to that of the next."""


def pauses_ms(
    *,
    baud: int,
    tables: int,
    segments: int,
    pauses: int,
    job: BusJob | None = None,
    message: str = "",
    newest: int = NEWEST,
    ends: bool = False,
) -> list[list[float]]:
    """From each of so many presses to the moment at which the last table of its segment is paused, or with `ends` from
    each end of a pause to the moment at which it is over there: segment by segment, the presses are the same for all.
    Segments begin one after another, and each wakes late for each of its polls, by chance. With a `message` another one
    is said all the time: its parts are on the line at each press. `newest` is the protocol of the tables."""
    waits = []
    for segment in range(segments):
        hall = Hall(tables, seed=segment + 1, baud=baud, turn_us=READY_US)
        hall.drive.late_us = LATE_US
        hall.run(segment * BEGIN_US)
        waits.append(_pauses_of(hall, pauses, job, message, newest, ends=ends))
    return waits


def _pauses_of(
    hall: Hall, pauses: int, job: BusJob | None, message: str, newest: int, *, ends: bool
) -> list[float]:
    for table in hall.tables:
        table.protocols = (1, newest)
    hall.join()
    if job is not None:
        hall.master.measure(job)
    pressed = []
    chance = random.Random(1)
    moment = 4 * SECOND
    for number in range(2 * pauses):
        moment += 90_000 + chance.randrange(40_000)
        text = message and f"{number} {message}"
        hall.wire.at(
            moment,
            lambda paused=number % 2 == 0, text=text: hall.show(
                paused=paused, running=not paused, message=text
            ),
        )
        pressed.append((moment, number % 2 == 0))
    hall.run(moment + SECOND - hall.now)
    assert not hall.master.taken_results(), "the job was over before the last press"
    for table in hall.tables:
        assert [paused for _, paused in table.frozen] == [paused for _, paused in pressed]
    last = [
        max(moments)
        for moments in zip(*([at for at, _ in table.frozen] for table in hall.tables), strict=True)
    ]
    return [
        (at - moment) / 1000 for at, (moment, paused) in zip(last, pressed, strict=True) if paused is not ends
    ]


def ages_ms(*, loss: float, seconds: int, tables: int = 32) -> list[float]:
    """How old what each table shows is, sampled every 10 ms, while this part of all frames is lost."""
    hall = Hall(tables, loss=loss)
    hall.run(3 * SECOND)
    ages = []
    for _ in range(seconds * 100):
        hall.run(10_000)
        ages += [(hall.now - table.state_us) / 1000 for table in hall.tables]
    return ages


def polls_a_second(hall: Hall, tables: Sequence[Table], seconds: int) -> list[int]:
    """The fewest polls that any of these tables got, second by second."""
    fewest = []
    for _ in range(seconds):
        before = {table.uid: table.polls for table in tables}
        hall.run(SECOND)
        fewest.append(min(table.polls - before[table.uid] for table in tables))
    return fewest


def with_half_dead(*, seconds: int) -> list[int]:
    """Fewest polls of a living table in each second from the moment at which 16 of 32 fall silent."""
    hall = Hall(32)
    hall.join()
    for table in hall.tables[::2]:
        table.alive = False
    return polls_a_second(hall, hall.tables[1::2], seconds)


def cycle_growth(dead: int, *, seeds: int = 4) -> tuple[float, float]:
    """By what part the time between two polls of a living table grows for each dead one: in the 2.5 s in which
    they are given up, and later."""
    usual = first = later = 0.0
    for seed in range(1, seeds + 1):
        hall = Hall(32, seed=seed)
        hall.join()
        living = hall.tables[dead:]
        usual += _polls(hall, living, 10_000_000)
        for table in hall.tables[:dead]:
            table.alive = False
        first += _polls(hall, living, 2_500_000)
        hall.run(10 * SECOND)
        later += _polls(hall, living, 10_000_000)
    return (usual / first - 1) / dead, (usual / later - 1) / dead


def _polls(hall: Hall, tables: Sequence[Table], us: int) -> float:
    """A second."""
    before = sum(table.polls for table in tables)
    hall.run(us)
    return (sum(table.polls for table in tables) - before) * SECOND / us


def rates(*, segments: int, seconds: int) -> tuple[float, float, float]:
    """Fewest polls and state frames a second that any of 32 tables got on so many segments, and how busy the
    line is."""
    polls, states, used = [], [], []
    for segment in range(segments):
        hall = Hall(32, seed=segment + 1)
        hall.join()
        before = {table.uid: (table.polls, len(table.stale_us)) for table in hall.tables}
        line_us = hall.wire.used_us
        hall.run(seconds * SECOND)
        used.append((hall.wire.used_us - line_us) / (seconds * SECOND))
        polls += [(table.polls - before[table.uid][0]) / seconds for table in hall.tables]
        states += [(len(table.stale_us) - before[table.uid][1]) / seconds for table in hall.tables]
    return min(polls), min(states), max(used)


def claims_ms(*, claims: int, loss: float = 0.0) -> list[float]:
    """From the end of the hold to the acknowledged lamp, 32 tables, a handful of claims in each second."""
    hall = Hall(32, loss=loss)
    hall.join()
    waits = []
    while len(waits) < claims:
        made = hall.wire.chance.sample(hall.tables, 5)
        side = hall.wire.chance.choice(("sun", "moon"))
        for table in made:
            hall.wire.at(
                hall.now + hall.wire.chance.randrange(SECOND), lambda table=table, side=side: table.hold(side)
            )
        hall.run((5 if loss else 3) * SECOND, settling=True)
        for table in made:
            claiming = table.sides[side]
            assert claiming.acknowledged_us is not None
            assert claiming.pressed_us is not None
            waits.append((claiming.acknowledged_us - claiming.pressed_us - HOLD_US) / 1000)
        for event in hall.drive.of(ClaimHeard)[-len(made) :]:
            hall.publish("rejected", event.claim)
        hall.run(SECOND)
    return waits


def joined_ms(*, seeds: int, tables: int = 32) -> list[float]:
    """From the start of the master until the last table has its address."""
    waits = []
    for seed in range(1, seeds + 1):
        hall = Hall(tables, seed=seed)
        start = hall.now
        while not all(table.address for table in hall.tables):
            hall.run(5_000)
        waits.append((hall.now - start) / 1000)
    return waits


def again_ms(*, seeds: int) -> list[float]:
    """The same when the master is started again and the tables still have the addresses of its last run."""
    waits = []
    for seed in range(1, seeds + 1):
        hall = Hall(32, seed=seed)
        hall.join()
        hall.drive.stop()
        start = hall.now
        hall.new_master(epoch=seed + 1)
        while sum(node.state == "good" for node in hall.master.snapshot(hall.now).nodes) < 32:
            hall.run(5_000)
        waits.append((hall.now - start) / 1000)
    return waits


def parted_ms(*, seeds: int) -> list[float]:
    """From the moment at which a table takes another's address for its own until both have their own again and
    are polled; half of the times both answer at the same moment."""
    waits = []
    for seed in range(1, seeds + 1):
        hall = Hall(32, seed=seed)
        hall.join()
        first, second = hall.tables[3], hall.tables[seed % 3]
        if seed % 2:
            first.turn_us = second.turn_us = (500, 500)
        second.address = first.address
        start = hall.now
        polls = (first.polls, second.polls)
        while first.address == second.address or not (first.address and second.address):
            hall.run(5_000)
            assert hall.now - start < 20 * SECOND
        hall.run(SECOND)
        assert first.polls > polls[0]
        assert second.polls > polls[1]
        waits.append((hall.now - SECOND - start) / 1000)
    return waits
