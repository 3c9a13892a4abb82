"""A simulated computer's facts: a healthy board, until somebody changes one of them."""

import os
from pathlib import Path
from typing import Any

import msgspec

from pi_controller.hal.facts import SystemFacts

HEALTHY: dict[str, Any] = {
    "model": "simulated computer",
    "kernel": "simulated",
    "supply": {
        "under_voltage": False,
        "throttled": False,
        "under_voltage_since_boot": False,
        "throttled_since_boot": False,
    },
    "temperature_c": 48.0,
    "clock": {
        "rtc": "rtc-simulated",
        "rtc_runs": True,
        "rtc_ahead_s": 0.0,
        "synchronised": False,
        "source": "arch_sys_counter",
    },
    "disk": {"free_bytes": 0, "size_bytes": 0, "errors": 0, "root": "overlay"},
    "watchdog": {"name": "simulated watchdog", "armed": True, "timeout_s": 14},
    "sound_cards": ["simulated card"],
}


class SimFacts:
    """`read` is that of `hal.system.facts.FactsReader`; the space of the state folder's disk is the real one
    until it is changed."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir
        self._changed: dict[str, Any] = {}

    def change(self, name: str, value: object) -> None:
        """Let the computer say this from now on; `name` is such as `temperature_c` or `supply.throttled`, and
        a whole group such as `clock` may become None where the computer need not say it.

        Raises ValueError, with all names or with what the value must be.
        """
        if name not in NAMES:
            raise ValueError(f"sim: {name} is no fact of the computer; the facts are {', '.join(NAMES)}")
        before = dict(self._changed)
        self._changed[name] = value
        try:
            self.read()
        except msgspec.ValidationError as error:
            self._changed = before
            raise ValueError(f"sim: {name} cannot be {value!r}: {error}") from error

    def read(self) -> SystemFacts:
        space = os.statvfs(self._state_dir)
        facts = {part: dict(value) if isinstance(value, dict) else value for part, value in HEALTHY.items()}
        facts["disk"]["free_bytes"] = space.f_bavail * space.f_frsize
        facts["disk"]["size_bytes"] = space.f_blocks * space.f_frsize
        for name, value in sorted(self._changed.items(), key=lambda changed: changed[0].count(".")):
            group, _, inner = name.partition(".")
            if not inner:
                facts[group] = value
            elif facts[group] is not None:
                facts[group][inner] = value
        return msgspec.convert(facts, SystemFacts)


NAMES = tuple(
    sorted(
        [
            *HEALTHY,
            *(
                f"{group}.{name}"
                for group, facts in HEALTHY.items()
                if isinstance(facts, dict)
                for name in facts
            ),
        ]
    )
)
