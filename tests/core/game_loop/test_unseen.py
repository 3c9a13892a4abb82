"""A command is refused when something that counts for it has changed since its sender looked."""

import random

import pytest

from pi_controller.core.game_loop.pending import PendingCommand, SeenPicture
from pi_controller.core.game_loop.picture import SEEN_BEFORE_RESTART
from pi_controller.game.commands import Claim
from pi_controller.language.words import words
from tests.core.hall import Hall, accepted
from tests.core.hand import MS, S

CHANGES = {
    "pause": ("pause", None),
    "claim": ("claim", {"board": "A1", "side": "sun"}),
    "say": ("say", {"text": "hello"}),
    "skip": ("skip", None),
    "schedule": ("set_schedule", [{"from_round": 1, "seconds": 20}]),
    "mode": ("set_claims", {"mode": "pause"}),
    "last": ("last_rounds", {"count": 2}),
    "time": ("add_time", {"ms": 1_000}),
    "cover": ("cover", {"kind": "black"}),
}
COMMANDS = {
    "resume": None,
    "add_time": {"ms": 5_000},
    "set_schedule": [{"from_round": 1, "seconds": 30}],
    "set_claims": {"mode": "ask"},
    "skip": None,
    "undo": None,
    "last_rounds": {"count": 3},
    "end": {"confirm": True},
    "say": {"text": "other"},
    "cover": {"kind": "test"},
    "claim": {"board": "A2", "side": "sun"},
    "pause": None,
    "identify": {"board": "A1"},
}
REFUSED = {
    "pause": {"resume", "skip", "undo", "end"},
    "claim": {"resume", "end", "undo"},
    "say": {"say"},
    "skip": {"add_time", "skip", "undo", "last_rounds"},
    "schedule": {"set_schedule", "undo"},
    "mode": {"set_claims", "undo"},
    "last": {"last_rounds", "undo"},
    "time": {"undo"},
    "cover": set(),
}


def seen(hall: Hall) -> SeenPicture:
    return SeenPicture(hall.picture.seq, hall.picture.session)


def unseen(hall: Hall, name: str, body: object, looked: SeenPicture) -> str:
    """The key of the refusal, or nothing."""
    (answer,) = hall.ask(name, body, seen=looked)
    return "" if answer.accepted else answer.reasons[0].key


@pytest.mark.parametrize("change", CHANGES)
def test_only_what_counts_refuses(change: str) -> None:
    refused = set()
    for name, body in COMMANDS.items():
        hall = Hall().play()
        looked = seen(hall)
        hall.ask(*CHANGES[change])
        if unseen(hall, name, body, looked) == "answer.changed_unseen":
            refused.add(name)
        else:
            assert unseen(hall, name, body, seen(hall)) != "answer.changed_unseen"
    assert refused == REFUSED[change]


def test_a_sheet_is_not_overwritten_unseen_and_a_last_round_not_ended_unseen() -> None:
    hall = Hall().play()
    hall.ask("last_rounds", {"count": 0})
    looked = seen(hall)
    hall.move(35 * S)
    assert unseen(hall, "end", {"confirm": True}, looked) == "answer.changed_unseen"
    hall.ask("claim", {"board": "A1", "side": "sun"})
    (claim,) = hall.picture.claims
    verdict = {"claim": claim.id, "sheet": {"settlements": 3, "cities": 3}}
    hall.ask("verdict", verdict)
    looked = seen(hall)
    same_points = verdict["sheet"] | {"resources": {"grain": 1}}
    hall.ask("verdict", verdict | {"sheet": same_points})
    assert unseen(hall, "verdict", verdict, looked) == "answer.changed_unseen"
    assert unseen(hall, "verdict", verdict, seen(hall)) == ""


def test_a_claim_that_play_went_on_over_is_not_judged_unseen() -> None:
    hall = Hall().play()
    hall.ask("claim", {"board": "A1", "side": "sun"})
    hall.ask("pause")
    looked = seen(hall)
    verdict = {"claim": hall.picture.claims[0].id, "sheet": {"settlements": 3, "cities": 3}}
    hall.ask("resume", {"override": True})
    assert unseen(hall, "verdict", verdict, looked) == "answer.changed_unseen"
    assert unseen(hall, "verdict", verdict, seen(hall)) == ""


