"""What the journal's threads report reaches the health, and leaves it when it is mended."""

import pytest

from pi_controller.core.game_loop.loop import SAVED_SHOWN_AFTER_NS, JournalNews
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


def test_that_a_change_is_on_the_disk_is_shown_once_and_a_little_later() -> None:
    hall = Hall().begin()
    hall.log.prompt = False
    for text in ("one", "two"):
        hall.ask("say", {"text": text})
    shown = len(hall.pictures)
    for seq in (hall.picture.seq - 1, hall.picture.seq):
        hall.loop.saves.saved(seq, "")
    hall.timers.move(SAVED_SHOWN_AFTER_NS - 1)
    assert len(hall.pictures) == shown
    assert hall.picture.saved_seq < hall.picture.seq
    hall.timers.move(1)
    assert len(hall.pictures) == shown + 1
    assert hall.picture.saved_seq == hall.picture.seq
    hall.timers.move(SAVED_SHOWN_AFTER_NS)
    assert len(hall.pictures) == shown + 1


def test_nothing_is_shown_of_the_disk_after_the_stop() -> None:
    hall = Hall().begin()
    hall.log.prompt = False
    hall.ask("say", {"text": "one"})
    hall.loop.saves.saved(hall.picture.seq, "")
    shown = len(hall.pictures)
    hall.loop.stop()
    hall.timers.move(SAVED_SHOWN_AFTER_NS)
    assert len(hall.pictures) == shown
