#!/usr/bin/env bash
# Writes requirements/run.txt, dev.txt, stubs.txt (the modules of a Pico, for the type checker) and hardware.txt
# (pictures of the harnesses): exact versions with their files' hashes, for every platform and Python from 3.11
# on, without the address of any package index.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1
tool=.cache/lock

if [ ! -x "$tool/bin/uv" ]; then
    "$python" -m venv "$tool"
    "$tool/bin/python" -m pip --quiet --disable-pip-version-check install uv
fi
options=(--quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links
    --custom-compile-command "make lock" --upgrade)
"$tool/bin/uv" pip compile "${options[@]}" --group build pyproject.toml --output-file requirements/run.txt
"$tool/bin/uv" pip compile "${options[@]}" --group build --group dev --constraints requirements/run.txt \
    pyproject.toml --output-file requirements/dev.txt
"$tool/bin/uv" pip compile "${options[@]}" --group stubs --output-file requirements/stubs.txt
"$tool/bin/uv" pip compile "${options[@]}" --group hardware --output-file requirements/hardware.txt
