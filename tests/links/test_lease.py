"""Who leads several halls (docs/decisions/0094): each rule, all states of two controllers, and a sample of schedules
(`make lease-model`, `make lease-schedules`)."""

import re
import subprocess
import sys
from typing import Any

import pytest
from msgspec.structs import replace

from pi_controller.journal.pairing import KEY_BYTES, PairingKey
from pi_controller.links import lease
from pi_controller.links.lease import (
    AGAIN_S,
    ASKS_S,
    FIRST_TERM,
    MOST_OVER,
    SILENT_S,
    Candidate,
    LeaseClaim,
    believed,
    followed,
    prove,
)
from tests.architecture.sources import ROOT
from tests.links import lease_schedules
from tests.links.lease_model import Space, ViolationError


def claim(controller: str, state: str = "asking", progress: str = "empty", **others: Any) -> LeaseClaim:
    values = {"hall": controller, "run": "r0", "term": 1} | others
    return LeaseClaim(controller=controller, state=state, progress=progress, **values)  # type: ignore[arg-type]


def leading(controller: str, progress: str = "empty", **others: Any) -> Candidate:
    """One that leads, at 0."""
    return Candidate(claim(controller, "leading", progress, **others))


def meet(*candidates: Candidate, seconds: int = 2, from_s: float = 10.0) -> list[str]:
    """Each speaks once a second and is heard at once; what becomes of them."""
    for second in range(seconds):
        for one in candidates:
            said = one.tick(from_s + second, one.own.progress)
            for other in candidates:
                other.hear(said, from_s + second)
    return [one.own.state for one in candidates]


# Asking


def test_alone_it_leads_after_three_seconds() -> None:
    one = Candidate(claim("a"))
    assert [one.tick(at_s, "empty").state for at_s in (7, 7 + ASKS_S - 0.1, 7 + ASKS_S)] == [
        "asking",
        "asking",
        "leading",
    ]


def test_of_several_that_ask_the_one_with_the_game_leads() -> None:
    assert meet(Candidate(claim("a")), Candidate(claim("b", progress="playing")), seconds=6) == [
        "refused",
        "leading",
    ]


def test_of_several_that_ask_without_a_game_the_higher_term_leads() -> None:
    assert meet(Candidate(claim("a")), Candidate(claim("b", term=2)), seconds=6) == ["refused", "leading"]


def test_three_that_ask_do_not_wait_in_a_circle() -> None:
    """The second one has the best rank, but persons have decided over it in favour of the first one."""
    three = [
        Candidate(claim("a", term=2, over=("b.1",))),
        Candidate(claim("b", progress="playing")),
        Candidate(claim("c", progress="playing")),
    ]
    assert meet(*three, seconds=8) == ["refused", "refused", "leading"]


def test_who_has_another_connection_asks_anew() -> None:
    one = Candidate(claim("a"))
    one.tick(0, "empty")
    one.connected()
    assert [one.tick(at_s, "empty").state for at_s in (2.9, 3.1, 5.8, 5.9)] == ["asking"] * 3 + ["leading"]


def test_who_leads_goes_on_over_connections() -> None:
    one = leading("a")
    one.connected()
    assert one.tick(1, "empty").state == "leading"


# One that leads is heard


@pytest.mark.parametrize("progress", ["empty", "between", "playing"])
@pytest.mark.parametrize("own", ["empty", "between", "playing"])
def test_who_is_started_while_a_game_is_led_is_refused(progress: str, own: str) -> None:
    """Whatever it has itself, and whenever it was there first by any clock; but for a game before an empty one."""
    refused = (own, progress) != ("playing", "empty")
    assert meet(leading("b", progress), Candidate(claim("a", progress=own)), seconds=8) == (
        ["leading", "refused"] if refused else ["refused", "leading"]
    )


def test_a_namesake_is_refused() -> None:
    main = leading("b", "playing", hall="main")
    assert meet(main, Candidate(claim("a", hall="main")), seconds=5) == ["leading", "refused"]


def test_a_second_one_that_leads_gives_way_to_the_one_that_plays() -> None:
    for name in ("a", "c"):
        assert meet(leading("b", "playing"), leading(name)) == ["leading", "refused"]
        assert meet(leading("b", "playing"), leading(name, "between")) == ["leading", "refused"]


