"""The event whose name and logo stand on printed sheets: as the controller was last set when it started."""

import logging
from pathlib import Path

from pi_controller.paper.document import NO_EVENT, PaperEvent, png_logo
from pi_controller.settings.event import LogoFault, read_logo
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import FILE_NAME, load

LOG = logging.getLogger(__name__)


def event_of(state_dir: Path) -> PaperEvent:
    """NO_EVENT where the controller has never started. A logo that is no PNG, or cannot be read, is left
    out: what is printed matters more."""
    try:
        event = load(state_dir / FILE_NAME).event
    except SettingsFault as fault:
        LOG.debug("no event on paper: %s", fault)
        return NO_EVENT
    try:
        logo = read_logo(event.logo)
    except LogoFault as fault:
        LOG.warning("%s", fault)
        logo = None
    return PaperEvent(event.name, None if logo is None or logo.suffix != ".png" else png_logo(logo.body))
