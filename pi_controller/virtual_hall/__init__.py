"""Virtual tables: the firmware itself behind a simulated cable, on pseudo-terminals."""
