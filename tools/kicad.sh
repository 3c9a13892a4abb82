#!/usr/bin/env bash
# Runs a program of Debian 13's KiCad 9: tools/kicad.sh kicad-cli version. KiCad and all it needs (200 MB to fetch,
# 1.3 GB on disk) is unpacked into .cache/kicad at the first call; nothing is installed. The program sees only that
# tree: files for it lie in .cache/kicad/root/drawings. Without root it needs user namespaces.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck disable=SC1091  # a script of its own among those that are checked
. tools/trixie.sh
made=
place=.cache/kicad

inside() {
    local root=$1 program=$2
    shift 2
    local enter=(chroot "$root")
    [ "$(id -u)" = 0 ] || enter=(unshare --map-root-user chroot "$root")
    env -i HOME=/tmp PATH=/usr/sbin:/usr/bin LC_ALL=C.UTF-8 "${enter[@]}" "/usr/bin/$program" "$@"
}

if [ ! -d "$place" ]; then
    trixie_begin "$place" "KiCad for the drawings" \
        "KiCad is unpacked from Debian's packages; run this on Debian, Ubuntu or Raspberry Pi OS."
    echo "fetching KiCad into $place: 200 MB, one or two minutes" >&2
    trixie_fetch tools/kicad.sh KiCad install -y --no-install-recommends --download-only kicad
    mkdir -p "$made/root/drawings"
    inside "$made/root" kicad-cli version >/dev/null 2>&1 ||
        stop "KiCad was fetched but does not start here; run as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1)."
    rm -rf "$made/root"/usr/share/{doc,icons,locale,man}
    trixie_keep "$place"
fi
inside "$place/root" "$@"
