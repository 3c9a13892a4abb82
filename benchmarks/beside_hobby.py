"""The program of `hobby.py` beside the product, in one run: how late rounds turn, what is gained or lost,
what a worn button does, and what a kill leaves.

Its outside world is real gpiozero on mock pins, real luma on a simulated display's wires, and a hand at the
button.
"""

import contextlib
import random
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from gpiozero import Device
from luma.oled.device import ssd1306
from msgspec.structs import replace

from benchmarks import hobby
from pi_controller.bench.catalogue import Account, clock
from pi_controller.bench.figures import Figure, Say, Summary, in_ms, summary
from pi_controller.bench.live_core import LiveCore, settings_with, with_live_core
from pi_controller.bench.press import often, press_often
from pi_controller.bench.processes import ANSWER_WITHIN_S, LOOK_S, BenchError, answers, ask, boot_ns, product
from pi_controller.game.state import Frozen, Running
from pi_controller.hal.gpio import SimulatedPins
from pi_controller.hal.sim.display_bus import SimDisplayBus
from pi_controller.protocol.client import Client
from pi_controller.protocol.paths import socket_path

BOUNCE_S = 0.05
HELD_S = 0.12

Edges = tuple[tuple[float, bool], ...]
"""Seconds since the first touch, and whether the contact is closed from then on."""

LATE = "change of the side's lamps beside when it is due"
NOT_ONCE = "presses of a worn contact that did nothing, or more than one"
UNHEARD = "taps of 30 ms that did nothing"
LAST = 5
ROUND_S = 1.0
SHORT_S = 0.03
"""So short is a quick tap on a big button."""
REST_S = 0.2
"""After a press: longer than a contact bounces, and than the program waits for it to end."""
KINDS: dict[str, float | None] = {"plain": None, "debounced": BOUNCE_S}
"""The program without and with gpiozero's `bounce_time`."""
KILLED_IN_ROUND = 3

_PLAY = """\
import logging, sys
from benchmarks.beside_hobby import hobby_clock
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
with hobby_clock(0.2):
    sys.stdin.read()
"""


def clean(held_s: float) -> Edges:
    return (0.0, True), (held_s, False)


def worn(chance: random.Random) -> Edges:
    """A press whose contact closes and opens again a few times within some milliseconds, at both ends."""
    return (*_chatter(chance, 0.0, closed=True), *_chatter(chance, HELD_S, closed=False))


def _chatter(chance: random.Random, from_s: float, *, closed: bool) -> Iterator[tuple[float, bool]]:
    at_s = from_s
    for number in range(1 + 2 * chance.randint(1, 4)):
        yield at_s, closed == (number % 2 == 0)
        at_s += chance.uniform(0.0002, 0.0015)


def offered(edges: Edges, bounce_s: float | None) -> Edges:
    """What a program hears of it: as with lgpio, gpiozero's first choice, a level is told `bounce_s` after it
    came, if it has stood so long. Mock pins know no bounce."""
    if bounce_s is None:
        return edges
    ends = [*(at_s for at_s, _ in edges[1:]), float("inf")]
    stood = [
        (at_s + bounce_s, closed)
        for (at_s, closed), end_s in zip(edges, ends, strict=True)
        if end_s - at_s >= bounce_s
    ]
    levels = [False, *(closed for _, closed in stood)]
    return tuple(edge for edge, before in zip(stood, levels, strict=False) if edge[1] != before)


class _Ended(Exception):  # noqa: N818 - nothing went wrong
    """Takes the program out of its endless loop."""


class HobbyClock:
    """The program, which runs on a thread. `turns_ns` are when the side's lamps changed, the first when round
    1 began, `pauses_ns` when the pause lamp did; all in CLOCK_BOOTTIME."""

    def __init__(self, pins: SimulatedPins) -> None:
        self.turns_ns: list[int] = []
        self.pauses_ns: list[int] = []
        self.changed = threading.Event()
        self._pins = pins
        self._lit = (False, False)
        self._lock = threading.Lock()
        pins.watch(self._look)

    def press(self, edges: Edges) -> int:
        """Do so at the button; gives the moment of the first touch, CLOCK_BOOTTIME."""
        begun_ns = boot_ns()
        for at_s, closed in edges:
            time.sleep(max(0.0, begun_ns / 1e9 + at_s - boot_ns() / 1e9))
            self._pins.drive(hobby.PAUSE_BUTTON, high=not closed)
        return begun_ns

    @property
    def paused(self) -> bool:
        return self._pins.level(hobby.PAUSE_LAMP)

    def _look(self) -> None:
        """On the program's thread, and on the hand's for the pause lamp."""
        with self._lock:
            now_ns = boot_ns()
            sun, paused = (
                self._pins.level(hobby.SUN_LAMP),
                self._pins.level(hobby.PAUSE_LAMP),
            )
            if paused != self._lit[1]:
                self.pauses_ns.append(now_ns)
            if sun != self._lit[0]:
                self.turns_ns.append(now_ns)
            self._lit = (sun, paused)
        self.changed.set()


