"""People in several halls that play one game: a director where it is led, boards that claim, hands on big buttons."""

import contextlib
import itertools
import random
import socket
import threading
import time
from collections import Counter

from pi_controller.protocol.errors import CoreTrouble, NoCore
from pi_controller.protocol.messages import AskSim
from pi_controller.protocol.picture import Picture
from tests.patience import DEADLINE_S
from tests.soak.hall_claims import Made
from tests.system.halls import Hall

OVERRIDE = {"override": True}
CONFIRM = {"confirm": True}
LAST_ROUND = 8
LOOK_S = 0.2
CLAIM_S = (0.5, 4.0)
STOP_S = (6.0, 15.0)
KEPT = 16
"""Connections of tables that wait for no answer; a core has places for some dozens."""


class Players:
    """On two threads until `close`, in all halls, as far as these are there."""

    def __init__(self, halls: dict[str, Hall], seed: int) -> None:
        self._halls = halls
        self._chance = random.Random(f"players {seed}")
        self._counts: Counter[str] = Counter()
        self._numbers = itertools.count(1)
        self._sockets: list[socket.socket] = []
        self._resting = threading.Event()
        self._closed = threading.Event()
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._direct, self._play)]
        for thread in self._threads:
            thread.start()

    @property
    def told(self) -> str:
        return ", ".join(f"{self._counts[what]} {what}" for what in ("games", "claims", "presses", "pauses"))

    def rest(self) -> None:
        """No more claims and presses."""
        self._resting.set()
        self._threads[1].join(DEADLINE_S)

    def close(self) -> None:
        self._closed.set()
        self._resting.set()
        for thread in self._threads:
            thread.join(DEADLINE_S)
        for one in self._sockets:
            one.close()

    def _direct(self) -> None:
        """Whoever leads a game, or would: play goes on."""
        while not self._closed.wait(LOOK_S):
            for one in self._halls.values():
                with contextlib.suppress(NoCore, CoreTrouble):
                    picture = one.quick.picture()
                    if picture.link is not None and picture.link.state == "leading":
                        self._one_look(one, picture)

    def _one_look(self, one: Hall, picture: Picture) -> None:
        ask = one.quick.command
        waiting = [claim.id for claim in picture.claims if claim.status == "open"]
        if picture.phase == "ready":
            self._counts["games"] += ask("start", OVERRIDE).accepted
        elif picture.phase == "ended":
            ask("close", CONFIRM)
            ask("arm")
        elif waiting and self._chance.random() < 0.3:
            ask("verdict", {"claim": waiting[0], "confirmed": False})
        elif picture.paused:
            ask("resume", OVERRIDE)
        elif picture.round >= LAST_ROUND:
            ask("end", CONFIRM)
        elif self._chance.random() < 0.02:
            self._counts["pauses"] += ask("pause").accepted

    def _play(self) -> None:
        stop_s = time.monotonic() + self._chance.uniform(*STOP_S)
        while not self._resting.wait(self._chance.uniform(*CLAIM_S)):
            one = self._chance.choice(
                [hall for hall in self._halls.values() if hall.name not in ("main", "annex")]
            )
            with contextlib.suppress(NoCore, CoreTrouble, OSError):
                if time.monotonic() > stop_s:
                    stop_s = time.monotonic() + self._chance.uniform(*STOP_S)
                    one.quick.ask(AskSim(do="tap"))
                    self._counts["presses"] += 1
                    continue
                self._claim(one)

    def _claim(self, one: Hall) -> None:
        """Each board claims once; some are told again, as by a table that has heard no answer."""
        number = next(self._numbers)
        side = one.quick.picture().side or "sun"
        made = Made(one, f"claim-{number}", "claim", {"board": f"T{number}", "side": side})
        for _ in range(1 + (self._chance.random() < 0.3)):
            self._sockets.append(made.tell())
        self._counts["claims"] += 1
        for old in self._sockets[:-KEPT]:
            old.close()
        del self._sockets[:-KEPT]
