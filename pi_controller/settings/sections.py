"""Every setting with its type, range, default and meaning; documents and reports are made from them."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pi_controller.bus.values import SegmentPort
from pi_controller.game.commands import LONGEST_PHASE_S, ClaimsMode, Step
from pi_controller.game.rule_sets import CONNECT, FIRST_SIDE, FirstSide, TargetDraw
from pi_controller.game.turn_order import AfterRobber
from pi_controller.hal.names import DisplayController, PinLibrary, Rotation, WiredContacts
from pi_controller.settings import pins
from pi_controller.vocabulary import Desert

HardwareChoice = Literal["sim", "pi"]
"""The drivers of all roles at once."""
Driver = Literal["gpiozero", "sim"]
DisplayDriver = Literal["luma", "sim", "none"]
DisplayBus = Literal["i2c", "spi"]
RobberTarget = Annotated[int, Meta(ge=2, le=12)] | Desert
Bcm = Annotated[int, Meta(ge=0, le=27)]


class Hall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The hall that this controller stands in."""

    name: Annotated[
        str, Meta(max_length=60, description="name of the hall, for the log-in page, reports and bundles")
    ] = ""


class Game(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The game that is armed when the controller starts."""

    rule_set: Annotated[Literal["connect"], Meta(description="event format that is played")] = "connect"
    first_side: Annotated[FirstSide, Meta(description="side that is active in round 1; drawn: by lot")] = (
        FIRST_SIDE
    )
    schedule: Annotated[
        tuple[Step, ...],
        Meta(description="from which round on a round lasts how many seconds, 1 to 3600"),
    ] = CONNECT.schedule
    robber_seconds: Annotated[
        float, Meta(ge=1, le=LONGEST_PHASE_S, description="length of a robber phase in seconds")
    ] = CONNECT.robber_ms / 1000
    rounds_without_seven: Annotated[
        int, Meta(ge=0, le=999, description="so many rounds from the start no 7 can come up")
    ] = CONNECT.rounds_without_seven
    after_robber: Annotated[
        AfterRobber,
        Meta(description="side that comes after a robber phase: the one that was due, or the other one"),
    ] = CONNECT.after_robber
    allow_consecutive_sevens: Annotated[
        bool, Meta(description="whether the roll right after a robber phase may be a 7 again")
    ] = CONNECT.allow_consecutive_sevens
    robber_targets: Annotated[
        tuple[RobberTarget, ...],
        Meta(description="results that can be shown in a robber phase; a 7 is written as desert"),
    ] = CONNECT.robber_targets
    robber_target_draw: Annotated[
        TargetDraw,
        Meta(description="how likely the targets are: as the sum of two dice, or each the same"),
    ] = CONNECT.robber_target_draw
    target_points: Annotated[int, Meta(ge=1, le=99, description="points that win")] = CONNECT.target_points
    start_countdown_seconds: Annotated[
        int, Meta(ge=0, le=30, description="countdown before round 1 in seconds; 0: none")
    ] = CONNECT.start_countdown_ms // 1000
    resume_countdown_seconds: Annotated[
        int, Meta(ge=0, le=30, description="countdown before play goes on after a pause in seconds; 0: none")
    ] = CONNECT.resume_countdown_ms // 1000
    claims: Annotated[
        ClaimsMode,
        Meta(description="what a claim from a table does: tell the director, or pause at once"),
    ] = CONNECT.claims


class Hardware(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which driver serves which part of the panel; a missing one stops the start."""

    lamps: Annotated[Driver, Meta(description="driver of the Sun, Moon and pause lamps")] = "gpiozero"
    buzzer: Annotated[Driver, Meta(description="driver of the buzzer")] = "gpiozero"
    pause_button: Annotated[Driver, Meta(description="driver of the big pause button")] = "gpiozero"
    display: Annotated[DisplayDriver, Meta(description="driver of the local display; none: not fitted")] = (
        "luma"
    )
    sound: Annotated[
        Literal["alsa", "sim"], Meta(description="driver of sound; [sound] says whether there is any")
    ] = "alsa"
    shutdown_button: Annotated[
        Literal[Driver, "none"],
        Meta(description="driver of the button that switches the computer off; none: not fitted"),
    ] = "none"
    pin_factory: Annotated[
        PinLibrary,
        Meta(description="library under gpiozero; rpigpio only on boards before the Pi 5"),
    ] = "lgpio"


class Pins(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Header pins by their BCM number. The defaults are those of `hardware/pinmap.toml`."""

    sun_lamp: Annotated[Bcm, Meta(description="lamp of the Sun side")] = pins.SUN_LAMP
    moon_lamp: Annotated[Bcm, Meta(description="lamp of the Moon side")] = pins.MOON_LAMP
    buzzer: Annotated[Bcm, Meta(description="buzzer or horn driver")] = pins.BUZZER
    pause_lamp: Annotated[Bcm, Meta(description="lamp in the big pause button")] = pins.PAUSE_LAMP
    pause_nc: Annotated[Bcm, Meta(description="normally closed contact of the big pause button")] = (
        pins.PAUSE_NC
    )
    pause_no: Annotated[Bcm, Meta(description="normally open contact of the big pause button")] = (
        pins.PAUSE_NO
    )
    shutdown_button: Annotated[
        Bcm, Meta(description="button that switches the computer off when it is held")
    ] = pins.SHUTDOWN_BUTTON


class PauseButton(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The big pause button."""

    contacts: Annotated[
        WiredContacts,
        Meta(description="wired contacts: both, so that a broken wire is noticed, or the NO contact alone"),
    ] = "nc_no"
    hold_to_resume_seconds: Annotated[
        float,
        Meta(ge=0, le=30, description="holding the button so long while paused resumes play; 0: never"),
    ] = 3.0


class ShutdownButton(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The button that switches the computer off."""

    hold_seconds: Annotated[
        float, Meta(ge=1, le=10, description="it must be held for so long, while the clock stands still")
    ] = 3.0


class Buzzer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The buzzer."""

    enabled: Annotated[bool, Meta(description="whether the buzzer sounds at all")] = True
    longest_tone_ms: Annotated[
        int,
        Meta(ge=50, le=5000, description="a tone is cut off after so many milliseconds, whatever happens"),
    ] = 1000


class Sound(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sound from this computer, such as a loudspeaker at its headphone socket."""

    device: Annotated[
        str,
        Meta(
            description="ALSA device that plays, by a name of `aplay -L`; default: the computer's first;"
            " none: not fitted"
        ),
    ] = "none"


class Display(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The local status display, 128 by 64 pixels."""

    controller: Annotated[DisplayController, Meta(description="chip on the display board")] = "ssd1306"
    bus: Annotated[DisplayBus, Meta(description="how the display is connected")] = "i2c"
    i2c_port: Annotated[int, Meta(ge=1, le=22, description="number of the I2C bus; 1 is on the header")] = 1
    i2c_address: Annotated[
        int, Meta(ge=0x08, le=0x77, description="address of the display on the I2C bus")
    ] = 0x3C
    spi_port: Annotated[int, Meta(ge=0, le=1, description="number of the SPI bus")] = 0
    spi_device: Annotated[
        int, Meta(ge=0, le=2, description="chip select on the SPI bus; bus 0 has only 0 and 1")
    ] = 0
    spi_dc_pin: Annotated[Bcm, Meta(description="BCM number of the data/command line on SPI")] = (
        pins.SPI_DC_PIN
    )
    spi_reset_pin: Annotated[Bcm, Meta(description="BCM number of the reset line on SPI")] = (
        pins.SPI_RESET_PIN
    )
    rotate_degrees: Annotated[Rotation, Meta(description="180 when the display is mounted upside down")] = 0
    contrast: Annotated[
        int, Meta(ge=0, le=255, description="brightness; less wears the display out more slowly")
    ] = 128


class Tables(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table nodes and the serial ports that their segments hang on."""

    segments: Annotated[
        tuple[SegmentPort, ...],
        Meta(
            description="at most 8 segments, each with a letter from A to Z and the full path of its port, by"
            " a name that stays with the adapter, such as /dev/tablebus/row-A; empty: no table nodes"
        ),
    ] = ()
    baud: Annotated[
        Literal[250000, 115200],
        Meta(description="bits per second on all segments; the slower one for long or poor cables"),
    ] = 250000
    brightness: Annotated[
        int, Meta(ge=0, le=255, description="brightness of the displays and lamps on the tables")
    ] = 128
    replace_automatically: Annotated[
        bool,
        Meta(
            description="a new node takes the place of the one lost board of its segment by itself"
            " after 10 s; otherwise it is offered"
        ),
    ] = False


class Journal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the record of the games is kept besides the state folder."""

    second_copy: Annotated[
        str, Meta(description="folder on a second device that gets the same lines; empty: none")
    ] = ""


class Web(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The pages."""

    host: Annotated[
        str, Meta(description="address or name to listen on; 127.0.0.1 reaches this machine only")
    ] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535, description="port to listen on; 0: any free one")] = 8080
    allowed_hosts: Annotated[
        tuple[str, ...],
        Meta(description="further names under which browsers may ask for the pages, such as clock.local"),
    ] = ()
    trusted_proxies: Annotated[
        tuple[str, ...],
        Meta(
            description="addresses of reverse proxies, such as 127.0.0.1, whose X-Forwarded-For says who"
            " asks: limits then count that address"
        ),
    ] = ()


class Core(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Supervision inside the controller."""

    lost_part_seconds: Annotated[
        float,
        Meta(ge=0.5, le=60, description="a part without a sign of life for so long counts as lost"),
    ] = 2.0
    realtime_priority: Annotated[
        int,
        Meta(
            ge=0,
            le=99,
            description="the game runs before all ordinary programs (SCHED_FIFO), so that a busy machine"
            " delays no freeze; 0: as any other program",
        ),
    ] = 0


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that can be set, section by section."""

    hall: Hall = Hall()
    game: Game = Game()
    hardware: Hardware = Hardware()
    pins: Pins = Pins()
    pause_button: PauseButton = PauseButton()
    shutdown_button: ShutdownButton = ShutdownButton()
    buzzer: Buzzer = Buzzer()
    sound: Sound = Sound()
    display: Display = Display()
    tables: Tables = Tables()
    journal: Journal = Journal()
    web: Web = Web()
    core: Core = Core()
