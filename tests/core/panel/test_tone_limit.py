import threading

from pi_controller.core.panel.outputs import ToneLimit
from tests.patience import DEADLINE_S


def test_a_tone_that_lasts_too_long_is_ended() -> None:
    limit, ended = ToneLimit(), threading.Event()
    limit.start(0.0, ended.set)
    assert ended.wait(DEADLINE_S)
    again = threading.Event()
    limit.start(0.001, again.set)
    assert again.wait(DEADLINE_S)
    limit.close()


def test_a_cancelled_or_replaced_call_is_not_made() -> None:
    limit, wrong, right = ToneLimit(), threading.Event(), threading.Event()
    limit.start(60.0, wrong.set)
    limit.start(60.0, wrong.set).cancel()
    limit.start(0.0, right.set)
    assert right.wait(DEADLINE_S)
    limit.close()
    assert not wrong.is_set()
