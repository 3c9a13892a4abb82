"""What the command line hands to the two processes; plain values, so that neither has to know argparse."""

from pathlib import Path

from msgspec import Struct

from pi_controller.settings.sections import HardwareChoice


class CoreOptions(Struct, frozen=True, kw_only=True):
    """For `pi_controller.core.main.main(options) -> int`.

    The returned exit status is 0 after a clean end and 2 when starting again would not help (settings, a
    missing driver, a second instance, a socket path that is too long); then one sentence stands on stderr.
    """

    state_dir: Path
    """Journal and control socket lie there; core makes it (0700) when it is missing."""
    settings_path: Path | None = None
    """None: the defaults."""
    hardware: HardwareChoice | None = None
    """Sets all roles at once; None leaves them to the settings."""
    speed: float = 1.0
    """Game time runs so many times as fast; other than 1 only with simulated hardware."""
    seed_hex: str | None = None
    """64 hex digits that stand in for a drawn seed; only with simulated hardware."""
    unattended: bool = False
    """Nobody reads stderr: with wrong settings the last good ones are used, and what does not work of the
    panel is left out."""
    rule_set: str | None = None
    """In place of that of the settings. A game of another one that has not begun, or is over, gives way."""
    players: int | None = None
    """At one table, in place of those of the settings."""
    virtual_tables: int = 0
    """So many simulated table nodes answer at the ports that protocol/paths.py names, in place of those in
    the settings; only with simulated hardware."""


class TablesOptions(Struct, frozen=True, kw_only=True):
    """For `pi_controller.virtual_hall.main.main(options) -> int`; exit status 0 after a clean end, 2 when
    starting again would not help."""

    state_dir: Path
    tables: int
    """1 to protocol.paths.MOST_VIRTUAL_TABLES."""
    parts_seed: int = 1
    """The parts of all tables and cables are drawn from it within their data sheets; 0: all are ideal."""


class WebOptions(Struct, frozen=True, kw_only=True):
    """For `pi_controller.web.main.main(options) -> int`.

    Exit status 0 after a clean end, 2 for wrong settings or a port that is taken.

    Once it listens it prints one address a line to stdout: `hall http://…/`, `director
    http://…/login?token=…`, `technician http://…/technician` (for who is logged in) and, with simulated
    hardware, `virtual hall http://…/sim`."""

    state_dir: Path
    settings_path: Path | None = None
    host: str | None = None
    """None: as the settings say."""
    port: int | None = None
    """None: as the settings say; 0: any free port."""
    unattended: bool = False
    """Nobody reads stderr: with wrong settings the last good ones are used."""


class LinksOptions(Struct, frozen=True, kw_only=True):
    """For `pi_controller.links.main.main(options) -> int`; exit status 0 after a clean end and where the
    settings name no role, 2 when starting again would not help."""

    state_dir: Path
    settings_path: Path | None = None
    unattended: bool = False
    """Nobody reads stderr: with wrong settings the last good ones are used."""
