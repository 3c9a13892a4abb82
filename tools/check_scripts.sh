#!/usr/bin/env bash
# Checks shell scripts and the pages' JavaScript; says what it had to leave out.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t scripts < <(git -c 'safe.directory=*' ls-files -- '*.sh' .ci/run)
if command -v shellcheck >/dev/null; then
    shellcheck "${scripts[@]}"
else
    for script in "${scripts[@]}"; do bash -n "$script"; done
    echo "left out: shellcheck is not installed; the scripts were only parsed"
fi

if command -v node >/dev/null; then
    while read -r page; do
        node --input-type=module --check - <"$page" || { echo "$page cannot be parsed" >&2 && exit 1; }
    done < <(git -c 'safe.directory=*' ls-files -- 'pi_controller/web/pages/*.js')
else
    echo "left out: node is not installed; the pages' scripts were not parsed"
fi
