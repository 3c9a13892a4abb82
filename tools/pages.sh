#!/usr/bin/env bash
# Checks the types and the style of the pages' JavaScript with the tools that tools/pages/package-lock.json names.
set -euo pipefail
cd "$(dirname "$0")/.."
place=.cache/pages

tools/npm.sh pages
mapfile -t scripts < <(git -c 'safe.directory=*' ls-files -- 'pi_controller/web/pages/*.js' 'tests/pages/*.js' ':!pi_controller/web/pages/bundles' ':!pi_controller/web/pages/vendor')
"$place/node_modules/.bin/tsc" --project tools/pages/tsconfig.json
linter=("$place"/node_modules/@biomejs/cli-linux-*/biome) # npm keeps the one for this processor
"${linter[0]}" lint --error-on-warnings --config-path=tools/pages "${scripts[@]}"
