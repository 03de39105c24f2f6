#!/usr/bin/env bash
# Generates the examples in about three minutes. Needs an idle machine: other work makes a load run INVALID, which ends this
# script. Needs the programs that `touchstone load` needs, and Chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
touchstone() { npx node cli/bin.js "$@"; }
EMULATOR=http://127.0.0.1:8471
KEYS=(--key sk-svc-touchstone-funded --no-credits-key sk-svc-touchstone-empty --limited-key sk-svc-touchstone-limited)

serve() {
  node_modules/node/bin/node cli/bin.js emulator --port 8471 "$@" >/dev/null &
  SERVER=$!
  trap 'kill "$SERVER" 2>/dev/null || true' EXIT
  until curl -sf "$EMULATOR/__emulator/health" >/dev/null; do sleep 0.1; done
}
stop() { kill "$SERVER" && wait "$SERVER" || true; }

# The emulator, which conforms to the specification.
touchstone conformance --out examples/emulator
npx node examples/trim-evidence.ts examples/emulator/conformance.json
touchstone report examples/emulator/conformance.json --format html,markdown,badge

# A target with defects: it returns JSON for speech, 500 for images, 422 for chats of one model, and flat error bodies.
serve --option error-body=detail --fault 'operation=speech,contentType=application/json' \
  --fault 'operation=images,status=500' --fault 'operation=chat,model=o3-mini,status=422'
touchstone conformance --target "$EMULATOR" "${KEYS[@]}" --out examples/defective || [ $? = 1 ]
stop
npx node examples/trim-evidence.ts examples/defective/conformance.json
touchstone report examples/defective/conformance.json --format html,junit,markdown,badge

# Load runs before and after the target becomes slower.
load() {
  touchstone load --target "$EMULATOR" --key sk-svc-touchstone-funded --scenario chat-stream --profile average \
    --duration 60s --rate 20 --max-tokens 16 --budget 'ttft.p90<=700ms' --budget 'failed.rate<=1%' --out "$1" || [ $? = 1 ]
}
serve --latency ttft=250ms..600ms,itl=10ms..30ms
load examples/load
stop
serve --latency ttft=500ms..1200ms,itl=10ms..30ms
load examples/load-slower
stop

# Comparison of the load runs, and matrix of the targets.
touchstone report compare before=examples/load/load-chat-stream.json after=examples/load-slower/load-chat-stream.json \
  --format html,markdown --out examples/comparison || [ $? = 1 ]
touchstone report matrix emulator=examples/emulator/conformance.json defective=examples/defective/conformance.json \
  --out examples/matrix

# The commands move earlier reports to these directories.
rm -rf examples/*/earlier

# Picture for the README: rows of the table "What the gateway does" for the gateway of the tutorial. A container runs
# Chromium as root, which requires --no-sandbox.
PICTURE=$(mktemp -d)
sed -n '/^\/\/ gateway.mjs/,/^```/p' docs/tutorial.md | sed '$d' >"$PICTURE/gateway.mjs"
node_modules/node/bin/node "$PICTURE/gateway.mjs" >/dev/null &
SERVER=$!
TOUCHSTONE_KEY=sk-svc-touchstone-funded touchstone conformance --target http://127.0.0.1:8100 \
  --upstream http://127.0.0.1:8099 --only gateway --out "$PICTURE"
stop
node_modules/node/bin/node --input-type=module - "$PICTURE/conformance.html" <<'END'
import { chromium } from 'playwright-core'
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: 900, height: 1400 } })
await page.goto(`file://${process.argv[2]}`)
await page.evaluate(() => {
  const shown = /\/(?:request-headers|cache|status-map|retries|retry-after|cool-down)/
  for (const rows of document.querySelectorAll('#policies tbody')) if (!shown.test(rows.textContent)) rows.remove()
})
await page.locator('#policies').screenshot({ path: 'docs/gateway.png' })
await browser.close()
END
rm -r "$PICTURE"
