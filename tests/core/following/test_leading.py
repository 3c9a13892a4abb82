"""What other halls have for a leader's game."""

from typing import Any

import msgspec
import pytest

from pi_controller.core.following import FOLLOWER_SILENT_NS, Leader
from pi_controller.core.game_loop.pending import Answer
from pi_controller.core.tables.claims import PressTimes
from pi_controller.protocol.messages import AskFollow, AskHallCommand, AskLink, AskSettle, decode_request
from pi_controller.protocol.picture import AnyUplink, LinkState
from pi_controller.protocol.picture import Hall as OtherHall
from pi_controller.protocol.question import encode_request
from pi_controller.protocol.sentences import SentenceView
from pi_controller.software import Software
from pi_controller.software import own as reckoned
from tests.core.hall import Hall, accepted
from tests.core.hand import MS, S, events, settle


class LeadingHall:
    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        times = PressTimes(loop=hall.loop, timers=hall.timers, stood_still=None)
        self.leader = Leader(
            hall="main", loop=hall.loop, commands=hall.commands, times=times, timers=hall.timers
        )
        hall.loop.lead(self.leader.view)

    def take(
        self, key: str, do: str = "claim", *, hall: str = "east", ago_ns: int = 0, **more: Any
    ) -> Answer:
        asked = AskHallCommand(hall=hall, uplink=self.uplink(key, do, ago_ns=ago_ns, **more))
        task = events().create_task(self.leader.hall_command(asked))
        settle()
        self.hall.save()
        settle()
        return task.result()

    def uplink(self, key: str, do: str = "claim", *, ago_ns: int = 0, **more: Any) -> AnyUplink:
        """As it comes, with its moment on the leader's clock."""
        at_us = (self.hall.timers.now_ns - ago_ns) // 1_000
        claim = {"board": "A5", "side": "sun", "button": "well"} if do == "claim" else {}
        fields = {"do": do, "key": key, "at_us": at_us, "source": "table"} | claim | more
        return msgspec.convert(fields, AnyUplink)  # type: ignore[arg-type]


def other(hall: str, *, online: bool = True, source: str = "") -> OtherHall:
    return OtherHall(
        hall=hall, online=online, software=Software(version="1.0.0", source=source), boards=["A5"]
    )


def playing() -> LeadingHall:
    return LeadingHall(Hall().play())


def test_a_claim_carries_its_halls_name_and_counts_once() -> None:
    leading = playing()
    leading.hall.move(5 * S)
    for _ in range(3):
        assert leading.take("k1", ago_ns=800 * MS).accepted
    (claim,) = leading.hall.loop.picture().claims
    assert (claim.board, claim.side, claim.source) == ("east/A5", "sun", "table")
    assert claim.pressed_ms_before_end == 35_000 - 4_200


def test_a_claim_that_was_typed_there_came_from_a_desk() -> None:
    leading = playing()
    leading.hall.move(S)
    assert leading.take("k1", button=None).accepted
    assert [claim.source for claim in leading.hall.loop.picture().claims] == ["desk"]


def test_what_was_not_done_for_a_reason_that_passes_is_to_be_asked_again() -> None:
    leading = LeadingHall(Hall().begin())
    leading.hall.log.prompt = False
    leading.hall.ask("contribute", {"text": "oak"})  # has its turn until the disk answers
    asked = AskHallCommand(hall="east", uplink=leading.uplink("k1", button=None))
    task = events().create_task(leading.leader.hall_command(asked))
    leading.hall.move(5 * S)
    settle()
    assert not task.result().accepted
    assert not leading.leader.decided(asked)
    leading.hall.save()
    leading.take("k1")
    assert leading.leader.decided(asked)


def test_the_same_key_of_another_hall_is_another_claim() -> None:
    leading = playing()
    leading.hall.move(5 * S)
    assert leading.take("k1").accepted
    assert leading.take("k1", hall="west").accepted
    assert [claim.board for claim in leading.hall.loop.picture().claims] == ["east/A5", "west/A5"]