@contextlib.contextmanager
def hobby_clock(round_s: float, bounce_s: float | None = BOUNCE_S) -> Iterator[HobbyClock]:
    """The program in its first round. BenchError when it breaks off."""
    wires = SimDisplayBus("ssd1306")
    with _mock_pins() as pins, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of luma's own use of Pillow
        found = HobbyClock(pins)
        running = threading.Thread(target=_run, args=(wires, round_s, bounce_s), name="hobby")
        running.start()
        try:
            while not found.changed.wait(LOOK_S):
                if not running.is_alive():
                    raise BenchError("The hobbyist's program broke off.")
            yield found
        finally:
            wires.slow = _end
            running.join()


@contextlib.contextmanager
def _mock_pins() -> Iterator[SimulatedPins]:
    """Where gpiozero finds all pins that no factory is named for."""
    before, pins = Device.pin_factory, SimulatedPins()
    Device.pin_factory = pins
    try:
        yield pins
    finally:
        pins.close()
        Device.pin_factory = before


def _run(wires: SimDisplayBus, round_s: float, bounce_s: float | None) -> None:
    with contextlib.suppress(_Ended):
        hobby.play(ssd1306(wires.i2c()()), round_s, bounce_s)


def _end() -> None:
    raise _Ended


def beside(*, rounds: int, pauses: int, presses: int, folder: Path, say: Say) -> list[Figure]:
    """So many rounds without a pause, so many pauses in rounds of 1 s, and so many presses of each kind."""
    say(f"hobby: {rounds} rounds, then {pauses} pauses, of the hobbyist's program")
    late, off = _turns(rounds), _turns_with_pauses(pauses)
    say("hobby: the same of the product")
    own = {figure.name: figure for figure in clock(pauses=pauses, seconds=pauses / 2, folder=folder, say=say)}
    added = abs(median(off[-LAST:]) - median(late))
    return [
        _row("turn.program", LATE, in_ms([abs(one) for one in late]), note="without any pause"),
        _row("paused.program", LATE, in_ms([abs(one) for one in off]), note=f"with {pauses} pauses"),
        replace(own["clock.turn"], name="hobby.paused.product"),
        _row("drift.program", f"what the pauses have added to the last {LAST} rounds", in_ms([round(added)])),
        replace(own["clock.error"], name="hobby.drift.product"),
        *_press_figures(presses, folder, say),
        *_kill_figures(folder, say),
    ]


def _turns(rounds: int) -> list[int]:
    """How late each round ended, in nanoseconds."""
    with hobby_clock(ROUND_S) as program:
        _wait_for_turns(program, rounds)
        return _beside(program, Account(round(ROUND_S * 1e9), program.turns_ns[0]), rounds)


def _turns_with_pauses(pauses: int) -> list[int]:
    """The same, while the button is pressed; a press counts from its first touch, as in the product."""
    chance = random.Random(7)  # noqa: S311 - moments of pauses
    with hobby_clock(ROUND_S, None) as program:
        account = Account(round(ROUND_S * 1e9), program.turns_ns[0])
        for _ in range(pauses):
            time.sleep(chance.uniform(0.1, 0.4))
            account.pause(program.press(clean(0.02)))
            time.sleep(chance.uniform(0.1, 0.4))
            account.resume(program.press(clean(0.02)))
        _wait_for_turns(program, len(program.turns_ns))
        return _beside(program, account, None)


def _wait_for_turns(program: HobbyClock, count: int) -> None:
    until_s = time.monotonic() + count * ROUND_S + ANSWER_WITHIN_S
    while len(program.turns_ns) <= count:  # the first is the begin
        if time.monotonic() > until_s:
            raise BenchError("The hobbyist's program turns no round.")
        time.sleep(LOOK_S)


def _beside(program: HobbyClock, account: Account, count: int | None) -> list[int]:
    turned = program.turns_ns[1:][:count]
    while len(account.turns_ns) < len(turned):
        account.advance(account.deadline_ns)
    return [seen - due for seen, due in zip(turned, account.turns_ns, strict=False)]


