"""Every setting with its type, range, default and meaning; documents and reports are made from them."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from pi_controller.bus.values import SegmentPort
from pi_controller.game.commands import LONGEST_PHASE_S, LONGEST_TEXT, ClaimsMode, Step
from pi_controller.game.rule_sets import CLASSIC, CONNECT, FIRST_SIDE, FirstSide, TargetDraw
from pi_controller.game.turn_order import AfterRobber
from pi_controller.hal.names import DisplayController, PinLibrary, Rotation, SoundKind, WiredContacts
from pi_controller.language.languages import ENGLISH, Language
from pi_controller.protocol.picture import HALL_NAME, LinkRole
from pi_controller.sentence import Sentence
from pi_controller.settings import pins
from pi_controller.vocabulary import FEWEST_SEATS, MOST_SEATS, Desert, RuleSetName

HardwareChoice = Literal["sim", "pi", "none"]
"""The drivers of all roles at once; `none`: there is no panel, and the evening is a real one."""
Driver = Literal["gpiozero", "sim", "none"]
ButtonDriver = Literal[Driver, "usb"]
DisplayDriver = Literal["luma", "sim", "none"]
CurrentDriver = Literal["ina226", "sim", "none"]
DisplayBus = Literal["i2c", "spi"]
Seconds = Annotated[float, Meta(ge=0, le=LONGEST_PHASE_S)]
"""Of a phase; 0: none."""
RobberTarget = Annotated[int, Meta(ge=2, le=12)] | Desert
Bcm = Annotated[int, Meta(ge=0, le=27)]
PreparedText = Annotated[str, Meta(min_length=1, max_length=LONGEST_TEXT)]
"""A line for all screens, as the director could type it."""


class HallSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The hall that this controller stands in."""

    name: Annotated[str, Meta(max_length=60), Sentence("setting.hall_name")] = ""
    languages: Annotated[tuple[Language, ...], Sentence("setting.hall_languages")] = (ENGLISH,)


class EventSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The event that takes place in the hall."""

    name: Annotated[str, Meta(max_length=60), Sentence("setting.event_name")] = ""
    logo: Annotated[str, Sentence("setting.event_logo")] = ""
    colours: Annotated[tuple[str, ...], Sentence("setting.event_colours")] = ()
    lines: Annotated[tuple[PreparedText, ...], Sentence("setting.event_lines")] = ()


class GameSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The game that is armed when the controller starts."""

    rule_set: Annotated[RuleSetName, Sentence("setting.game_rule_set")] = "connect"
    first_side: Annotated[FirstSide, Sentence("setting.game_first_side")] = FIRST_SIDE
    schedule: Annotated[tuple[Step, ...], Sentence("setting.game_schedule")] = CONNECT.schedule
    robber_seconds: Annotated[
        float, Meta(ge=1, le=LONGEST_PHASE_S), Sentence("setting.game_robber_seconds")
    ] = CONNECT.robber_ms / 1000
    rounds_without_seven: Annotated[
        int, Meta(ge=0, le=999), Sentence("setting.game_rounds_without_seven")
    ] = CONNECT.rounds_without_seven
    after_robber: Annotated[AfterRobber, Sentence("setting.game_after_robber")] = "due_side"
    allow_consecutive_sevens: Annotated[bool, Sentence("setting.game_allow_consecutive_sevens")] = (
        CONNECT.allow_consecutive_sevens
    )
    robber_targets: Annotated[tuple[RobberTarget, ...], Sentence("setting.game_robber_targets")] = (
        CONNECT.robber_targets
    )
    robber_target_draw: Annotated[TargetDraw, Sentence("setting.game_robber_target_draw")] = (
        CONNECT.robber_target_draw
    )
    target_points: Annotated[int, Meta(ge=1, le=99), Sentence("setting.game_target_points")] = (
        CONNECT.target_points
    )
    start_countdown_seconds: Annotated[
        int, Meta(ge=0, le=30), Sentence("setting.game_start_countdown_seconds")
    ] = CONNECT.start_countdown_ms // 1000
    resume_countdown_seconds: Annotated[
        int, Meta(ge=0, le=30), Sentence("setting.game_resume_countdown_seconds")
    ] = CONNECT.resume_countdown_ms // 1000
    claims: Annotated[ClaimsMode, Sentence("setting.game_claims")] = CONNECT.claims
    close_after_minutes: Annotated[int, Meta(ge=0, le=1440), Sentence("setting.game_close_after_minutes")] = 0


class ClassicSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base game at one table."""

    players: Annotated[int, Meta(ge=FEWEST_SEATS, le=MOST_SEATS), Sentence("setting.classic_players")] = 4
    names: Annotated[tuple[str, ...], Sentence("setting.classic_names")] = ()
    first: Annotated[Literal["highest", "drawn"], Sentence("setting.classic_first")] = "highest"
    turn_seconds: Annotated[Seconds, Sentence("setting.classic_turn_seconds")] = 0.0
    turns_without_seven: Annotated[
        int, Meta(ge=0, le=99), Sentence("setting.classic_turns_without_seven")
    ] = 0
    building_seconds: Annotated[Seconds, Sentence("setting.classic_building_seconds")] = 30.0
    target_points: Annotated[int, Meta(ge=3, le=30), Sentence("setting.classic_target_points")] = (
        CLASSIC.target_points
    )


class HardwareSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which driver serves which part of the panel; a missing one stops the start."""

    lamps: Annotated[Driver, Sentence("setting.hardware_lamps")] = "gpiozero"
    buzzer: Annotated[Driver, Sentence("setting.hardware_buzzer")] = "gpiozero"
    pause_button: Annotated[ButtonDriver, Sentence("setting.hardware_pause_button")] = "gpiozero"
    display: Annotated[DisplayDriver, Sentence("setting.hardware_display")] = "luma"
    sound: Annotated[Literal["alsa", "sim"], Sentence("setting.hardware_sound")] = "alsa"
    shutdown_button: Annotated[Driver, Sentence("setting.hardware_shutdown_button")] = "none"
    panel_current: Annotated[CurrentDriver, Sentence("setting.hardware_panel_current")] = "none"
    pin_factory: Annotated[PinLibrary, Sentence("setting.hardware_pin_factory")] = "lgpio"


class PinSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Header pins by their BCM number. The defaults are those of `hardware/pinmap.toml`."""

    sun_lamp: Annotated[Bcm, Sentence("setting.pins_sun_lamp")] = pins.SUN_LAMP
    moon_lamp: Annotated[Bcm, Sentence("setting.pins_moon_lamp")] = pins.MOON_LAMP
    buzzer: Annotated[Bcm, Sentence("setting.pins_buzzer")] = pins.BUZZER
    pause_lamp: Annotated[Bcm, Sentence("setting.pins_pause_lamp")] = pins.PAUSE_LAMP
    pause_nc: Annotated[Bcm, Sentence("setting.pins_pause_nc")] = pins.PAUSE_NC
    pause_no: Annotated[Bcm, Sentence("setting.pins_pause_no")] = pins.PAUSE_NO
    shutdown_button: Annotated[Bcm, Sentence("setting.pins_shutdown_button")] = pins.SHUTDOWN_BUTTON


class PauseButtonSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The big pause button."""

    contacts: Annotated[WiredContacts, Sentence("setting.pause_button_contacts")] = "nc_no"
    hold_to_resume_seconds: Annotated[
        float, Meta(ge=0, le=30), Sentence("setting.pause_button_hold_to_resume_seconds")
    ] = 3.0
    usb_device: Annotated[str, Meta(max_length=300), Sentence("setting.pause_button_usb_device")] = ""
    usb_key: Annotated[int, Meta(ge=0, le=767), Sentence("setting.pause_button_usb_key")] = 0


class ShutdownButtonSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The button that switches the computer off."""

    hold_seconds: Annotated[float, Meta(ge=1, le=10), Sentence("setting.shutdown_button_hold_seconds")] = 3.0


class BuzzerSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The buzzer."""

    enabled: Annotated[bool, Sentence("setting.buzzer_enabled")] = True
    longest_tone_ms: Annotated[int, Meta(ge=50, le=5000), Sentence("setting.buzzer_longest_tone_ms")] = 1000


class SoundSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sound from this computer, such as a loudspeaker at its headphone socket."""

    device: Annotated[str, Sentence("setting.sound_device")] = "none"
    voice: Annotated[bool, Sentence("setting.sound_voice")] = True
    volume_percent: Annotated[int, Meta(ge=0, le=100), Sentence("setting.sound_volume_percent")] = 80
    off: Annotated[tuple[SoundKind, ...], Sentence("setting.sound_off")] = ()
    name_side_early_ms: Annotated[
        int, Meta(ge=0, le=10_000), Sentence("setting.sound_name_side_early_ms")
    ] = 0
    delay_ms: Annotated[int, Meta(ge=0, le=1000), Sentence("setting.sound_delay_ms")] = 0
    ducking_db: Annotated[int, Meta(ge=0, le=60), Sentence("setting.sound_ducking_db")] = 12


class DisplaySettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The local status display, 128 by 64 pixels."""

    controller: Annotated[DisplayController, Sentence("setting.display_controller")] = "ssd1306"
    bus: Annotated[DisplayBus, Sentence("setting.display_bus")] = "i2c"
    i2c_port: Annotated[int, Meta(ge=1, le=22), Sentence("setting.display_i2c_port")] = 1
    i2c_address: Annotated[int, Meta(ge=0x08, le=0x77), Sentence("setting.display_i2c_address")] = 0x3C
    spi_port: Annotated[int, Meta(ge=0, le=1), Sentence("setting.display_spi_port")] = 0
    spi_device: Annotated[int, Meta(ge=0, le=2), Sentence("setting.display_spi_device")] = 0
    spi_dc_pin: Annotated[Bcm, Sentence("setting.display_spi_dc_pin")] = pins.SPI_DC_PIN
    spi_reset_pin: Annotated[Bcm, Sentence("setting.display_spi_reset_pin")] = pins.SPI_RESET_PIN
    rotate_degrees: Annotated[Rotation, Sentence("setting.display_rotate_degrees")] = 0
    contrast: Annotated[int, Meta(ge=0, le=255), Sentence("setting.display_contrast")] = 128


class PanelCurrentSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The sensor of the current through the panel's lamps and buzzer; boards of revision 1 have none."""

    i2c_port: Annotated[int, Meta(ge=1, le=22), Sentence("setting.panel_current_i2c_port")] = 1
    i2c_address: Annotated[int, Meta(ge=0x40, le=0x4F), Sentence("setting.panel_current_i2c_address")] = 0x40


class TableSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table nodes and the serial ports that their segments hang on."""

    segments: Annotated[tuple[SegmentPort, ...], Sentence("setting.tables_segments")] = ()
    baud: Annotated[Literal[250000, 115200], Sentence("setting.tables_baud")] = 250000
    brightness: Annotated[int, Meta(ge=0, le=255), Sentence("setting.tables_brightness")] = 128
    replace_automatically: Annotated[bool, Sentence("setting.tables_replace_automatically")] = False
    seat_codes: Annotated[bool, Sentence("setting.tables_seat_codes")] = False


class JournalSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the record of the games is kept besides the state folder."""

    second_copy: Annotated[str, Sentence("setting.journal_second_copy")] = ""
    keep_days: Annotated[int, Meta(ge=0, le=3650), Sentence("setting.journal_keep_days")] = 0


class WebSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The pages."""

    host: Annotated[str, Sentence("setting.web_host")] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535), Sentence("setting.web_port")] = 8080
    staff_host: Annotated[str, Sentence("setting.web_staff_host")] = ""
    staff_port: Annotated[int, Meta(ge=0, le=65535), Sentence("setting.web_staff_port")] = 0
    staff_tls: Annotated[bool, Sentence("setting.web_staff_tls")] = False
    staff_certificate: Annotated[str, Sentence("setting.web_staff_certificate")] = ""
    staff_key: Annotated[str, Sentence("setting.web_staff_key")] = ""
    allowed_hosts: Annotated[tuple[str, ...], Sentence("setting.web_allowed_hosts")] = ()
    trusted_proxies: Annotated[tuple[str, ...], Sentence("setting.web_trusted_proxies")] = ()
    wifi_name: Annotated[str, Meta(max_length=32), Sentence("setting.web_wifi_name")] = ""
    wifi_password: Annotated[str, Meta(max_length=63), Sentence("setting.web_wifi_password")] = ""


class CoreSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Supervision inside the controller."""

    lost_part_seconds: Annotated[float, Meta(ge=0.5, le=60), Sentence("setting.core_lost_part_seconds")] = 2.0
    realtime_priority: Annotated[int, Meta(ge=0, le=99), Sentence("setting.core_realtime_priority")] = 0


class LinkSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Several halls with one game, over an MQTT broker; and lights and statistics that listen there."""

    role: Annotated[Literal["none", LinkRole], Sentence("setting.links_role")] = "none"
    hall: Annotated[str, Meta(pattern=HALL_NAME), Sentence("setting.links_hall")] = "main"
    may_lead: Annotated[bool, Sentence("setting.links_may_lead")] = True
    broker: Annotated[str, Meta(min_length=1, max_length=253), Sentence("setting.links_broker")] = "127.0.0.1"
    port: Annotated[int, Meta(ge=1, le=65535), Sentence("setting.links_port")] = 1883
    user: Annotated[str, Meta(max_length=64), Sentence("setting.links_user")] = ""
    password_file: Annotated[str, Sentence("setting.links_password_file")] = ""
    ca_file: Annotated[str, Sentence("setting.links_ca_file")] = ""
    home_assistant: Annotated[bool, Sentence("setting.links_home_assistant")] = False
    osc: Annotated[tuple[str, ...], Sentence("setting.links_osc")] = ()


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that can be set, section by section."""

    hall: HallSettings = HallSettings()
    event: EventSettings = EventSettings()
    game: GameSettings = GameSettings()
    classic: ClassicSettings = ClassicSettings()
    hardware: HardwareSettings = HardwareSettings()
    pins: PinSettings = PinSettings()
    pause_button: PauseButtonSettings = PauseButtonSettings()
    shutdown_button: ShutdownButtonSettings = ShutdownButtonSettings()
    buzzer: BuzzerSettings = BuzzerSettings()
    sound: SoundSettings = SoundSettings()
    display: DisplaySettings = DisplaySettings()
    panel_current: PanelCurrentSettings = PanelCurrentSettings()
    tables: TableSettings = TableSettings()
    journal: JournalSettings = JournalSettings()
    web: WebSettings = WebSettings()
    core: CoreSettings = CoreSettings()
    links: LinkSettings = LinkSettings()
