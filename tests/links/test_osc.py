import socket
from collections.abc import Iterator
from typing import Any

import pytest
from pythonosc.osc_packet import OscPacket

from pi_controller.links.main import OscOutput, values
from tests.protocol.pictures import claim, typed

AS_OF_US = 123_456_000
"""Of the pictures here."""

ALL = 9
"""Addresses that are told."""

Heard = list[tuple[str, list[Any]]]


class Desk:
    """A light desk that listens on a real UDP port."""

    def __init__(self, host: str) -> None:
        self._socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.settimeout(10)
        self._socket.bind((host, 0))
        self.target = (host, self._socket.getsockname()[1])

    def hear(self, messages: int) -> Heard:
        """The next ones; nothing more may have come."""
        heard: Heard = []
        for _ in range(messages):
            for timed in OscPacket(self._socket.recv(2048)).messages:
                heard.append((timed.message.address, list(timed.message)))
        self._socket.settimeout(0)
        with pytest.raises(BlockingIOError):
            self._socket.recv(1)
        self._socket.settimeout(10)
        return heard

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk("127.0.0.1")
    yield made
    made.close()


class Clock:
    def __init__(self) -> None:
        self.us = AS_OF_US

    def __call__(self) -> int:
        return self.us * 1000


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def output(desk: Desk, clock: Clock) -> Iterator[OscOutput]:
    made = OscOutput("north", [desk.target], clock)
    yield made
    made.close()


def test_the_first_picture_is_told_whole(output: OscOutput, desk: Desk) -> None:
    output.show(typed(claims=[claim(), claim(id="c2", status="rejected")]))
    assert desk.hear(ALL) == [
        ("/controller/north/phase", ["round"]),
        ("/controller/north/round", [3]),
        ("/controller/north/side", ["sun"]),
        ("/controller/north/sun", [1]),
        ("/controller/north/moon", [0]),
        ("/controller/north/paused", [0]),
        ("/controller/north/remaining", [23456]),
        ("/controller/north/dice", [3, 5]),
        ("/controller/north/claims", [1]),
    ]


def test_of_later_pictures_only_what_changed(output: OscOutput, desk: Desk, clock: Clock) -> None:
    output.show(typed())
    desk.hear(ALL)
    clock.us += 456_000
    output.show(typed(saved_seq=8))
    paused = {"paused": True, "running": False, "pause_reasons": ["button"], "remaining_ms": 23000}
    output.show(typed(**paused))
    assert desk.hear(3) == [
        ("/controller/north/sun", [0]),
        ("/controller/north/paused", [1]),
        ("/controller/north/remaining", [23000]),
    ], "a picture that says nothing new to a desk sends nothing"


def test_time_that_the_director_adds_is_told_at_once(output: OscOutput, desk: Desk, clock: Clock) -> None:
    output.show(typed())
    desk.hear(ALL)
    clock.us += 1_000_000
    output.show(typed(remaining_ms=32456, as_of_ms=124456))
    assert desk.hear(1) == [("/controller/north/remaining", [32456])]


def test_a_robber_phase_has_no_side(output: OscOutput, desk: Desk) -> None:
    output.show(typed())
    desk.hear(ALL)
    output.show(typed(phase="robber", side=None, dice=[3, 4], remaining_ms=12000))
    assert dict(desk.hear(5)) == {
        "/controller/north/phase": ["robber"],
        "/controller/north/side": ["none"],
        "/controller/north/sun": [0],
        "/controller/north/remaining": [12000],
        "/controller/north/dice": [3, 4],
    }


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ("sun",)),
        ({"side": "moon"}, ("moon",)),
        ({"side": "moon", "paused": True, "running": False}, ("paused",)),
        ({"phase": "robber", "side": None}, ()),
    ],
)
def test_for_desks_that_read_numbers_only_one_light_is_on(
    changes: dict[str, Any], expected: tuple[str, ...]
) -> None:
    said = values(typed(**changes), AS_OF_US)
    assert tuple(name for name in ("sun", "moon", "paused") if said[name] == (1,)) == expected


def test_a_repetition_tells_everything_as_of_now(output: OscOutput, desk: Desk, clock: Clock) -> None:
    output.repeat()
    output.show(typed(dice=None, sum=None))
    desk.hear(ALL)
    clock.us += 3_456_000
    output.repeat()
    said = dict(desk.hear(ALL))
    assert said["/controller/north/remaining"] == [20000]
    assert said["/controller/north/dice"] == [0, 0]


def test_the_remaining_time_runs_with_the_game_and_stops_at_0() -> None:
    assert values(typed(rate=4), AS_OF_US + 1_000_000)["remaining"] == (19456,)
    assert values(typed(), AS_OF_US + 60_000_000)["remaining"] == (0,)
    assert values(typed(running=False, paused=True), AS_OF_US + 1_000_000)["remaining"] == (23456,)
    assert values(typed(), AS_OF_US - 1)["remaining"] == (23456,), "never more than there was"


def test_a_target_that_cannot_be_reached_costs_the_others_nothing(desk: Desk, clock: Clock) -> None:
    six = Desk("::1")
    output = OscOutput("north", [("203.0.113.1", 0), six.target, desk.target], clock)
    output.show(typed())
    assert len(desk.hear(ALL)) == len(six.hear(ALL)) == ALL
    output.close()
    six.close()
