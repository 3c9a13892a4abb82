"""What the journal's threads report reaches the health, and leaves it when it is mended."""

import pytest

from pi_controller.core.game_loop.journal_news import JournalNews
from pi_controller.journal.errors import Part, Trouble
from pi_controller.sentence import as_told
from tests.core.hall import Hall
from tests.core.hand_threads import HandThreads


@pytest.mark.parametrize(
    ("part", "pauses"),
    [("space", True), ("files", False), ("second_copy", False), ("heartbeat", False)],
)
def test_a_trouble_is_told_and_its_end_too(part: Part, pauses: bool) -> None:
    hall = Hall().play()
    news = JournalNews(HandThreads())
    news.tell(hall.loop)
    news.trouble(Trouble(as_told("Something is not in order."), fatal=False, part=part))
    health = hall.picture.health
    assert (health.level, health.messages) == ("warning", ["Something is not in order."])
    assert hall.picture.paused is pauses
    news.mended(part)
    assert hall.picture.health.messages == []


def test_a_disk_that_takes_nothing_is_a_fault_until_it_does() -> None:
    hall = Hall().play()
    news = JournalNews(HandThreads())
    news.tell(hall.loop)
    news.trouble(Trouble(as_told("Nothing gets through."), fatal=True))
    assert (hall.picture.health.level, hall.picture.paused) == ("fault", True)
    news.mended("journal")
    assert hall.picture.health.level == "ok"
