"""What of the options and settings decides how a core is made."""

from pi_controller.core.monitoring.computer import Facts
from pi_controller.hal.sim.machine import SimFacts
from pi_controller.hal.system.facts import FactsReader
from pi_controller.protocol.options import CoreOptions
from pi_controller.sentence import SaidError, Sentence
from pi_controller.settings.sections import Settings


class WrongOptions(SaidError, ValueError):  # noqa: N818 - an answer to who started the program
    """Options that do not go together."""


def check_options(options: CoreOptions, settings: Settings) -> None:
    """Speed, seed and virtual tables are for simulations only; raises WrongOptions."""
    simulated = all_simulated(settings)
    if options.speed != 1 and not simulated:
        raise WrongOptions(Sentence("options.speed_of_simulation_only"))
    if options.virtual_tables and not simulated:
        raise WrongOptions(Sentence("options.virtual_tables_of_simulation_only"))
    if options.seed_hex is None:
        return
    if not simulated:
        raise WrongOptions(Sentence("options.seed_of_simulation_only"))
    if len(options.seed_hex) != 64 or set(options.seed_hex.lower()) - set("0123456789abcdef"):
        raise WrongOptions(Sentence("options.seed_of_64_digits"))


def all_simulated(settings: Settings) -> bool:
    """No part of the panel is a real one."""
    hardware = settings.hardware
    drivers = (hardware.lamps, hardware.buzzer, hardware.pause_button)
    others = {hardware.display, hardware.shutdown_button, hardware.panel_current}
    return set(drivers) == {"sim"} and others <= {"sim", "none"}


def make_facts(options: CoreOptions, settings: Settings) -> Facts:
    """The computer's facts: simulated ones, that can be changed, with a simulated panel."""
    return SimFacts(options.state_dir) if all_simulated(settings) else FactsReader(options.state_dir)
