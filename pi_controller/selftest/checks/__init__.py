"""The checks, a topic a module; `registry` knows them by their codes."""
