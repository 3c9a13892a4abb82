"""Outputs that a test forces, and that the game's picture has back afterwards."""

from itertools import groupby
from pathlib import Path

import pytest

from pi_controller.core.hardware_test.parts import NO_BUZZER, NO_DISPLAY, NOT_SHOWN
from pi_controller.hal.roles import ContactChange, PanelPower, PinUnusable, StatusFace
from pi_controller.language.words import words
from pi_controller.protocol import messages
from pi_controller.protocol.probes import (
    Buzzed,
    BuzzerProbe,
    DisplayProbe,
    Drawn,
    EdgesProbe,
    InputsProbe,
    LampProbe,
    ProbeDone,
)
from pi_controller.protocol.sentences import view
from pi_controller.sentence import as_told
from tests.core.hand import MS, S
from tests.core.hand_button import HandButton
from tests.core.hand_threads import HandThreads
from tests.core.hardware_test.hand_testing import HandClient, ProbeBench

SILENT = "The local display does not answer: check its cable."


def ended(folder: Path) -> ProbeBench:
    """A bench after a game's end, when both lamps are lit."""
    bench = ProbeBench(folder)
    bench.hall.play()
    bench.hall.ask("end", {"confirm": True})
    bench.hall.move(10 * S)
    assert (bench.hall.sun.lit, bench.hall.moon.lit) == (True, True)
    return bench.begin()


def test_a_lease_alone_changes_nothing_and_the_first_forced_lamp_takes_the_others_dark(
    tmp_path: Path,
) -> None:
    bench = ended(tmp_path)
    hall = bench.hall
    assert (hall.sun.lit, hall.moon.lit) == (True, True)
    assert bench.probe(LampProbe(lamp="sun", lit=True)) == ProbeDone()
    assert (hall.sun.lit, hall.moon.lit, hall.pause_lamp.lit) == (True, False, False)
    bench.probe(LampProbe(lamp="pause", lit=True))
    bench.probe(LampProbe(lamp="sun", lit=False))
    assert (hall.sun.lit, hall.moon.lit, hall.pause_lamp.lit) == (False, False, True)
    bench.ask(messages.AskTestEnd(lease=bench.lease))
    assert (hall.sun.lit, hall.moon.lit, hall.pause_lamp.lit) == (True, True, False)


def test_what_the_game_shows_meanwhile_waits_for_the_end(tmp_path: Path) -> None:
    bench = ended(tmp_path)
    bench.probe(LampProbe(lamp="moon", lit=True))
    bench.hall.ask("arm")
    bench.hall.move(2 * S)
    assert (bench.hall.sun.lit, bench.hall.moon.lit) == (False, True)
    bench.client.hang_up()
    assert (bench.hall.sun.lit, bench.hall.moon.lit) == (False, False), "a new game is ready: both dark"


