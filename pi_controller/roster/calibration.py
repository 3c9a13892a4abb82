"""Each table node's gain: by what its reading of the supply must be multiplied, known from a multimeter. A
file of the state folder, replaced as a whole."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from pi_controller.bus.values import NodeMeasured, Uid
from pi_controller.journal.private import read_plain, write_private
from pi_controller.language.system_errors import why
from pi_controller.sentence import SaidError, Sentence, said_by

FILE_NAME: Final = "calibration.json"
MOST_APART: Final = 0.05
"""A sound board reads less than 4 % wrong: its reference 1.5 %, its divider's resistors 1 % each."""
LARGEST_FILE: Final = 1 << 20
"""Bytes; a node takes some fifty."""
LEAST_V: Final = 8.0
MOST_V: Final = 30.0
Gain = Annotated[float, Meta(ge=1 - MOST_APART - 0.01, le=1 + MOST_APART + 0.01)]


class Calibration(Struct, frozen=True, forbid_unknown_fields=True):
    """By uid."""

    version: Literal[1] = 1
    gains: dict[Uid, Gain] = {}

    def corrected(self, measured: Iterable[NodeMeasured]) -> tuple[NodeMeasured, ...]:
        """Supplies of known nodes times their gains; of others as they are."""
        return tuple(
            node
            if (gain := self.gains.get(node.uid)) is None
            else msgspec.structs.replace(node, supply_v=node.supply_v * gain, calibrated=True)
            for node in measured
        )

    def learned(self, node: NodeMeasured, volts: float) -> "Calibration":
        """With this node's gain, which reads `volts` as `node` says, corrected or not. CannotCalibrate when
        that cannot be."""
        if not LEAST_V <= volts <= MOST_V:
            raise CannotCalibrate(
                Sentence("calibration.volts_out_of_range", volts=volts, least=LEAST_V, most=MOST_V)
            )
        read = node.supply_v / (self.gains[node.uid] if node.calibrated else 1.0)
        if not read or abs(volts / read - 1) > MOST_APART:
            raise CannotCalibrate(
                Sentence(
                    "calibration.too_far",
                    uid=node.uid,
                    read=read,
                    volts=volts,
                    percent=round(100 * MOST_APART),
                )
            )
        return Calibration(gains={**self.gains, node.uid: volts / read})

    def without(self, uid: str) -> "Calibration":
        """CannotCalibrate when this node has none."""
        if uid not in self.gains:
            raise CannotCalibrate(Sentence("calibration.none_kept", uid=uid))
        return Calibration(gains={known: gain for known, gain in self.gains.items() if known != uid})


class CannotCalibrate(SaidError, ValueError):  # noqa: N818 - an answer to who asked
    """No gain can be had."""


def load(state_dir: Path) -> Calibration:
    """That of this folder, empty without a file. CannotCalibrate names a file that is none."""
    path = state_dir / FILE_NAME
    try:
        return msgspec.json.decode(read_plain(path, most=LARGEST_FILE), type=Calibration)
    except FileNotFoundError:
        return Calibration()
    except (OSError, msgspec.DecodeError) as error:
        reason = why(error) if isinstance(error, OSError) else str(error)
        raise CannotCalibrate(Sentence("calibration.unreadable", file=str(path), reason=reason)) from error


class CalibrationFile:
    """That of this folder for who asks often: it is read again when it has become another one."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir
        self._seen: object = None
        self._found: tuple[dict[str, float], Sentence | None] = {}, None

    def gains(self) -> tuple[dict[str, float], Sentence | None]:
        """By uid, and why there are none although there is a file. Never on core's loop: it may wait for the
        disk."""
        look = _look(self._state_dir / FILE_NAME)
        if look != self._seen:
            self._seen = look
            try:
                self._found = dict(load(self._state_dir).gains), None
            except CannotCalibrate as error:
                self._found = {}, said_by(error)
        return self._found


def _look(path: Path) -> object:
    """Equal to that of another time when the file is the same."""
    try:
        found = path.stat()
    except OSError as error:
        return error.errno
    return found.st_ino, found.st_mtime_ns, found.st_size


def save(calibration: Calibration, state_dir: Path) -> None:
    """Whole or not at all; core must be able to read what root has kept. Raises OSError."""
    content = msgspec.json.format(msgspec.json.encode(calibration), indent=1) + b"\n"
    write_private(state_dir / FILE_NAME, content)
