#!/bin/sh
# The installed controller, for people: `sudo pi-controller status`.
program=/opt/pi-controller/current/bin/pi-controller
[ "$(id -u)" = 0 ] || exec "$program" "$@"
"$program" "$@"
status=$?
# What root wrote among the controller's data belongs to the controller.
[ ! -d /var/lib/pi-controller ] || chown -Rh pi-controller:pi-controller /var/lib/pi-controller
exit $status
