"""Which board stands where, and which table node is fitted to it."""
