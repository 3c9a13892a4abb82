"""The `pi-controller` command line."""
