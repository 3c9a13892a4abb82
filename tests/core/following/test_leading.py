"""What other halls have for a leader's game."""

from typing import Any

from pi_controller.core.following.leading import SILENCE_NS, Leader
from pi_controller.core.game_loop.pending import Answer
from pi_controller.core.tables.press_times import PressTimes
from pi_controller.protocol.halls import Hall as OtherHall
from pi_controller.protocol.halls import Uplink
from pi_controller.protocol.messages import AskHallCommand, AskLink
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
        uplink = Uplink(
            key=key,
            do=do,  # type: ignore[arg-type]
            at_us=(self.hall.timers.now_ns - ago_ns) // 1_000,
            **({"board": "A5", "side": "sun", "button": "well"} if do == "claim" else {}) | more,
        )
        asked = AskHallCommand(hall=hall, uplink=uplink)
        task = events().create_task(self.leader.hall_command(asked))
        settle()
        self.hall.save()
        settle()
        return task.result()


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
    uplink = Uplink(key="k1", do="claim", at_us=leading.hall.timers.now_ns // 1_000, board="A5", side="sun")
    asked = AskHallCommand(hall="east", uplink=uplink)
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


def test_claims_stand_in_the_order_of_their_presses() -> None:
    leading = playing()
    leading.hall.move(9 * S)
    leading.take("late", ago_ns=1 * S)
    leading.take("early", hall="west", ago_ns=6 * S)
    assert [claim.board for claim in leading.hall.loop.picture().claims] == ["west/A5", "east/A5"]


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
    halls = [OtherHall(hall="east", online=True, boards=["A5"])]
    leading.leader.tell(AskLink(state="leading", leader="main", term=1, halls=halls))
    assert accepted(leading.hall.ask("claim", {"board": "EAST/a05", "side": "sun"}))
    assert [claim.board for claim in leading.hall.loop.picture().claims] == ["east/A5"]


def test_a_hall_that_is_gone_is_named() -> None:
    leading = playing()
    for online, told in ((True, []), (False, ["link.halls_away"]), (True, [])):
        halls = [OtherHall(hall="east", online=online, boards=["A5"])]
        leading.leader.tell(AskLink(state="leading", leader="main", term=1, halls=halls))
        picture = leading.hall.loop.picture()
        assert [item.key for item in picture.health.items] == told
        assert picture.link is not None
        assert [(one.hall, one.online, one.boards) for one in picture.link.halls] == [("east", online, 1)]


def test_a_silent_links_process_is_told() -> None:
    leading = playing()
    leading.leader.tell(AskLink(state="leading", leader="main", term=1))
    leading.hall.move(SILENCE_NS)
    picture = leading.hall.loop.picture()
    assert [item.key for item in picture.health.items] == ["link.process_silent"]
    assert picture.link is not None
    assert picture.link.state == "lost"


def test_a_hall_is_away_since_it_was_told_first() -> None:
    hall = Hall().begin()
    leading = LeadingHall(hall)
    away = OtherHall(hall="east", online=False)
    since_ms = hall.timers.now_ns // 1_000_000
    leading.leader.tell(AskLink(state="leading", halls=[away]))
    hall.move(S)
    leading.leader.tell(AskLink(state="leading", halls=[away, OtherHall(hall="west", online=True)]))
    assert [(one.hall, one.away_ms) for one in leading.leader.view().halls] == [
        ("east", since_ms),
        ("west", None),
    ]
    leading.leader.tell(AskLink(state="leading", halls=[OtherHall(hall="east", online=True)]))
    assert leading.leader.view().halls[0].away_ms is None
