#!/usr/bin/env python3
"""Waits until the pages are there, then shows the hall screen in a browser; ends when it does."""

import os
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path

SETTINGS = Path("/etc/pi-controller/settings.toml")
BROWSERS = ("chromium", "chromium-browser")
FLAGS = (
    "--kiosk", "--ozone-platform=wayland", "--no-first-run", "--noerrdialogs", "--disable-infobars",
    "--hide-crash-restore-bubble", "--disable-session-crashed-bubble", "--disable-component-update",
    "--disable-background-networking", "--disable-sync", "--disable-translate", "--disable-pinch",
    "--disable-features=Translate,OverscrollHistoryNavigation", "--autoplay-policy=no-user-gesture-required",
    "--password-store=basic", "--check-for-update-interval=31536000", "--disk-cache-size=1",
)  # fmt: skip


def main() -> int:
    """The browser's exit status."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("There is no Chromium on this machine; install it: sudo apt install chromium", file=sys.stderr)
        return 1
    port = web_port()
    wait_for_pages(port)
    profile = f"--user-data-dir={os.environ['HOME']}/profile"
    return subprocess.call([browser, *FLAGS, *sys.argv[1:], profile, f"http://127.0.0.1:{port}/"])


def web_port() -> int:
    """The port of the pages, from the settings in force."""
    try:
        settings = tomllib.loads(SETTINGS.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        print(f"{SETTINGS} cannot be read ({error}); trying port 8080.", file=sys.stderr)
        return 8080
    return int(settings.get("web", {}).get("port", 8080))


def wait_for_pages(port: int) -> None:
    """Until somebody answers there: the browser would show its own error page first."""
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return


if __name__ == "__main__":
    sys.exit(main())
