#!/usr/bin/env python3
"""Installs the controller on a Raspberry Pi, removes it, goes back to the release before; `install.py --help`."""

import sys

if sys.version_info < (3, 11):
    sys.exit("The controller needs Python 3.11 or newer: use Raspberry Pi OS 12 or 13.")
sys.dont_write_bytecode = True  # root would leave files in somebody's checkout

from pi_install.main import main  # noqa: E402  (an old Python could not even read it)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
