"""The event controller: one clock, one roll and one pause for a whole hall."""
