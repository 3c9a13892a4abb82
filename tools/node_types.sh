#!/usr/bin/env bash
# Checks the types of the table nodes' firmware against the modules of a Pico: node_types.sh PYTHON
# The stubs lie in a folder of their own, since they replace parts of Python's own library.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1
stubs=.cache/rp2-stubs

if ! cmp -s requirements/stubs.txt "$stubs/installed"; then
    rm -rf "$stubs"
    "$python" -m pip --quiet --disable-pip-version-check install --require-hashes --target "$stubs" \
        -r requirements/stubs.txt
    cp requirements/stubs.txt "$stubs/installed"
fi
"$python" -m basedpyright --project firmware/pyrightconfig.json
