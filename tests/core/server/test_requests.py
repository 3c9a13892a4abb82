"""What is asked over the control socket: earlier games, the last actions, and whatever can be wrong."""

import asyncio
import json
import logging
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pi_controller.core.server.requests import (
    LINES_AT_ONCE,
    MISTYPED,
    MOST_WAITING,
    Archive,
    ArchiveRequests,
    answer_about_actions,
)
from pi_controller.core.wiring.game import make_archive
from pi_controller.journal.store import Store
from pi_controller.language.words import words
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import AskActions, AskExportLines, AskGames, decode_request
from pi_controller.protocol.sentences import SentenceView, sentence
from pi_controller.protocol.server import Later
from tests.core.hall import Hall, accepted
from tests.core.hand import S
from tests.core.hand_threads import HandThreads
from tests.journal.chains import GAME, SEED, Reports, open_game, start_writer
from tests.journal.test_exports import Files
from tests.matrix import further
from tests.protocol.test_server import Desk, connect, run
from tests.protocol.wrong import Json, wrong_requests

# Games over the control socket: one reader at a time, no seed that the picture withholds.


class Asker:
    """A client that keeps what it is told."""

    def __init__(self) -> None:
        self.under_way: set[Later] = set()
        self.told: list[dict[str, Any]] = []

    def begin(self, request: Any) -> Later:
        return Later(self, request)  # type: ignore[arg-type]

    def send(self, line: bytes) -> None:
        self.told.append(json.loads(line))


class ReadingDesk:
    """What is read on a thread is read when the test says so."""

    def __init__(self) -> None:
        self.reads: list[str] = []
        self.lines: Exception | None = None
        self.threads = HandThreads(at_once=False)
        archive = Archive(games=list, lines=self._lines, errors=(LookupError,))
        self.asks = ArchiveRequests(archive, self.threads)

    def _lines(self, game: str) -> list[str]:
        assert not self.threads.waiting, "one reads at a time"
        if self.lines is not None:
            raise self.lines
        self.reads.append(game)
        return [str(number) for number in range(1000)]


def test_a_whole_export_reads_its_game_once() -> None:
    desk, asker = ReadingDesk(), Asker()
    for number in range(5):
        desk.asks.answer(asker, AskExportLines(game="g", first=number * LINES_AT_ONCE))  # type: ignore[arg-type]
        desk.threads.work()
    assert [line for part in asker.told for line in part["lines"]] == [str(number) for number in range(1000)]
    assert [part["more"] for part in asker.told] == [True] * 4 + [False]
    assert desk.reads == ["g"]


def test_many_are_read_one_after_the_other_and_too_many_are_told_so() -> None:
    desk, asker = ReadingDesk(), Asker()
    for _ in range(MOST_WAITING + 3):
        desk.asks.answer(asker, AskExportLines(game="g"))  # type: ignore[arg-type]
    assert [told["error"][:16] for told in asker.told] == ["Several programs"] * 3
    desk.threads.work()
    assert (asker.under_way, len(asker.told)) == (set(), MOST_WAITING + 3)
    desk.asks.answer(asker, AskGames())  # type: ignore[arg-type]
    desk.threads.work()
    assert asker.told[-1]["games"] == []


def test_a_reading_that_breaks_off_with_a_defect_is_answered_and_the_next_one_is_read() -> None:
    desk, asker = ReadingDesk(), Asker()
    desk.asks.answer(asker, AskExportLines(game="g", first=-1))  # type: ignore[arg-type]
    desk.lines = RuntimeError("a defect")
    with pytest.raises(RuntimeError, match="a defect"):
        desk.threads.work()
    desk.lines = None
    assert asker.told[-1]["error"].endswith("a bug in the controller: see its log.")
    desk.asks.answer(asker, AskGames())  # type: ignore[arg-type]
    desk.threads.work()
    assert asker.told[-1]["games"] == []
    assert asker.under_way == set()


def test_the_seed_of_an_end_that_is_not_synced_is_not_given_out(tmp_path: Path) -> None:
    files, reports = Files(), Reports()
    writer = start_writer(Store(tmp_path, files=files), reports)
    archive = make_archive(tmp_path, None, writer)
    open_game(writer)
    reports.wait_saved(0)
    files.no_sync = True
    lines: list[Any] = [("ended", {"winners": []}), ("seed", {"seed": SEED.hex()})]
    writer.append_all(lines, game_ns=5, boot_ns=5, tag=1)
    reports.wait_trouble("kept in memory")
    assert len(archive.lines(GAME)) == 1
    files.no_sync = False
    reports.wait_saved(1)
    assert SEED.hex() in archive.lines(GAME)[2]
    writer.close()


# The last actions over the control socket, with what undoing them would leave.


def playing() -> Hall:
    hall = Hall().begin()
    assert accepted(hall.ask("start"))
    hall.move(5 * S)
    assert accepted(hall.ask("add_time", {"ms": 10_000}))
    hall.move(1 * S)
    return hall


def asked(hall: Hall, **question: Any) -> dict[str, Any]:
    line = answer_about_actions(hall.loop, AskActions(**question), hall.timers.boot_ns())
    return json.loads(line)  # type: ignore[no-any-return]


def test_each_action_has_its_moment_its_source_and_its_words_in_the_language_of_who_asks() -> None:
    hall = playing()
    told = asked(hall, lang="de")["actions"]
    newest = told["actions"][0]
    assert (newest["text"], newest["said"]["key"]) == ("10 s dazugegeben", "action.time_added")
    assert told["as_of_ms"] - newest["at_ms"] == 1_000
    assert (told["seq"], told["session"]) == (hall.loop.seq, "s")
    assert told["undone"] == []
    assert told["outcome"] is None


