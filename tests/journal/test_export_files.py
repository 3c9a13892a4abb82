import pytest

from pi_controller.journal.record import FIRST_PREV, FORMAT, encode, seal
from pi_controller.journal.witnesses import GameSummary, games
from tests.journal.chains import BOOT, GAME, WALL, chain, lines, put_game

OLDER = "20261120-180000-aaaa"


def journal(*happened, rule_set="connect", written=FORMAT):
    prev, content = FIRST_PREV, b""
    first = ("game", {"format": written, "game_id": GAME, "rule_set": rule_set})
    for seq, (kind, data) in enumerate((first, *happened)):
        record = seal(kind, data, seq=seq, game_ns=0, boot_ns=0, boot_id=BOOT, wall=WALL, prev=prev)
        prev, content = record.hash, content + encode(record)
    return content


TURN = ("turned", {"kind": "round", "round": 7})
END = ("ended", {"winners": [{"board": "A1"}]})


@pytest.mark.parametrize(
    ("happened", "ended", "rounds", "winners"),
    [
        ((), False, 0, ()),
        ((TURN,), False, 7, ()),
        ((TURN, END, ("seed", {"seed": "00"})), True, 7, ({"board": "A1"},)),
        ((TURN, END, ("corrected", {})), False, 7, ()),
        ((TURN, END, ("corrected", {}), END, ("answered", {})), True, 7, ({"board": "A1"},)),
    ],
)
def test_what_the_list_says_of_a_game(tmp_path, happened, ended, rounds, winners):
    put_game(tmp_path, journal(*happened))
    assert games(tmp_path) == [
        GameSummary(
            game_id=GAME,
            armed_at=WALL,
            rule_set="connect",
            ended=ended,
            closed=any(kind == "seed" for kind, _ in happened),
            rounds=rounds,
            winners=winners,
        )
    ]


def test_newest_first_and_folders_without_a_line_are_left_out(tmp_path):
    put_game(tmp_path, b"".join(lines(chain(3, game_id=OLDER))), game_id=OLDER)
    put_game(tmp_path, journal(TURN, rule_set={"name": "classic"}) + b"torn")
    put_game(tmp_path, b"", game_id="20261120-190000-cccc")
    assert [(game.game_id, game.rule_set) for game in games(tmp_path)] == [
        (GAME, "classic"),
        (OLDER, "connect"),
    ]
    assert games(tmp_path / "nothing") == []


def test_only_the_ends_of_a_long_journal_are_read(tmp_path):
    put_game(tmp_path, b"".join(lines(chain(2000))))
    assert games(tmp_path)[0].rounds == 1999


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"rubbish\n" + journal(TURN), "The first line of journal.jsonl is damaged: it is not JSON."),
        (journal(written=FORMAT + 1), "This journal has format 3"),
    ],
)
def test_a_game_whose_beginning_cannot_be_read_is_listed_with_the_reason(tmp_path, content, problem):
    put_game(tmp_path, content)
    (game,) = games(tmp_path)
    assert (game.game_id, game.armed_at, game.rule_set) == (GAME, "", "")
    assert game.problem.startswith(problem)