def test_the_buzzer_sounds_as_long_as_asked_or_allowed(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    assert bench.probe(BuzzerProbe(ms=200)) is None
    assert bench.hall.buzzer.on
    bench.hall.move(200 * MS)
    assert not bench.hall.buzzer.on
    assert bench.later(BuzzerProbe(ms=200)) == Buzzed(ms=200)
    bench.probe(BuzzerProbe(ms=5000))
    bench.hall.move(1 * S)
    assert (bench.hall.buzzer.on, bench.later(BuzzerProbe(ms=1))) == (False, Buzzed(ms=1000))


class Sensor:
    """Of the panel's current."""

    def read(self) -> PanelPower:
        return PanelPower(amps=0.2, volts=24.0)


def test_a_current_counts_only_while_the_tone_sounds(tmp_path: Path) -> None:
    threads = HandThreads(at_once=False)
    bench = ProbeBench(tmp_path, threads=threads, current=Sensor()).begin()
    bench.probe(BuzzerProbe(ms=300))
    bench.hall.move(200 * MS)
    threads.work()
    bench.hall.move(100 * MS)
    assert bench.later(BuzzerProbe(ms=300)) == Buzzed(ms=300, amps=0.2)
    bench.probe(BuzzerProbe(ms=300))
    bench.hall.move(299 * MS)
    bench.hall.timers.now_ns += 1 * MS  # the thread comes before the loop's timer
    threads.work()
    bench.hall.move(0)
    assert bench.later(BuzzerProbe(ms=300)) == Buzzed(ms=300, amps=None)


def test_a_sensor_that_hangs_keeps_no_tone_from_sounding(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path, threads=HandThreads(at_once=False), current=Sensor()).begin()
    for _ in range(2):
        bench.probe(BuzzerProbe(ms=300))
        assert bench.hall.buzzer.on
        bench.hall.move(3 * S)
        assert bench.later(BuzzerProbe(ms=300)) == Buzzed(ms=300, amps=None)


def test_the_end_of_a_test_ends_its_tone(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    bench.probe(BuzzerProbe(ms=900))
    bench.client.hang_up()
    assert not bench.hall.buzzer.on


def test_no_buzzer_and_no_display_are_sentences(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    bench.hall.outputs.buzzer = bench.hall.outputs.display = None
    assert bench.probe(BuzzerProbe(ms=200)) == words(NO_BUZZER)
    assert bench.probe(DisplayProbe(pattern="white")) == words(NO_DISPLAY)


def test_a_pattern_is_answered_when_it_is_on_the_glass(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    before = bench.hall.display.faces[-1]
    assert bench.probe(DisplayProbe(pattern="checker")) == Drawn(shown_ms=0.0)
    assert bench.hall.display.faces[-1] == StatusFace(pattern="checker")
    bench.probe(LampProbe(lamp="sun", lit=True))
    assert bench.hall.display.faces[-1] == StatusFace(pattern="checker"), "a lamp leaves the display alone"
    bench.probe(DisplayProbe(pattern="none"))
    assert bench.hall.sun.lit
    assert bench.hall.display.faces[-1].headline == before.headline


def test_a_display_that_does_not_take_it_says_why_and_all_outputs_are_the_games_again(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    bench.probe(LampProbe(lamp="sun", lit=True))
    bench.hall.display.said = as_told(SILENT)
    assert bench.probe(DisplayProbe(pattern="white")) == Drawn(
        shown_ms=None, sentence=SILENT, sentence_key=view(as_told(SILENT))
    )
    assert not bench.hall.sun.lit
    assert bench.testing.holding is not None, "the test itself goes on"


def test_a_display_that_says_nothing_is_given_three_seconds(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    bench.hall.display.shows = lambda _face: False  # type: ignore[method-assign]
    assert bench.probe(DisplayProbe(pattern="white")) is None
    bench.hall.move(3 * S)
    assert bench.later(DisplayProbe(pattern="white")) == Drawn(
        shown_ms=None, sentence=words(NOT_SHOWN), sentence_key=view(NOT_SHOWN)
    )


def test_a_lamp_whose_driver_fails_gives_all_outputs_back(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    bench.probe(LampProbe(lamp="sun", lit=True))
    bench.hall.moon.error = OSError("pin gone")
    assert bench.probe(LampProbe(lamp="moon", lit=True)) == (
        "The moon lamp does not answer (pin gone); check its wiring."
    )
    assert not bench.hall.sun.lit
    bench.hall.moon.error = None
    assert bench.probe(LampProbe(lamp="moon", lit=True)) == ProbeDone()


def test_a_probe_that_outlives_its_test_does_nothing_to_the_next_one(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    bench.hall.display.shows = lambda _face: False  # type: ignore[method-assign]
    bench.probe(DisplayProbe(pattern="white"))
    bench.begin("Bob", take=True, client=HandClient())
    bench.probe(LampProbe(lamp="sun", lit=True))
    bench.hall.move(4 * S)
    assert bench.hall.sun.lit


def test_inputs(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    bench.button.pressed = True
    seen = bench.probe(InputsProbe())
    assert (seen.no_closed, seen.nc_closed, seen.now_ns) == (True, False, bench.timers.boot_ns())
    bench.button.error = PinUnusable(as_told("The contact cannot be read: check [pins]."))
    assert bench.probe(InputsProbe()) == "The contact cannot be read: check [pins]."


def edge(bench: ProbeBench, *, closed: bool) -> None:
    bench.tap.edge(ContactChange("no", closed, bench.timers.boot_ns()))


def test_a_press_is_seen_and_acknowledged_and_does_nothing_to_the_game(tmp_path: Path) -> None:
    bench = ended(tmp_path)
    seq = bench.hall.picture.seq
    edge(bench, closed=True)
    bench.hall.move(4 * MS)
    bench.tap.press(bench.timers.boot_ns() - 4 * MS)
    assert bench.hall.pause_lamp.lit
    seen = bench.probe(EdgesProbe())
    assert [(edge.contact, edge.closed, edge.trusted) for edge in seen.edges] == [("no", True, True)]
    (press,) = seen.presses
    assert press.acknowledged_ns - press.at_ns == 4 * MS
    assert (bench.hall.picture.seq, bench.hall.picture.claims) == (seq, [])
    bench.hall.move(400 * MS)
    assert not bench.hall.pause_lamp.lit


def test_a_dead_pause_lamp_acknowledges_nothing(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    bench.hall.pause_lamp.error = OSError("pin gone")
    bench.tap.press(bench.timers.boot_ns())
    assert bench.probe(EdgesProbe()).presses[0].acknowledged_ns is None


@pytest.mark.parametrize(("count", "since", "found"), [
    (3, 0, (3, 3, 0)), (3, 2, (1, 3, 0)), (3, 9, (0, 3, 0)), (2500, 0, (2000, 2000, 0)),
    (2500, 2000, (500, 2500, 0)), (9000, 0, (2000, 2808, 808)), (9000, 8000, (1000, 9000, 0)),
])  # fmt: skip
def test_edges_are_kept_in_a_ring_and_told_in_pieces(
    tmp_path: Path, count: int, since: int, found: tuple[int, int, int]
) -> None:
    bench = ProbeBench(tmp_path).begin()
    for number in range(count):
        edge(bench, closed=number % 2 == 0)
    seen = bench.probe(EdgesProbe(since=since))
    assert (len(seen.edges), seen.next, seen.dropped) == found


def test_edges_of_an_earlier_test_are_not_missed(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    edge(bench, closed=True)
    bench.begin(take=True)
    edge(bench, closed=False)
    seen = bench.probe(EdgesProbe())
    assert ([edge.closed for edge in seen.edges], seen.next, seen.dropped) == ([False], 2, 0)


def test_watchers_get_the_contacts_now_and_edges_as_they_come(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    watcher = HandClient()
    bench.ask(messages.AskWatchTest(lease=bench.lease), watcher)
    assert watcher.news == [
        {
            "inputs": {
                "no_closed": False,
                "nc_closed": True,
                "now_ns": bench.timers.boot_ns(),
                "shutdown_pressed": None,
            },
            "edges": [],
            "next": 0,
        }
    ]
    for number in range(20):
        edge(bench, closed=number % 2 == 0)
        bench.hall.move(1 * MS)
    assert len(watcher.news) == 1, "edges of a bouncing contact are gathered"
    bench.hall.move(50 * MS)
    assert (len(watcher.news[1]["edges"]), watcher.news[1]["next"]) == (20, 20)
    watcher.hang_up()
    edge(bench, closed=True)
    bench.hall.move(2 * S)
    assert len(watcher.news) == 2


def test_watchers_hear_once_a_second_though_nothing_changes(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    watcher = HandClient()
    bench.ask(messages.AskWatchTest(lease=bench.lease), watcher)
    bench.hall.move(999 * MS)
    assert len(watcher.news) == 1
    bench.hall.move(1 * MS)
    assert watcher.news[1] == watcher.news[0] | {
        "inputs": watcher.news[0]["inputs"] | {"now_ns": bench.timers.boot_ns()}
    }
    edge(bench, closed=True)
    bench.hall.move(50 * MS)
    bench.hall.move(999 * MS)
    assert len(watcher.news) == 3
    bench.hall.move(1 * MS)
    assert (len(watcher.news), watcher.news[3]["edges"]) == (4, [])
    bench.ask(messages.AskTestEnd(lease=bench.lease))
    bench.hall.move(2 * S)
    assert (len(watcher.news), watcher.news[-1]["ended"]) == (5, "The test is over: it was ended.")


def test_contacts_that_cannot_be_read_are_left_out_of_the_news(tmp_path: Path) -> None:
    bench = ProbeBench(tmp_path).begin()
    bench.button.error = PinUnusable(as_told("The contact cannot be read: check [pins]."))
    watcher = HandClient()
    bench.ask(messages.AskWatchTest(lease=bench.lease), watcher)
    assert watcher.news == [{"edges": [], "next": 0}]
    bench.ask(messages.AskTestEnd(lease=bench.lease))
    assert watcher.news[-1]["ended"] == "The test is over: it was ended."


def told(watcher: HandClient) -> list[bool | None]:
    """Each change of the shutdown button."""
    states = [news.get("inputs", {}).get("shutdown_pressed") for news in watcher.news]
    return [state for state, _ in groupby(states)]


def test_the_shutdown_button_is_watched_where_one_is_fitted(tmp_path: Path) -> None:
    button = HandButton()
    bench = ProbeBench(tmp_path, shutdown=button).begin()
    watcher, second = HandClient(), HandClient()
    bench.ask(messages.AskWatchTest(lease=bench.lease), watcher)
    assert told(watcher) == [False]
    bench.hall.move(2 * S)
    assert told(watcher) == [False], "nothing has moved"
    button.down = True
    assert bench.probe(InputsProbe()).shutdown_pressed is True
    bench.hall.move(150 * MS)
    button.broken = True
    bench.hall.move(1 * S)
    assert told(watcher) == [False, True, None]
    button.broken = button.down = False
    bench.ask(messages.AskWatchTest(lease=bench.lease), second)
    bench.hall.move(1 * S)
    assert (told(watcher), told(second)) == ([False, True, None, False], [False])
    watcher.hang_up()
    second.hang_up()
    button.down = True
    heard = len(second.news)
    bench.hall.move(2 * S)
    assert len(second.news) == heard


def test_without_a_shutdown_button_there_is_nothing_to_say_of_it(tmp_path: Path) -> None:
    assert ProbeBench(tmp_path).begin().probe(InputsProbe()).shutdown_pressed is None
