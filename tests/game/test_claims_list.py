"""The list of claims: what a plain list would hold, and no rejected claim looked at again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pi_controller.game.claims import NO_CLAIMS, ClaimRecord, Claims
from pi_controller.game.commands import Claim, Press, Resume, Verdict, Withdraw
from tests.game.hall import Hall

actions = st.tuples(
    st.sampled_from(["claim", "rejected", "confirmed", "withdrawn", "gone"]),
    st.integers(0, 5),
    st.integers(0, 9),
)


def record(number: int, at_ns: int) -> ClaimRecord:
    return ClaimRecord(f"c{number}", f"{number}", "sun", at_ns, 1, "sun", 0)


@given(script=st.lists(actions, max_size=40))
def test_it_holds_what_a_plain_list_in_press_order_holds(script):
    claims, plain = NO_CLAIMS, []
    for number, (action, at_ns, which) in enumerate(script):
        standing = [claim for claim in plain if claim.status != "rejected"]
        if action == "claim":
            made = record(number, at_ns)
            claims, plain = claims.with_one(made), sorted([*plain, made], key=lambda claim: claim.at_ns)
        elif standing:
            old = standing[which % len(standing)]
            if action == "gone":
                claims = claims.without([old])
                plain.remove(old)
            else:
                new = replace(old, status=action)
                claims = claims.put(new)
                plain[plain.index(old)] = new
        assert (list(claims), len(claims), claims[:]) == (plain, len(plain), tuple(plain))
        assert list(claims.standing) == [claim for claim in plain if claim.status != "rejected"]
        assert list(claims.open) == [claim for claim in plain if claim.status == "open"]
        assert all(claims.find(claim.id) is claim for claim in plain)
        assert claims.find("c99") is None


def test_several_leave_at_once():
    claims = NO_CLAIMS
    for number in range(5):
        claims = claims.with_one(record(number, number))
    left = claims.without([claims[1], claims[3]])
    assert [claim.id for claim in left] == [claim.id for claim in left.standing] == ["c0", "c2", "c4"]


LOOKED: list[str] = []


class Watched(ClaimRecord):
    """A rejected claim that notes what is asked of it."""

    def __getattribute__(self, name):
        if not name.startswith("__"):
            LOOKED.append(name)
        return super().__getattribute__(name)


@pytest.mark.parametrize("many", [10, 1000])
def test_no_command_looks_for_its_claim_among_the_rejected(many):
    hall = Hall().started()
    side = hall.game.state.side
    rejected = tuple(Watched(f"old {n}", "9", side, 0, 1, side, 0, "rejected") for n in range(many))
    state = replace(hall.game.state, claims=Claims(rejected))
    hall.game = replace(hall.game, state=state, actions=type(hall.game.actions).none(state))
    LOOKED.clear()
    hall.do(Claim("7", side, "well"))
    hall.do(Claim("7", side, "well"))
    hall.do(Withdraw(hall.game.state.claims.open[0].id))
    hall.do(Claim("7", side, "well"))
    hall.do(Press())
    hall.do(Resume(override=True))
    hall.do(Verdict(hall.game.state.claims.open[0].id, confirmed=False))
    assert set(LOOKED) == {"at_ns"}, "each new claim finds its place behind the last one"
    assert len(LOOKED) < 10
    assert [claim.status for claim in hall.game.state.claims[many:]] == ["rejected"]
    assert [press.round for press in hall.game.state.presses] == [1]
