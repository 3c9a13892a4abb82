"""Sound: from a picture to its call-out, and from a moment to its tone, on a sink that keeps time.

The real core with simulated panel, its player, PipeWire's null sink, and a listener at the sink's monitor;
all with real-time priority where the system gives it, so that the sink keeps its time and the listener its
moments. Own recordings take the voice's place, so short that each call-out begins in silence.
"""

import subprocess
import sys
import threading
import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.null_sink import DEVICE, NullSink
from pi_controller.bench.figures import Figure, Say, limits, summary
from pi_controller.bench.processes import REALTIME, BenchError, ask, realtime, realtime_allowed
from pi_controller.core.sound.phrases import moments
from pi_controller.core.sound.voice import wanted
from pi_controller.game.rule_sets import CONNECT
from pi_controller.hal.sound.library import write
from pi_controller.hal.sound.orders import tone
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import CoreTrouble, NoCore
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.picture import Picture

LANGUAGES = ("pt", "en")
PHRASE_MS = 60
QUIET_MS = 100
"""Less than the silence between two languages; a call-out is found as the first sound after its picture."""
APART_S = 0.5
LONG_S, SHORT_S = 600, 5
"""Rounds while they are skipped, and while their last three seconds are listened to."""
READY_S = 60.0
FAR_MS = 300.0
"""A sound so far from what it should be is not that sound."""
NS_PER_MS = 1_000_000
SETTINGS = """
[hardware]
lamps = "sim"
buzzer = "sim"
pause_button = "sim"
display = "none"
shutdown_button = "none"
sound = "alsa"
[hall]
languages = ["pt", "en"]
[game]
rounds_without_seven = 999
start_countdown_seconds = 0
schedule = [{{ from_round = 1, seconds = {seconds} }}]
[sound]
device = "{device}"
off = ["last_ten"]
[core]
realtime_priority = {priority}
"""


def start(*, callouts: int, folder: Path, say: Say) -> list[Figure]:
    """`callouts` rounds in a row."""
    priority, how = _priority()
    say(f"sound: {callouts} call-outs in two languages, {how}")
    with _hall(folder, LONG_S, priority) as hall:
        said = hall.skip(callouts)
    late = [_first_after(hall.begun, at_ns) for at_ns in said]
    what = "a picture to its call-out at the sink, two languages"
    return [_figure("sound.start", what, late, f"{how}; {hall.dry}", p50=60, p99=100)]


def tones(*, tones: int, folder: Path, say: Say) -> list[Figure]:
    """`tones` of the last seconds of rounds."""
    priority, how = _priority()
    say(f"sound: {tones} tones, {how}")
    with _hall(folder, SHORT_S, priority) as hall:
        timed = hall.listen(tones)
    off = [_nearest(hall.begun, at_ns) for at_ns in timed]
    return [_figure("sound.tone", "a scheduled tone from its moment", off, f"{how}; {hall.dry}", max=5)]


def _priority() -> tuple[int, str]:
    priority = REALTIME if realtime_allowed() else 0
    return priority, f"real-time priority {priority}" if priority else "ordinary priority"


def _figure(name: str, what: str, samples: Sequence[float | None], how: str, **most: float) -> Figure:
    heard = [ms for ms in samples if ms is not None]
    if not heard:
        raise BenchError(f"{name}: nothing was heard.")
    note = f"{len(samples) - len(heard)} of {len(samples)} not heard; {how}"
    return Figure(name=name, what=what, unit="ms", measured=summary(heard), limits=limits(**most), note=note)