def _press_figures(presses: int, folder: Path, say: Say) -> list[Figure]:
    """Each press of the program is to turn its pause lamp once; each of the product is to pause once."""
    chance = random.Random(3)  # noqa: S311 - how contacts bounce
    bouncing, short = [worn(chance) for _ in range(presses)], [clean(SHORT_S)] * presses
    figures = []
    for kind, bounce_s in KINDS.items():
        say(f"hobby: {presses} presses of each kind, {kind}")
        took, wrong = _pressed(bouncing, bounce_s)
        _, unheard = _pressed(short, bounce_s)
        figures += [
            _row(f"press.{kind}", "first touch of a worn contact to the pause lamp", in_ms(took)),
            _row(f"bounced.{kind}", NOT_ONCE, _part(wrong, presses), "%"),
            _row(f"short.{kind}", UNHEARD, _part(unheard, presses), "%"),
        ]
    say(f"hobby: {presses} presses of each kind, the product")
    found = with_live_core(lambda core: press_often(core, often(presses)), settings_with(), folder=folder)
    wrong, unheard = with_live_core(
        lambda core: (_pressed_wrong(core, bouncing), _pressed_wrong(core, short)),
        settings_with(),
        folder=folder,
    )
    return [
        *figures,
        _row("press.product", "first touch to pause lamp, buzzer and picture", in_ms(found.frozen)),
        _row("bounced.product", NOT_ONCE, _part(wrong, presses), "%"),
        _row("short.product", UNHEARD, _part(unheard, presses), "%"),
    ]


def _pressed(presses: Sequence[Edges], bounce_s: float | None) -> tuple[list[int], int]:
    """How long those took that did anything, in nanoseconds, and how many did not do one thing."""
    took, wrong = [], 0
    with hobby_clock(3600.0, bounce_s) as program:
        for press in presses:
            before = len(program.pauses_ns)
            touched_ns = program.press(offered(press, bounce_s))
            time.sleep(REST_S)
            changes = program.pauses_ns[before:]
            took += [changes[0] - touched_ns] if changes else []
            wrong += len(changes) != 1
    return took, wrong


def _pressed_wrong(core: LiveCore, presses: Sequence[Edges]) -> int:
    pin, wrong = core.settings.pins.pause_no, 0
    core.new_round()
    for press in presses:
        before = core.on_loop(lambda: _counted(core))
        begun_s = time.monotonic()
        for at_s, closed in press:
            time.sleep(max(0.0, begun_s + at_s - time.monotonic()))
            core.pins.drive(pin, high=not closed)
        paused = _comes_to(core, Frozen)
        time.sleep(REST_S)
        wrong += not paused or core.on_loop(lambda: _counted(core)) != before + 1
        core.resume()
        if not _comes_to(core, Running):
            raise BenchError("After a press play does not go on.")
    return wrong


def _comes_to(core: LiveCore, clock: type[Frozen] | type[Running]) -> bool:
    """Whether the game's clock does so within a time that no press needs."""
    until_s = time.monotonic() + ANSWER_WITHIN_S
    while not core.on_loop(lambda: isinstance(core.loop.game.state.clock, clock)):
        if time.monotonic() > until_s:
            return False
        time.sleep(LOOK_S)
    return True


def _counted(core: LiveCore) -> int:
    """Presses that the game has heard of; later ones of one pause stand beside its claim."""
    state = core.loop.game.state
    return len(list(state.claims)) + len(state.presses)


def _kill_figures(folder: Path, say: Say) -> list[Figure]:
    say(f"hobby: both killed in round {KILLED_IN_ROUND} and started again")
    _killed_in_round(KILLED_IN_ROUND)
    lost = {
        "program": KILLED_IN_ROUND - _killed_in_round(None),
        "product": KILLED_IN_ROUND - _product_after_a_kill(folder),
    }
    return [
        _row(
            f"kill.{who}",
            "rounds that are forgotten after kill -9 and a new start",
            summary([rounds]),
            "rounds",
        )
        for who, rounds in lost.items()
    ]


def _killed_in_round(wanted: int | None) -> int:
    """In this one, or in the first that it tells."""
    command = [sys.executable, "-c", _PLAY]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        try:
            told = (int(line.removeprefix("round ")) for line in program.stdout or ())
            return next(number for number in told if wanted in (None, number))
        except StopIteration:
            raise BenchError("The hobbyist's program ended by itself.") from None
        finally:
            program.kill()


def _product_after_a_kill(folder: Path) -> int:
    """The round in which it stands, paused."""
    state_dir = folder / "killed"
    with product("core", state_dir) as core:
        answers(state_dir, core)
        client = Client(socket_path(state_dir), timeout_s=ANSWER_WITHIN_S)
        ask(client, "start")
        next(news for news in client.watch() if news.picture is not None and news.picture.running)
        while client.picture().round < KILLED_IN_ROUND:
            ask(client, "skip")
        core.kill()
        core.wait()
    with product("core", state_dir) as core:
        return answers(state_dir, core).round


def _part(wrong: int, presses: int) -> Summary:
    return summary([100 * wrong / presses])


def _row(name: str, what: str, measured: Summary, unit: str = "ms", note: str = "") -> Figure:
    return Figure(name=f"hobby.{name}", what=what, unit=unit, measured=measured, note=note)
