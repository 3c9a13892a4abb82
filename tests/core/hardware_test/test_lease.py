"""Who may test the hardware, for how long, and that no game and no test are on at the same time."""

from pathlib import Path

import pytest

from pi_controller.core.hardware_test.testing import NO_TEST
from pi_controller.game.commands import Start
from pi_controller.language.words import all_words, words
from pi_controller.protocol import messages
from pi_controller.protocol.probes import InputsProbe, LampProbe, SoundProbe
from tests.core.hall import accepted
from tests.core.hand import S
from tests.core.hand_threads import HandThreads
from tests.core.hardware_test.hand_testing import HandClient, ProbeBench

BOB = messages.AskTestBegin(who="Bob", purpose="selftest")


def refused(bench: ProbeBench, request: messages.AskTestBegin = BOB) -> str:
    answer = bench.ask(request, HandClient())
    assert (answer["accepted"], answer["lease"]) == (False, None)
    (reason,) = answer["reasons"]
    return str(reason)


def test_one_test_at_a_time_and_its_holder_is_named(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    assert refused(bench) == (
        "Ada is using the hardware for a hardware test: wait until that is over, or take it over."
    )
    assert bench.healths == [
        "Ada is using the hardware for a hardware test: no game can start before that is over."
    ]
    bench.ask(messages.AskTestEnd(lease=bench.lease))
    assert bench.healths == []
    assert bench.begin("Bob").lease


def test_it_can_be_taken_over_and_the_first_one_hears_why(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    adas, watcher = bench.lease, HandClient()
    bench.ask(messages.AskWatchTest(lease=adas), watcher)
    bench.begin("Bob", take=True, client=HandClient())
    assert watcher.news[-1]["ended"] == "The test is over: Bob has taken the hardware over."
    bench.lease = adas
    assert bench.probe(InputsProbe()) == "The test is over: Bob has taken the hardware over."


@pytest.mark.parametrize("request_", [messages.AskTestKeep, messages.AskTestEnd, messages.AskWatchTest])
def test_nothing_goes_without_a_lease(tmp_path: Path, request_: type) -> None:
    bench = ProbeBench(tmp_path)
    assert bench.ask(request_(lease="0" * 32))["error"] == words(NO_TEST)
    assert bench.probe(InputsProbe()) == words(NO_TEST)


def test_it_runs_out_when_nothing_is_heard_of_it(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    bench.probe(LampProbe(lamp="sun", lit=True))
    for _ in range(3):
        bench.hall.move(29 * S)
        assert bench.ask(messages.AskTestKeep(lease=bench.lease)) == {"id": 1, "done": True}
    assert bench.hall.sun.lit
    bench.hall.move(31 * S)
    assert not bench.hall.sun.lit
    assert bench.probe(InputsProbe()) == "The test is over: it has been silent for 30 s."


def test_it_does_not_run_out_while_a_probe_is_under_way(tmp_path: Path) -> None:
    threads = HandThreads(at_once=False)
    bench = ProbeBench(tmp_path, threads=threads).begin()
    assert bench.probe(SoundProbe(ms=10_000)) is None
    bench.hall.move(13 * S)
    assert bench.probe(InputsProbe()).no_closed is False
    threads.work()
    assert bench.later(SoundProbe(ms=50)).played


def test_it_ends_when_its_asker_hangs_up(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    bench.probe(LampProbe(lamp="moon", lit=True))
    bench.client.hang_up()
    assert not bench.hall.moon.lit
    assert bench.testing.holding is None
    other = HandClient()
    bench.begin("Bob", client=other)
    bench.client.hang_up()
    assert bench.testing.holding is not None, "only its own asker ends it"


def test_it_is_refused_in_every_state_in_which_a_game_runs(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path)
    hall, told = bench.hall, " test the hardware before a game's start or after its end."
    hall.ask("start")
    assert refused(bench) == "A game is under way (the countdown):" + told
    hall.ask("pause")
    assert refused(bench) == "A game is under way (the countdown):" + told, "the start is only held up"
    hall.ask("resume")
    hall.move(10 * S)
    assert refused(bench) == "A game is under way (round 1):" + told
    hall.press()
    assert refused(bench) == "A game is under way (round 1):" + told, "a pause is no end"
    hall.ask("resume", {"override": True})
    assert refused(bench) == "A game is under way (round 1):" + told, "nor is the 3-2-1"
    hall.move(3 * S)
    while hall.picture.phase != "robber":
        hall.move(1 * S)
    assert refused(bench) == "A game is under way (robber phase):" + told
    hall.ask("end", {"confirm": True})
    bench.begin()


def test_no_game_starts_or_comes_back_under_a_test(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path)
    bench.hall.play()
    bench.hall.ask("end", {"confirm": True})
    bench.begin()
    sentence = (
        "Ada is using the hardware for a hardware test: no game can run meanwhile;"
        " end the test on the technician's page, or take it over there."
    )
    for name in ("undo", "redo", "start"):
        (answer,) = bench.hall.ask(name)
        assert (answer.accepted, words(answer.reasons[-1])) == (False, sentence)
        told = bench.hall.picture.allowed[name]
        assert (told.reasons, told.override) == (all_words(answer.reasons), False)
    assert bench.hall.picture.phase == "ended"
    bench.ask(messages.AskTestEnd(lease=bench.lease))
    assert accepted(bench.hall.ask("undo"))


def test_a_start_that_waits_for_the_disk_does_not_overtake_a_test(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path)
    bench.hall.log.prompt = False
    answers = bench.hall.ask("start")
    bench.begin()
    bench.hall.save()
    bench.hall.save()
    assert [answer.accepted for answer in answers] == [False]
    assert (bench.hall.picture.phase, bench.hall.picture.resume_in_ms) == ("ready", None)


def test_should_a_game_run_after_all_the_test_is_over(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    bench.probe(LampProbe(lamp="pause", lit=True))
    decision = bench.hall.loop.decide(Start(), at_ns=bench.timers.boot_ns(), source="cli")
    bench.hall.loop.commit(decision.events)
    bench.hall.move(0)
    assert bench.testing.holding is None
    assert bench.probe(InputsProbe()).startswith("The test is over: A game is under way")


def test_it_ends_with_the_controller(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    watcher = HandClient()
    bench.ask(messages.AskWatchTest(lease=bench.lease), watcher)
    bench.testing.stop()
    assert watcher.news[-1]["ended"] == "The test is over: the controller is shutting down."
    lines = len(bench.hall.log.lines)
    bench.client.hang_up()
    bench.testing.stop()
    assert len(bench.hall.log.lines) == lines, "nothing more is noted when the connections close"


def test_it_stands_in_the_journal(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    bench.ask(messages.AskTestEnd(lease=bench.lease))
    notes = [data for _, kind, data in bench.hall.log.lines if kind == "note" and "test" in data]
    assert notes == [
        {"test": "begun", "who": "Ada", "purpose": "hardware_test"},
        {"test": "ended", "who": "Ada", "why": "it was ended"},
    ]
