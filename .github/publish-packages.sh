#!/usr/bin/env bash
# Publishes the packages of the directory $1 with provenance. The packages of k6 are first, because touchstone depends
# on them. Skips a package that is already published, so that a failed job can be repeated. Without NPM_TOKEN, or if no
# tag started the workflow, npm only checks and lists each package. A pre-release, such as 0.3.0-rc.1, is tagged `next`
# instead of `latest`.
set -euo pipefail
cd "$1"
sha256sum --check --quiet SHA256SUMS

flags=(--access public --provenance)
if [[ "${GITHUB_REF_TYPE:-}" == tag && -n "${NPM_TOKEN:-}" ]]; then
  registry=$(npm config get registry)
  npm config set "${registry#*:}:_authToken" "$NPM_TOKEN"
else
  echo 'Dry run: publishing takes a tag, and the secret NPM_TOKEN.'
  flags+=(--dry-run)
fi

for tarball in touchstone-k6-*.tgz touchstone-[0-9]*.tgz; do
  package=$(tar -xOzf "$tarball" package/package.json | node -p 'const { name, version } = JSON.parse(fs.readFileSync(0)); `${name}@${version}`')
  if [[ " ${flags[*]} " != *' --dry-run '* && -n "$(npm view "$package" version 2>/dev/null)" ]]; then
    echo "$package is published already."
  else
    [[ "${package##*@}" == *-* ]] && tag=next || tag=latest
    npm publish "./$tarball" --tag "$tag" "${flags[@]}"
  fi
done
