"""Firmware of a table node. Everything but main and the drivers runs under CPython too."""
