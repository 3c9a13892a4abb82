#!/usr/bin/env bash
# Checks the types and the style of the pages' JavaScript with the tools that tools/pages/package-lock.json names.
set -euo pipefail
cd "$(dirname "$0")/.."
place=.cache/pages

if ! cmp -s tools/pages/package-lock.json "$place/package-lock.json"; then
    if ! command -v npm >/dev/null; then
        echo "npm is missing for the check of the pages: make packages" >&2
        exit 1
    fi
    mkdir -p .cache
    made=$(mktemp -d .cache/pages.XXXXXX)
    trap 'rm -rf "$made"' EXIT
    cp tools/pages/package.json tools/pages/package-lock.json "$made"
    # from within: the folder above may be a link, which --prefix refuses
    if ! (cd "$made" && npm ci --no-audit --no-fund) >"$made/log" 2>&1; then
        tail -n 20 "$made/log" >&2
        echo "The tools for the pages could not be installed; when the machine has a network again: make check" >&2
        exit 1
    fi
    rm -rf "$place"
    mv "$made" "$place"
fi
mapfile -t scripts < <(git -c 'safe.directory=*' ls-files -- 'pi_controller/web/pages/*.js' 'tests/pages/*.js' ':!pi_controller/web/pages/vendor')
"$place/node_modules/.bin/tsc" --project tools/pages/tsconfig.json
linter=("$place"/node_modules/@biomejs/cli-linux-*/biome) # npm keeps the one for this processor
"${linter[0]}" lint --error-on-warnings --config-path=tools/pages "${scripts[@]}"
