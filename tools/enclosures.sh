#!/usr/bin/env bash
# Pictures of the enclosures: hardware/enclosure/*.scad into hardware/enclosure/drawn. Needs OpenSCAD, and a screen or
# xvfb. `sums.txt` says what was drawn: a test compares it with the sources.
set -euo pipefail
cd "$(dirname "$0")/../hardware/enclosure"

for program in openscad xvfb-run; do
    if ! command -v "$program" >/dev/null; then
        echo "$program is missing: sudo apt-get install --no-install-recommends openscad xvfb xauth" >&2
        exit 1
    fi
done
mkdir -p drawn
rm -f drawn/*
for source in *.scad; do
    for part in both plate; do
        quality=--render
        [ "$part" = both ] && quality=--preview # keeps the colours
        xvfb-run -a openscad -D "part=\"$part\"" --imgsize=900,600 --viewall --autocenter \
            --colorscheme=Tomorrow "$quality" -o "drawn/${source%.scad}_$part.png" "$source" 2>/dev/null
    done
done
sha256sum -- *.scad >drawn/sums.txt
