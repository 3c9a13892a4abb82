"""A whole self-test as the command line and the web side start it."""

from collections.abc import Sequence
from pathlib import Path

from pi_controller.protocol.probes import Level
from pi_controller.selftest.control_probes import ControlProbes
from pi_controller.selftest.operator import Operator
from pi_controller.selftest.probes import DoesNotAnswer, Probes
from pi_controller.selftest.report import BadReport, Report, convert
from pi_controller.selftest.secret_files import PinCheck
from pi_controller.selftest.session import Session
from pi_controller.selftest.verdicts import Code


def run_selftest(
    state_dir: Path,
    *,
    level: Level,
    only: Sequence[Code] = (),
    who: str,
    operator: Operator,
    uid: str | None = None,
    pin_matches: PinCheck | None = None,
) -> Report:
    """The report, which core has kept; it is held against the newest earlier one of the same level. Blocks;
    CannotRun with a sentence. `pin_matches` as for ControlProbes."""
    probes = ControlProbes(state_dir, pin_matches=pin_matches)
    try:
        previous, note = newest(probes, level)
        session = Session(
            level=level,
            only=only,
            who=who,
            probes=probes,
            operator=operator,
            previous=previous,
            uid=uid,
            notes=() if note is None else (note,),
        )
        return session.run()
    finally:
        probes.end()


def newest(probes: Probes, level: Level) -> tuple[Report | None, str | None]:
    """The newest report of this level, or a sentence why the one that is there cannot be used."""
    try:
        name = next((name for name in probes.reports() if name.endswith(f"-{level}.json")), None)
        if name is None:
            return None, None
        return convert(probes.report(name)), None
    except BadReport as bad:
        return None, f"Nothing is compared with the earlier report {name}: {bad}."
    except DoesNotAnswer as silent:
        return None, f"Nothing is compared with an earlier report. {silent}"
