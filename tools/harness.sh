#!/usr/bin/env bash
# Draws the harnesses of hardware/wiring/*.yml into hardware/wiring/drawn: picture (SVG, PNG) and parts (TSV) of each.
# WireViz is installed into a folder of its own; graphviz comes from the system. `sums.txt` says what was drawn: a
# test compares it with the sources.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}
tool=.cache/harness
into=hardware/wiring/drawn

if ! command -v dot >/dev/null; then
    echo "graphviz is missing: sudo apt-get install --no-install-recommends graphviz" >&2
    exit 1
fi
if ! cmp -s requirements/hardware.txt "$tool/installed"; then
    "$python" -m venv --clear "$tool"
    "$tool/bin/python" -m pip --quiet --disable-pip-version-check install --require-hashes \
        -r requirements/hardware.txt
    cp requirements/hardware.txt "$tool/installed"
fi
mkdir -p "$into"
rm -f "$into"/*
for source in hardware/wiring/*.yml; do
    [ "$source" = hardware/wiring/labels.yml ] && continue
    "$tool/bin/wireviz" --prepend hardware/wiring/labels.yml --format pst --output-dir "$into" "$source" >/dev/null
done
"$tool/bin/python" -c '
import sys
from PIL import Image
for path in sys.argv[1:]:
    Image.open(path).convert("RGB").quantize(128).save(path, optimize=True)
' "$into"/*.png
(cd hardware/wiring && sha256sum -- *.yml) >"$into/sums.txt"
