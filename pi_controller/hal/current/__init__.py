"""The panel's current and supply, measured."""
