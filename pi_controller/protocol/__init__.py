"""The language of core's control socket: requests, answers and the client that speaks it."""