def test_the_sentence_says_what_has_changed() -> None:
    hall = Hall().play()
    looked = seen(hall)
    hall.press()
    (answer,) = hall.ask("resume", seen=looked)
    assert words(answer.reasons[0], "en") == (
        "Nothing was done: since you looked, this has changed: the pause and the claims. "
        "Look again, and give the command once more if it is still right."
    )


def test_of_two_who_resume_the_second_is_refused_and_play_goes_on() -> None:
    hall = Hall().play()
    hall.ask("pause")
    looked = seen(hall)
    assert accepted(hall.ask("resume", seen=looked))
    hall.move(S)
    assert not accepted(hall.ask("resume", seen=looked))
    hall.move(3 * S)
    assert hall.picture.running


def test_of_two_who_undo_one_action_is_taken_back() -> None:
    hall = Hall().play()
    hall.ask("add_time", {"ms": 5_000})
    hall.ask("say", {"text": "one"})
    looked = seen(hall)
    answers = [accepted(hall.ask("undo", seen=looked)) for _ in range(2)]
    assert answers == [True, False]


def test_a_phase_that_ends_while_the_command_is_on_its_way_is_not_skipped_twice() -> None:
    """The clock turns while the command is looked at: what its sender saw is over by then."""
    hall = Hall().play()
    hall.move(34 * S)
    looked = seen(hall)
    hall.timers.now_ns += 1100 * MS
    assert not accepted(hall.ask("skip", seen=looked))
    assert hall.picture.round == 2


def test_the_same_claim_again_does_not_keep_a_verdict_away() -> None:
    hall = Hall().play()
    pressed = PendingCommand("claim", {}, Claim("A1", "sun", button="well"), "table", hall.timers.boot_ns())
    hall.commands.start(pressed)
    hall.move(0)
    looked = seen(hall)
    hall.commands.start(pressed)
    hall.move(0)
    assert [claim.count for claim in hall.picture.claims] == [2]
    assert accepted(
        hall.ask("verdict", {"claim": hall.picture.claims[0].id, "confirmed": False}, seen=looked)
    )


@pytest.mark.parametrize("looked", [SeenPicture(1, "another"), SeenPicture(10**9), SeenPicture(10**9, "s")])
def test_a_picture_of_another_session_is_not_compared(looked: SeenPicture) -> None:
    hall = Hall().play()
    (answer,) = hall.ask("skip", seen=looked)
    assert answer.reasons == (SEEN_BEFORE_RESTART,)
    assert accepted(hall.ask("pause", seen=looked))


def test_a_repeat_gets_its_first_answer() -> None:
    hall = Hall().play()
    looked = seen(hall)
    for _ in range(2):
        assert accepted(hall.ask("skip", key="k", seen=looked))
    assert hall.picture.round == 2
    for _ in range(2):
        assert not accepted(hall.ask("skip", key="l", seen=looked))


def test_another_game_is_another_game() -> None:
    hall = Hall().begin()
    looked = seen(hall)
    assert accepted(hall.ask("arm", seen=looked))
    for name, body in (("arm", None), ("start", None), ("contribute", {"text": "word"})):
        assert unseen(hall, name, body, looked) == "answer.changed_unseen"


def test_what_is_refused_is_what_has_changed_in_the_pictures() -> None:
    """Any commands in any order: the kept numbers say the same as a comparison of the two pictures."""
    draw = random.Random(12)
    hall = Hall().play()
    for _ in range(300):
        old = hall.picture
        for _ in range(draw.randrange(3)):
            hall.ask(*draw.choice(list(CHANGES.values())))
            hall.move(draw.randrange(20) * S)
            hall.ask("resume", {"override": True})
        changed = old.message != hall.picture.message
        assert (hall.loop.unseen.against("say", seq=old.seq, session="s") is not None) >= changed
        later = (old.phase, old.round) != (hall.picture.phase, hall.picture.round)
        assert (hall.loop.unseen.against("add_time", seq=old.seq, session="s") is not None) >= later
