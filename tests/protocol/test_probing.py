"""The tester's client, against a core that only talks."""

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pi_controller.protocol.client import Probing
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.probes import (
    LONGEST_PIECE,
    Buzzed,
    BuzzerProbe,
    DiskProbe,
    Inputs,
    LampProbe,
    ProbeDone,
    TestNews,
)
from tests.patience import DEADLINE_S
from tests.protocol.fake_core import line

LEASE = "5" * 32


class TalkingCore:
    """Keeps its connections; `said` are the next answers by what is asked, `gone` is set at each hang-up."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.said: dict[str, list[dict[str, Any]]] = {
            "test_begin": [{"accepted": True, "reasons": [], "lease": LEASE}],
            "test_keep": [{"done": True}],
            "test_end": [{"done": True}],
        }
        self.gone = threading.Event()

    def answers(self, asked: dict[str, Any]) -> list[bytes]:
        self.asked.append(asked)
        what = asked["ask"] if asked["ask"] != "probe" else asked["probe"]["do"]
        if what == "watch_test":
            return [line({"test": news}) for news in self.said[what] if not news.get("silent")]
        answer = self.said[what].pop(0) if len(self.said[what]) > 1 else self.said[what][0]
        return [] if answer.get("silent") else [line({"id": asked["id"], **answer})]


@contextmanager
def talking_core(path: Path) -> Iterator[TalkingCore]:
    core = TalkingCore()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            for raw in self.rfile:
                asked = json.loads(raw)
                for answer in core.answers(asked):
                    self.wfile.write(answer)
                if asked["ask"] == "watch_test" and not core.said["watch_test"][-1].get("silent"):
                    return
            core.gone.set()

    class Server(socketserver.ThreadingUnixStreamServer):
        daemon_threads = True
        block_on_close = True

    with Server(str(path), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield core
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def core(tmp_path: Path) -> Iterator[TalkingCore]:
    with talking_core(tmp_path / "c") as core:
        yield core


@pytest.fixture
def probing(core: TalkingCore, tmp_path: Path) -> Iterator[Probing]:
    with Probing(tmp_path / "c", timeout_s=DEADLINE_S) as probing:
        yield probing


def test_a_test_from_begin_to_end_goes_over_one_connection(core: TalkingCore, probing: Probing) -> None:
    core.said["lamp"] = [{"result": {}}]
    core.said["buzzer"] = [{"result": {"ms": 80}}]
    assert probing.begin("Ada", "selftest", take=True).accepted
    assert probing.lease == LEASE
    assert probing.probe(LampProbe(lamp="sun", lit=True)) == ProbeDone()
    assert probing.probe(BuzzerProbe(ms=100)) == Buzzed(ms=80)
    probing.keep()
    assert not core.gone.is_set()
    probing.end()
    assert [asked["ask"] for asked in core.asked] == [
        "test_begin",
        "probe",
        "probe",
        "test_keep",
        "test_end",
    ]
    assert core.asked[0]["take"] is True
    assert {asked["lease"] for asked in core.asked[1:]} == {LEASE}
    probing.close()
    assert core.gone.wait(DEADLINE_S), "closing hangs up, which is what ends a lease"


def test_a_refused_test_says_why_and_has_no_lease(core: TalkingCore, probing: Probing) -> None:
    core.said["test_begin"] = [{"accepted": False, "reasons": ["A game is under way."], "lease": None}]
    answer = probing.begin("Ada", "selftest")
    assert (answer.accepted, answer.reasons, probing.lease) == (False, ["A game is under way."], None)
    for act in (probing.keep, probing.end, lambda: next(probing.watch())):
        with pytest.raises(CoreTrouble, match="No test has begun: begin one first"):
            act()


def test_cores_sentences_come_through(core: TalkingCore, probing: Probing) -> None:
    core.said["lamp"] = [{"error": "The sun lamp does not answer."}, {"malformed": "Probe lamp: no."}]
    with pytest.raises(CoreTrouble, match="The sun lamp does not answer"):
        probing.probe(LampProbe(lamp="sun", lit=True))
    with pytest.raises(Malformed, match="Probe lamp: no"):
        probing.probe(LampProbe(lamp="sun", lit=True))


def test_a_core_that_is_silent_or_gone_is_no_core(core: TalkingCore, tmp_path: Path) -> None:
    core.said["lamp"] = [{"silent": True}]
    core.said["disk"] = [{"silent": True}]
    hasty = Probing(tmp_path / "c")
    hasty.begin("Ada", "selftest")
    hasty._timeout_s = 0.05
    with pytest.raises(NoCore, match=r"gave no answer within 0\.05 s"):
        hasty.probe(LampProbe(lamp="sun", lit=True))
    assert hasty.lease is None, "what was asked may still happen: the lease is given up with the connection"
    hasty.close()
    with pytest.raises(NoCore, match="No controller answers at"):
        Probing(tmp_path / "nowhere").begin("Ada", "selftest")
    assert hasty._patience_s(DiskProbe()) > 30, "a slow disk has longer"


def test_a_long_report_goes_in_pieces(core: TalkingCore, probing: Probing) -> None:
    core.said["keep_report"] = [
        {"result": {"name": None}},
        {"result": {"name": None}},
        {"result": {"name": "20261121-190000-field.json"}},
    ]
    text = '{"a": "' + "ł" * (LONGEST_PIECE * 2) + '"}'
    assert probing.keep_report("field", text) == "20261121-190000-field.json"
    pieces = [asked["probe"] for asked in core.asked]
    assert "".join(piece["text"] for piece in pieces) == text
    assert [piece["more"] for piece in pieces] == [True, True, False]


def test_a_report_that_gets_no_name_is_an_error(core: TalkingCore, probing: Probing) -> None:
    core.said["keep_report"] = [{"result": {"name": None}}]
    with pytest.raises(CoreTrouble, match="did not keep the report"):
        probing.keep_report("field", "{}")


def test_live_news_until_they_stop(core: TalkingCore, probing: Probing) -> None:
    inputs = {"no_closed": True, "nc_closed": False, "now_ns": 7}
    core.said["watch_test"] = [{"inputs": inputs}, {"ended": "it was ended"}]
    probing.begin("Ada", "selftest")
    news = probing.watch()
    assert next(news) == TestNews(inputs=Inputs(no_closed=True, nc_closed=False, now_ns=7))
    assert next(news).ended == "it was ended"
    with pytest.raises(NoCore, match="hung up"):
        next(news)


def test_a_core_that_falls_silent_under_a_watcher_is_no_core(core: TalkingCore, probing: Probing) -> None:
    inputs = {"no_closed": True, "nc_closed": False, "now_ns": 7}
    core.said["watch_test"] = [{"inputs": inputs}, {"silent": True}]
    probing.begin("Ada", "selftest")
    news = probing.watch()
    next(news)
    probing._timeout_s = 0.05
    with pytest.raises(NoCore, match=r"gave no answer within 0\.05 s"):
        next(news)
