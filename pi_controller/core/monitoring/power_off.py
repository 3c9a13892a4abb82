"""The button that switches the computer off: held for some seconds, which lamp, buzzer and display tell."""

import logging
import os
from collections.abc import Callable
from pathlib import Path

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.panel.view import PanelPicture
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.hal.names import SymbolName
from pi_controller.hal.roles import HardwareError, PushButton, StatusFace
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.sentence import Sentence, said_by

log = logging.getLogger(__name__)

POLL_NS = 50_000_000
"""A level counts when two looks agree: far longer than any contact bounces."""
BLINK_POLLS = 4
"""The pause lamp changes every 200 ms: 2.5 Hz, below the 3 Hz at which flicker can harm people."""
TICK_MS = 60
FAREWELL_MS = 900
REFUSAL_SHOWS_NS = 3_000_000_000
REQUEST = "power-off"
"""A file of this name in the service's run-time folder has systemd switch the computer off."""

NOT_A_SERVICE = Sentence("shutdown.not_a_service")
SIMULATED = Sentence("shutdown.simulated")
STUCK = Sentence("shutdown.pressed_since_start")


def request_power_off(folder: Path | None, *, simulated: bool) -> Sentence | None:
    """Ask the system to switch off; a sentence when that is not possible. `folder` is the service's run-time
    folder, None where there is no service. A `simulated` button never reaches the real machine's power."""
    if simulated:
        return SIMULATED
    if folder is None:
        return NOT_A_SERVICE
    try:
        (folder / REQUEST).touch(mode=0o600)
    except OSError as error:
        return Sentence("shutdown.not_from_here", why=why(error))
    return None


def runtime_folder() -> Path | None:
    """As systemd names it to a service with RuntimeDirectory."""
    named = os.environ.get("RUNTIME_DIRECTORY")
    return Path(named.split(":")[0]) if named else None


class PowerOff:
    """Looks at the button every POLL_NS, on the loop. `free` says whether the outputs may be used."""

    def __init__(
        self,
        button: PushButton,
        *,
        outputs: Outputs,
        loop: GameLoop,
        timers: Timers,
        hold_ns: int,
        request: Callable[[], Sentence | None],
        free: Callable[[], bool],
    ) -> None:
        self._button = button
        self._outputs = outputs
        self._loop = loop
        self._timers = timers
        self._hold_ns = hold_ns
        self._request = request
        self._free = free
        self._alarm: Alarm | None = None
        self._before = True
        self._released_once = False
        self._since_ns: int | None = None
        self._polls = 0
        self._lit = False
        self._shown_s = 0
        self._shows_until_ns: int | None = None
        self._done = False

    def begin(self) -> None:
        """Look now and from now on."""
        self._look()
        self._alarm = self._timers.call_at(self._timers.boot_ns() + POLL_NS, self.begin)

    def stop(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()

    def _look(self) -> None:
        try:
            pressed = self._button.pressed()
        except HardwareError as error:
            self._loop.report("shutdown button", "warning", said_by(error))
            return
        settled, self._before = pressed == self._before, pressed
        if self._done or not settled:
            return
        if not self._released_once:
            self._released_once = not pressed
            self._loop.report("shutdown button", "warning", STUCK if pressed else None)
        elif pressed:
            self._held(self._timers.boot_ns())
        else:
            self._let_go(self._timers.boot_ns())

    def _held(self, now_ns: int) -> None:
        if self._shows_until_ns is not None or (self._since_ns is None and not self._free()):
            return
        if self._loop.plays:
            self._since_ns = None
            self._refuse(Sentence("display.pause_first"), Sentence("display.then_hold"), now_ns)
            return
        if self._since_ns is None:
            self._since_ns, self._polls, self._shown_s = now_ns, 0, 0
        left_ns = self._since_ns + self._hold_ns - now_ns
        if left_ns <= 0:
            self._switch_off(now_ns)
        else:
            self._count(left_ns)

    def _count(self, left_ns: int) -> None:
        self._lit = self._polls // BLINK_POLLS % 2 == 0
        self._polls += 1
        seconds = -(-left_ns // 1_000_000_000)
        headline, footer = Sentence("display.keep_holding"), Sentence("display.to_switch_off")
        self._show(self._face(headline, footer, "ended", big=str(seconds)))
        if seconds != self._shown_s:
            self._shown_s = seconds
            self._outputs.buzz(TICK_MS)

    def _let_go(self, now_ns: int) -> None:
        if self._shows_until_ns is not None and now_ns < self._shows_until_ns:
            return
        if self._since_ns is not None or self._shows_until_ns is not None:
            self._since_ns = self._shows_until_ns = None
            self._outputs.let_go()

    def _switch_off(self, now_ns: int) -> None:
        self._since_ns = None
        sentence = self._request()
        self._loop.note({"power_off": "asked for" if sentence is None else words(sentence)})
        if sentence is not None:
            self._loop.report("power off", "warning", sentence)
            self._refuse(Sentence("display.cannot_switch_off"), Sentence("display.by_hand"), now_ns)
            return
        log.warning("the shutdown button was held: the computer is switched off")
        self._done, self._lit = True, False
        headline, footer = Sentence("display.switching_off"), Sentence("display.unplug_when_dark")
        self._show(self._face(headline, footer, "ended"))
        self._outputs.buzz(FAREWELL_MS)

    def _refuse(self, headline: Sentence, footer: Sentence, now_ns: int) -> None:
        self._lit = False
        self._shows_until_ns = now_ns + REFUSAL_SHOWS_NS
        self._show(self._face(headline, footer, "fault"))
        self._outputs.buzz(TICK_MS)

    def _show(self, face: StatusFace) -> None:
        self._outputs.force(
            PanelPicture(sun=False, moon=False, pause_lamp=self._lit, face=face, next_change_ns=None)
        )

    def _face(self, headline: Sentence, footer: Sentence, symbol: SymbolName, *, big: str = "") -> StatusFace:
        language = self._outputs.language
        return StatusFace(words(headline, language), big=big, footer=words(footer, language), symbol=symbol)
