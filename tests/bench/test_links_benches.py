"""The benchmarks of several halls in a tiny size, over a real Mosquitto."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from benchmarks import links
from benchmarks.links import Arrivals, Eye
from pi_controller.bench.processes import BenchError
from pi_controller.bus.frame import encode
from pi_controller.bus.messages import StateMessage, to_frame
from tests.bench.test_benches import run
from tests.needs import program


@pytest.mark.usefixtures("no_quiet")
def test_a_pause_to_the_hall_that_follows(tmp_path: Path) -> None:
    program("mosquitto")
    figures = run("links.pause", tmp_path, pauses=2, in_blocks=2)
    assert set(figures) == {f"links.pause.{at}{pace}" for at in ("lamps", "bus") for pace in ("", ".hot")}
    for figure in figures.values():
        assert figure.measured.count == 2
        assert figure.measured.p50 > 0


def test_of_two_states_that_come_together_each_has_its_moment() -> None:
    async def look() -> tuple[float, float, float]:
        here, there = os.pipe()
        eye = Eye()
        read = links._reader(here, eye)
        states = (
            StateMessage(epoch=1, state_seq=number, master_us=0, paused=number == 2) for number in (1, 2)
        )
        frames = b"".join(encode(to_frame(state, dst=255, src=0, seq=0)) for state in states)
        os.write(there, frames + frames[:3])  # and the next one begins
        seen = eye.look_for(paused=True)
        before_s = time.monotonic()
        read()
        after_s = time.monotonic()
        os.close(here)
        os.close(there)
        return before_s, await seen, after_s

    before_s, seen_s, after_s = asyncio.run(look())
    assert before_s <= seen_s <= after_s


@pytest.mark.matrix
def test_a_picture_to_many_halls(tmp_path: Path) -> None:
    program("mosquitto")
    figures = run("links.fan_out", tmp_path, halls=2, pictures=2)
    assert figures["links.fan_out.2"].measured.count == 2
    assert figures["links.fan_out.2"].floor is not None


@pytest.mark.matrix  # `make scale` runs it too, with more halls
def test_a_game_of_many_halls(tmp_path: Path) -> None:
    program("mosquitto")
    figures = run("links.scale", tmp_path)
    assert figures["links.scale.2.pause.model"].measured.count == 2
    assert figures["links.scale.2.pause.lamps"].measured.count == 2
    assert figures["links.scale.2.sent"].measured.p50 > 0
    assert figures["links.scale.2.answer"].measured.count > 0


def test_the_last_counts_and_only_then_is_answered() -> None:
    async def look() -> list[str]:
        arrivals, answered = Arrivals(2), list[str]()
        last = arrivals.wait(b"new")
        arrivals.heard(0, b"something new")
        arrivals.after(lambda: answered.append("first"))
        arrivals.heard(0, b"new again")
        arrivals.heard(1, b"old")
        assert not last.done()
        assert answered == []
        arrivals.heard(1, b"new")
        assert last.done()
        arrivals.after(lambda: answered.append("nobody is waited for"))
        return answered

    assert asyncio.run(look()) == ["first", "nobody is waited for"]


def test_without_a_broker_one_sentence_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links, "MOSQUITTO", ("no-such-program",))
    with pytest.raises(BenchError, match="apt install mosquitto"), links.mosquitto(tmp_path):
        pass
