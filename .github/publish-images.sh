#!/usr/bin/env bash
# Builds the images for the processor of this machine. Pushes them with provenance and a bill of materials if a tag
# started the workflow and GITHUB_TOKEN is set. The argument `manifest` instead combines the images of all processors,
# and tags the result `latest` unless it is a pre-release.
set -euo pipefail
# Uses sed, because not every runner has Node.js.
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
repository=${GITHUB_REPOSITORY:-touchstone/touchstone}
prefix=ghcr.io/${repository,,}

publishes=false
if [[ "${GITHUB_REF_TYPE:-}" == tag && -n "${GITHUB_TOKEN:-}" ]]; then
  publishes=true
  docker login ghcr.io --username "$GITHUB_ACTOR" --password-stdin <<<"$GITHUB_TOKEN"
else
  echo 'Dry run: pushing images takes a tag, and GITHUB_TOKEN.'
fi

if [[ "${1:-}" == manifest ]]; then
  for target in emulator runner; do
    image=$prefix/$target
    tags=(--tag "$image:$version")
    [[ "$version" == *-* ]] || tags+=(--tag "$image:latest")
    command=(docker buildx imagetools create "${tags[@]}" "$image:$version-x86_64" "$image:$version-aarch64")
    if $publishes; then "${command[@]}"; else echo "${command[@]}"; fi
  done
  exit
fi

labels=(--label "org.opencontainers.image.version=$version" --label "org.opencontainers.image.revision=${GITHUB_SHA:-unknown}")
if $publishes; then
  # The default builder cannot attach provenance to an image.
  docker buildx create --use
  build=(docker buildx build --push --provenance=mode=max --sbom=true)
else
  build=(docker build)
fi
for target in emulator runner; do
  "${build[@]}" --target "$target" --tag "$prefix/$target:$version-$(uname -m)" "${labels[@]}" .
done
