#!/bin/sh
# The installed controller, for people: `sudo pi-controller status`.
exec /opt/pi-controller/current/bin/pi-controller "$@"
