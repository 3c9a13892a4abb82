"""The event controller: one clock, one roll and one pause for a whole hall."""

__version__ = "0.1.0"
