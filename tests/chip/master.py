"""A master for one emulated Pico: states five times a second, requests with their answers timed."""

import random
from typing import Any

from pi_controller.bus import frame
from pi_controller.bus.frame import EVERYBODY, UNASSIGNED
from pi_controller.bus.messages import (
    Assign,
    Languages,
    Measure,
    Message,
    PauseMessage,
    Ping,
    Poll,
    StateMessage,
    to_frame,
)
from pi_controller.bus.requests import ANSWER_US, TEST_ANSWER_US
from pi_controller.vocabulary import PauseReason
from tests.chip.pico import UID, Answer, Pico

ADDRESS = 1
EPOCH = 7
REFRESH_US = 200_000
PERIOD_US = 13_100
GAP_US = 3_000
"""Between a STATE and the request after it."""
CLOCK_US = 3_000_000_000
"""The master runs for 50 minutes: MicroPython reckons with such numbers more slowly than with small ones."""
RUNNING = {"phase": "round", "running": True, "sun_active": True, "duration": 600, "round": 3}
ROLLED = {"dice": (3, 4), "last": 6}


class Master:
    def __init__(self, pico: Pico) -> None:
        self.pico = pico
        self.turnarounds_us: list[float] = []
        self.unanswered = 0
        self.picture: dict[str, Any] = {**RUNNING, **ROLLED}
        self._left_us = 55_000_000.0
        self._seq = 0
        self._number = 1
        self._state_us = 0.0
        self._chance = random.Random(3)

    def join(self) -> None:
        """The link and an address."""
        for _ in range(3):
            self.state()
            self.pico.run(0.04)
        assign = Assign(uid=UID, address=ADDRESS, board="12", brightness=128)
        assert self.ask(assign, UNASSIGNED) or self.ask(assign, UNASSIGNED)
        self.unanswered = 0
        self.turnarounds_us.clear()

    def state(self, **changed: Any) -> float:
        """A STATE, with another number when something has changed; when it is over."""
        if changed:
            self._number += 1
            self.picture.update(changed)
        begins_us = max(self.pico.now_us + 1, self.pico.free_us)
        if self.picture["running"]:
            self._left_us = max(1.0, self._left_us - (begins_us - self._state_us))
        self._state_us = begins_us
        message = StateMessage(
            epoch=EPOCH,
            state_seq=self._number,
            master_us=int(begins_us) + CLOCK_US,
            left_us=int(self._left_us),
            **self.picture,
        )
        return self.pico.send(self.frame(message, EVERYBODY), at_us=begins_us)

    def pause(self, reason: PauseReason) -> float:
        """As a master says it to nodes of protocol 5; when the PAUSE is over."""
        begins_us = max(self.pico.now_us + 1, self.pico.free_us)
        left_us = int(max(1.0, self._left_us - (begins_us - self._state_us)))
        reasons = frozenset({reason})
        paused = PauseMessage(epoch=EPOCH, state_seq=self._number + 1, left_us=left_us, reasons=reasons)
        over_us = self.pico.send(self.frame(paused, EVERYBODY), at_us=begins_us)
        self._number += 1
        self._left_us, self._state_us = left_us, begins_us
        self.picture.update(running=False, paused=True, reasons=reasons)
        return over_us

    def speak(self, first: str, second: str = "") -> None:
        """The hall's languages, whose words the node then reads."""
        self.pico.send(self.frame(Languages(epoch=EPOCH, first=first, second=second), EVERYBODY))
        self.pico.free_us += GAP_US

    def ask(self, message: Message, dst: int = ADDRESS) -> Answer | None:
        """The answer, begun within the time that a master waits."""
        pico = self.pico
        known = len(pico.answers)
        over_us = pico.send(self.frame(message, dst))
        wait_us = TEST_ANSWER_US if isinstance(message, Ping | Measure) else ANSWER_US
        pico.run_to(over_us + wait_us, stop="answer")
        if len(pico.answers) == known:
            self.unanswered += 1
            return None
        answer = pico.answers[-1]
        self.turnarounds_us.append(answer.from_us - over_us)
        pico.free_us = max(pico.free_us, answer.over_us)
        return answer

    def play(self, seconds: float, *, pings: bool = False) -> None:
        """What a master does for so long with a single node: states, and a request every 13.1 ms."""
        pico = self.pico
        until_us, turn_us, state_us = pico.now_us + seconds * 1e6, pico.now_us, pico.now_us
        while pico.now_us < until_us:
            if pico.now_us >= state_us:
                pico.free_us = self.state() + GAP_US
                state_us += REFRESH_US
            self.ask(Ping(data=self._chance.randbytes(24)) if pings else Poll(epoch=EPOCH))
            turn_us = max(turn_us + PERIOD_US, pico.now_us)
            pico.run_to(turn_us)

    def frame(self, message: Message, dst: int) -> bytes:
        self._seq = (self._seq + 1) & 0xFF
        return frame.encode(to_frame(message, dst=dst, src=0, seq=self._seq))
