#!/usr/bin/env bash
# tree.sh ARCHITECTURE FILE PACKAGE…: Debian 13 with these packages as a tar file, from this machine's own mirror.
# Kept: made again only when the file is gone. As root.
set -euo pipefail
architecture=$1 file=$2
shift 2
[ ! -e "$file" ] || exit 0
mkdir -p "$(dirname "$file")"

mirrors() { # archives that this machine takes packages from
    LC_ALL=C apt-get --print-uris update 2>/dev/null | sed -n "s|^'\\(.*\\)/dists/.*|\\1|p" | grep -v security | sort -u
}

log=$(mktemp)
trap 'rm -f "$log" "$file.new"' EXIT
packages=$(IFS=, && echo "$*")
for mirror in $(mirrors); do
    if mmdebstrap --quiet --variant=apt --architectures="$architecture" --include="$packages" --format=tar \
        --aptopt='APT::Install-Recommends "false"' \
        trixie "$file.new" "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" 2>>"$log"; then
        mv "$file.new" "$file"
        exit 0
    fi
done
tail -n 5 "$log" >&2
echo "A Debian 13 tree could not be made from this machine's mirror; it needs a network and root." >&2
exit 1
