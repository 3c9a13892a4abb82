"""Several halls: a try-out on one machine, and the broker that they need."""
