#!/usr/bin/env bash
# Installs what tools/FOLDER/package-lock.json names into .cache/FOLDER, unless it is there: `npm.sh FOLDER`.
set -euo pipefail
cd "$(dirname "$0")/.."
place=.cache/$1

cmp -s "tools/$1/package-lock.json" "$place/package-lock.json" && exit
if ! command -v npm >/dev/null; then
    echo "npm is missing for the tools of tools/$1: make packages" >&2
    exit 1
fi
mkdir -p .cache
made=$(mktemp -d ".cache/$1.XXXXXX")
trap 'rm -rf "$made"' EXIT
cp "tools/$1/package.json" "tools/$1/package-lock.json" "$made"
# from within: the folder above may be a link, which --prefix refuses
if ! (cd "$made" && npm ci --no-audit --no-fund) >"$made/log" 2>&1; then
    tail -n 20 "$made/log" >&2
    echo "The tools of tools/$1 could not be installed; when the machine has a network again, do the same once more" >&2
    exit 1
fi
rm -rf "$place"
mv "$made" "$place"
