"""The program of `bench/hobby.py` beside the product, in one run: how late rounds turn, what is gained or
lost, what a worn button does, and what a kill leaves."""

import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from msgspec.structs import replace

from pi_controller.bench.clock import Account, clock
from pi_controller.bench.figures import Figure, Say, Summary, in_ms, summary
from pi_controller.bench.hobby_hand import BOUNCE_S, Edges, HobbyClock, clean, hobby_clock, offered, worn
from pi_controller.bench.live_core import LiveCore, settings_with, with_live_core
from pi_controller.bench.press import press_often
from pi_controller.bench.processes import ANSWER_WITHIN_S, LOOK_S, BenchError, answers, ask, product
from pi_controller.game.commands import Resume
from pi_controller.game.state import Frozen, Running
from pi_controller.protocol.client import Client
from pi_controller.protocol.paths import socket_path

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
from pi_controller.bench.hobby_hand import hobby_clock
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
with hobby_clock(0.2):
    sys.stdin.read()
"""


def hobby(*, rounds: int, pauses: int, presses: int, folder: Path, say: Say) -> list[Figure]:
    """So many rounds without a pause, so many pauses in rounds of 1 s, and so many presses of each kind."""
    say(f"hobby: {rounds} rounds, then {pauses} pauses, of the hobbyist's program")
    late, off = _turns(rounds), _turns_with_pauses(pauses)
    say("hobby: the same of the product")
    own = {figure.name: figure for figure in clock(pauses=pauses, seconds=pauses / 2, folder=folder, say=say)}
    added = abs(median(off[-LAST:]) - median(late))
    return [
        _row("turn.program", LATE, in_ms([abs(one) for one in late]), note="without any pause"),
        _row("paused.program", LATE, in_ms([abs(one) for one in off]), note=f"with {pauses} pauses"),
        _named(own["clock.turn"], "paused.product"),
        _row("drift.program", f"what the pauses have added to the last {LAST} rounds", in_ms([round(added)])),
        _named(own["clock.error"], "drift.product"),
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
    found = with_live_core(lambda core: press_often(core, presses), settings_with(), folder=folder)
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
        core.submit("resume", Resume(override=True))
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
    lost = {
        "program": KILLED_IN_ROUND - _program_after_a_kill(),
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


def _program_after_a_kill() -> int:
    """The round in which it begins again."""
    _killed_in_round(KILLED_IN_ROUND)
    return _killed_in_round(None)


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


def _named(figure: Figure, name: str) -> Figure:
    return replace(figure, name=f"hobby.{name}")


def _part(wrong: int, presses: int) -> Summary:
    return summary([100 * wrong / presses])


def _row(name: str, what: str, measured: Summary, unit: str = "ms", note: str = "") -> Figure:
    return Figure(name=f"hobby.{name}", what=what, unit=unit, measured=measured, note=note)
