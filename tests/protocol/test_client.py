import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.journal.witnesses import GameSummary
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.messages import News
from pi_controller.protocol.question import LONGEST_ANSWER, BlockingConnection, CommandAnswer
from pi_controller.protocol.tables import TableAction
from tests.hall_of_tables import snapshot
from tests.protocol.fake_core import FakeCore, fake_core, line
from tests.protocol.pictures import picture, typed

READS_S = 20.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "c.sock"


@pytest.fixture
def core(path: Path) -> Iterator[FakeCore]:
    with fake_core(path) as running:
        yield running


def test_each_question_gets_its_answer(core: FakeCore, path: Path) -> None:
    client = Client(path)
    assert client.picture() == typed()
    assert client.games() == [GameSummary("g1")]
    assert client.metrics() == {"clients": 2, "bus": {'segment="1"': 0.5}}
    assert client.command("say", {"text": "hi"}, key="k") == CommandAnswer(id=1, accepted=True, seq=8)
    assert core.requests[-1] == {
        "ask": "command",
        "version": 1,
        "id": 1,
        "name": "say",
        "body": {"text": "hi"},
        "source": "cli",
        "key": "k",
        "if_seq": None,
        "if_session": None,
    }


def test_tables_and_roster_are_asked_and_changed(core: FakeCore, path: Path) -> None:
    client = Client(path)
    assert client.tables().doctor == []
    assert client.roster().rows == ()
    assert client.set_roster({"rows": []}).accepted
    assert client.table(TableAction(do="swap", board="A1")).accepted
    assert core.requests[-1]["deed"] == {
        "do": "swap",
        "board": "A1",
        "uid": None,
        "row": None,
        "seconds": None,
        "what": None,
    }


def test_an_export_comes_in_parts(core: FakeCore, path: Path) -> None:
    journal = [f"line {number}" for number in range(5)]

    def reply(asked: dict[str, int]) -> list[bytes]:
        part = journal[asked["from"] : asked["from"] + 2]
        return [line({"id": 1, "lines": part, "more": asked["from"] + 2 < len(journal)})]

    core.reply = reply
    assert list(Client(path).export_lines("g1")) == journal
    assert [asked["from"] for asked in core.requests] == [0, 2, 4]


def test_watch_tells_pictures_and_beats_until_core_hangs_up(core: FakeCore, path: Path) -> None:
    beat = {"version": 1, "beat": 7, "session": "s1", "as_of_ms": 5}
    core.reply = lambda asked: [
        *core.usual_reply(asked),
        line({"beat": beat}),
        line({"picture": picture(seq=8)}),
    ]
    news: list[News] = []
    with pytest.raises(NoCore, match="hung up before it had answered"):
        news.extend(Client(path).watch())
    stream = Client(path).watch()
    first, second, third = next(stream), next(stream), next(stream)
    assert first.picture == typed()
    assert second.beat is not None
    assert second.beat.beat == 7
    assert third.picture == typed(seq=8)


def test_the_tables_are_watched(core: FakeCore, path: Path) -> None:
    core.reply = lambda _: [line({"tables": snapshot([], doctor=[f"cause {number}"])}) for number in range(2)]
    stream = Client(path).watch_tables()
    assert [next(stream).doctor, next(stream).doctor] == [["cause 0"], ["cause 1"]]
    with pytest.raises(NoCore, match="hung up"):
        next(stream)


def test_core_may_refuse_to_answer(core: FakeCore, path: Path) -> None:
    core.reply = lambda _: [line({"id": 1, "malformed": "say: no"})]
    with pytest.raises(Malformed, match=r"^say: no$"):
        Client(path).command("say", {})
    core.reply = lambda _: [line({"id": 1, "error": "the disk is full"})]
    with pytest.raises(CoreTrouble, match=r"^the disk is full$"):
        Client(path).games()


def test_without_a_core_one_sentence_says_how_to_start_it(path: Path) -> None:
    with pytest.raises(NoCore, match=f"^No controller answers at {path}: start it with `pi-controller run`"):
        Client(path).picture()
    with socket.socket(socket.AF_UNIX) as nobody:
        nobody.bind(str(path))  # a socket file that a dead core has left behind
        with pytest.raises(NoCore, match="start it with"):
            Client(path).picture()


def test_a_core_that_is_silent_is_no_core(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(path))
        silent.listen()
        with pytest.raises(NoCore, match=r"gave no answer within 0\.01 s"):
            Client(path, timeout_s=0.01).picture()


def test_a_full_queue_is_told_as_busy(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as waiting:
        listener.bind(str(path))
        listener.listen(0)
        waiting.connect(str(path))
        with pytest.raises(NoCore, match="is too busy to answer: try again"):
            Client(path, timeout_s=0.01).picture()


def test_an_endless_answer_is_refused(core: FakeCore, path: Path) -> None:
    core.reply = lambda _: [b"x" * (LONGEST_ANSWER + 100) + b"\n"]
    with pytest.raises(CoreTrouble, match="The controller's answer is longer than 1048576 bytes"):
        Client(path).picture()


def test_a_connection_is_closed_at_once_though_another_thread_reads_from_it(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(path))
        silent.listen()
        connection, ended = BlockingConnection(path, READS_S), list[str]()

        def read() -> None:
            try:
                connection.receive(READS_S)
            except NoCore as error:
                ended.append(error.sentence.key)

        reader = threading.Thread(target=read)
        reader.start()
        while sys._current_frames()[reader.ident or 0].f_code.co_name != "readinto":
            threading.Event().wait(0.001)  # until it waits for the socket
        connection.close()
        reader.join(READS_S)
    assert ended == ["core.connection_closed"], "and not when its patience was over"
