#!/usr/bin/env bash
# Enclosures from hardware/enclosure/*.scad: what is printed into printed/*.stl, pictures into drawn/. Needs OpenSCAD,
# and a screen or xvfb. `sums.txt` says what was drawn: a test compares it with the sources. With names, only those boxes.
set -euo pipefail
cd "$(dirname "$0")/../hardware/enclosure"

for program in openscad xvfb-run; do
    if ! command -v "$program" >/dev/null; then
        echo "$program is missing: sudo apt-get install --no-install-recommends openscad xvfb xauth" >&2
        exit 1
    fi
done
declare -A printed=([node]="base roof" [pause_box]="box floor" [panel]="tub lid")
mkdir -p drawn printed
# where the pictures are taken from: a point, three angles, a distance
declare -A camera=(
    [node_both]=85,66,40,58,0,25,480 [node_inside]=95,66,30,50,0,25,480
    [pause_box_both]=0,0,50,65,0,25,480 [pause_box_inside]=0,0,50,75,0,25,480
    [panel_both]=105,110,30,50,0,25,760 [panel_inside]=105,110,20,32,0,15,720
)
for box in "${@:-node pause_box panel}"; do
    for name in $box; do
        for part in ${printed[$name]}; do
            openscad -D "part=\"$part\"" --export-format binstl -o "printed/${name}_$part.stl" "$name.scad" 2>/dev/null
        done
        for part in both inside plate; do
            # the preview keeps the colours
            view=(--viewall --autocenter)
            [ -n "${camera[${name}_$part]-}" ] && view=(--camera="${camera[${name}_$part]}")
            xvfb-run -a openscad -D "part=\"$part\"" --imgsize=1100,750 --colorscheme=Tomorrow --preview "${view[@]}" \
                -o "drawn/${name}_$part.png" "$name.scad" 2>/dev/null
        done
    done
done
sha256sum -- *.scad >drawn/sums.txt
