#!/usr/bin/env bash
# Sees to it that the tests have a MicroPython of 1.25 or newer: the machine's own, or Debian 13's with the libraries
# that it needs, unpacked into .cache/micropython (nothing is installed; no root needed). Quick when it is there.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck disable=SC1091  # a script of its own among those that are checked
. tools/trixie.sh
made=
place=.cache/micropython
packages=(micropython libc6 libffi8 libmbedcrypto16 libmbedtls21 libmbedx509-7)

works() { # is this a MicroPython that is new enough?
    "$1" -c 'import sys; v = sys.implementation; sys.exit(v[0] != "micropython" or v[1][:2] < (1, 25))' \
        >/dev/null 2>&1
}

if works micropython || works "$place/micropython"; then exit 0; fi

trixie_begin "$place" "MicroPython for the tests" \
    "MicroPython is missing for the tests; install version 1.25 or newer with your system's package manager."
echo "fetching MicroPython into $place"
trixie_fetch tools/micropython.sh MicroPython download "${packages[@]}"
cat >"$made/micropython" <<'END'
#!/bin/sh
# Debian 13's MicroPython with its own loader and libraries.
root=${0%/*}/root
for libraries in "$root"/usr/lib/*-linux-gnu*; do
    for loader in "$libraries"/ld-linux*.so.*; do
        exec "$loader" --library-path "$libraries" "$root/usr/bin/micropython" "$@"
    done
done
END
chmod 755 "$made/micropython"
works "$made/micropython" ||
    stop "The MicroPython that was fetched does not run on this machine; install version 1.25 or newer as the command micropython."
trixie_keep "$place"
