from msgspec.structs import replace

from pi_controller.bus.messages import ClaimReport, HealthMessage, Info
from pi_controller.bus.register import CHECK_AGAIN_US, DENIALS, MOST_GARBLED, Register
from pi_controller.bus.snapshot import Node
from pi_controller.bus.values import BusEvent, ButtonHeard, ClaimHeard, NodeChanged, Place, WithdrawalHeard

INFO = Info(uid="e6614c311b000001", hardware=1, firmware=(1, 2), boots=4)
HEALTH = HealthMessage(epoch=1, state_seq=1, uptime=10, crc_errors=250, missed=7)
NOW = 9_000_000_000


def joined() -> tuple[Register, Node]:
    register = Register(name="A", epoch=1, baud=250_000)
    register.places((Place(uid=INFO.uid, board="A1", swapped=True),))
    register.joined(INFO, 3, NOW)
    return register, register.nodes[INFO.uid]


def events(register: Register) -> tuple[BusEvent, ...]:
    return register.taken_events()


def test_a_node_that_confirms_its_address_is_there() -> None:
    register, node = joined()
    assert (node.address, node.board, node.swapped, node.state) == (3, "A1", True, "good")
    assert events(register) == (NodeChanged(segment="A", uid=INFO.uid, state="good"),)
    assert events(register) == ()
    assert register.polling.hurried


def test_a_node_that_does_not_speak_the_version_in_need_is_outdated_meanwhile() -> None:
    register, node = joined()
    newer = replace(INFO, uid="e6614c311b000002", proto_max=2)
    register.joined(newer, 4, NOW)
    events(register)
    register.needs(2)
    register.needs(2)
    assert events(register) == (NodeChanged(segment="A", uid=INFO.uid, state="outdated"),)
    assert register.outdated() == [node]
    register.joined(INFO, 3, NOW)
    assert node.state == "outdated"
    register.needs(1)
    assert events(register) == (NodeChanged(segment="A", uid=INFO.uid, state="good"),)
    assert register.outdated() == []
    assert node in (register.polling.next(NOW), register.polling.next(NOW))


def test_a_version_is_known_where_every_node_that_may_hear_speaks_it() -> None:
    register, node = joined()
    assert not Register(name="A", epoch=1, baud=250_000).knows(1)
    assert (register.knows(1), register.knows(2)) == (True, False)
    register.joined(replace(INFO, uid="e6614c311b000002", proto_max=2), 4, NOW)
    assert not register.knows(2)
    node.state = "lost"
    assert register.knows(2)


def test_a_node_lacks_words_when_it_says_so_or_cannot_know() -> None:
    """It is asked as ever: only its words are missing."""
    register, node = joined()
    newer = replace(INFO, uid="e6614c311b000002", proto_max=3)
    register.joined(newer, 4, NOW)
    young = register.nodes[newer.uid]
    assert not register.is_wordless(node)
    register.speaks(("pl", "en"))
    assert register.is_wordless(node)
    assert not register.is_wordless(young)
    register.heard(young, replace(HEALTH, wordless=True), NOW)
    assert register.is_wordless(young)
    assert (node.state, young.state) == ("good", "good")
    register.heard(young, HEALTH, NOW)
    assert not register.is_wordless(young)
    register.speaks(("en",))
    assert not register.is_wordless(node)


def test_counters_of_a_node_add_up_over_their_wrap() -> None:
    register, node = joined()
    register.heard(node, HEALTH, NOW)
    register.heard(node, replace(HEALTH, crc_errors=3, missed=9), NOW)
    assert (node.crc_errors, node.states_missed) == (9, 2)


def test_counters_that_jump_back_make_it_say_who_it_is() -> None:
    """Until then nothing that it says of claims is believed: it may be another node."""
    register, node = joined()
    register.heard(node, HEALTH, NOW)
    events(register)
    claiming = replace(HEALTH, uptime=0, sun=ClaimReport(1, 77))
    register.heard(node, claiming, NOW)
    assert register.restless
    assert register.taken_doubtful() == [node]
    assert not register.restless
    assert events(register) == ()
    register.joined(replace(INFO, boots=5), 3, NOW)
    register.heard(node, claiming, NOW)
    (heard,) = events(register)
    assert isinstance(heard, ClaimHeard)
    assert heard.claim.boots == 5
    assert register.taken_doubles() == []


