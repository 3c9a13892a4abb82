#!/usr/bin/env bash
# Makes or brings up to date the checkout's own Python environment: environment.sh PYTHON VENV run|dev
# Does nothing, quickly, while interpreter, lock file, pyproject.toml and this file are those of the last time.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1 venv=$2 kind=$3

stop() {
    echo "$*" >&2
    exit 1
}

command -v "$python" >/dev/null || stop "$python is not there; install Python 3.11 or newer, or name one: make PYTHON=…"
identity='import sys; print(*sys.version_info[:3], sys.base_prefix)'
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    stop "$("$python" --version) is too old; name Python 3.11 or newer: make PYTHON=…"
wanted=$("$python" -c "$identity")

if [ "$("$venv/bin/python" -c "$identity" 2>/dev/null || true)" != "$wanted" ]; then
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        stop "Python's venv module is missing; install it with: apt-get install python3-venv (as root)"
    echo "making $venv with $("$python" --version)"
    rm -rf "$venv"
    "$python" -m venv "$venv"
fi

state() { # of one kind's inputs, and of where the checkout lies: the project is installed by its path
    { cat "requirements/$1.txt" pyproject.toml tools/environment.sh && pwd; } | sha256sum
}
installed() { [ "$(cat "$venv/installed-$1" 2>/dev/null)" = "$(state "$1")" ]; }

if installed "$kind" || { [ "$kind" = run ] && installed dev; }; then
    exit 0
fi
echo "installing requirements/$kind.txt and the project into $venv"
pip=("$venv/bin/python" -m pip --quiet --quiet --disable-pip-version-check install)
"${pip[@]}" --require-hashes -r "requirements/$kind.txt"
"${pip[@]}" --no-deps --no-build-isolation --editable .
# In place of the module that setuptools writes for packages of two folders: it costs each start of Python 20 ms.
printf '%s\n' "$PWD" "$PWD/firmware" >"$(echo "$venv"/lib/python*/site-packages/__editable__.pi_controller-*.pth)"
state "$kind" >"$venv/installed-$kind"
