#!/usr/bin/env bash
# Runs the commands of action.yml. Environment variables contain the inputs of the action. The output is the most severe
# exit code.
set -uo pipefail

# Unsets the empty variables of omitted inputs, because the commands reject empty values.
for name in TOUCHSTONE_TARGET TOUCHSTONE_KEY TOUCHSTONE_KEY_NO_CREDITS TOUCHSTONE_KEY_LIMITED; do
  [[ -n "${!name:-}" ]] || unset "$name"
done

touchstone() { node "$ACTION_PATH/cli/bin.js" "$@"; }

# add_lines OPTION LINES: adds each line as an argument, after OPTION unless it is empty.
add_lines() {
  local line
  while IFS= read -r line; do
    [[ -z "$line" ]] || arguments+=(${1:+"$1"} "$line")
  done <<<"$2"
}

if [[ -z "${TOUCHSTONE_TARGET:-}" && -z "$TARGET_FILE" ]]; then
  echo 'The input target is empty: give the address of the deployment, a target-file, or "emulator" for the built-in emulator.' >&2
  echo 'exit-code=2' >>"$GITHUB_OUTPUT"
  exit 0
fi

codes=()
documents=()
run() {
  touchstone "${arguments[@]}" --out "$OUT"
  codes+=("$?")
}

if [[ "$CONFORMANCE" == true ]]; then
  arguments=(conformance)
  add_lines --target-file "$TARGET_FILE"
  add_lines --budget "$BUDGETS"
  add_lines '' "$ARGUMENTS"
  documents+=("$OUT/conformance.json")
  run
fi
if [[ -n "$LOAD_SCENARIO" ]]; then
  arguments=(load --scenario "$LOAD_SCENARIO")
  add_lines --budget "$LOAD_BUDGETS"
  add_lines '' "$LOAD_ARGUMENTS"
  documents+=("$OUT/load-$LOAD_SCENARIO.json")
  run
fi

if [[ ${#codes[@]} == 0 ]]; then
  echo 'The action ran nothing: conformance is false, and load-scenario is empty. Set load-scenario, or set conformance to true.' >&2
  codes=(2)
fi
for document in "${documents[@]}"; do
  [[ -f "$document" ]] || continue
  [[ -z "$FORMATS" ]] || touchstone report "$document" --format "$FORMATS" >/dev/null || codes+=("$?")
  [[ ! -f "${document%.json}.md" ]] || cat "${document%.json}.md" >>"$GITHUB_STEP_SUMMARY"
done

# Severity, as in a single run: usage error (2), failure (1), internal error (4), incomplete (3).
verdict=0
for code in 3 4 1 2; do
  [[ " ${codes[*]} " != *" $code "* ]] || verdict=$code
done
for code in "${codes[@]}"; do
  [[ "$code" =~ ^[0-4]$ ]] || verdict=4
done
echo "exit-code=$verdict" >>"$GITHUB_OUTPUT"
