"""What the second copy needs besides the lines: the key that seals the game's seed in it."""

import logging
from collections.abc import Callable
from pathlib import Path

from pi_controller.journal.errors import Trouble
from pi_controller.journal.pairing import PairingFault, PairingKey, read_key
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence, said_by

log = logging.getLogger(__name__)


def key_for_copy(
    state_dir: Path, second_copy: Path | None, on_trouble: Callable[[Trouble], None]
) -> PairingKey | None:
    """The pairing key, None where there is nothing to seal. A key that cannot be used is told and does not
    keep the clock from starting: the game itself needs none."""
    if second_copy is None:
        return None
    try:
        key = read_key(state_dir)
    except PairingFault as fault:
        sentence = Sentence("journal.copy_without_seed", why=said_by(fault))
        on_trouble(Trouble(sentence, fatal=False, part="pairing"))
        return None
    except OSError as error:
        sentence = Sentence("journal.pairing_key_unreadable", why=why(error))
        on_trouble(Trouble(sentence, fatal=False, part="pairing"))
        return None
    if key is None:
        log.warning("the second copy holds no seed for a spare: `pi-controller pair new` makes a key")
    return key
