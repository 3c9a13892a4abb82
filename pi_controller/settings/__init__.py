"""The one typed settings file: every mistake is reported at once, before a pin is touched."""
