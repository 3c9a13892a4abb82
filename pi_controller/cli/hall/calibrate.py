"""`pi-controller tables calibrate`: a gain for a node's reading of its supply, by a multimeter, or none."""

from argparse import Namespace
from collections.abc import Callable

from pi_controller.bus.values import MeasureAsked, NodeMeasured
from pi_controller.cli.ask import all_told, core_of
from pi_controller.cli.usage import ACCEPTED, FAILED, REFUSED, Stop, of_system, state_dir
from pi_controller.language.words import words
from pi_controller.protocol.client import Probing
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.probes import BusProbe
from pi_controller.roster import store
from pi_controller.sentence import Sentence, listed, said_by

WHO = "tables calibrate"


def calibrate(arguments: Namespace) -> int:
    if arguments.remove:
        uid = arguments.node
        _change(arguments, lambda known: known.without(uid))
        print(words(Sentence("calibration.removed", uid=uid)))
        return ACCEPTED
    node = _read(arguments)
    gain = _change(arguments, lambda known: known.learned(node, arguments.volts)).gains[node.uid]
    print(
        words(
            Sentence(
                "calibration.kept",
                uid=node.uid,
                read=arguments.volts / gain,
                volts=arguments.volts,
                gain=gain,
            )
        )
    )
    return ACCEPTED


def _change(
    arguments: Namespace, change: Callable[[store.Calibration], store.Calibration]
) -> store.Calibration:
    """The calibration that is kept from now on."""
    folder = state_dir(arguments)
    try:
        changed = change(store.load(folder))
        store.save(changed, folder)
    except store.CannotCalibrate as error:
        raise Stop(REFUSED, said_by(error)) from error
    except OSError as error:
        raise Stop(FAILED, of_system(error, folder / store.CALIBRATION_FILE)) from error
    return changed


def _read(arguments: Namespace) -> NodeMeasured:
    """What the node reads now; nothing may be played."""
    with core_of(arguments):
        probing = Probing(socket_path(state_dir(arguments)))
        try:
            answer = probing.begin(WHO, "hardware_test")
            if not answer.accepted:
                raise Stop(REFUSED, listed(all_told(answer.reasons, answer.reason_keys)))
            found = probing.probe(BusProbe(job=MeasureAsked(uids=(arguments.node,)))).results
        finally:
            probing.close()
    for segment in found:
        for node in segment.measured:
            return node
    raise Stop(REFUSED, Sentence("calibration.no_reading", uid=arguments.node))
