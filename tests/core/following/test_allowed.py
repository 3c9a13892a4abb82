"""What a hall that follows says that may be done is what happens when it is done."""

import pytest
from msgspec.structs import replace

from pi_controller.core.following import LEADER_SILENT_NS
from pi_controller.protocol.commands import BODIES
from pi_controller.protocol.messages import AskFollow
from tests.core.following.test_follower import TwoHalls, halls, refused, uplinks
from tests.core.hall import accepted

__all__ = ["halls"]

GIVEN: dict[str, object] = {
    "claim": {"board": "A5", "side": "sun"},
    "close": {"confirm": True},
    "contribute": {"text": "oak"},
    "cover": {"kind": "black"},
    "end": {"confirm": True},
    "identify": {"screen": "left"},
    "last_rounds": {"count": 3},
    "say": {"text": "Hello"},
    "set_claims": {"mode": "pause"},
    "set_schedule": [{"from_round": 1, "seconds": 60}],
    "add_time": {"ms": 15_000},
    "timer": {"seconds": 60},
    "turn": {"seat": "red"},
    "verdict": {"claim": "c1", "confirmed": True},
}
"""Bodies of commands that need one."""


def with_a_leader(halls: TwoHalls, standing: str) -> None:
    if standing == "paused":
        halls.leader.ask("pause")
    if standing == "claimed":
        halls.leader.ask("claim", GIVEN["claim"])
    halls.hear()
    if standing == "lost":
        halls.move(2 * LEADER_SILENT_NS)
    if standing == "stopped":
        halls.here.press()


@pytest.mark.parametrize("standing", ["playing", "paused", "claimed", "lost", "stopped", "no leader"])
@pytest.mark.parametrize("name", BODIES)
def test_what_is_allowed_is_what_happens_to_each_command(halls: TwoHalls, name: str, standing: str) -> None:
    if standing != "no leader":
        with_a_leader(halls, standing)
    told, before = halls.shown.allowed[name], len(uplinks(halls))
    said = [] if told is None else [key.key for key in told.keys]
    body = GIVEN.get(name)
    if name == "withdraw":
        body = {"claim": next((one.id for one in halls.shown.claims), "c1")}
    answers = halls.here.ask(name, body)
    if name == "identify":
        assert (said, accepted(answers), len(uplinks(halls))) == ([], True, before)
    elif name not in ("pause", "claim", "withdraw"):
        (answer,) = answers
        elsewhere = "link.no_leader_yet" if standing == "no leader" else "link.directed_elsewhere"
        assert (said, refused(answer), len(uplinks(halls))) == ([elsewhere], [elsewhere], before)
        assert told is not None
        assert not told.override
    else:
        assert (answers, [up["do"] for up in uplinks(halls)[before:]]) == ([], [name])
        if standing == "no leader":
            assert said == []
        else:
            (theirs,) = halls.leader.ask(name, body)
            assert theirs.accepted == (said == [])


def test_a_leader_that_knows_fewer_commands_leaves_none_open_here(halls: TwoHalls) -> None:
    picture = replace(halls.leader.loop.picture(), allowed={"pause": None})
    halls.follower.hear(
        AskFollow(leader="main", term=1, offset_us=0, error_us=0, heard_us=0, picture=picture)
    )
    assert halls.shown.allowed.keys() == BODIES.keys()
    assert halls.shown.allowed["skip"] is not None