def test_of_two_that_lead_without_a_game_one_gives_way() -> None:
    assert meet(leading("b"), leading("a")) == ["refused", "leading"]
    assert meet(leading("b", term=2), leading("a")) == ["leading", "refused"]
    assert meet(leading("b", "between"), leading("a", term=2)) == ["leading", "refused"]


def test_a_ghost_of_the_own_former_run_refuses_nobody() -> None:
    one = Candidate(claim("a", run="r1"))
    for at_s in range(4):
        one.hear(claim("a", "leading", "playing", run="r0"), at_s)
        one.tick(at_s, "empty")
    assert one.own.state == "leading"


def test_who_is_silent_is_not_there() -> None:
    one = Candidate(claim("b"))
    one.hear(claim("a"), 0)
    one.tick(0, "empty")
    assert one.tick(SILENT_S - 0.1, "empty").state == "asking"
    assert one.tick(SILENT_S, "empty").state == "leading"


def test_who_is_refused_stays_so_while_the_other_one_is_away() -> None:
    one = Candidate(claim("b"))
    one.hear(claim("a", "leading"), 0)
    assert {one.tick(at_s, "empty").state for at_s in range(100)} == {"refused"}


def test_two_that_have_given_way_to_each_other_ask_again() -> None:
    one = Candidate(claim("b"))
    one.hear(claim("a", "leading"), 0)
    one.hear(claim("a", "refused"), 1)
    assert one.tick(1 + AGAIN_S - 0.1, "empty").state == "refused"
    assert one.tick(1 + AGAIN_S, "empty").state == "asking"
    assert one.tick(1 + ASKS_S, "empty").state == "leading", "from when nobody led"


# The fault


def test_two_that_play_are_divided_and_neither_gives_way_by_itself() -> None:
    a, b = leading("a", "playing"), leading("b", "playing", term=2)
    assert meet(a, b) == ["divided", "divided"]
    assert (a.own.against, b.own.against) == ("b.2", "a.1")
    a.tick(20, "between")
    assert meet(a, b, from_s=21, seconds=9) == ["divided", "divided"]


@pytest.mark.parametrize("chosen", [0, 1])
def test_a_person_settles_it(chosen: int) -> None:
    both = [leading("a", "playing"), leading("b", "playing", term=3)]
    meet(*both)
    one = both[chosen]
    decided = one.decided(12)
    assert (decided.term, decided.over) == (4, (both[1 - chosen].own.lease,))
    one.lead(decided)
    assert meet(*both, from_s=12) == (["leading", "refused"] if chosen == 0 else ["refused", "leading"])


def test_a_person_may_have_the_other_one_lead() -> None:
    a, b = leading("a", "playing"), leading("b", "playing")
    meet(a, b)
    a.give_way()
    assert meet(a, b, from_s=12, seconds=9) == ["refused", "leading"]


def test_who_hears_that_another_one_is_divided_is_so_too() -> None:
    """Its own word came too late: that one's game has ended since."""
    assert meet(leading("a", "playing"), Candidate(claim("b", "divided", "between", against="a.1"))) == [
        "divided",
        "divided",
    ]


def test_a_third_one_without_a_game_gives_way_to_those_that_are_divided() -> None:
    b, c = leading("b", "between", term=1), leading("c", "playing")
    b.own = replace(b.own, state="divided", against="c.1")
    c.own = replace(c.own, state="divided", against="b.1")
    assert meet(leading("a", term=9), b, c) == ["refused", "divided", "divided"]


def test_a_third_one_that_would_not_give_way_is_in_the_fault_too() -> None:
    """Else it would wait for ever for those that are divided to give way."""
    b, c = leading("b"), leading("c")
    b.own = replace(b.own, state="divided", against="c.1")
    c.own = replace(c.own, state="divided", against="b.1")
    assert meet(leading("a"), b, c) == ["divided", "divided", "divided"]


def test_who_starts_anew_in_the_fault_is_in_it_again() -> None:
    a, b = leading("a", "playing"), leading("b", "playing")
    meet(a, b)
    anew = Candidate(replace(a.own, state="asking", run="r1", against=None))
    assert meet(anew, b, from_s=12, seconds=5) == ["divided", "divided"]


def test_who_starts_anew_without_its_game_leaves_it_to_the_other_one() -> None:
    a, b = leading("a", "playing"), leading("b", "playing")
    meet(a, b)
    anew = Candidate(claim("a", run="r1"))
    assert meet(anew, b, from_s=12, seconds=3) == ["refused", "leading"]


