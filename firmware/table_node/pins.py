"""GPIO numbers of the Pico. Made by `make generate` from hardware/pinmap.toml; edit that."""

UART_TX = 0  # UART 0 to the driver of the table bus
UART_RX = 1  # UART 0 from the receiver of the table bus
DRIVER_ENABLE = 2  # driver enable of the table bus, with 10 kOhm to ground: a Pico in reset never speaks
LOOP = 3  # spare wire of the table cable: to ground through the terminator plug, open behind a broken wire
SUN_LAMP = 6  # lamp of the first place, lit when high
MOON_LAMP = 7  # lamp of the second place, lit when high
SUN_CLAIM_LAMP = 10  # lamp in the claim button of the first place, lit when high
MOON_CLAIM_LAMP = 11  # lamp in the claim button of the second place, lit when high
STRAP_SH1106 = 12  # to ground: the displays are SH1106; open: SSD1306 or SSD1309
STRAP_SHARED = 13  # to ground: one display for both places, in two halves; open: one for each
SUN_BUTTON = 14  # claim button of the first place, to ground
MOON_BUTTON = 15  # claim button of the second place, to ground
SUN_SELECT = 17  # chip select of the first display
SPI_CLOCK = 18  # SPI 0 clock of the displays
SPI_DATA = 19  # SPI 0 data of the displays
DISPLAY_DATA = 20  # data/command line of both displays
DISPLAY_RESET = 21  # reset line of both displays
MOON_SELECT = 22  # chip select of the second display
SUPPLY = 26  # supply voltage through 100 kOhm and 10 kOhm to ground (1/11, up to 36 V)
LAMP_CURRENT = 27  # current of all four lamps as the voltage over 2.2 Ohm (2.2 V/A)
DISPLAY_CURRENT = 28  # current of both displays: 0.1 Ohm and an amplifier of 20 (2 V/A)
