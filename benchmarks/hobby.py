"""The whole clock as somebody writes it in an evening: two lamps, a pause button, a display."""

import logging
import time
from typing import Any

from gpiozero import LED, Button
from luma.core.interface.serial import i2c
from luma.core.render import canvas
from luma.oled.device import ssd1306

SUN_LAMP, MOON_LAMP, PAUSE_LAMP, PAUSE_BUTTON = 17, 27, 22, 5


def play(display: Any, round_s: float = 35.0, bounce_s: float | None = 0.05) -> None:
    """For ever. The button pauses and goes on."""
    lamps = LED(SUN_LAMP), LED(MOON_LAMP)
    pause_lamp = LED(PAUSE_LAMP)
    button = Button(PAUSE_BUTTON, bounce_time=bounce_s)
    button.when_pressed = pause_lamp.toggle
    number, left_s, last = 1, round_s, time.monotonic()
    lamps[0].on()
    logging.info("round %d", number)
    while True:
        now = time.monotonic()
        if not pause_lamp.is_lit:
            left_s -= now - last
        last = now
        if left_s <= 0:
            left_s += round_s  # and not round_s alone: no round gets longer because the loop was late
            number += 1
            for lamp in lamps:
                lamp.toggle()
            logging.info("round %d", number)
        with canvas(display) as draw:
            draw.text((0, 0), f"Round {number}: {'Sun' if lamps[0].is_lit else 'Moon'}", fill="white")
            draw.text((0, 30), "PAUSE" if pause_lamp.is_lit else f"{left_s:.0f} s", fill="white")
        time.sleep(0.05)


if __name__ == "__main__":
    play(ssd1306(i2c(port=1, address=0x3C)))