def test_what_an_undo_would_leave_is_told_and_nothing_is_done() -> None:
    hall = playing()
    seq = hall.loop.seq
    newest, start = asked(hall)["actions"]["actions"]
    assert newest["steps"] == 1
    assert newest["outcome"] == {
        "phase": "round", "round": 1, "side": "sun", "paused": False,
        "remaining_ms": 32_000, "open_claims": 0, "reasons": [], "keys": [],
    }  # fmt: skip
    assert start["outcome"]["phase"] == "ready"
    assert hall.loop.seq == seq


def test_a_replacement_is_told_beforehand_too() -> None:
    hall = playing()
    told = asked(hall, replace={"name": "add_time", "body": {"ms": -5_000}})["actions"]["outcome"]
    assert (told["remaining_ms"], told["reasons"]) == (27_000, [])
    refused = asked(hall, replace={"name": "claim", "body": {"board": "A1", "side": "sun", "press": "p9"}})
    assert refused["actions"]["outcome"]["reasons"] != []


def test_what_is_no_replacement_is_malformed() -> None:
    assert "malformed" in asked(playing(), replace={"name": "undo"})
    assert "malformed" in asked(playing(), replace=["pause"])


def test_a_preview_ends_at_the_first_roll_that_the_hall_has_not_seen() -> None:
    hall = playing()
    for replacement in ({"name": "skip", "body": {}}, {"name": "add_time", "body": {"ms": -60_000}}):
        assert asked(hall, replace=replacement)["actions"]["outcome"] == {"phase": "unseen"}


def test_a_roll_that_the_hall_has_seen_is_foreseen_again_when_it_was_undone() -> None:
    hall = playing()
    assert accepted(hall.ask("skip"))
    assert accepted(hall.ask("undo"))
    assert accepted(hall.ask("add_time", {"ms": 1}))
    outcome = asked(hall, replace={"name": "skip", "body": {}})["actions"]["outcome"]
    assert (outcome["phase"], outcome["round"], outcome["remaining_ms"]) == ("round", 2, 35_000)


# The real server on whatever can be wrong in a request: each gets an answer, nothing is logged, nothing ends.


STREAMS = {"watch", "watch_tables", "watch_test", "panel"}
PARTS = 7
"""Of all wrong requests: it shares no factor with the 38 of each field, so that each part has every odd value."""


@pytest.mark.parametrize("part", [0, *further(*range(1, PARTS))])
def test_each_is_answered_with_its_number_and_the_next_one_too(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, part: int
) -> None:
    caplog.set_level(logging.WARNING)

    async def talk(at: Desk) -> None:
        line = await connect(at)
        for request in islice(wrong_requests(), part, None, PARTS):
            if request["ask"] in STREAMS and understood(request):
                continue
            line.ask(**{name: value for name, value in request.items() if name not in {"version", "id"}})
            answer = await line.read()
            assert answer["id"] == 7, request
            sentences = [answer.get("malformed"), answer.get("error"), *answer.get("reasons", [])]
            assert all(text is None or "Traceback" not in text for text in sentences), request
        line.ask(ask="picture")
        assert (await line.read())["picture"]["phase"]
        await asyncio.sleep(0)

    run(tmp_path, talk)
    assert [record for record in caplog.records if record.exc_info] == []


def test_an_answer_is_in_the_language_of_its_request(tmp_path: Path) -> None:
    """A repeat under the same key in that of the repeat; without a language, or with one that is not there, in
    English; the key is the same in all of them."""

    async def talk(at: Desk) -> None:
        line = await connect(at)

        async def refused(**lang: str) -> tuple[str, Json]:
            line.ask(ask="command", name="resume", key="once", **lang)
            answer = await line.read()
            return answer["reasons"][0], answer["reason_keys"][0]

        english, key = await refused()
        assert await refused(lang="xx") == (english, key)
        said = words(sentence(msgspec.convert(key, SentenceView)), "en-XA")
        assert await refused(lang="en-XA") == (said, key)
        line.ask(ask="command", name="nonsense", lang="en-XA")
        wrong = await line.read()
        assert wrong["malformed"].startswith("[")
        assert wrong["malformed_key"]["key"] == "request.no_command"

    run(tmp_path, talk)


def test_guesses_of_the_pin_are_told_until_an_hour_after_the_last(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        line = await connect(at)

        async def told(wrong: int) -> list[str]:
            line.ask(ask="pin_guesses", wrong=wrong)
            await line.read()
            return [item.key for item in at.hall.loop.picture().health.items]

        assert await told(MISTYPED) == []
        assert await told(MISTYPED + 1) == ["pin.guessed"]
        at.hall.timers.move(1800 * S)
        assert await told(MISTYPED + 2) == ["pin.guessed"]
        at.hall.timers.move(3599 * S)
        assert await told(MISTYPED) == ["pin.guessed"], "mistyped ones are no sign that it is over"
        at.hall.timers.move(2 * S)
        assert await told(MISTYPED) == []
        notes = [data for _, kind, data in at.hall.log.lines if kind == "note"]
        assert notes == [{"pin_guesses": 10}], "a guesser does not fill the journal"

    run(tmp_path, talk)


def understood(request: Json) -> bool:
    try:
        decode_request(json.dumps(request).encode())
    except Malformed:
        return False
    return True
