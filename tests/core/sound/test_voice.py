"""Rendering ahead, on a clock moved by hand; a process of our own stands in the place of the one that renders."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from pi_controller.core.sound.voice import LOOK_NS, RenderOrder, Voice
from pi_controller.hal.sound.library import KEPT
from pi_controller.hal.sound.orders import LoadOrder, Order
from pi_controller.sentence import Sentence
from tests.core.hall import Hall, accepted
from tests.core.hand import S
from tests.core.hand_threads import HandThreads

MISSING = {"key": "voice.engine_missing", "params": {"program": "espeak-ng"}}
NOT_INSTALLED = "The voice espeak-ng is not installed."


class Loads:
    """A player that remembers what it has been given."""

    def __init__(self) -> None:
        self.files: list[dict[str, str]] = []

    def send(self, order: Order) -> None:
        assert isinstance(order, LoadOrder)
        self.files.append(order.files)

    def close(self) -> None:
        """Nothing was opened."""


def line(name: str, **changes: object) -> dict[str, object]:
    said = {"language": "en", "name": name, "path": f"/{name}.wav", "ms": 500, "of": 2, "made": True}
    return said | changes


class VoiceHall:
    """`renders` writes what the process will say from now on; `work` lets the thread run."""

    def __init__(self, folder: Path) -> None:
        self.hall = Hall()
        self.hall.begin()
        self.threads = HandThreads(at_once=False)
        self.player = Loads()
        self.kept = folder / KEPT
        self.kept.mkdir()
        self._program = folder / "rendering.py"
        order = RenderOrder(state_dir=str(folder), languages=("en",), rule_set="connect", targets=())
        self.voice = Voice(
            order,
            loop=self.hall.loop,
            timers=self.hall.timers,
            threads=self.threads,
            player=self.player,
            command=[sys.executable, str(self._program)],
        )
        self.hall.loop.showing.show_to(Sentence("part.sound"), self.voice.follow)
        self.renders(line("pause"), line("claim"))

    def renders(self, *lines: dict[str, object], status: int = 0) -> None:
        said = "".join(json.dumps(one) + "\n" for one in lines)
        self._program.write_text(
            f"import sys\nsys.stdin.read()\nprint({said!r}, end='')\nsys.exit({status})\n"
        )

    def work(self) -> list[dict[str, str]]:
        """What the player has been given since."""
        self.threads.work()
        given, self.player.files = self.player.files, []
        return given

    def told(self) -> list[str]:
        return list(self.hall.loop.picture().health.messages)

    def play(self, command: str) -> None:
        assert accepted(self.hall.ask(command))
        self.hall.move(4 * S)


BOTH = {"en/pause": "/pause.wav", "en/claim": "/claim.wav"}


@pytest.fixture
def made(tmp_path: Path) -> VoiceHall:
    found = VoiceHall(tmp_path)
    found.voice.follow(found.hall.loop.picture())
    return found


def test_the_voice_is_rendered_while_the_clock_stands_and_then_left_alone(made: VoiceHall) -> None:
    made.voice.follow(made.hall.loop.picture())
    assert len(made.threads.waiting) == 1
    assert made.work() == [BOTH]
    assert made.voice.lengths == {("en", "pause"): 500, ("en", "claim"): 500}
    made.hall.move(LOOK_NS + S)
    assert made.work() == [], "everything lies there as it was left"


def test_the_voice_is_not_rendered_while_a_round_runs(made: VoiceHall) -> None:
    made.renders(line("pause", path=None, trouble=MISSING))
    made.work()
    made.hall.move(LOOK_NS - 10 * S)
    made.play("start")
    made.hall.move(20 * S)
    assert made.threads.waiting == []
    assert made.told() == [NOT_INSTALLED], "it is still so"


def test_how_far_it_is(made: VoiceHall) -> None:
    made.renders(*(line(f"phrase_{number}", of=27) for number in range(26)))
    seen = []
    made.threads.call_on_loop = lambda act: (act(), seen.append(made.told()))  # type: ignore[method-assign,assignment]
    made.work()
    assert ["The voice is being rendered: 25 of 27 phrases are ready."] in seen
    assert made.told() == []


def test_a_voice_that_comes_later_is_used_while_the_clock_stands(made: VoiceHall) -> None:
    made.renders(line("pause"), line("claim", path=None, trouble=MISSING))
    assert made.work() == [{"en/pause": "/pause.wav"}]
    assert made.told() == [NOT_INSTALLED]
    made.hall.move(LOOK_NS)
    assert made.work() == [{"en/pause": "/pause.wav"}]
    assert made.told() == [NOT_INSTALLED]
    made.renders(line("pause"), line("claim"))
    made.hall.move(LOOK_NS)
    assert made.work() == [BOTH]
    assert made.told() == []


@pytest.mark.parametrize("whole", [True, False])
def test_what_was_removed_is_made_in_the_next_pause(made: VoiceHall, whole: bool) -> None:
    (made.kept / "claim.wav").touch()
    made.work()
    made.play("start")
    if whole:
        shutil.rmtree(made.kept)
    else:
        (made.kept / "claim.wav").unlink()
    assert made.threads.waiting == []
    made.play("pause")
    assert made.work() == [BOTH]


def test_what_can_no_longer_be_spoken_is_left_out(made: VoiceHall) -> None:
    made.work()
    shutil.rmtree(made.kept)
    made.renders(line("pause"), line("claim", path=None, trouble=MISSING))
    made.hall.move(LOOK_NS)
    assert made.work() == [{"en/pause": "/pause.wav"}]
    assert made.voice.lengths == {("en", "pause"): 500}


def test_a_rendering_that_breaks_off_is_told_and_tried_again(made: VoiceHall) -> None:
    made.renders(line("pause"), status=3)
    assert made.work() == [{"en/pause": "/pause.wav"}]
    assert made.told() == ["The voice cannot be rendered: exit status 3."]
    made.voice.follow(made.hall.loop.picture())
    assert made.threads.waiting == [], "not at once"
    made.renders(line("pause"), line("claim"))
    made.hall.move(LOOK_NS)
    assert made.work() == [BOTH]
    assert made.told() == []


def test_a_rendering_that_the_clock_stops_is_no_trouble(made: VoiceHall) -> None:
    """Its thread comes to its turn when the clock runs already."""
    made.play("start")
    made.work()
    assert made.told() == []
    made.play("pause")
    assert made.work() == [BOTH]


def test_a_closed_voice_looks_no_more(made: VoiceHall) -> None:
    made.work()
    made.voice.stop()
    made.hall.move(LOOK_NS)
    assert made.threads.waiting == []


def test_another_order_is_rendered_though_the_folder_was_complete(made: VoiceHall) -> None:
    made.work()
    made.renders(line("pause", language="de"))
    order = RenderOrder(state_dir="x", languages=("de",), rule_set="connect", targets=())
    made.voice.use(order)
    assert made.work() == [BOTH | {"de/pause": "/pause.wav"}]
    made.voice.use(order)
    made.hall.move(LOOK_NS + S)
    assert made.work() == [], "nothing has changed"
