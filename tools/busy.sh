#!/usr/bin/env bash
# Runs a command several times in a row beside busy processes: busy.sh PROCESSES TIMES COMMAND…
# Ends with the first run that fails, and takes the busy processes along.
set -euo pipefail
[[ "${1:-}" =~ ^[0-9]+$ && "${2:-}" =~ ^[0-9]+$ && $# -ge 3 ]] || {
    echo "usage: busy.sh PROCESSES TIMES COMMAND…" >&2
    exit 2
}
processes=$1 times=$2
shift 2

busy=()
quiet() {
    kill "${busy[@]}" 2>/dev/null || true
}
trap quiet EXIT
for _ in $(seq "$processes"); do
    sh -c 'while :; do :; done' &
    busy+=($!)
done

for ((run = 1; run <= times; run++)); do
    echo "run $run of $times beside ${#busy[@]} busy processes"
    "$@"
done
