"""A hall falls ill and gets well, on a clock moved by hand: what lasts 30 s is told within 20 s and is gone 25 s after
its end; what is said at any moment names the part that is sick and no other."""

import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import pytest

from pi_controller.bus.diagnosis import diagnose
from pi_controller.bus.frame import Frame, encode
from pi_controller.bus.messages import Poll
from pi_controller.bus.values import ClaimHeard
from pi_controller.sentence import Sentence
from tests.bus.hall import SECOND, Hall, joined
from tests.bus.tables import Table
from tests.bus.wire import Speech
from tests.matrix import further

TOLD_S, GONE_S = 20, 25
BOARD = re.compile(r"A\d+")
Cure = Callable[[], None]


def changed(thing: object, **attributes: object) -> Cure:
    """These are put in place of what was there, until it is cured."""
    before = {name: getattr(thing, name) for name in attributes}
    for name, value in attributes.items():
        setattr(thing, name, value)

    def cure() -> None:
        for name, value in before.items():
            setattr(thing, name, value)

    return cure


def together(*cures: Cure) -> Cure:
    def cure() -> None:
        for one in reversed(cures):
            one()

    return cure


def tables(hall: Hall, numbers: Iterable[int]) -> list[Table]:
    return [hall.tables[number - 1] for number in numbers]


def ears(hall: Hall, numbers: Iterable[int], part: float) -> Cure:
    """Of the frames that pass these tables such a part is damaged for them."""

    def deaf(table: Table) -> Cure:
        whole = table.hear
        return changed(table, hear=lambda frame: whole(None if hall.wire.chance.random() < part else frame))

    return together(*[deaf(table) for table in tables(hall, numbers)])


def mouths(hall: Hall, numbers: Iterable[int], part: float, *, everywhere: bool = False) -> Cure:
    """Of the answers of these tables such a part arrives damaged, `everywhere` or at the controller only."""
    wire, speakers, spoilt = hall.wire, tables(hall, numbers), set[int]()
    speak, to_masters = wire.speak, wire._to_masters

    def spoken(speaker: object, data: bytes) -> None:
        speak(speaker, data)
        if speaker in speakers and wire.chance.random() < part:
            if everywhere:
                wire._speeches[-1].garbled = True
            spoilt.add(id(wire._speeches[-1]))

    def arrives(speech: Speech, data: bytes) -> None:
        if id(speech) in spoilt and len(data) > 4:
            spoilt.remove(id(speech))
            data = data[:2] + bytes([data[2] ^ 0x55 or 1]) + data[3:]
        to_masters(speech, data)

    return changed(wire, speak=spoken, _to_masters=arrives)


def silent_at_times(hall: Hall, numbers: Iterable[int], part: float) -> Cure:
    """Such a part of their answers is never said."""
    wire, speakers = hall.wire, tables(hall, numbers)
    speak = wire.speak

    def spoken(speaker: object, data: bytes) -> None:
        if speaker not in speakers or wire.chance.random() >= part:
            speak(speaker, data)

    return changed(wire, speak=spoken)


def late(hall: Hall, numbers: Iterable[int], turn_us: tuple[int, int]) -> Cure:
    return together(*[changed(table, turn_us=turn_us) for table in tables(hall, numbers)])


def dead(hall: Hall, numbers: Iterable[int]) -> Cure:
    return together(*[changed(table, alive=False) for table in tables(hall, numbers)])


def again(hall: Hall, every_us: int, act: Callable[[], None]) -> Cure:
    sick = [True]

    def turn() -> None:
        if sick:
            act()
            hall.wire.at(hall.now + every_us, turn)

    turn()
    return sick.clear


def restarts(hall: Hall, number: int, every_us: int) -> Cure:
    return again(hall, every_us, hall.tables[number - 1].reboot)


def claims(hall: Hall, number: int) -> Cure:
    """Each report carries another claim."""
    table = hall.tables[number - 1]
    claiming, report = table.sides["sun"], table._health

    def health(seq: int, src: int) -> Frame:
        claiming.number = claiming.number % 255 + 1
        claiming.at_us = hall.now & 0xFFFFFFFF or 1
        return report(seq, src)

    return together(partial(setattr, claiming, "at_us", 0), changed(table, _health=health))


