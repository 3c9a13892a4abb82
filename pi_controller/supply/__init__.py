"""Pure: voltage and current along the rows of table nodes."""
