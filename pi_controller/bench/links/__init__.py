"""Several halls at one broker, measured."""
