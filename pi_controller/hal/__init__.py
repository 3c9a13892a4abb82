"""Everything with a wire on it, by role; one folder for each hardware library, and `sim` for all of them."""