def test_one_over_whom_persons_have_decided_may_not_overrule_when_it_is_refused() -> None:
    one = leading("a")
    one.hear(claim("b", "refused", term=2, over=("a.1",)), 0)
    assert one.tick(1, "empty").state == "leading"


def test_decisions_are_handed_on_and_bounded() -> None:
    one = leading("a", term=2, over=("x.1",))
    one.hear(claim("b", "leading", "playing", term=3, over=tuple(f"y.{n}" for n in range(MOST_OVER))), 0)
    assert one.own.state == "refused"
    over = one.decided(0).over
    assert over[0] == "b.3"
    assert len(over) == MOST_OVER


# Who follows


def test_a_hall_follows_its_leader_for_as_long_as_it_is_heard() -> None:
    a, b = claim("a", "leading"), claim("b", "divided", "playing")
    assert followed(None, [a, b]) == b
    assert followed(a, [a, b]) == a
    assert followed(a, [replace(a, state="refused"), b]) == b
    assert followed(a, []) == a


def test_a_hall_does_not_go_over_to_an_empty_game() -> None:
    played, empty = claim("a", "leading", "playing"), claim("b", "leading")
    assert followed(played, [empty]) == played
    assert followed(played, [replace(empty, term=2)]) == replace(empty, term=2)
    assert followed(played, [replace(empty, progress="between")]) == replace(empty, progress="between")


# Proof


def test_terms_and_decisions_count_only_where_the_halls_key_proves_them() -> None:
    key, other = (PairingKey(bytes(KEY_BYTES - 1) + end).lease_key() for end in (b"x", b"y"))
    said = claim("a", "leading", "playing", term=7, over=("b.1",))
    first = replace(said, term=FIRST_TERM, over=())
    assert believed(prove(said, key), key) == prove(said, key)
    for wrong in (said, prove(said, other), replace(prove(said, key), term=8)):
        assert replace(believed(wrong, key), proof="") == replace(first, term=FIRST_TERM)
    assert believed(said, None) == first
    assert believed(first, key) == first, "which claims nothing that needs a proof"


# The model, and what it finds


@pytest.mark.parametrize(("simple", "decisions", "least"), [(True, 1, 7_000), (False, 1, 10_000)])
def test_all_states_of_two_controllers(simple: bool, decisions: int, least: int) -> None:
    space = Space(2, decisions=decisions, simple=simple)
    space.explore()
    assert len(space.states) > least
    assert space.rounds_to_settle() <= 5


def spoilt_gives_way(own: LeaseClaim, other: LeaseClaim) -> bool:
    return other.rank < own.rank


def never(own: LeaseClaim, other: LeaseClaim) -> bool:
    return False


def always(own: LeaseClaim, other: LeaseClaim) -> bool:
    return True


@pytest.mark.parametrize("spoilt", [spoilt_gives_way, never, always])
def test_the_model_finds_spoilt_rules(spoilt: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "gives_way", spoilt)
    space = Space(2, decisions=1, simple=True)

    def looked_at() -> None:
        space.explore()
        space.rounds_to_settle()

    with pytest.raises(ViolationError):
        looked_at()


def test_a_sample_of_schedules() -> None:
    ended = [lease_schedules.tried(seed) for seed in range(30)]
    assert [one for one in ended if one[1].startswith("WRONG")] == []
    assert {one[1] for one in ended} >= {"led", "divided"}
    assert lease_schedules.tried(7) == lease_schedules.tried(7)


def test_schedules_find_a_spoilt_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "gives_way", spoilt_gives_way)
    assert any(lease_schedules.tried(seed)[1].startswith("WRONG") for seed in range(60))


def test_a_run_from_outside() -> None:
    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
        )

    several = run("tests.links.lease_schedules", "--schedules", "5", "--jobs", "1")
    assert several.returncode == 0, several.stderr
    assert re.search(
        r"^5 schedules of 20 controllers .*\n.* 0 violations$", several.stdout.strip(), re.MULTILINE
    )
    one = run("tests.links.lease_schedules", "--schedules", "1", "--seed", "3")
    assert one.returncode == 0
    assert "the network is whole" in one.stdout
    model = run("tests.links.lease_model", "--controllers", "2")
    assert model.returncode == 0, model.stderr
    assert "0 violations" in model.stdout
