#!/usr/bin/env bash
# Functions for scripts that unpack packages of Debian 13 into .cache without installing anything; sourced, not run.
# The archive is the one that this machine takes its own packages from; what comes is checked with Debian's keys.
set -euo pipefail
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

stop() {
    echo "$*" >&2
    exit 1
}

trixie_begin() { # folder, what, the sentence for a machine without apt: makes $made, gone again at the end
    local folder=$1 what=$2 otherwise=$3 needed
    for needed in apt-get dpkg-deb; do
        command -v "$needed" >/dev/null || stop "$otherwise"
    done
    [ -e "$keyring" ] ||
        stop "$what is checked with Debian's keys; install them with: apt-get install debian-archive-keyring (as root)"
    mkdir -p .cache
    made=$(mktemp -d "$PWD/$folder-XXXXXX")
    trap 'rm -rf "$made"' EXIT
    mkdir -p "$made"/{lists/partial,archives/partial,root,parts}
    touch "$made/status"
}

trixie_apt() { # with lists and sources of its own, so that the machine's are neither used nor changed
    LC_ALL=C apt-get -q -o Dir::State::lists="$made/lists" -o Dir::State::status="$made/status" \
        -o Dir::Cache="$made" -o Dir::Etc::sourcelist="$made/sources.list" -o Dir::Etc::sourceparts="$made/parts" \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none -o Acquire::Retries=2 \
        -o APT::Update::Error-Mode=any "$@" >>"$made/log" 2>&1
}

trixie_mirrors() { # archives that this machine takes packages from, whether it has their lists or not
    LC_ALL=C apt-get -o Dir::State::lists="$made/lists" --print-uris update 2>/dev/null |
        sed -n "s|^'\\(.*\\)/dists/.*|\\1|p" | grep -v security | sort -u
}

trixie_fetch() { # the script to run again, what it fetches, then the apt command: its packages end in $made/root
    local script=$1 what=$2 mirror package
    shift 2
    for mirror in $(trixie_mirrors); do
        echo "deb [signed-by=$keyring] $mirror trixie main" >"$made/sources.list"
        if trixie_apt update && (cd "$made/archives" && trixie_apt "$@"); then
            for package in "$made"/archives/*.deb; do dpkg-deb -x "$package" "$made/root"; done
            return
        fi
    done
    [ ! -e "$made/log" ] || tail -n 5 "$made/log" >&2
    stop "$what could not be fetched from this machine's Debian mirror; when the machine has a network again, run: $script"
}

trixie_keep() { # the folder's final place
    rm -rf "$made"/{lists,archives,parts,status,sources.list,log,*.bin} "$1"
    chmod 755 "$made"
    mv "$made" "$1"
}
