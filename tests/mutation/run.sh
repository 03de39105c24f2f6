#!/bin/sh
# Installs the mutation tester where it is not there yet, and runs it with the arguments given.
set -e
cd "$(dirname "$0")/../.."
if [ ! -d tests/mutation/node_modules ]; then
  echo 'Installing the mutation tester into tests/mutation/node_modules (once, about 63 MB).'
  npm ci --prefix tests/mutation --no-audit --no-fund
fi
exec tests/mutation/node_modules/.bin/stryker run tests/mutation/stryker.config.js "$@"
