"""The routes of `/api` and `/metrics`, each part with its own rows of the route table."""
