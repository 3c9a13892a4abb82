#!/usr/bin/env bash
# Compiles sources and tests once, before several processes would each do all of it at the same time: compiled.sh PYTHON
# Only in a new environment: what has changed later is little. What a test file has wrong the run itself tells.
set -euo pipefail
cd "$(dirname "$0")/.."
done=$(dirname "$1")/../compiled

[ ! -e "$done" ] || exit 0
"$1" -m compileall -q -j 0 -x '/test_|/conftest' pi_controller firmware tools tests systemd
# pytest compiles the test files itself, with what it tells of a failed assertion
printf '%s\0' tests/*/ | xargs -0 -P "$(nproc)" -n 18 "$1" -m pytest --collect-only -qq >/dev/null 2>&1 || true
touch "$done"