def impostor(hall: Hall, number: int, of: int) -> Cure:
    """The table answers the other's polls, at the address that this one has now, and sooner."""
    table, victim = tables(hall, (number, of))
    stolen, hear = victim.address, table.hear
    assert stolen is not None

    def heard(frame: Frame | None) -> None:
        hear(frame)
        if frame is not None and (frame.dst, frame.type) == (stolen, Poll.layout.type):
            answer = encode(table._health(frame.seq, stolen))
            hall.wire.at(hall.now + 250, lambda: hall.wire.speak(table, answer))

    return changed(table, hear=heard)


@dataclass(frozen=True)
class Kind:
    """A sickness, what is said of it, and the boards that may be named; `once`: it is mended by what is done."""

    name: str
    sicken: Callable[[Hall], Cure]
    key: str
    boards: tuple[int, ...] = ()
    once: bool = False


ALL = range(1, 9)


def kind(
    name: str, key: str, boards: tuple[int, ...], act: Callable[..., Cure], *how: Any, **more: Any
) -> Kind:
    once = more.pop("once", False)
    return Kind(name, lambda hall: act(hall, *how, **more), f"bus.{key}", boards, once)


KINDS = [
    kind("the last hears 2 %", "one_hears_damage", (8,), ears, (8,), 0.02),
    kind("one hears 5 %", "one_hears_damage", (3,), ears, (3,), 0.05),
    kind("one hears 40 %", "one_hears_damage", (3,), ears, (3,), 0.4),
    kind("from a plug on 2 %", "damage_from_a_plug_on", (5, 6, 7, 8), ears, (6, 7, 8), 0.02),
    kind("from a plug on 10 %", "damage_from_a_plug_on", (5, 6, 7, 8), ears, (6, 7, 8), 0.1),
    kind("up to a plug 5 %", "damage_from_a_plug_on", (1, 2, 3), ears, (1, 2), 0.05),
    kind("two in the middle 5 %", "some_hear_damage", (4, 5), ears, (4, 5), 0.05),
    kind("all hear 2 %", "all_hear_damage", (), ears, ALL, 0.02),
    kind("all hear 5 %", "all_hear_damage", (), ears, ALL, 0.05),
    kind("all hear 20 %", "all_hear_damage", (), ears, ALL, 0.2),
    kind("answers arrive damaged 2 %", "damaged_answers", (), mouths, ALL, 0.02),
    kind("answers arrive damaged 10 %", "damaged_answers", (), mouths, ALL, 0.1),
    kind("one's answers arrive damaged 20 %", "one_answers_damaged", (3,), mouths, (3,), 0.2),
    kind("one's answers are damaged for all 10 %", "one_answers_damaged", (3,), mouths, (3,), 0.1, everywhere=True),
    kind("one's answers are damaged for all 50 %", "one_answers_damaged", (3,), mouths, (3,), 0.5, everywhere=True),
    kind("some answers arrive damaged 10 %", "some_answer_damaged", (6, 7, 8), mouths, (6, 7, 8), 0.1),
    kind("one loses half", "loses_answers", (3,), silent_at_times, (3,), 0.5),
    kind("one loses 20 %", "loses_answers", (3,), silent_at_times, (3,), 0.2),
    kind("the last loses half", "loses_answers", (8,), silent_at_times, (8,), 0.5),
    kind("all lose 30 %", "many_lose_answers", (), silent_at_times, ALL, 0.3),
    kind("one answers 9 to 13 ms late", "answers_late", (3,), late, (3,), (9_000, 13_000)),
    kind("one answers 6 to 13 ms late", "answers_late", (8,), late, (8,), (6_000, 13_000)),
    kind("two answer 9 to 13 ms late", "answers_late", (2, 7), late, (2, 7), (9_000, 13_000)),
    kind("all answer 9 to 11 ms late", "all_answer_late", (), late, ALL, (9_000, 11_000)),
    kind("one is silent", "table_silent_between_neighbours", (3,), dead, (3,)),
    kind("the last is silent", "last_table_silent", (7, 8), dead, (8,)),
    kind("silent from a cable on", "tables_silent_behind_a_cable", (5, 6, 7, 8), dead, (6, 7, 8)),
    kind("silent in the middle", "tables_silent_in_the_middle", (4, 5), dead, (4, 5)),
    kind("one restarts every 2 s", "restarts_again", (3,), restarts, 3, 2 * SECOND),
    kind("one restarts every 4 s", "restarts_again", (3,), restarts, 3, 4 * SECOND),
    kind("one claims without end", "claims_without_end", (3,), claims, 3),
    kind("one answers for its neighbour", "asks_again", (3,), impostor, 4, 3, once=True),
]  # fmt: skip


