"""A change of which no line can be written never counts as saved, and neither does what came after it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pi_controller.core.game_loop import loop as game_loop
from pi_controller.core.wiring.service import LAST_LINES_S
from pi_controller.game.events import Event
from pi_controller.journal.record import encode_event
from tests.core.disk import DiskHall
from tests.core.hall import Hall, accepted
from tests.core.hand import S, settle

WORD = {"text": "a word nobody can write down"}


@pytest.fixture
def halls() -> Iterator[list[DiskHall]]:
    """Halls whose writers end with the test."""
    opened: list[DiskHall] = []
    yield opened
    for hall in opened:
        hall.crash()


class Broken:
    """The next event that is to be encoded raises, and so does each try of it again until `mend`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._first: Event | None = None
        self._mended = False
        monkeypatch.setattr(game_loop, "encode_event", self._encode)

    def mend(self) -> None:
        self._mended = True

    def _encode(self, event: Event) -> tuple[str, dict[str, object]]:
        if not self._mended and (self._first is None or event is self._first):
            self._first = event
            raise LookupError("a defect")
        return encode_event(event)


def test_a_change_that_cannot_be_written_is_told_and_never_acknowledged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hall = Hall().play()
    before = hall.picture.saved_seq
    assert before == hall.picture.seq
    Broken(monkeypatch)
    claimed = hall.ask("claim", {"board": "A1"})
    assert [(answer.accepted, answer.done) for answer in claimed] == [(False, True)]
    assert claimed[0].reasons[0].key == "answer.done_but_not_saved"
    hall.ask("say", {"text": "later"})
    hall.move(S)
    picture = hall.picture
    assert [claim.board for claim in picture.claims] == ["A1"], "what is shown holds"
    assert picture.message.text == "later"
    assert (picture.saved_seq, picture.seq > before) == (before, True)
    assert picture.paused
    assert [item.key for item in picture.health.items if item.level == "fault"] == [
        "journal.change_not_written"
    ]
    assert picture.allowed["resume"].override, "who goes on knows that nothing is kept"
    assert hall.loop.metrics.numbers()["defects"] == 1, "each try of it again is the same defect"


def test_once_it_can_be_written_everything_goes_to_the_disk_in_its_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hall = Hall().play()
    broken = Broken(monkeypatch)
    hall.ask("claim", {"board": "A1"})
    hall.ask("say", {"text": "later"})
    known = len(hall.log.lines)
    broken.mend()
    assert accepted(hall.ask("say", {"text": "again"}))
    tags = [tag for tag, _, _ in hall.log.lines[known:]]
    assert tags == sorted(tags)
    given = [data["action"]["command"]["name"] for _, kind, data in hall.log.lines[known:] if kind == "did"]
    assert given in (["claim", "say", "pause", "say"], ["claim", "pause", "say", "say"]), given
    assert hall.picture.saved_seq == hall.picture.seq
    assert hall.picture.health.level == "ok"


def test_a_restart_tells_the_loss(
    tmp_path: Path, halls: list[DiskHall], monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = DiskHall(tmp_path).play()
    hall.move(10 * S)
    hall.log.prompt = False
    with monkeypatch.context() as patch:
        Broken(patch)
        hall.ask("claim", {"board": "A1"})
        hall.ask("say", {"text": "later"})
        settle()
        saved = hall.picture.saved_seq
        hall.beat()
    later = hall.again()
    halls.append(later)
    assert saved < hall.picture.seq
    assert later.picture.claims == []
    told = {item.key: item.params["count"] for item in later.picture.health.items}
    assert told["journal.unsaved"] >= 3, "claim, pause because of the fault, and the word said later"


def test_a_new_game_does_not_take_the_place_of_one_whose_end_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hall = Hall().begin()
    Broken(monkeypatch)
    assert not hall.ask("say", {"text": "hello"})[0].accepted
    armed = hall.ask("arm")
    assert [(answer.accepted, answer.reasons[0].key) for answer in armed] == [(False, "answer.nothing_done")]
    assert (hall.log.opened, hall.picture.game_id) == ([], "g1")


def test_a_game_of_which_no_first_line_can_be_made_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hall = Hall().begin()
    with monkeypatch.context() as patch:
        patch.setattr(hall.arming, "open", raising)
        armed = hall.ask("arm")
    assert [(answer.accepted, answer.reasons[0].key) for answer in armed] == [(False, "defect.broken_off")]
    assert accepted(hall.ask("say", {"text": "hello"})), "the disk is well"
    assert accepted(hall.ask("arm"))


def raising(*_given: object, **_named: object) -> None:
    raise LookupError("a defect")


@pytest.mark.parametrize(
    "end", [lambda hall: hall.loop.saves.hand_over_at_last(), lambda hall: hall.loop.stop()]
)
def test_what_is_decided_once_the_journal_closes_is_no_defect(
    tmp_path: Path, halls: list[DiskHall], end: Callable[[DiskHall], None], caplog: pytest.LogCaptureFixture
) -> None:
    """The watchdog has closed the journal, and the loop wakes after all."""
    hall = DiskHall(tmp_path).play()
    hall.log.prompt = False
    saved = hall.picture.saved_seq
    end(hall)
    hall.writer.close(LAST_LINES_S)
    hall.press()
    answers = hall.ask("say", {"text": "hello"})
    assert hall.loop.frozen, "the button stops the game as long as it is there"
    assert [answer.accepted for answer in answers] in ([], [False])
    assert hall.loop.saves.saved_seq(hall.loop.seq) == saved
    assert hall.loop.metrics.numbers()["defects"] == 0
    assert [record.message for record in caplog.records if record.exc_info] == []
