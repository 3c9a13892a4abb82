"""Drivers for everything on a GPIO pin. The only folder that imports gpiozero."""
