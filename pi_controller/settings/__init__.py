"""The one typed settings file: every mistake is reported at once, before a pin is touched.

sections  every setting with its type, range, default and meaning
pins      header pins, generated
load      reads, shows and writes the file; the copy of the last one that could be used
checks    what a type cannot say
event     colours and logo
fault     why settings are refused
overlay   what pages have changed, over the file
standing  what a promotion has made of this hall, over its settings
"""

from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import diff, load, show
from pi_controller.settings.sections import Settings

__all__ = ["Settings", "SettingsFault", "diff", "load", "show"]
