"""The blocking client, and what it shares with the asyncio form: how an answer is read."""

import socket
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.messages import PictureAnswer, encode_error, encode_malformed
from pi_controller.protocol.paths import UNIT_STATE_DIR
from pi_controller.protocol.probes import LampProbe
from pi_controller.protocol.question import (
    LONGEST_ANSWER,
    BlockingConnection,
    CommandAnswer,
    decode_answer,
    unreachable,
)
from pi_controller.protocol.tables import TableAction
from pi_controller.sentence import Sentence
from tests.protocol.asking import exported, watched_tables
from tests.protocol.fake_core import FakeCore, line
from tests.protocol.pictures import picture, typed

READS_S = 20.0
LAMP = LampProbe(lamp="sun", lit=True)


def told(error: pytest.ExceptionInfo[Any]) -> str:
    """The key of its sentence."""
    key: str = error.value.sentence.key
    return key


@pytest.mark.parametrize(
    ("raw", "kind", "sentence"),
    [
        (encode_error(1, Sentence("pin.without_display")), CoreTrouble, Sentence("pin.without_display")),
        (encode_malformed(1, Sentence("request.without_id")), Malformed, Sentence("request.without_id")),
    ],
)
def test_a_trouble_comes_back_as_its_error(raw: bytes, kind: type[Exception], sentence: Sentence) -> None:
    with pytest.raises(kind) as found:
        decode_answer(raw, PictureAnswer)
    assert found.value.sentence == sentence


@pytest.mark.parametrize("more", [{}, {"error_key": {"key": "no.text"}}])
def test_a_trouble_that_has_no_text_here_comes_in_cores_words(more: dict[str, Any]) -> None:
    with pytest.raises(CoreTrouble, match=r"^of a later version$"):
        decode_answer(line({"id": 1, "error": "of a later version", **more}), PictureAnswer)


@pytest.mark.parametrize("raw", [b'{"id":1}\n', b"oops\n"])
def test_what_is_no_answer_is_not_understood(raw: bytes) -> None:
    with pytest.raises(CoreTrouble) as found:
        decode_answer(raw, PictureAnswer)
    assert told(found) == "core.not_understood"


def test_why_the_socket_cannot_be_reached() -> None:
    path, gone = Path("/s"), FileNotFoundError(2, "No such file or directory")
    for error, key in (
        (PermissionError(13, "Permission denied"), "core.not_for_this_user"),
        (OSError(5, "Input/output error"), "core.not_reached"),
        (gone, "core.nobody_answers"),
    ):
        assert unreachable(error, path).sentence.key == key
    assert unreachable(gone, UNIT_STATE_DIR / "control.sock").sentence.key == "core.nobody_answers_here"
    assert unreachable(gone, path, Sentence("pin.without_display")).sentence.key == "core.does_not_start"


def test_each_question_gets_its_answer(core: FakeCore, path: Path) -> None:
    client = Client(path)
    assert client.picture() == typed()
    assert client.metrics() == {"clients": 2, "bus": {'segment="1"': 0.5}}
    assert client.tables().doctor == []
    assert client.roster().rows == ()
    assert client.set_roster({"rows": []}).accepted
    assert client.table(TableAction(do="swap", board="A1")).accepted
    swap = {"do": "swap", "board": "A1"} | dict.fromkeys(("uid", "row", "seconds", "what"))
    assert core.requests[-1]["deed"] == swap
    assert client.command("say", {"text": "hi"}, key="k") == CommandAnswer(id=1, accepted=True, seq=8)
    asked = {"ask": "command", "version": 1, "id": 1, "name": "say", "body": {"text": "hi"}, "source": "cli"}
    assert core.requests[-1] == asked | {"key": "k", "if_seq": None, "if_session": None}


def test_an_export_comes_in_parts(core: FakeCore, path: Path) -> None:
    journal = [f"line {number}" for number in range(5)]

    def reply(asked: dict[str, int]) -> list[bytes]:
        part = journal[asked["from"] : asked["from"] + 2]
        return [line({"id": 1, "lines": part, "more": asked["from"] + 2 < len(journal)})]

    core.reply = reply
    assert list(exported(Client(path), "g1")) == journal
    assert [asked["from"] for asked in core.requests] == [0, 2, 4]


def test_watch_tells_pictures_and_beats_until_core_hangs_up(core: FakeCore, path: Path) -> None:
    beat = {"version": 1, "beat": 7, "session": "s1", "as_of_ms": 5}
    core.reply = lambda asked: [
        *core.usual_reply(asked),
        line({"beat": beat}),
        line({"picture": picture(seq=8)}),
    ]
    stream = Client(path).watch()
    first, second, third = next(stream), next(stream), next(stream)
    assert first.picture == typed()
    assert second.beat is not None
    assert second.beat.beat == 7
    assert third.picture == typed(seq=8)
    with pytest.raises(NoCore) as ended:
        next(stream)
    assert told(ended) == "core.hung_up"
    core.reply = lambda _: [line({"tables": core.tables})]
    assert next(watched_tables(Client(path))).doctor == []


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
        with pytest.raises(NoCore) as found:
            Client(path, timeout_s=0.01).picture()
    assert told(found) == "core.too_busy"


def test_an_endless_answer_is_refused(core: FakeCore, path: Path) -> None:
    core.reply = lambda _: [b"x" * (LONGEST_ANSWER + 100) + b"\n"]
    with pytest.raises(CoreTrouble) as found:
        Client(path).picture()
    assert found.value.sentence == Sentence("core.answer_too_long", most=LONGEST_ANSWER)


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
