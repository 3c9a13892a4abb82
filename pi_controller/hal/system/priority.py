"""The place of this program in the queue for the processor."""

import os

from pi_controller.hal.errors import HardwareMissing


def take_realtime_priority(priority: int) -> None:
    """Let the calling thread, and all that it starts, run before all ordinary programs: SCHED_FIFO, sched(7).

    0 leaves everything as it is. Raises HardwareMissing when the system refuses.
    """
    if priority == 0:
        return
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except OSError as error:
        raise HardwareMissing(
            f"The system gives this program no real-time priority {priority} ({error.strerror}): set"
            f" core.realtime_priority to 0, or allow it with LimitRTPRIO={priority} in its unit."
        ) from error


def give_back_realtime_priority() -> None:
    """Again as any other program, for the calling thread."""
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
