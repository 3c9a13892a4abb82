"""The kept states change nothing: every correction gives what a fold from the first action gives."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_controller.game import actions as kept
from pi_controller.game import clockwork
from pi_controller.game.actions import Actions
from pi_controller.game.commands import (
    AddTime,
    Claim,
    Command,
    End,
    LastRounds,
    Pause,
    Press,
    Redo,
    Resume,
    Say,
    SetClaims,
    SetSchedule,
    Skip,
    Start,
    Step,
    Undo,
    Verdict,
    Withdraw,
)
from pi_controller.game.events import Action, Corrected
from pi_controller.game.rule_sets import CONNECT
from pi_controller.game.state import State
from pi_controller.sentence import Sentence
from tests.game.hall import Hall
from tests.game.plain_fold import PlainGame

DONE: list[Command] = [
    Start(),
    Pause(),
    Resume(),
    Resume(override=True),
    Press(),
    Skip(),
    AddTime(5000),
    AddTime(-20_000),
    SetSchedule((Step(1, 20.0),)),
    SetClaims("pause"),
    LastRounds(3),
    End(confirm=True),
    Claim("7", "sun"),
    Claim("9", "moon"),
    Withdraw("c3"),
    Verdict("c4", confirmed=False),
    Verdict("c5", confirmed=True),
]
actions = st.one_of(
    st.sampled_from(DONE),
    st.sampled_from([Pause(), AddTime(1000), Resume(override=True), Say("hello")]),
    st.sampled_from([Undo(), Undo(), Redo(), Undo(AddTime(3000)), Undo(Skip()), Undo(Pause())]),
)
steps = st.tuples(st.sampled_from([0, 0, 0.5, 2, 12, 40]), actions, st.sampled_from(["web", "web", "table"]))


def check(script, before=()):
    hall = Hall()
    plain = PlainGame.of(hall.game)
    for seconds, command, source in (*before, *script):
        hall.wait(seconds)
        was = hall.game
        decision = hall.ask(command, source=source)
        said = plain.decide(was, command, hall.now_ns, source)
        if isinstance(said, Sentence):
            assert decision.reasons == (said,)
            assert hall.game is was
        elif isinstance(said, Corrected):
            assert decision.events[0] == said
        else:
            assert not decision.reasons
        assert list(hall.game.actions) == plain.actions
        assert hall.game.state == plain.state(hall.now_ns)
        assert ([one.event for one in hall.game.undone], hall.game.next_action) == (
            plain.undone,
            plain.next_action,
        )


@given(script=st.lists(steps, max_size=40), every=st.sampled_from([1, 2, 3, 32]))
@settings(max_examples=60)
def test_any_game_is_corrected_as_by_a_fold_from_its_first_action(script, every):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "KEPT_EVERY", every)
        check(script)


@pytest.mark.parametrize("every", [1, 2, 3, 32])
def test_a_redo_comes_before_what_happened_since_the_undo(monkeypatch, every):
    monkeypatch.setattr(kept, "KEPT_EVERY", every)
    check(
        [
            (0, Start(), "web"),
            (10, Pause(), "web"),
            (5, Undo(), "web"),
            (30, Claim("7", "moon"), "table"),
            (1, Redo(), "web"),
        ]
    )


@given(script=st.lists(steps, max_size=12), more=st.integers(0, 3))
@settings(max_examples=8)
def test_where_a_stretch_ends_nothing_is_different(script, more):
    begun = [(0, Start(), "web"), *[(0.1, AddTime(1000), "web")] * (2 * kept.KEPT_EVERY - 3 + more)]
    check(script, before=begun)


def numbered(number):
    return Action(number, AddTime(number), number, number, "web")


@given(count=st.integers(0, 100), cut=st.integers(0, 100))
def test_the_list_is_a_list(count, cut):
    states = [State(due_side="sun", schedule=(), began_ns=number) for number in range(count + 1)]
    listed, actions = [numbered(number) for number in range(count)], Actions.none(states[0])
    for action, after in zip(listed, states[1:], strict=True):
        actions = actions.with_one(action, after, CONNECT)
    assert (len(actions), list(actions)) == (count, listed)
    assert list(reversed(actions)) == listed[::-1]
    assert [actions[index] for index in range(count)] == listed
    cut = min(cut, count)
    assert list(actions.since(cut)) == listed[cut:]
    assert list(actions.first(cut, states[cut])) == listed[:cut]
    for some in (actions, actions.first(cut, states[cut])):
        before, between = some.kept_before(cut)
        assert len(between) <= kept.KEPT_EVERY
        place = cut - len(between)
        assert list(between) == listed[place:cut]
        assert before is states[place]


@pytest.mark.parametrize("count", [100, 2000])
def test_a_correction_does_again_only_what_lies_near_it(monkeypatch, count):
    hall = Hall().started()
    for number in range(count):
        hall.do(AddTime(1 if number % 2 else -1))
    done = []
    really = clockwork.advance
    monkeypatch.setattr(clockwork, "advance", lambda *given: done.append(1) or really(*given))
    for command in (Undo(), Redo(), Undo(AddTime(2000))):
        hall.do(command)
    assert len(done) <= 3 * 200
