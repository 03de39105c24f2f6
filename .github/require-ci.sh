#!/usr/bin/env bash
# Fails unless the workflow CI has passed on the commit of the tag. Without a tag, it succeeds, because nothing is
# published.
set -euo pipefail
if [[ "${GITHUB_REF_TYPE:-}" != tag ]]; then
  echo 'Dry run: only a tag requires that CI has passed.'
  exit 0
fi
passed=$(gh api "repos/$GITHUB_REPOSITORY/actions/workflows/ci.yml/runs?head_sha=$GITHUB_SHA&status=success" --jq .total_count)
if ((passed == 0)); then
  echo "CI has not passed on $GITHUB_SHA. Push the commit to main, wait for CI, then run this job again." >&2
  exit 1
fi
