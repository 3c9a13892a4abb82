"""Whether `core.realtime_priority` can be recommended for this board and kernel: run as root, 20 minutes."""

from pathlib import Path

from benchmarks.catalogue import BENCHES
from pi_controller.bench.figures import rows


def test_ten_thousand_presses_leave_the_loop_alive(tmp_path: Path) -> None:
    figures = BENCHES["press.many"].figures(quick=False, folder=tmp_path, say=print)
    for figure in figures:
        print("\n".join(rows(figure)))
    silence = next(figure for figure in figures if figure.name == "press.many.silence")
    assert silence.met, "the watchdog would have stopped core"
    assert silence.measured.p99 < 50, "a press would wait for the loop"
