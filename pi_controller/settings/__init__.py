"""The one typed settings file: every mistake is reported at once, before a pin is touched."""

from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import diff, load, show
from pi_controller.settings.sections import Settings

__all__ = ["Settings", "SettingsFault", "diff", "load", "show"]