def said(hall: Hall) -> list[Sentence]:
    return diagnose([hall.master.snapshot(hall.now)], [hall.places])


def boards(found: Sentence) -> set[str]:
    return {str(value) for _, value in found.params if BOARD.fullmatch(str(value))}


def course(hall: Hall, sick: Kind, lasting_s: int) -> list[str]:
    """What was wrong with what was said, second by second."""
    wrong, told = [], False
    named = {f"A{number}" for number in sick.boards}
    cure = sick.sicken(hall)
    for second in range(1, lasting_s + GONE_S + 6):
        hall.run(SECOND)
        found = said(hall)
        keys = {one.key for one in found}
        wrong += [f"{second} s: {one}" for one in found if one.key != sick.key or not boards(one) <= named]
        told = told or sick.key in keys
        if TOLD_S <= second <= lasting_s and not (sick.key in keys or (sick.once and told)):
            wrong.append(f"{second} s: not told")
        if second > lasting_s + GONE_S and found:
            wrong.append(f"{second - lasting_s} s after its end: {found}")
        if second == lasting_s:
            cure()
    return wrong


@pytest.mark.parametrize(
    ("sick", "onset_s", "lasting_s"),
    [(sick, 10, 30) for sick in KINDS[::4]]
    + further(*[(sick, 10, 30) for number, sick in enumerate(KINDS) if number % 4])
    + further(*product(KINDS, (10,), (120,)), *product(KINDS, (600,), (30, 120))),
    ids=lambda of: of.name if isinstance(of, Kind) else None,
)
def test_what_is_sick_is_told_and_forgotten(sick: Kind, onset_s: int, lasting_s: int) -> None:
    """B23, B24, B25"""
    hall = joined(8)
    hall.run(onset_s * SECOND)
    assert said(hall) == []
    assert course(hall, sick, lasting_s) == []


@pytest.mark.parametrize("after_us", [0, *further(300_000, 900_000, 2 * SECOND), 10 * SECOND])
@pytest.mark.parametrize("press_first", [False, True])
def test_b22_the_press_of_an_impostor_counts_for_its_own_board_alone(
    after_us: int, *, press_first: bool
) -> None:
    """B22: it answers its neighbour's polls with what it has itself; the neighbour gets another address, and what is
    pressed there is heard."""
    hall = joined(8)
    victim, culprit = tables(hall, (3, 4))
    stolen = victim.address
    if press_first:
        culprit.hold("sun")
        hall.run(after_us, settling=True)
    impostor(hall, 4, 3)
    hall.run(after_us, settling=True)
    if not press_first:
        culprit.hold("sun")
    hall.run(15 * SECOND, settling=True)
    assert victim.address not in (None, stolen)
    assert [event.claim.uid for event in hall.drive.of(ClaimHeard)] == [culprit.uid]
    victim.hold("moon")
    hall.run(2 * SECOND, settling=True)
    assert [event.claim.uid for event in hall.drive.of(ClaimHeard)] == [culprit.uid, victim.uid]
    assert {hall.state_of(table) for table in hall.tables} == {"good"}


@pytest.mark.matrix
def test_after_four_hours_it_is_told_as_soon() -> None:
    """One hall, all kinds one after the other: totals have grown so large that no rate could be seen in them."""
    hall = joined(8)
    hall.run(4 * 3_600 * SECOND)
    wrong = {}
    for sick in KINDS:
        for lasting_s in (30, 120):
            wrong[sick.name, lasting_s] = course(hall, sick, lasting_s)
            hall.run(5 * SECOND)
    assert {name: what for name, what in wrong.items() if what} == {}


@pytest.mark.parametrize("number", [0, *further(*range(1, 20))])
def test_a_sound_hall_is_never_accused(number: int) -> None:
    """Halls drawn by chance: any number of tables, either rate, a claim now and then, a table that is started again;
    each for five minutes, in the matrix for five hours."""
    chance = random.Random(number)
    turn_us = chance.choice([(300, 5_000), (300, 1_000), (2_000, 7_000)])
    hall = joined(
        chance.randint(1, 32), seed=number + 1, baud=chance.choice([250_000, 115_200]), turn_us=turn_us
    )
    hall.run(10 * SECOND)
    for second in range(18_000 if number else 300):
        if second % 60 == 7:
            chance.choice(hall.tables).hold(chance.choice(["sun", "moon"]))
        if second % 400 == 290:
            chance.choice(hall.tables).reboot()
        hall.run(SECOND, settling=second % 60 < 10)
        assert said(hall) == [], second
