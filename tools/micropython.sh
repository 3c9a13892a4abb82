#!/usr/bin/env bash
# Sees to it that the tests have a MicroPython of 1.25 or newer: the machine's own, or Debian 13's with the libraries
# that it needs, unpacked into .cache/micropython (nothing is installed; no root needed). Quick when it is there.
set -euo pipefail
cd "$(dirname "$0")/.."
place=.cache/micropython
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
packages=(micropython libc6 libffi8 libmbedcrypto16 libmbedtls21 libmbedx509-7)

stop() {
    echo "$*" >&2
    exit 1
}

works() { # is this a MicroPython that is new enough?
    "$1" -c 'import sys; v = sys.implementation; sys.exit(v[0] != "micropython" or v[1][:2] < (1, 25))' \
        >/dev/null 2>&1
}

if works micropython || works "$place/micropython"; then exit 0; fi

for needed in apt-get dpkg-deb; do
    command -v "$needed" >/dev/null ||
        stop "MicroPython is missing for the tests; install version 1.25 or newer with your system's package manager."
done
[ -e "$keyring" ] ||
    stop "MicroPython for the tests is checked with Debian's keys; install them with: apt-get install debian-archive-keyring (as root)"

mkdir -p .cache
made=$(mktemp -d "$PWD/.cache/micropython-XXXXXX")
trap 'rm -rf "$made"' EXIT
mkdir -p "$made"/{lists/partial,archives/partial,root,parts}
touch "$made/status"

apt() { # with lists and sources of its own, so that the machine's are neither used nor changed
    LC_ALL=C apt-get -q -o Dir::State::lists="$made/lists" -o Dir::State::status="$made/status" \
        -o Dir::Cache="$made" -o Dir::Etc::sourcelist="$made/sources.list" -o Dir::Etc::sourceparts="$made/parts" \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none -o Acquire::Retries=2 \
        -o APT::Update::Error-Mode=any "$@" >>"$made/log" 2>&1
}

fetch() { # everything from the mirror at this address
    echo "deb [signed-by=$keyring] $1 trixie main" >"$made/sources.list"
    apt update && (cd "$made" && apt download "${packages[@]}")
}

mirrors() { # archives that this machine takes packages from, whether it has their lists or not
    LC_ALL=C apt-get -o Dir::State::lists="$made/lists" --print-uris update 2>/dev/null |
        sed -n "s|^'\\(.*\\)/dists/.*|\\1|p" | grep -v security | sort -u
}

echo "fetching MicroPython into $place"
fetched=
for mirror in $(mirrors); do
    if fetch "$mirror"; then
        fetched=yes
        break
    fi
done
if [ -z "$fetched" ]; then
    [ ! -e "$made/log" ] || tail -n 5 "$made/log" >&2
    stop "MicroPython could not be fetched from this machine's Debian mirror; when the machine has a network again, run: tools/micropython.sh"
fi

for package in "$made"/*.deb; do dpkg-deb -x "$package" "$made/root"; done
cat >"$made/micropython" <<'EOF'
#!/bin/sh
# Debian 13's MicroPython with its own loader and libraries.
root=${0%/*}/root
for libraries in "$root"/usr/lib/*-linux-gnu*; do
    for loader in "$libraries"/ld-linux*.so.*; do
        exec "$loader" --library-path "$libraries" "$root/usr/bin/micropython" "$@"
    done
done
EOF
chmod 755 "$made" "$made/micropython"
works "$made/micropython" ||
    stop "The MicroPython that was fetched does not run on this machine; install version 1.25 or newer as the command micropython."
rm -rf "$made"/{lists,archives,parts,status,sources.list,log,*.deb,*.bin} "$place"
mv "$made" "$place"
