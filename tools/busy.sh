#!/usr/bin/env bash
# Runs a command so often in a row, with a busy process on each processor all the time: busy.sh TIMES COMMAND…
# Ends with the first run that fails, and takes the busy processes along.
set -euo pipefail
times=$1
shift

busy=()
quiet() {
    kill "${busy[@]}" 2>/dev/null || true
}
trap quiet EXIT
for _ in $(seq "$(nproc)"); do
    sh -c 'while :; do :; done' &
    busy+=($!)
done

for ((run = 1; run <= times; run++)); do
    echo "run $run of $times beside ${#busy[@]} busy processes"
    "$@"
done
