"""A real sound card: the tester hears it, pulls it, and puts it in again."""

import os
import threading

import pytest

from pi_controller.hal.sound.orders import PlayerReport, ToneOrder
from pi_controller.hal.sound.process import PlayerProcess

pytestmark = pytest.mark.on_pi

DEVICE = os.environ.get("SOUND_DEVICE", "default")
LIMIT_S = 60.0


class Card:
    """The player's trouble, to wait for."""

    def __init__(self) -> None:
        self.trouble: str | None = "not heard of"
        self._news = threading.Condition()

    def heard(self, report: PlayerReport | None) -> None:
        with self._news:
            self.trouble = "ended" if report is None else report.trouble
            self._news.notify_all()

    def wait(self, *, gone: bool) -> None:
        with self._news:
            assert self._news.wait_for(lambda: (self.trouble is not None) is gone, LIMIT_S), self.trouble


def test_a_card_that_is_pulled_and_put_in_again_plays_again() -> None:
    card = Card()
    player = PlayerProcess(DEVICE, delay_ms=0, news=card.heard)
    try:
        card.wait(gone=False)
        player.send(ToneOrder(length_ms=1_000))
        print("Pull the USB card.")
        card.wait(gone=True)
        print("Put it in again.")
        card.wait(gone=False)
        player.send(ToneOrder(length_ms=1_000))
    finally:
        player.close()