def test_a_press_freezes_at_its_own_moment() -> None:
    leading = playing()
    leading.hall.move(5 * S)
    assert leading.take("p1", "press", ago_ns=300 * MS).accepted
    assert leading.hall.loop.picture().paused
    assert leading.hall.loop.picture().remaining_ms == 35_000 - 4_700
    leading.take("p1", "press", ago_ns=300 * MS)
    assert len(leading.hall.loop.picture().claims) == 1


def test_a_press_that_was_long_under_way_stops_play_now() -> None:
    leading = playing()
    leading.hall.move(20 * S)
    leading.take("p1", "press", ago_ns=10 * S)
    assert leading.hall.loop.picture().remaining_ms == 15_000


def test_a_claim_from_before_the_game_is_refused() -> None:
    leading = playing()
    answer = leading.take("old", ago_ns=900 * S)
    assert [reason.key for reason in answer.reasons] == ["claim.before_this_game"]
    assert leading.hall.loop.picture().claims == []


def test_a_claim_can_be_taken_back_from_there() -> None:
    leading = playing()
    leading.hall.move(S)
    leading.take("k1")
    (claim,) = leading.hall.loop.picture().claims
    assert leading.take("k1/withdraw", "withdraw", claim=claim.id).accepted
    assert [one.status for one in leading.hall.loop.picture().claims] == ["withdrawn"]


def test_the_director_may_enter_a_claim_of_a_board_in_another_hall() -> None:
    leading = playing()
    halls = [other("east")]
    leading.leader.tell(AskLink(state="leading", leader="main", term=1, halls=halls))
    assert accepted(leading.hall.ask("claim", {"board": "EAST/a05", "side": "sun"}))
    assert [claim.board for claim in leading.hall.loop.picture().claims] == ["east/A5"]


def test_a_hall_that_is_gone_is_named() -> None:
    leading = playing()
    for online, told in ((True, []), (False, ["link.halls_away"]), (True, [])):
        halls = [other("east", online=online)]
        leading.leader.tell(AskLink(state="leading", leader="main", term=1, halls=halls))
        picture = leading.hall.loop.picture()
        assert [item.key for item in picture.health.items] == told
        assert picture.link is not None
        assert [(one.hall, one.online, one.boards) for one in picture.link.halls] == [("east", online, 1)]


def test_a_silent_links_process_is_told() -> None:
    leading = playing()
    leading.leader.tell(AskLink(state="leading", leader="main", term=1))
    leading.hall.move(FOLLOWER_SILENT_NS)
    picture = leading.hall.loop.picture()
    assert [item.key for item in picture.health.items] == ["link.process_silent"]
    assert picture.link is not None
    assert picture.link.state == "lost"


def test_a_hall_is_away_since_it_was_told_first() -> None:
    hall = Hall().begin()
    leading = LeadingHall(hall)
    away = other("east", online=False)
    since_ms = hall.timers.now_ns // 1_000_000
    leading.leader.tell(AskLink(state="leading", halls=[away]))
    hall.move(S)
    leading.leader.tell(AskLink(state="leading", halls=[away, other("west")]))
    assert [(one.hall, one.away_ms) for one in leading.leader.view().halls] == [
        ("east", since_ms),
        ("west", None),
    ]
    leading.leader.tell(AskLink(state="leading", halls=[other("east")]))
    assert leading.leader.view().halls[0].away_ms is None


def test_a_pause_of_a_director_there_is_nobodys_claim() -> None:
    leading = playing()
    leading.hall.move(5 * S)
    for _ in range(2):
        assert leading.take("p1", "pause", ago_ns=300 * MS, source="director").accepted
    picture = leading.hall.loop.picture()
    assert (picture.pause_reasons, picture.claims) == (["director"], [])
    assert picture.remaining_ms == 35_000 - 4_700
    assert picture.allowed["resume"] is None


def test_how_badly_the_clock_was_known_is_told_with_a_timed_claim() -> None:
    leading = playing()
    leading.hall.move(5 * S)
    assert leading.take("k1", press_error_ms=80, error_us=2_500).accepted
    assert [claim.press_error_ms for claim in leading.hall.loop.picture().claims] == [83]


ANOTHER = SentenceView(key="link.another_leads", params={"hall": "annex", "term": 2})


def not_alone(leading: LeadingHall, state: LinkState) -> None:
    leading.leader.tell(AskLink(state=state, leader="annex", term=1, trouble=ANOTHER))