class _Hall:
    """A core that plays, and the moments at which sounds began, on CLOCK_BOOTTIME."""

    def __init__(self, folder: Path, begun: list[int]) -> None:
        self.begun = begun
        self.dry = ""
        """What the player says of itself."""
        self._client = Client(socket_path(folder))

    def skip(self, count: int) -> list[int]:
        """When so many rounds began."""
        ask(self._client, "start")
        pictures = []
        for _ in range(count):
            time.sleep(APART_S)
            ask(self._client, "skip")
            pictures.append(self._client.picture())
        time.sleep(APART_S)
        self._ask_the_player()
        return [_began_ns(picture) for picture in pictures]

    def listen(self, count: int) -> list[int]:
        """The moments of so many tones of rounds that run by themselves."""
        ask(self._client, "start")
        found: dict[int, int] = {}
        for news in self._client.watch():
            if news.picture is not None:
                tones = (one.at_ns for one in moments(news.picture) if isinstance(one.what, str))
                found |= {at_ns // NS_PER_MS: at_ns for at_ns in tones}
            if len(found) >= count:
                break
        time.sleep(SHORT_S)
        self._ask_the_player()
        return list(found.values())[:count]

    def _ask_the_player(self) -> None:
        metrics = self._client.metrics()
        self.dry = f"ran dry {metrics['sound_underruns']:g} times, left out {metrics['sound_left_out']:g}"


def _began_ns(picture: Picture) -> int:
    """When its round began, a moment before its first picture."""
    return (picture.as_of_us + picture.remaining_us) * 1_000 - picture.duration_ms * NS_PER_MS


def _first_after(begun: Sequence[int], at_ns: int) -> float | None:
    """Milliseconds to the first sound, if it came soon."""
    place = bisect_left(begun, at_ns)
    late = (begun[place] - at_ns) / NS_PER_MS if place < len(begun) else FAR_MS
    return late if late < FAR_MS else None


def _nearest(begun: Sequence[int], at_ns: int) -> float | None:
    """Milliseconds between this moment and the sound next to it."""
    off = min((abs(one - at_ns) / NS_PER_MS for one in begun), default=FAR_MS)
    return off if off < FAR_MS else None


@contextmanager
def _hall(folder: Path, seconds: int, priority: int) -> Iterator[_Hall]:
    """Rounds of this length; the voice is there."""
    _record(folder)
    text = SETTINGS.format(device=DEVICE, seconds=seconds, priority=priority)
    (folder / "settings.toml").write_text(text, encoding="utf-8")
    with ExitStack() as ending:
        runtime = ending.enter_context(TemporaryDirectory())
        with realtime(priority):
            sink = ending.enter_context(NullSink(Path(runtime)))
        given = ("core", f"--state-dir={folder}", f"--settings={folder / 'settings.toml'}")
        ending.enter_context(_process(sink, "pi_controller", *given))
        _wait_until_ready(folder)
        begun: list[int] = []
        with realtime(priority):
            ending.enter_context(_ear(sink, begun))
        yield _Hall(folder, begun)


def _record(folder: Path) -> None:
    """An own recording of each phrase."""
    samples = tone(700, PHRASE_MS)
    for phrase in wanted(LANGUAGES, CONNECT.name, CONNECT.robber_targets):
        path = folder / "sounds" / phrase.language / f"{phrase.name}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, samples)


@contextmanager
def _process(sink: NullSink, module: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        env=sink.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def _wait_until_ready(folder: Path) -> None:
    """Core answers, all sounds are there, and the card plays."""
    client, until_s = Client(socket_path(folder)), time.monotonic() + READY_S
    kept = folder / "voice"
    phrases = [one for one in wanted(LANGUAGES, CONNECT.name, CONNECT.robber_targets) if one.text]
    while time.monotonic() < until_s:
        time.sleep(0.25)
        try:
            health = client.picture().health
        except (NoCore, CoreTrouble):
            continue
        there = kept.is_dir() and len(list(kept.glob("*.wav"))) >= len(phrases)
        if there and not any(item.key.startswith(("voice.", "sound.")) for item in health.items):
            return
    raise BenchError("The voice is not ready.")


@contextmanager
def _ear(sink: NullSink, begun: list[int]) -> Iterator[None]:
    """Fills the list while it is open."""
    with _process(sink, "benchmarks.null_sink", DEVICE, str(QUIET_MS)) as process:
        if process.stdout is None or process.stdout.readline() != "ready\n":
            raise BenchError("Nothing listens at the sink.")
        lines = process.stdout
        thread = threading.Thread(target=lambda: begun.extend(map(int, lines)), daemon=True)
        thread.start()
        yield
