#!/usr/bin/env bash
# Enclosures from hardware/enclosure/*.scad: what is printed into printed/*.stl where its sources changed, pictures into
# drawn/, then the search for collisions: enclosures.sh PYTHON. Needs OpenSCAD, and a screen or xvfb. The two sums.txt say
# what was made: a test compares them with the sources.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(realpath -s "$1")

for program in openscad xvfb-run; do
    if ! command -v "$program" >/dev/null; then
        echo "$program is missing: sudo apt-get install --no-install-recommends openscad xvfb xauth" >&2
        exit 1
    fi
done
declare -A printed=([node]="base roof" [pause_box]="box floor" [panel]="tub lid")
# where the pictures are taken from: a point, three angles, a distance; the others show everything
declare -A camera=(
    [node_both]="95,66,35,62,0,25,480" [node_inside]="95,66,30,50,0,25,480"
    [pause_box_both]="0,0,50,65,0,25,480" [pause_box_inside]="0,0,50,75,0,25,480"
    [panel_both]="115,110,30,50,0,25,760" [panel_inside]="105,110,20,32,0,15,720"
)

cd hardware/enclosure
mkdir -p drawn printed
for name in node pause_box panel; do
    if ! sha256sum --quiet --check "printed/$name.sums" 2>/dev/null; then
        for part in ${printed[$name]}; do
            openscad -D "part=\"$part\"" --export-format binstl -o "printed/${name}_$part.stl" "$name.scad" 2>/dev/null
        done
        sha256sum -- "$name.scad" sizes.scad >"printed/$name.sums"
    fi
    for part in both inside plate; do
        view=(--viewall --autocenter)
        [ -n "${camera[${name}_$part]-}" ] && view=(--camera="${camera[${name}_$part]}")
        # the preview keeps the colours
        xvfb-run -a openscad -D "part=\"$part\"" --imgsize=1100,750 --colorscheme=Tomorrow --preview "${view[@]}" \
            -o "drawn/${name}_$part.png" "$name.scad" 2>/dev/null
    done
done
sha256sum -- *.scad >drawn/sums.txt
cd ../..
"$python" -m tools.boxes.collisions
