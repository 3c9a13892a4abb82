"""Several halls with one game, and show control, over an MQTT broker."""
