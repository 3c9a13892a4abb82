"""Header pins. Generated from hardware/pinmap.toml by `make generate`; change them there."""

SUN_LAMP = 12  # lamp of the Sun side, lit when high
MOON_LAMP = 13  # lamp of the Moon side, lit when high
BUZZER = 16  # buzzer or horn driver, sounds when high
PAUSE_LAMP = 26  # lamp in the big pause button, lit when high
PAUSE_NC = 5  # normally closed contact of the big pause button, to ground
PAUSE_NO = 6  # normally open contact of the big pause button, to ground
SHUTDOWN_BUTTON = 27  # button that switches the computer off when it is held, to ground
SPI_DC_PIN = 24  # data/command line of a display on SPI
SPI_RESET_PIN = 25  # reset line of a display on SPI

RESERVED = (0, 1)
"""BCM numbers of the identification memory of add-on boards: nothing may use them."""

I2C = {
    1: (2, 3),
}
"""Pins that an I2C bus takes, by bus number."""

SPI_DATA = {
    0: (9, 10, 11),
    1: (19, 20, 21),
}
"""Clock and data pins of an SPI bus, by bus number."""

SPI_SELECT = {
    0: (8, 7),
    1: (18, 17, 16),
}
"""Chip-select pins of an SPI bus, by bus number, in their order."""
