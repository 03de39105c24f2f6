#!/usr/bin/env bash
# Runs the commands of action.yml. Environment variables contain the inputs of the action. The output is the most severe
# exit code.
set -uo pipefail

# Unsets the empty variables of omitted inputs, because the commands reject empty values.
for name in TOUCHSTONE_KEY TOUCHSTONE_KEY_NO_CREDITS TOUCHSTONE_KEY_LIMITED; do
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

# add_options LINES: adds each line as an option. A line contains the option alone, or with its value: --rate=10 or
# --rate 10.
add_options() {
  local line
  while IFS= read -r line; do
    if [[ "$line" =~ ^[[:space:]]*(--[a-z][a-z0-9-]*)[[:space:]]+(.*[^[:space:]])[[:space:]]*$ ]]; then
      arguments+=("${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}")
    elif [[ -n "$line" ]]; then
      arguments+=("$line")
    fi
  done <<<"$1"
}

# summarize_usage_error TITLE MESSAGE: adds the message to the summary of the job.
summarize_usage_error() {
  printf '### %s\n\n```text\n%s\n```\n\n' "$1" "$2" >>"$GITHUB_STEP_SUMMARY"
}

# reject MESSAGE: reports a usage error of the action itself.
reject() {
  echo "$1" >&2
  summarize_usage_error 'touchstone: invalid inputs of the action' "$1"
  codes=(2)
}

codes=()
documents=()

# run DOCUMENT: runs the command in `arguments`, which writes the document.
run() {
  local errors code
  errors=$(mktemp)
  # Copies standard error to a file. Standard output bypasses the pipe as file descriptor 3.
  {
    touchstone "${arguments[@]}" 2>&1 >&3 3>&- | tee "$errors" >&2
    code=${PIPESTATUS[0]}
  } 3>&1
  codes+=("$code")
  [[ "$code" != 2 ]] || summarize_usage_error "touchstone ${arguments[0]}: usage error" "$(<"$errors")"
  documents+=("$1")
  rm -f "$errors"
}

if [[ -z "$TARGET" ]]; then
  reject 'The input target is empty: give the address of the deployment, a target file, or "emulator" for the built-in emulator.'
elif [[ "$CONFORMANCE" != true && "$CONFORMANCE" != false ]]; then
  reject "The input conformance is \"$CONFORMANCE\": set it to true or false."
elif [[ "$CONFORMANCE" != true && -z "$LOAD_SCENARIO" ]]; then
  reject 'The action ran nothing: conformance is false, and load-scenario is empty. Set load-scenario, or set conformance to true.'
else
  if [[ "$CONFORMANCE" == true ]]; then
    arguments=(conformance --target "$TARGET" --out "$OUT")
    add_lines --budget "$BUDGETS"
    add_options "$ARGUMENTS"
    run "$OUT/conformance.json"
  fi
  if [[ -n "$LOAD_SCENARIO" ]]; then
    arguments=(load --target "$TARGET" --scenario "$LOAD_SCENARIO" --out "$OUT")
    add_lines --budget "$LOAD_BUDGETS"
    add_options "$LOAD_ARGUMENTS"
    run "$OUT/load-$LOAD_SCENARIO.json"
  fi
fi

# Bash 3.2 treats an empty array as an unset variable.
for document in ${documents[@]+"${documents[@]}"}; do
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