@pytest.mark.parametrize("state", ["refused", "divided"])
def test_who_does_not_lead_stands_still_as_a_fault_and_plays_on_only_where_somebody_insists(
    state: LinkState,
) -> None:
    leading = playing()
    leading.hall.move(S)
    not_alone(leading, state)
    picture = leading.hall.loop.picture()
    assert (picture.running, picture.pause_reasons) == (False, ["fault"])
    assert [(item.key, item.level) for item in picture.health.items] == [("link.another_leads", "fault")]
    against = picture.allowed["resume"]
    assert against is not None
    assert ([key.key for key in against.keys], against.override) == (["link.another_leads"], True)
    (answer,) = leading.hall.ask("resume")
    assert [reason.key for reason in answer.reasons] == ["link.another_leads"]
    leading.leader.tell(AskLink(state="looking", term=1))
    assert leading.hall.loop.picture().allowed["resume"] is not None, "it does not lead yet"
    not_alone(leading, state)
    assert accepted(leading.hall.ask("resume", {"override": True}))
    not_alone(leading, state)
    leading.hall.move(4 * S)
    assert leading.hall.loop.picture().running, "who insisted is not stopped again"
    leading.leader.tell(AskLink(state="leading", leader="main", term=3))
    assert leading.hall.loop.picture().health.items == []
    assert leading.hall.loop.picture().allowed["start"] != ANOTHER


def test_no_game_is_started_where_another_one_leads() -> None:
    leading = LeadingHall(Hall().begin())
    not_alone(leading, "refused")
    (answer,) = leading.hall.ask("start")
    assert [reason.key for reason in answer.reasons] == ["link.another_leads"]
    assert accepted(leading.hall.ask("start", {"override": True}))


def test_a_person_settles_it_by_the_name_of_the_hall_that_shall_lead() -> None:
    leading = playing()
    nothing = leading.leader.settle(AskSettle(lead=True, hall="main"))
    assert nothing is not None
    assert nothing.key == "link.nothing_to_settle"
    not_alone(leading, "divided")
    for lead, typed in ((True, "annex"), (False, "main"), (True, "Main")):
        wrong = leading.leader.settle(AskSettle(lead=lead, hall=typed))
        assert wrong is not None
        assert wrong.key == "link.type_the_leader"
    assert leading.leader.tell(AskLink(state="divided", leader="annex", term=1)) is None
    assert leading.leader.settle(AskSettle(lead=True, hall="main")) is None
    told = leading.leader.tell(AskLink(state="divided", leader="annex", term=1))
    assert told is not None
    assert told.lead
    assert leading.leader.tell(AskLink(state="divided", leader="annex", term=1)) == told, "until it is done"
    done = AskLink(state="leading", leader="main", term=2, settled=told.id)
    assert leading.leader.tell(done) is None


def test_halls_of_other_software_are_named() -> None:
    leading = playing()
    own = reckoned()
    halls = [other("east", source="0" * 12), other("north", online=False, source="1" * 12), other("west")]
    same = OtherHall(hall="south", online=True, software=own)
    leading.leader.tell(AskLink(state="leading", leader="main", term=1, halls=[*halls, same]))
    items = leading.hall.loop.picture().health.items
    assert [(item.key, item.level, item.params) for item in items] == [
        (
            "link.halls_away",
            "warning",
            {"halls": SentenceView(key="told.as_it_is", params={"text": "north"})},
        ),
        (
            "link.other_software",
            "warning",
            {"halls": SentenceView(key="told.as_it_is", params={"text": "east"})},
        ),
    ]


def test_a_picture_with_many_open_claims_goes_to_a_following_core() -> None:
    """It is a request there, which has only so many levels."""
    leading = playing()
    leading.hall.move(5 * S)
    for number in range(40):
        leading.take(f"k{number}", board=f"B{number}")
    leading.hall.press()
    picture = leading.hall.loop.picture()
    against = picture.allowed["resume"]
    assert against is not None
    assert "board east/B39 Sun" in against.reasons[0]
    news = AskFollow(leader="main", term=1, offset_us=0, error_us=0, heard_us=1, picture=picture)
    assert decode_request(encode_request(news)) == news
