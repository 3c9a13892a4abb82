from pi_controller.bus.messages import ClaimAnswer
from pi_controller.bus.register import NodeClaims
from pi_controller.bus.values import ClaimHeard, ClaimOutcome, NodeClaim, NodeClaimStatus, WithdrawalHeard

UID = "e6614c311b000001"


def claim(number: int = 1, *, boots: int = 7) -> NodeClaim:
    return NodeClaim(uid=UID, boots=boots, side="sun", number=number)


def became(
    status: NodeClaimStatus, made: NodeClaim | None = None, *, at_us: int = 5_000
) -> list[ClaimOutcome]:
    return [ClaimOutcome(claim=made or claim(), at_us=at_us, status=status)]


def test_a_claim_is_told_once_however_often_it_is_heard() -> None:
    claims = NodeClaims()
    assert claims.heard(claim(), 5_000, "A1") == ClaimHeard(claim=claim(), board="A1", at_us=5_000)
    assert claims.heard(claim(), 5_000, "A1") is None
    assert claims.heard(claim(), 5_003, "A1") is None


def test_it_is_answered_as_received_at_once_and_as_published_later() -> None:
    claims = NodeClaims()
    assert claims.answer(UID, "sun") == ClaimAnswer()
    claims.heard(claim(), 5_000, "A1")
    assert claims.answer(UID, "sun") == ClaimAnswer(1, "received")
    assert claims.publish(became("open")) == [UID]
    assert claims.publish(became("open")) == []
    assert claims.answer(UID, "sun") == ClaimAnswer(1, "open")
    assert claims.answer(UID, "moon") == ClaimAnswer()


def test_the_next_claim_of_the_side_is_another() -> None:
    claims = NodeClaims()
    claims.heard(claim(1), 5_000, None)
    assert claims.heard(claim(2), 900_000, None) is not None
    assert claims.answer(UID, "sun").number == 2


def test_an_old_report_does_not_bring_an_old_claim_back() -> None:
    claims = NodeClaims()
    claims.heard(claim(1), 5_000, None)
    claims.heard(claim(2), 900_000, None)
    assert claims.heard(claim(1), 5_000, None) is None
    assert claims.answer(UID, "sun").number == 2


def test_a_restarted_node_may_use_any_number_again() -> None:
    claims = NodeClaims()
    claims.heard(claim(200, boots=7), 5_000, None)
    assert claims.heard(claim(200, boots=9), 900_000, None) is not None
    assert claims.heard(claim(3, boots=9), 1_900_000, None) is not None


def test_a_withdrawal_is_told_when_it_begins() -> None:
    claims = NodeClaims()
    claims.heard(claim(), 5_000, "A1")
    assert claims.taking_back(claim(), "A1", asked=False) is None
    assert claims.taking_back(claim(), "A1", asked=True) == WithdrawalHeard(claim=claim(), board="A1")
    assert claims.taking_back(claim(), "A1", asked=True) is None


def test_nobody_takes_back_what_is_over_or_unknown() -> None:
    claims = NodeClaims()
    assert claims.taking_back(claim(), "A1", asked=True) is None
    claims.heard(claim(), 5_000, "A1")
    claims.publish(became("confirmed"))
    assert claims.taking_back(claim(), "A1", asked=True) is None


def test_what_core_knows_already_is_not_told_to_it() -> None:
    claims = NodeClaims()
    claims.publish(became("rejected"))
    assert claims.answer(UID, "sun") == ClaimAnswer(1, "rejected")
    known = claims.heard(claim(), 5_000, "A1")
    assert known is None


def test_what_became_of_an_older_claim_is_not_said_of_the_standing_one() -> None:
    claims = NodeClaims()
    claims.heard(claim(2), 900_000, None)
    claims.publish(became("rejected"))
    assert claims.answer(UID, "sun") == ClaimAnswer(2, "received")


def test_standing_claims_are_told_again_those_that_are_over_not() -> None:
    claims = NodeClaims()
    moon = NodeClaim(uid=UID, boots=7, side="moon", number=1)
    claims.heard(claim(), 5_000, None)
    claims.heard(moon, 6_000, None)
    claims.taking_back(claim(), None, asked=True)
    assert claims.told_again() == [(claim(), 5_000, True), (moon, 6_000, False)]
    claims.publish(became("withdrawn"))
    assert claims.told_again() == [(moon, 6_000, False)]


def test_a_claim_that_its_node_has_dropped_is_not_told_again_unless_it_comes_back() -> None:
    claims = NodeClaims()
    claims.heard(claim(), 5_000, None)
    claims.gone(UID, "sun")
    claims.gone(UID, "moon")
    assert claims.told_again() == []
    assert claims.heard(claim(), 5_000, None) is None
    assert claims.told_again() == [(claim(), 5_000, False)]


def test_a_number_that_comes_again_is_another_claim_once_its_node_had_none() -> None:
    """A node that has started again may draw the same random bytes."""
    claims = NodeClaims()
    claims.heard(claim(), 5_000_000, "A1")
    claims.publish(became("rejected", at_us=5_000_000))
    assert claims.heard(claim(), 9_000_000, "A1") is None, "it stands all the time: its time was corrected"
    claims.gone(UID, "sun")
    assert claims.heard(claim(), 5_700_000, "A1") is None, "a verdict was taken back"
    claims.gone(UID, "sun")
    assert claims.heard(claim(), 9_000_000, "A1") == ClaimHeard(claim=claim(), board="A1", at_us=9_000_000)
    assert claims.answer(UID, "sun") == ClaimAnswer(1, "received")


def test_an_old_verdict_is_not_said_to_a_node_that_has_no_claim() -> None:
    claims = NodeClaims()
    claims.heard(claim(), 5_000, "A1")
    assert not claims.gone(UID, "sun"), "an open claim is said as long as core knows it"
    claims.heard(claim(), 5_000, "A1")
    claims.publish(became("rejected"))
    assert claims.answer(UID, "sun") == ClaimAnswer(1, "rejected")
    assert claims.gone(UID, "sun")
    assert not claims.gone(UID, "sun")
    assert claims.answer(UID, "sun") == ClaimAnswer()
    claims.publish(became("open"))
    assert claims.answer(UID, "sun") == ClaimAnswer(1, "open"), "undone"


def test_what_is_published_no_longer_is_received_again() -> None:
    claims = NodeClaims()
    claims.heard(claim(), 5_000, "A1")
    claims.publish(became("open"))
    claims.publish([])
    assert claims.answer(UID, "sun") == ClaimAnswer(1, "received")


def test_a_new_master_tells_a_claim_whose_number_has_come_round_since_the_published_one() -> None:
    claims = NodeClaims()
    claims.publish(became("rejected"))
    heard = claims.heard(claim(), 9_000_000, "A1")
    assert heard == ClaimHeard(claim=claim(), board="A1", at_us=9_000_000)
    assert claims.answer(UID, "sun") == ClaimAnswer(1, "received")
