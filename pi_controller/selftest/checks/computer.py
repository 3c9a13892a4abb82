"""HWD and SEC: the computer's watchdog, and the secrets in the state folder."""

from pi_controller.selftest.hall import Hall
from pi_controller.selftest.outcome import Outcome, Record, named, not_fitted

LONGEST_TIMEOUT_S = 15
"""The Pi's watchdog counts no further; a longer setting leaves it unarmed."""


def hwd(hall: Hall) -> Outcome:
    """Armed, and biting soon enough."""
    watchdog = hall.probes.facts().watchdog
    if watchdog is None:
        before = hall.before("HWD")
        if before is None or before.verdict in ("not_fitted", "skipped"):
            return not_fitted("This computer has no watchdog.")
    record = Record()
    armed = watchdog is not None and watchdog.armed
    record.value("armed", "yes" if armed else "no", limit="yes", ok=armed)
    timeout = None if watchdog is None else watchdog.timeout_s
    soon = timeout is None or timeout <= LONGEST_TIMEOUT_S
    record.value("bites after", timeout, "s", limit="15 at most", ok=soon)
    if not armed or not soon:
        record.fault(
            "the settings of the system (RuntimeWatchdogSec)",
            "The computer would not start afresh by itself after a hang: install again, which arms its"
            " watchdog.",
        )
    return record.outcome("The watchdog is armed.")


def sec(hall: Hall) -> Outcome:
    """No PIN that is guessed first, and no secret that others can read."""
    secrets = hall.probes.secrets()
    record = Record()
    open_files = [f"{file.name} ({file.mode:o})" for file in secrets.files if file.mode & 0o077]
    record.value("secret files", len(secrets.files))
    record.value("readable by others", len(open_files), limit="0", ok=not open_files)
    for file in secrets.files:
        if file.mode & 0o077:
            record.fault(
                f"the file {file.name}",
                f"{file.name} can be read by others (mode {file.mode:o}): make it 0600, then change what is"
                " in it.",
            )
    if secrets.pin_guessable is None:
        record.value("PIN", "none set", limit="not guessable")
    else:
        record.value(
            "PIN",
            "guessable" if secrets.pin_guessable else "set",
            limit="not guessable",
            ok=not secrets.pin_guessable,
        )
    if secrets.pin_trouble is not None:
        record.fault("the PIN's file", secrets.pin_trouble)
    if secrets.pin_guessable:
        record.fault(
            "the PIN",
            "The PIN is one that everybody tries first: make a new one with `pi-controller pin new`.",
        )
    kept = named([file.name for file in secrets.files])
    return record.outcome(f"Closed to others: {kept}." if kept else "No secret file is kept yet.")
