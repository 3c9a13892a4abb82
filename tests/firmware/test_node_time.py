"""What whole nodes show at the same moment: seconds that flip together, also in a quick simulated game."""

import random

from table_node import messages as m
from tests.firmware.hall import Hall
from tests.firmware.hand_board import HandBoard

SECOND = 1_000_000


def flips(*, ppm: int, seed: int) -> dict[int, int]:
    """True time at which each second of a phase of 60 s came onto the display."""
    chance = random.Random(seed)

    def a_pass() -> int:
        return chance.randrange(100, 5000) + (chance.randrange(20_000) if chance.random() < 0.002 else 0)

    hall = Hall(board=HandBoard(ppm=ppm, ticks=chance.randrange(1 << 30)), jitter=a_pass)
    hall.run(600_000)
    hall.game.end_us = 61 * SECOND
    hall.game.phase, hall.game.flags, hall.game.duration = m.ROUND, m.RUNNING | m.SUN_ACTIVE, 600
    hall.game.changed()
    hall.run(60 * SECOND)
    return {seconds: at for at, kind, seconds in hall.faces[0].seen if kind == "round"}


def test_the_displays_of_whole_nodes_flip_within_20_ms() -> None:
    nodes = [flips(ppm=ppm, seed=seed) for seed, ppm in enumerate([-50, 50, -30, 0])]
    distances = sorted(
        max(node[second] for node in nodes) - min(node[second] for node in nodes) for second in range(1, 60)
    )
    assert distances[int(len(distances) * 0.99)] <= 30_000
    pairs = sorted(
        abs(one[second] - other[second])
        for second in range(1, 60)
        for index, one in enumerate(nodes)
        for other in nodes[:index]
    )
    assert pairs[int(len(pairs) * 0.99)] <= 20_000


def test_rate_60() -> None:
    hall = Hall(jitter=lambda: 1000)
    hall.game.rate = 60 * 256
    hall.run(600_000)
    hall.game.begin(hall.board.now_us, seconds=35)
    hall.run(550_000)
    seen = [(at, seconds) for at, kind, seconds in hall.faces[0].seen if kind == "round"]
    shown = [seconds for _, seconds in seen]
    assert shown == sorted(shown, reverse=True)
    assert set(range(5, 30)) <= set(shown)
    for at, seconds in seen[6:]:
        assert 0 <= hall.game.end_us - at - (seconds - 1) * SECOND // 60 <= SECOND // 60 + 4000


def test_twenty_minutes_without_a_cable_and_it_is_right_again() -> None:
    """Ticks wrap every 18 minutes."""
    hall = Hall(board=HandBoard(ppm=30), jitter=lambda: 1000)
    hall.run(SECOND)
    hall.silent = True
    hall.jitter = lambda: 15_000
    hall.board.fed_us = 0
    hall.run(20 * 60 * SECOND)
    assert (hall.view.kind, hall.board.now_us - hall.board.fed_us < 20_000) == ("no_link", True)
    hall.silent = False
    hall.next_state = hall.board.now_us
    hall.run(6 * SECOND)
    hall.game.begin(hall.board.now_us)
    hall.run(2 * SECOND)
    left = hall.game.left(hall.board.now_us)
    assert (hall.view.kind, hall.view.seconds) == ("round", (left + SECOND - 1) // SECOND)
