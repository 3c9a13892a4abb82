"""`make replays` compares 100 recorded games; these are a few of them, and what they do not show by themselves."""

from pathlib import Path

import pytest

from pi_controller.game.rule_sets import CLASSIC, CONNECT, RuleSet
from pi_controller.journal.record import Record
from pi_controller.protocol.picture import Picture
from pi_controller.replay.changes import changes_of
from pi_controller.replay.pictures import OF_THE_PROCESS, Replay, lines_of
from tests.core.disk import DiskHall
from tests.core.hall import SEED, accepted
from tests.core.hand import MS, S, room
from tests.matrix import further
from tests.replay.recorded_games import CLASSIC_GAMES, run_game
from tests.report.played import records_of


@pytest.mark.parametrize(("number", "rules"), [(3, CONNECT), *further((8, CONNECT)), *CLASSIC_GAMES.items()])
def test_all_pictures_that_were_sent_come_again(number: int, rules: RuleSet) -> None:
    found, sent = run_game(number, rules)
    assert found == []
    assert sent > 40


def classic(state_dir: Path, presses: int) -> list[Record]:
    hall = DiskHall(state_dir, rules=CLASSIC)
    hall.log.prompt = True
    hall.ask("start")
    hall.move(0)
    for _ in range(presses):
        assert accepted(hall.ask("turn"))
        hall.move(1 * S)
    return records_of(hall)


@pytest.mark.parametrize("presses", [0, 3, 8, 9, 30])
def test_a_classic_game_whose_seed_is_secret_is_replayed_but_for_the_opening_rolls(
    tmp_path: Path, presses: int
) -> None:
    records = classic(tmp_path, presses)
    known = list(Replay(changes_of(records, SEED)).pictures())
    shown = list(Replay(changes_of(records)).pictures())
    for (_, seen), (_, truth) in zip(shown, known, strict=True):
        if truth.turn is not None and truth.turn.opening:
            assert seen.turn is not None
            assert seen.turn.opening == [], "the journal does not hold them"
            truth.turn.opening = []
        assert (seen.turn, seen.side, seen.next_side, seen.dice) == (
            truth.turn,
            truth.side,
            truth.next_side,
            truth.dice,
        )


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """A message of 9 s in round 1, a pause at 20 s, the end, the seed."""
    hall = DiskHall(tmp_path_factory.mktemp("short")).play()
    hall.ask("say", {"text": "Hello", "seconds": 9})
    hall.move(20 * S)
    hall.ask("pause")
    hall.move(3 * MS)
    hall.ask("end", {"confirm": True})
    hall.move(1 * S)
    hall.ask("close", {"confirm": True})
    return records_of(hall)


def test_any_moment_between_two_changes_can_be_seen(short: list[Record]) -> None:
    replay = Replay(changes_of(short))
    seen = [replay.at(since_s * S) for since_s in (0, 2, 5, 13, 24)]
    assert [(one.phase, one.resume_in_ms, one.remaining_ms) for one in seen] == [
        ("ready", 3000, 0),
        ("ready", 1000, 0),
        ("round", None, 33_000),
        ("round", None, 25_000),
        ("ended", None, 0),
    ]
    assert [one.message.text if one.message else None for one in seen[2:4]] == ["Hello", None]


def test_a_message_that_runs_out_is_a_picture_of_its_own(short: list[Record]) -> None:
    came = [(since_ns, one.message is None) for since_ns, one in Replay(changes_of(short)).pictures()]
    assert (12 * S, True) in came


def test_the_seed_is_in_no_picture_before_it_is_published(short: list[Record]) -> None:
    seeds = [(one.closed, one.seed is None) for _, one in Replay(changes_of(short)).pictures()]
    assert set(seeds[:-1]) == {(False, True)}
    assert seeds[-1] == (True, False)


def test_a_game_whose_seed_is_secret_is_replayed_with_the_rolls_that_were_seen(short: list[Record]) -> None:
    secret = [one for one in short if one.kind != "seed"]
    known = list(Replay(changes_of(short)).pictures())
    assert list(Replay(changes_of(secret)).pictures()) == known[: len(secret) - len(short)]


def test_what_is_of_the_process_is_named() -> None:
    assert set(OF_THE_PROCESS) < set(Picture.__struct_fields__)


def test_lamps_are_those_of_the_panel_and_blink_where_it_does() -> None:
    pictures = [room(), room(phase="robber", side=None, seat=None), room(paused=True, running=False)]
    lines = list(lines_of((number * S, picture) for number, picture in enumerate(pictures)))
    assert [line.since_ms for line in lines] == [0, 1000, 2000]
    lit = [tuple((one.sun, one.moon, one.pause) for one in line.lamps) for line in lines]
    assert lit == [
        ((True, False, True), (True, False, True)),
        ((True, True, True), (False, False, True)),
        ((True, False, False), (True, False, True)),
    ]
