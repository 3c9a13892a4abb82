"""The panel's button, lamps, buzzer and display."""