def test_the_same_run_of_a_node_whose_time_went_back_has_a_double() -> None:
    register, node = joined()
    register.heard(node, HEALTH, NOW)
    register.heard(node, replace(HEALTH, uptime=3), NOW)
    register.taken_doubtful()
    register.joined(INFO, 3, NOW)
    assert register.taken_doubles() == [node]


def test_answers_that_are_always_damaged_are_two() -> None:
    register, node = joined()
    for _ in range(MOST_GARBLED - 1):
        register.unanswered(node, NOW, garbled=True)
    register.heard(node, HEALTH, NOW)
    for _ in range(MOST_GARBLED):
        assert not register.restless
        register.unanswered(node, NOW, garbled=True)
    assert register.taken_doubles() == [node]
    for _ in range(MOST_GARBLED):
        register.unanswered(node, NOW + 1, garbled=True)
    assert not register.restless
    register.unanswered(node, NOW + CHECK_AGAIN_US, garbled=True)
    assert register.restless


def test_who_answers_for_a_node_that_never_confirms_is_another() -> None:
    register, node = joined()
    for _ in range(DENIALS):
        register.not_there(INFO.uid, NOW)
    assert not register.restless
    node.doubtful = True
    for _ in range(DENIALS):
        register.not_there(INFO.uid, NOW)
    assert register.taken_doubles() == [node]
    register.not_there("ffffffffffffffff", NOW)


def test_a_press_is_told_once() -> None:
    register, node = joined()
    events(register)
    pressed = replace(HEALTH, moon_button=True)
    for health in (HEALTH, pressed, pressed, HEALTH, pressed):
        register.heard(node, health, NOW)
    assert events(register) == (ButtonHeard(uid=INFO.uid, side="moon"),) * 2


def test_a_moment_in_the_future_is_cut_to_now() -> None:
    register, node = joined()
    events(register)
    register.heard(node, replace(HEALTH, sun=ClaimReport(1, (NOW + 500_000) % 2**32)), NOW)
    (heard,) = events(register)
    assert isinstance(heard, ClaimHeard)
    assert heard.at_us == NOW


def test_the_one_lost_longest() -> None:
    register, node = joined()
    assert register.longest_lost() is None
    node.state = "lost"
    register.joined(replace(INFO, uid="e6614c311b000002"), 4, NOW + 5)
    register.nodes["e6614c311b000002"].state = "lost"
    assert register.longest_lost() is node
    register.forget(node)
    assert INFO.uid not in register.nodes


def test_who_comes_back_says_who_it_is_and_keeps_its_address() -> None:
    register, node = joined()
    register.heard(node, HEALTH, NOW)
    node.state = "suspect"
    register.heard(node, HEALTH, NOW + 3_000_000)
    assert register.taken_doubtful() == [node]
    register.joined(INFO, 3, NOW + 3_010_000)
    assert not node.doubtful
    assert not register.restless


def test_counters_that_ran_far_during_a_long_silence_have_not_gone_back() -> None:
    register, node = joined()
    register.heard(node, HEALTH, NOW)
    register.heard(node, replace(HEALTH, crc_errors=240), NOW + 2_000_000)
    assert not register.restless
    register.heard(node, replace(HEALTH, crc_errors=230), NOW + 2_400_000)
    assert register.taken_doubtful() == [node]


def test_what_stands_is_told_again_with_its_taking_back() -> None:
    register, node = joined()
    register.heard(node, replace(HEALTH, sun=ClaimReport(1, 77), sun_withdraws=True), NOW)
    events(register)
    register.tell_again()
    claim, back = events(register)
    assert isinstance(claim, ClaimHeard)
    assert isinstance(back, WithdrawalHeard)
    assert (claim.board, back.board, back.claim) == ("A1", "A1", claim.claim)
    register.forget(node)
    register.tell_again()
    assert [event.board for event in events(register) if isinstance(event, ClaimHeard)] == [None]
