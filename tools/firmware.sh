#!/usr/bin/env bash
# Builds the firmware of the table nodes into build/firmware and checks it: firmware.sh PYTHON
# Every file is loaded by the oldest MicroPython that may run it, as far as it needs no pins.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1
out=build/firmware

rm -rf "$out"
"$python" -m pi_controller firmware build -o "$out"
tools/micropython.sh
micropython=$(command -v micropython || echo .cache/micropython/micropython)
MICROPYPATH="$out:.frozen" "$micropython" -c "
import os, sys
sys.path.append('tests/firmware/wires/pio')
names = sorted('table_node.' + entry[0][:-4] for entry in os.ilistdir('$out/table_node'))
for name in names:
    __import__(name)
    if not sys.modules[name].__file__.endswith('.mpy'):
        raise SystemExit(name + ' was not loaded from its .mpy file')
print(len(names), 'modules load in MicroPython', '.'.join(str(part) for part in sys.implementation[1][:3]))
"
tools/node_types.sh "$python"
