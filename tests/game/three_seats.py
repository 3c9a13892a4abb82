"""A rule set with three seats that no product has: whatever knows of two sides breaks on it."""

from dataclasses import replace

from pi_controller.game.rule_sets import CONNECT, SideSign

THREE = replace(
    CONNECT,
    name="three",
    sides=(
        ("sun", SideSign("Sun", "sun", "amber")),
        ("moon", SideSign("Moon", "moon", "blue")),
        ("star", SideSign("Star", "star", "green")),
    ),
    rounds_without_seven=1,
)
