"""The real display. Run with `-s`: a person says whether the picture is whole."""

import os

from PIL import Image, ImageDraw

from pi_controller.hal.oled.display import HEIGHT, WIDTH, OledPanel, i2c_bus

CONTROLLER = os.environ.get("ON_PI_CONTROLLER", "ssd1306")


def test_the_border_is_whole() -> None:
    picture = Image.new("1", (WIDTH, HEIGHT))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, WIDTH - 1, HEIGHT - 1), outline=1)
    draw.line((0, 0, WIDTH - 1, HEIGHT - 1), fill=1)
    bus = i2c_bus(port=1, address=0x3C)()
    panel = OledPanel(CONTROLLER, bus, picture=picture, contrast=128, upside_down=False)
    answer = input("\nA border of one pixel on all four sides and a diagonal from the upper left? [y/n] ")
    panel.switch_off()
    bus.cleanup()
    assert answer.strip().lower() == "y", f"this display is no {CONTROLLER}, or it is damaged"
