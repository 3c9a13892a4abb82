#!/usr/bin/env python3
"""Installs the controller, removes it, goes back to the release before; `install.py --help` says how."""

import sys

if sys.version_info < (3, 11):
    sys.exit("The controller needs Python 3.11 or newer: use Raspberry Pi OS 12 or 13.")
sys.dont_write_bytecode = True  # root would leave files in somebody's checkout

from pi_install.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
