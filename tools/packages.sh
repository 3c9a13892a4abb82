#!/usr/bin/env bash
# Installs the system packages that the test suite uses where they are missing: as root, or with a sudo that
# asks for no password. Otherwise it stops with the one command to run. MicroPython needs no installing.
# `packages.sh LIST…` sees to the packages of further lists in this folder, too.
set -euo pipefail
cd "$(dirname "$0")"

missing=()
while read -r path package; do
    case $path in
    '' | '#'*) continue ;;
    /*) [ -e "$path" ] || missing+=("$package") ;;
    *) command -v "$path" >/dev/null || missing+=("$package") ;;
    esac
done < <(cat packages.txt "$@")
[ ${#missing[@]} -gt 0 ] || exec ./micropython.sh

command=(apt-get install -y --no-install-recommends "${missing[@]}")
if ! command -v apt-get >/dev/null; then
    echo "Missing for the tests: ${missing[*]}; install them with your system's package manager." >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    sudo=()
elif sudo -n true 2>/dev/null; then
    sudo=(sudo -n)
else
    echo "System packages are missing for the tests; run: sudo ${command[*]}" >&2
    exit 1
fi
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${sudo[@]}" apt-get update -q && "${sudo[@]}" "${command[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "System packages could not be installed; when the machine has a network again, run: ${command[*]}" >&2
    exit 1
fi
exec ./micropython.sh
