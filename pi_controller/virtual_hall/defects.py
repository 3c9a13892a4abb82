"""What may be wrong with one table node and its places, and how it becomes so."""

from dataclasses import dataclass, field

from pi_controller.protocol.virtual_deeds import VirtualDeed
from pi_controller.virtual_hall.messages import Do
from pi_controller.vocabulary import SIDES

LAMP_OF_A_BUTTON = 2
"""Lamps are numbered as the firmware does: side 0 and 1, then those of their buttons."""


@dataclass
class Defects:
    """Of one node; None and False: as it should be. Places are counted as the players sit, the Sun's first;
    while they are `crossed`, each is plugged into the other one's connector."""

    supply_v: float | None = None
    temperature_c: int | None = None
    drift_ppm: float | None = None
    noise: float = 0.0
    dark: list[bool] = field(default_factory=lambda: [False, False])
    stuck: list[bool] = field(default_factory=lambda: [False, False])
    dead_lamps: set[int] = field(default_factory=set)
    crossed: bool = False
    firmware: tuple[int, int] | None = None

    def names(self) -> list[VirtualDeed]:
        """What is wrong."""
        wrong: dict[VirtualDeed, bool] = {
            "supply": self.supply_v is not None,
            "temperature": self.temperature_c is not None,
            "drift": self.drift_ppm is not None,
            "noise": self.noise > 0,
            "dark": any(self.dark),
            "stuck": any(self.stuck),
            "dead_lamp": bool(self.dead_lamps),
            "crossed": self.crossed,
            "firmware": self.firmware is not None,
        }
        return [name for name, is_so in wrong.items() if is_so]

    def spoil(self, deed: Do) -> None:
        """What `deed`, whose fields have been checked, does to the node."""
        value = deed.value or 0.0
        place = SIDES.index(deed.side or "sun")
        match deed.do:
            case "supply":
                self.supply_v = value
            case "temperature":
                self.temperature_c = round(value)
            case "drift":
                self.drift_ppm = value
            case "noise":
                self.noise = value
            case "dark":
                self.dark[place] = True
            case "stuck":
                self.stuck[place] = True
            case "dead_lamp":
                self.dead_lamps.add(place + LAMP_OF_A_BUTTON * (value > 0))
            case "crossed":
                self.crossed = True
            case "firmware":
                tenths = round(value * 10)
                self.firmware = (tenths // 10, tenths % 10)
