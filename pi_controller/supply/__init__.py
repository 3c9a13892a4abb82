"""Pure: voltage and current along the rows of table nodes, and where the supply should go in."""
